"""Letters that show which models differ significantly: two that share a letter do not."""

from collections.abc import Collection
from string import ascii_lowercase


def letter_groups(count: int, apart: Collection[tuple[int, int]]) -> list[str]:
    """The letters of each of `count` models, in their order ("a", "ab", "b").

    `apart` are the pairs of models that differ, by their places from 0 on. Two models share a
    letter if and only if they are not such a pair. The first model has an "a".

    Source: Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons",
    Journal of Computational and Graphical Statistics 13, 2004 (insert and absorb).
    """
    groups = [frozenset(range(count))]
    for pair in sorted(apart):
        split = []
        for group in groups:
            split += [group - {one} for one in pair] if group.issuperset(pair) else [group]
        groups = [group for group in set(split) if not any(group < other for other in split)]
    groups.sort(key=sorted)
    names = [_letters(number) for number in range(len(groups))]
    return [
        "".join(name for name, group in zip(names, groups, strict=True) if model in group)
        for model in range(count)
    ]


def _letters(number: int) -> str:
    """a to z, then a2 to z2, and so on."""
    turn, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(turn + 1) if turn else "")
