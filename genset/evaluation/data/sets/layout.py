"""What a module of a layout does, and what several of them need."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from genset.evaluation.data.sets.photo import PhotoSet, readable


class Layout(Protocol):
    """The interface of the layouts' modules."""

    def takes(self, named: str) -> bool:
        """Whether a path, or a pattern of paths, means a set of this layout."""

    def read(self, named: str, others: Collection[str], hashes: Path | None) -> PhotoSet:
        """The set.

        Args:
            named: the path or pattern.
            others: classes that a model knows beside ImageNet's.
            hashes: the folder where hashes of files are kept; None: they are not.

        Raises:
            BadInput: it is no such set.
        """


def left_out(names: Sequence[str], one: str, several: str, what: str = "folder") -> list[str]:
    """A remark on what of a set is left out: none, or one.

    Args:
        names: of what is left out.
        one, several: why, of one and of several, as in "is no photo" and "are no photos".
        what: it is.
    """
    if not names:
        return []
    named = ", ".join(map(readable, names[:3])) + ", ..." * (len(names) > 3)
    if len(names) == 1:
        return [f"The {what} {named} {one}, and is left out."]
    return [f"{len(names):,} {what}s {several} ({named}): left out."]
