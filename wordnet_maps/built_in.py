"""Rebuild the taxonomies that come with genset, in ``taxonomies/``.

    python -m wordnet_maps.built_in

They are files like a user's, made by what `genset classes` uses, and by what is decided here.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from genset.classes import Taxonomy
from genset.classes.files import toml_of
from genset.classes.making.drafts import Draft, of_synsets
from genset.classes.making.remarks import remarks
from genset.classes.making.together import together
from genset.classes.wordnet import nouns

HERE = Path(__file__).parent

_CMC = """\
ImageNet-100, as in the paper "Contrastive Multiview Coding" by Yonglong Tian, Dilip Krishnan and
Phillip Isola: the 100 classes of imagenet100.txt in https://github.com/HobbitLong/CMC (commit
7b227be0), here in sorted order, as models number them. BSD 2-Clause License, Copyright (c) 2020,
Yonglong Tian (LICENSE-CMC.txt). Made by wordnet_maps/built_in.py."""

_CIFAR10 = """\
The ten classes of CIFAR-10 (https://www.cs.toronto.edu/~kriz/cifar.html), in its order, each with
its noun of WordNet and the classes of ImageNet below that. Made by wordnet_maps/built_in.py."""

# CIFAR-10's classes, with their nouns.
_TEN = {
    "airplane": "n02691156",
    "automobile": "n02958343",
    "bird": "n01503061",
    "cat": "n02121808",
    "deer": "n02430045",
    "dog": "n02084071",
    "frog": "n01639765",
    "horse": "n02374451",
    "ship": "n04194289",
    "truck": "n04490091",
}

_PICKUP, _MINIVAN = "n03930630", "n03770679"

_SAID = {
    "airplane": ["ImageNet's warplane (n04552348) is no airplane in WordNet, and is left out"],
    "automobile": ["ImageNet's minivan is a car and a truck in WordNet: it is counted here"],
    "cat": ["the domestic cat: ImageNet's cougar and lynx are cats of another kind in WordNet"],
    "deer": ["ImageNet has no deer, so no output of its models stands for this class"],
    "truck": ["ImageNet's pickup is left out: CIFAR-10 has no pickups, as its authors say"],
}


def imagenet100() -> str:
    """The text of ``imagenet100-cmc.toml``."""
    wnids = (HERE / "imagenet100-cmc.txt").read_text("ascii").split()
    taxonomy = together("imagenet100-cmc", of_synsets(sorted(wnids), 0))
    return toml_of(taxonomy, {}, _CMC)


def cifar10() -> str:
    """The text of ``cifar10.toml``."""
    drafts = [Draft(word, (word,), nouns()[wnid]) for word, wnid in _TEN.items()]
    made = together("cifar10", drafts)
    changed = {
        "automobile": tuple(sorted({*made["automobile"].imagenet, _MINIVAN})),
        "truck": tuple(cls for cls in made["truck"].imagenet if cls != _PICKUP),
    }
    taxonomy = Taxonomy(
        (replace(cls, imagenet=changed.get(cls.wnid, cls.imagenet)) for cls in made),
        {cls.wnid: [other.wnid for other in made.confusable(cls.wnid)] for cls in made},
        made.name,
    )
    seen = remarks(taxonomy)
    outputs = {cls.wnid: [*_SAID.get(cls.wnid, []), *seen.get(cls.wnid, [])] for cls in taxonomy}
    return toml_of(taxonomy, outputs, _CIFAR10)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m wordnet_maps.built_in", description="Rebuild genset's own taxonomies."
    )
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", default=HERE / "taxonomies")
    folder = parser.parse_args(arguments).output
    for name, make in (("imagenet100-cmc", imagenet100), ("cifar10", cifar10)):
        (folder / f"{name}.toml").write_text(make(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
