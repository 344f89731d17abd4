"""How documents name the classes of a release: ImageNet's 1,000, or its own."""

from genset.classes import Taxonomy
from genset.release.documents import said

# Of ImageNet's 1,000, those that are persons.
_PERSONS = ("n09835506", "n10148035", "n10565667")


def its_classes(taxonomy: Taxonomy) -> str:
    """All of them, with how many there are."""
    return f"{_whose(taxonomy)} {len(taxonomy):,} classes{_named(taxonomy)}"


def its_number(taxonomy: Taxonomy) -> str:
    """The same, where it was said that they are classes."""
    return f"{_whose(taxonomy)} {len(taxonomy):,}{_named(taxonomy)}"


def _whose(taxonomy: Taxonomy) -> str:
    return "ImageNet's" if taxonomy.is_imagenet else "its"


def _named(taxonomy: Taxonomy) -> str:
    return "" if taxonomy.is_imagenet else f" ({said.line(taxonomy.name)})"


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


def persons(taxonomy: Taxonomy) -> list[str]:
    """The ids of the classes that are known to be persons."""
    if taxonomy.is_imagenet:
        return list(_PERSONS)
    return [
        each.wnid
        for each in taxonomy
        if "person" in each.hypernyms or not set(_PERSONS).isdisjoint(each.imagenet)
    ]
