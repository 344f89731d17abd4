"""What a module of a layout does, and what several of them need."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Protocol

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput
from genset.sets.photos import PhotoSet, readable


@dataclass(frozen=True, slots=True)
class Classes:
    """Which words are classes of a set.

    Attributes:
        taxonomy: whose classes they are.
        others: beside ImageNet's, the names of classes that a model knows.
        named: whether somebody named the taxonomy, so that numbers are places in its order.
    """

    taxonomy: Taxonomy = field(default_factory=imagenet1k)
    others: Collection[str] = ()
    named: bool = False

    def __contains__(self, word: object) -> bool:
        return word in self.taxonomy or word in self.others

    def of_folder(self, name: str) -> str | None:
        """The class of which a folder of this name has photos; None where it is none."""
        return name if name in self.others else self.taxonomy.meant_by(name)

    def of_labels(self, labels: Mapping[str, str], where: str) -> dict[str, str]:
        """The class that each label of a set means.

        A label is a class's id; or its place in the order of the classes, from 0, if all places
        occur or somebody named the taxonomy. Else the numbers may be of any order.

        Args:
            labels: by what each is the label of ("photo 3"), for errors.
            where: the set, for errors.

        Raises:
            BadInput: a label means no class, or numbers may be of any order.
        """
        size = len(self.taxonomy)
        numbers = {label for label in labels.values() if is_number(label) and label not in self}
        if numbers and not self.named and len(set(map(int, numbers))) < size:
            raise BadInput(
                f"{where} has numbers for classes, and only {len(numbers)} of them: if they are "
                f"from 0 to {size - 1}, in the sorted order of {self.taxonomy_name}'s wnids, say "
                "--taxonomy imagenet1k; else name classes by their wnids"
            )
        return {
            place: label if label in self else self._by_place(label, f"{where}, {place}")
            for place, label in labels.items()
        }

    def _by_place(self, label: str, where: str) -> str:
        if is_number(label) and int(label) < len(self.taxonomy):
            return self.taxonomy.by_index(int(label)).wnid
        kind = "a wnid" if self.custom is None else "an id"
        raise BadInput(
            f"{where}: {label[:40]!r} is not a class of {self.taxonomy_name}: give {kind}"
            f", or its place from 0 to {len(self.taxonomy) - 1} in their order"
        )

    @property
    def custom(self) -> Taxonomy | None:
        """The taxonomy; None for ImageNet's."""
        return None if self.taxonomy.is_imagenet else self.taxonomy

    @property
    def taxonomy_name(self) -> str:
        """What their taxonomy is called in a sentence."""
        return "ImageNet" if self.taxonomy.is_imagenet else self.taxonomy.name


def is_number(label: str) -> bool:
    """Whether it may be the place of a class."""
    return label.isascii() and label.isdigit() and len(label) < 10


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


def is_exclusion(note: str) -> bool:
    """Whether a note is one that `exclusions` makes."""
    return _LEFT_OUT.fullmatch(note) is not None


def exclusions(names: Sequence[str], one: str, several: str, what: str = "folder") -> list[str]:
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


_MOST = 100_000  # files

_BRACES = re.compile(r"\{([^{}]*)\}")


def is_pattern(named: str) -> bool:
    """Whether a name means several files."""
    return not Path(named).exists() and bool(_BRACES.search(named) or "*" in named)


def expanded(named: str) -> list[Path]:
    """The files, in order: braces as a shell expands them, then stars.

    Raises:
        BadInput: one is not there, or there are too many.
    """
    if not is_pattern(named):
        names = [named]
    else:
        pieces = _BRACES.split(named)  # text, what is in braces, text, ...
        choices = [_choices(piece) if n % 2 else [piece] for n, piece in enumerate(pieces)]
        count = 1
        for choice in choices:
            count *= len(choice)
        if count > _MOST:
            raise BadInput(f"{named} means {count:,} files, more than {_MOST:,}")
        names = ["".join(parts) for parts in product(*choices)]
    found: list[Path] = []
    for name in names:
        path = Path(name)
        matches = sorted(path.parent.glob(path.name)) if "*" in path.name else [path]
        if not matches or not all(match.is_file() for match in matches):
            raise BadInput(f"there is no file {name}")
        found += matches
    return found


def set_name(named: str) -> str:
    """What a set is called that lies in these files: what their names have in common."""
    stem = Path(named).name
    stem = stem[: stem.rfind(".")] if "." in stem else stem
    return _BRACES.sub("", stem).replace("*", "").strip("-_. ") or Path(named).resolve().parent.name


def _choices(inside: str) -> list[str]:
    span = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", inside)
    if span is None:
        return inside.split(",")
    first, last = int(span[1]), int(span[2])
    if abs(last - first) >= _MOST:
        raise BadInput(f"{{{inside}}} means more than {_MOST:,} files")
    padded = span[1].startswith("0") or span[2].startswith("0")
    width = max(len(span[1]), len(span[2])) if padded else 0
    step = 1 if last >= first else -1
    return [f"{number:0{width}}" for number in range(first, last + step, step)]
