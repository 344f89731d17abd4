"""What a module of a layout does, and what several of them need."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from genset.classes import Taxonomy, imagenet1k
from genset.sets.photo import PhotoSet, readable


@dataclass(frozen=True, slots=True)
class Classes:
    """Which words are classes of a set.

    Attributes:
        taxonomy: whose classes they are.
        others: beside ImageNet's, the names of classes that a model knows.
    """

    taxonomy: Taxonomy = field(default_factory=imagenet1k)
    others: Collection[str] = ()

    def __contains__(self, word: object) -> bool:
        return word in self.taxonomy or word in self.others

    def of_folder(self, name: str) -> str | None:
        """The class of which a folder of this name has photos; None where it is none."""
        return name if name in self.others else self.taxonomy.meant_by(name)

    @property
    def own(self) -> Taxonomy | None:
        """The taxonomy; None for ImageNet's."""
        return None if self.taxonomy.is_imagenet else self.taxonomy

    @property
    def whose(self) -> str:
        """What their taxonomy is called in a sentence."""
        return "ImageNet" if self.taxonomy.is_imagenet else self.taxonomy.name


class Layout(Protocol):
    """The interface of the layouts' modules."""

    def takes(self, named: str, classes: Classes) -> bool:
        """Whether a path, or a pattern of paths, means a set of this layout."""

    def read(self, named: str, classes: Classes, hashes: Path | None) -> PhotoSet:
        """The set.

        Args:
            named: the path or pattern.
            classes: which words are classes.
            hashes: the folder where hashes of files are kept; None: they are not.

        Raises:
            BadInput: it is no such set.
        """


_LEFT_OUT = re.compile(r"The \w+ .*, and is left out\.|[\d,]+ \w+ .*\): left out\.", re.DOTALL)


def is_left_out(note: str) -> bool:
    """Whether a note is one that `left_out` makes."""
    return _LEFT_OUT.fullmatch(note) is not None


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
