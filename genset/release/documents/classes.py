"""How documents name the classes of a release, ImageNet's or its own, and classes.csv."""

import csv
import io
from collections import Counter

from genset.classes import Taxonomy
from genset.release.documents.words import line

# Of ImageNet's 1,000, those that are persons.
_PERSONS = ("n09835506", "n10148035", "n10565667")


def its_classes(taxonomy: Taxonomy) -> str:
    """All of them, with how many there are."""
    return f"{_possessive(taxonomy)} {len(taxonomy):,} classes{_named(taxonomy)}"


def its_number(taxonomy: Taxonomy) -> str:
    """The same, where it was said that they are classes."""
    return f"{_possessive(taxonomy)} {len(taxonomy):,}{_named(taxonomy)}"


def _possessive(taxonomy: Taxonomy) -> str:
    return "ImageNet's" if taxonomy.is_imagenet else "its"


def _named(taxonomy: Taxonomy) -> str:
    return "" if taxonomy.is_imagenet else f" ({line(taxonomy.name)})"


def uses(taxonomy: Taxonomy) -> str:
    """What the release is for, and what it is not for."""
    that = (
        "that were trained on ImageNet-1k"
        if taxonomy.is_imagenet
        else f"of {its_classes(taxonomy)}"
    )
    return (
        f"Made to measure how well image classifiers {that} generalize to "
        "photos that they were not tuned on. Not for training, for recognizing persons, or for "
        "judging whether a system is safe to use."
    )


def person_classes(taxonomy: Taxonomy) -> list[str]:
    """The ids of the classes that are known to be persons."""
    if taxonomy.is_imagenet:
        return list(_PERSONS)
    return [
        cls.wnid
        for cls in taxonomy
        if "person" in cls.hypernyms or not set(_PERSONS).isdisjoint(cls.imagenet)
    ]


def class_map(taxonomy: Taxonomy) -> str:
    """The table, a row for each class: those too of which a release has no photo."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("wnid", "index", "name"))
    for cls, name in zip(taxonomy, readable_names(taxonomy), strict=True):
        writer.writerow((cls.wnid, cls.index, name))
    return text.getvalue()


def readable_names(taxonomy: Taxonomy) -> tuple[str, ...]:
    """A name for each class, in order, no two the same; where two share one, with the id."""
    shared = Counter(cls.name for cls in taxonomy)
    names = tuple(
        cls.name if shared[cls.name] == 1 else f"{cls.name} ({cls.wnid})" for cls in taxonomy
    )
    if len(set(names)) < len(names):  # a name ends as another one with its id does
        names = tuple(f"{cls.name} ({cls.wnid})" for cls in taxonomy)
    return names
