"""Rebuild ``guide.json``: what helps a labeler to tell one class from the next.

    python -m wordnet_maps.guide --facts DIR

Two tables of facts are read from DIR, both made by the ImageNetV2 project
(https://github.com/modestyachts/ImageNetV2; MIT licence, see LICENSE-ImageNetV2.txt):

``wikipedia_pages.json``
    wnid -> the addresses of one or more English Wikipedia pages on the class.
``most_similar_wnids.json``
    wnid -> itself and the 20 classes nearest to it in WordNet, nearest first.

A class may be taken for another that
    1. shares a word with it ("crane") or a Wikipedia page (laptop, notebook), or
    2. is near in WordNet: what both are is something narrow ("necktie", not "garment"), which no
       more than 12 of the 1,000 classes are; or no more than two steps lie between them, up to
       what both are and down again. For animals, whose kinds and breeds WordNet tells finely
       apart, 30 and three. Without this rule a bow tie would be taken for a diaper.
At most six are kept, in this order, for the labeling page to choose from.

The result depends on nothing but the inputs, among them the committed ``imagenet1k.json``.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from genset.classes import ImageClass, Taxonomy, imagenet1k
from genset.core.errors import BadInput
from wordnet_maps.build import write

HERE = Path(__file__).parent
MOST_CONFUSABLE = 6
NARROW, NARROW_OF_ANIMALS = 12, 30
STEPS, STEPS_OF_ANIMALS = 2, 3

# Pages that are on something else than what WordNet says of the class, read beside each other.
MISTAKEN = {
    ("n02123159", "Oncilla"),  # a wild cat; this tiger cat is a domestic one
    ("n09193705", "Alpine_transhumance"),  # herding; this alp is a high mountain
}

_WIKIPEDIA = "https://en.wikipedia.org/wiki/"
# A title in an address, with the part of the page after "#". No colon: "File:", "User:", "Talk:".
_PAGE = re.compile(r"(?:[A-Z0-9]|%[0-9A-F]{2})(?:[\w(),.'!/-]|%[0-9A-F]{2}){0,99}(#[\w(),./'-]+)?")

Pages = Mapping[str, Sequence[str]]
Nearest = Mapping[str, Sequence[str]]


def build(pages: Pages, nearest: Nearest, classes: Taxonomy) -> dict[str, Any]:
    """The whole guide, ready to be written with `wordnet_maps.build.write`.

    Raises:
        BadInput: a class is missing or unknown in either table, or an address is no page of the
            English Wikipedia.
    """
    _check_wnids("wikipedia_pages.json", pages, classes)
    _check_wnids("most_similar_wnids.json", nearest, classes)
    titles = {cls.wnid: tuple(_titles(cls.wnid, pages[cls.wnid])) for cls in classes}
    return {
        "about": "what tells ImageNet-1k's classes apart; made by wordnet_maps/guide.py",
        "source": "https://github.com/modestyachts/ImageNetV2",
        "notice": "LICENSE-ImageNetV2.txt",
        "classes": [
            {
                "wnid": cls.wnid,
                "wikipedia": titles[cls.wnid],
                "confusable": _confusable(cls, nearest[cls.wnid], titles, classes),
            }
            for cls in classes
        ],
    }


def _check_wnids(name: str, table: Mapping[str, Sequence[str]], classes: Taxonomy) -> None:
    wnids = {cls.wnid for cls in classes}
    if missing := sorted(wnids - table.keys()):
        raise BadInput(f"{name} lacks {len(missing)} classes: {', '.join(missing[:3])}")
    named = set(table)
    if name.startswith("most_similar"):
        named = named.union(*table.values())
    if unknown := sorted(named - wnids):
        raise BadInput(f"{name} has {len(unknown)} unknown classes: {', '.join(unknown[:3])}")


def _titles(wnid: str, addresses: Sequence[str]) -> Iterator[str]:
    """The pages without what all addresses begin with, and without the mistaken ones."""
    for address in addresses:
        title = address.removeprefix(_WIKIPEDIA)
        if title == address or not _PAGE.fullmatch(title):
            raise BadInput(f"wikipedia_pages.json, {wnid}: no page of Wikipedia: {address!r}")
        if (wnid, title) not in MISTAKEN:
            yield title


def _confusable(
    cls: ImageClass,
    nearest: Sequence[str],
    titles: Mapping[str, tuple[str, ...]],
    classes: Taxonomy,
) -> list[str]:
    words, pages = _words(cls), set(titles[cls.wnid])
    alike = [cls.wnid for cls in classes if words & _words(cls) or pages & set(titles[cls.wnid])]
    near = [wnid for wnid in nearest if _is_near(cls, classes[wnid], classes)]
    return [wnid for wnid in dict.fromkeys([*alike, *near]) if wnid != cls.wnid][:MOST_CONFUSABLE]


def _words(cls: ImageClass) -> set[str]:
    return {lemma.casefold() for lemma in cls.lemmas}


def _is_near(one: ImageClass, other: ImageClass, classes: Taxonomy) -> bool:
    both = next(name for name in one.hypernyms if name in other.hypernyms)
    steps = one.hypernyms.index(both) + other.hypernyms.index(both) + 2
    animal = "animal" in one.hypernyms
    if steps <= (STEPS_OF_ANIMALS if animal else STEPS):
        return True
    kinds = sum(both in cls.hypernyms for cls in classes)
    return kinds <= (NARROW_OF_ANIMALS if animal else NARROW)


def _read(path: Path) -> Mapping[str, Sequence[str]]:
    try:
        table = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from None
    if not isinstance(table, dict) or not all(
        isinstance(row, list) and all(isinstance(word, str) for word in row)
        for row in table.values()
    ):
        raise BadInput(f"{path} is no table of wnid to a list of words")
    return table


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status, after one line on what is wrong if not 0."""
    parser = argparse.ArgumentParser(
        prog="python -m wordnet_maps.guide",
        description="Rebuild the labelers' guide from the ImageNetV2 project's tables.",
    )
    parser.add_argument("--facts", type=Path, required=True, metavar="DIR")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", default=HERE / "guide.json")
    options = parser.parse_args(arguments)

    def made() -> Any:
        pages = _read(options.facts / "wikipedia_pages.json")
        nearest = _read(options.facts / "most_similar_wnids.json")
        return build(pages, nearest, imagenet1k())

    return write(options.output, made)


if __name__ == "__main__":
    sys.exit(main())
