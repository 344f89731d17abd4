"""What a data set's files say of it, before any photo is opened."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from genset.errors import BadInput


@dataclass(frozen=True, slots=True)
class Listing:
    """Photos by their ids (paths in the root, with forward slashes), and what is said of them.

    Where the data set defines no split, `split` is empty and so is `parts`.
    """

    root: Path
    classes: tuple[str, ...]  # readable names, in the order of labels
    labels: dict[str, int]  # id -> place of its class in `classes`
    split: str = ""  # in words
    parts: dict[str, str] = field(default_factory=dict)  # id -> "train" or "test"
    left_out: dict[str, str] = field(default_factory=dict)  # id -> why
    notes: tuple[str, ...] = ()


def find_root(data: Path, fits: Callable[[Path], bool], wanted: str, described: str) -> Path:
    """`data` if it fits, else the one folder that does, at most two levels beneath it.

    `wanted` says in words what fits, and `described` where to get it.

    Raises:
        BadInput: none fits, or several of one level do.
    """
    level = [data]
    for _ in range(3):
        found = [folder for folder in level if fits(folder)]
        if len(found) > 1:
            names = named([str(folder) for folder in found])
            raise BadInput(f"{data} holds more than one {wanted}: name one of {names}")
        if found:
            return found[0]
        level = [folder for above in level for folder in folders_in(above)]
    raise BadInput(f"{data} holds no {wanted}. {described}")


def folders_in(folder: Path) -> list[Path]:
    """The folders in it, by name, without hidden ones."""
    return sorted(p for p in folder.iterdir() if not p.name.startswith(".") and p.is_dir())


def files_in(folder: Path) -> list[Path]:
    """The files in it, by name, without hidden ones. A link that leads nowhere is one, too."""
    return sorted(
        p
        for p in folder.iterdir()
        if not p.name.startswith(".") and (p.is_file() or (p.is_symlink() and not p.exists()))
    )


def named(names: Sequence[str]) -> str:
    """The first three names of a list."""
    return ", ".join(map(plain, names[:3])) + ", ..." * (len(names) > 3)


def plain(name: str) -> str:
    """A file's name as it can be written anywhere: some hold line ends, or no text at all."""
    return name if name.isprintable() else ascii(name)[1:-1]


def how_much(name: str, listing: Listing, classes: int, photos: int) -> tuple[str, ...]:
    """A note, where there is more or less of a data set here than was published."""
    here = len(listing.classes), len(listing.labels)
    if here == (classes, photos):
        return ()
    return (
        f"{name} has {photos:,} photos of {classes:,} classes; "
        f"here are {here[1]:,} photos of {here[0]:,}.",
    )
