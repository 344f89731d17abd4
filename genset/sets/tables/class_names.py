"""Which of ImageNet's classes the names of labels mean: wnids, or ImageNet's own long names."""

from collections import Counter
from collections.abc import Sequence

from genset.sets.layout import Classes

# Of a list of all classes in ImageNet's order, so many at least have names that say so; the rest
# have names that two classes share ("crane"), or that were changed because of it ("crane2").
_PLAIN = 900


def wnids_of(names: Sequence[str], classes: Classes) -> list[str | None]:
    """The class of each label, None where its name is no class's.

    A name is a wnid, or all of the class's words as ImageNet lists them: "tench, Tinca tinca". One
    word alone is not guessed at, since many mean several things. Where 1,000 names stand in
    ImageNet's order, their places say what the names leave open. A class of another taxonomy is
    called as its folder would be.

    Args:
        names: of the labels, in the order of their numbers.
        classes: which words are classes.
    """
    taxonomy = classes.taxonomy
    if classes.own is not None:
        return [classes.of_folder(name) for name in names]
    long_names = {each.wnid: _plain(", ".join(each.lemmas)) for each in taxonomy}
    shared = Counter(long_names.values())
    by_name = {name: wnid for wnid, name in long_names.items() if shared[name] == 1}
    found = [name if name in classes else by_name.get(_plain(name)) for name in names]
    if len(names) == len(taxonomy):
        in_order = [each.wnid for each in taxonomy]
        right = [wnid == each for wnid, each in zip(found, in_order, strict=True) if wnid]
        if all(right) and len(right) >= _PLAIN:
            return list(in_order)
    return list(found)


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())
