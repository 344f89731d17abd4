"""The photos and classes of a data set by its files' names and lists. No photo is opened."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.junk import is_junk
from genset.core.numbers import agree, count


@dataclass(frozen=True, slots=True)
class Listing:
    """The photos of a data set, by their ids (paths in the root, with forward slashes).

    If the data set defines no split, `split` and `parts` are empty.
    """

    root: Path
    classes: tuple[str, ...]  # readable names, in the order of labels
    labels: dict[str, int]  # id -> index of its class in `classes`
    split: str = ""  # in words
    parts: dict[str, str] = field(default_factory=dict)  # id -> "train" or "test"
    excluded: dict[str, str] = field(default_factory=dict)  # id -> reason
    notes: tuple[str, ...] = ()


def find_root(
    data: Path,
    fits: Callable[[Path], bool],
    description: str,
    described: str,
    otherwise: Callable[[Sequence[Path]], str] = lambda folders: "",
) -> Path:
    """Find a data set's root: `data`, or the only folder that fits, one or two levels below it.

    Args:
        data: where to start.
        fits: whether a folder is the root.
        description: a description of the root, for messages.
        described: the task, and where to get its data, for messages.
        otherwise: the mend, from the folders that were looked at, if it is another one; else "".

    Raises:
        BadInput: no folder fits, or several on one level do.
    """
    level = [data]
    seen: list[Path] = []
    for _ in range(3):
        seen += level
        found = [folder for folder in level if fits(folder)]
        if len(found) > 1:
            mend = f"name one of {named([str(folder) for folder in found])}"
            raise BadInput(f"{data} holds more than one {description}: {otherwise(seen) or mend}")
        if found:
            return found[0]
        level = [folder for above in level for folder in folders_in(above)]
    raise BadInput(f"{data} holds no {description}. {otherwise(seen) or described}")


def folders_in(folder: Path) -> list[Path]:
    """The folders in it, sorted by name, without hidden ones and junk."""
    return sorted(p for p in _shown(folder) if p.is_dir())


def files_in(folder: Path) -> list[Path]:
    """The files in it, sorted by name, without hidden ones and junk. Broken links are files."""
    return sorted(p for p in _shown(folder) if p.is_file() or (p.is_symlink() and not p.exists()))


def _shown(folder: Path) -> Iterator[Path]:
    return (p for p in folder.iterdir() if not p.name.startswith(".") and not is_junk(p.name))


def named(names: Sequence[str]) -> str:
    """The first three names of a list."""
    return ", ".join(map(plain, names[:3])) + ", ..." * (len(names) > 3)


def plain(name: str) -> str:
    """A file's name, escaped if it is not printable."""
    return name if name.isprintable() else ascii(name)[1:-1]


def size_note(name: str, listing: Listing, classes: int, photos: int) -> tuple[str, ...]:
    """A note, if the numbers of photos and classes are not those that were published.

    Args:
        name: the data set's name.
        listing: what was found.
        classes: the published number of classes.
        photos: the published number of photos.
    """
    here = len(listing.classes), len(listing.labels)
    if here == (classes, photos):
        return ()
    return (
        f"{name} has {photos:,} photos of {classes:,} classes; "
        f"here {agree(here[1], 'is', 'are')} {count(here[1], 'photo')} of {here[0]:,}.",
    )
