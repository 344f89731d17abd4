"""Rebuild ``taxa.json``: which classes are a taxon of organisms, and its scientific name.

    python -m wordnet_maps.taxa

WordNet knows the scientific names of some classes, as they were used when it was written.
``taxa.toml`` holds what a person made of them, class by class: taken as it is, renamed since,
another one for certain, or left out. Nothing is added here; it is checked that each class of
organisms but for breeds stands there once, that what is said to be WordNet's own word is, and that
no two classes are one taxon.

The result depends on nothing but ``taxa.toml`` and the committed ``imagenet1k.json``.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.core.validation import parse_toml, read_text
from wordnet_maps.build import write

HERE = Path(__file__).parent
RANKS = ("phylum", "class", "order", "suborder", "family", "genus", "species")

_SPECIES = re.compile(r"[A-Z][a-z]+ [a-z]+")
_HIGHER = re.compile(r"[A-Z][a-z]+")
_BREEDS = ("dog", "domestic cat")

_Class = Mapping[str, Any]  # a class of imagenet1k.json


def build(document: Mapping[str, Any], classes: Iterable[_Class]) -> dict[str, Any]:
    """The whole map, ready to be written with `wordnet_maps.build.write`.

    Args:
        document: what ``taxa.toml`` says.
        classes: those of ``imagenet1k.json``.

    Raises:
        BadInput: a class is there twice or not at all, or is no class of organisms; a name is no
            lemma's, stands in no gloss, or is none that a taxon of its rank may have; or two
            classes are one taxon.
    """
    known = {cls["wnid"]: cls for cls in classes}
    made = [*_lemmas(document, known.values()), *_chosen(document, known)]
    _check_all_are_there(document, made, known)
    for name, times in Counter(cls["taxon"] for cls in made).items():
        if times > 1:
            raise BadInput(f"taxa.toml: {times} classes are {name}")
    for cls in made:
        shape = _SPECIES if cls["rank"] == "species" else _HIGHER
        if cls["rank"] not in RANKS or not shape.fullmatch(cls["taxon"]):
            raise BadInput(f"taxa.toml: {cls['taxon']!r} is no name of a {cls['rank']}")
    return {
        "about": "ImageNet-1k's classes that are a taxon; made by wordnet_maps/taxa.py, do not "
        "edit by hand",
        "notice": "LICENSE-WordNet.txt",
        "classes": sorted(made, key=lambda cls: str(cls["wnid"])),
    }


def _lemmas(document: Mapping[str, Any], classes: Iterable[_Class]) -> list[dict[str, str]]:
    """Classes by their own scientific names, as they are or renamed."""
    owners: dict[str, list[str]] = {}
    for cls in classes:
        for lemma in cls["lemmas"]:
            owners.setdefault(lemma, []).append(cls["wnid"])
    lemmas = {name: name for part in document["lemma"] for name in part["names"]}
    if both := lemmas.keys() & document["renamed"].keys():
        raise BadInput(f"taxa.toml has {min(both)} as it is and renamed")
    made = []
    for lemma, taxon in (lemmas | document["renamed"]).items():
        if len(owners.get(lemma, ())) != 1:
            raise BadInput(
                f"taxa.toml: {lemma} is the lemma of {len(owners.get(lemma, ()))} classes"
            )
        note = "" if taxon == lemma else f"WordNet: {lemma}"
        evidence = "lemma" if taxon == lemma else "override"
        made.append(_entry(owners[lemma][0], taxon, "species", evidence, note))
    return made


def _chosen(document: Mapping[str, Any], known: Mapping[str, _Class]) -> list[dict[str, str]]:
    """Classes that are a taxon by their gloss or for certain."""
    made = []
    for wnid, taxon in document["classes"].items():
        in_gloss = taxon.get("gloss", False)
        if in_gloss and taxon["taxon"] not in known.get(wnid, {"gloss": ""})["gloss"]:
            raise BadInput(f"taxa.toml: the gloss of {wnid} does not name {taxon['taxon']}")
        evidence = "gloss" if in_gloss else "override"
        made.append(_entry(wnid, taxon["taxon"], taxon["rank"], evidence, taxon["why"]))
    return made


def _entry(wnid: str, taxon: str, rank: str, evidence: str, note: str) -> dict[str, str]:
    entry = {"wnid": wnid, "taxon": taxon, "rank": rank, "evidence": evidence}
    return entry | {"note": note} if note else entry


def _check_all_are_there(
    document: Mapping[str, Any], made: Iterable[_Class], known: Mapping[str, _Class]
) -> None:
    """Each class of organisms that is no breed must have been looked at, once."""
    named = [cls["wnid"] for cls in made]
    named += [wnid for part in document["left_out"] for wnid in part["wnids"]]
    required = {wnid for wnid, cls in known.items() if _is_looked_at(cls)}
    if twice := [wnid for wnid, times in Counter(named).items() if times > 1]:
        raise BadInput(f"taxa.toml has {twice[0]} twice")
    if others := sorted(set(named) - required):
        raise BadInput(f"taxa.toml has {others[0]}, which is no class of organisms, or a breed")
    if missing := sorted(required - set(named)):
        raise BadInput(f"taxa.toml lacks {len(missing)} classes: {', '.join(missing[:5])}")


def _is_looked_at(cls: _Class) -> bool:
    above = cls["hypernyms"]
    return "organism" in above and "person" not in above and not set(_BREEDS) & set(above)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status, after one line on what is wrong if not 0."""
    parser = argparse.ArgumentParser(
        prog="python -m wordnet_maps.taxa",
        description="Rebuild the map of classes to taxa from taxa.toml.",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", default=HERE / "taxa.json")
    options = parser.parse_args(arguments)

    def made() -> Any:
        classes = json.loads((HERE / "imagenet1k.json").read_text("utf-8"))["classes"]
        return build(
            parse_toml(read_text(HERE / "taxa.toml"), dict[str, Any], "taxa.toml"), classes
        )

    return write(options.output, made)


if __name__ == "__main__":
    sys.exit(main())
