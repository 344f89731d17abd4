"""The photos and classes of a data set by its files' names and lists. No photo is opened."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

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


@dataclass(frozen=True, slots=True)
class Layout:
    """How the files of a task are laid out.

    Attributes:
        task: its name.
        described: the task, what its data are, and where to get them, in one line.
        read: lists the photos in a folder, of one of the variants; raises BadInput or OSError.
        variants: the task's, as the 3 of dtd:3; the first one is meant if none is named. "" stands
            for any.
        by_folder: whether results are named by the folder of the data, not by the task.
        fits: whether a folder is the root of a data set that is published so.
    """

    task: str
    described: str
    read: Callable[[Path, str], Listing]
    variants: tuple[str, ...] = ()
    by_folder: bool = False
    fits: Callable[[Path], bool] = lambda folder: False


def published(
    task: str,
    title: str,
    size: tuple[int, int],
    address: str,
    marker: str,
    read: Callable[[Path, str], Listing],
    variants: tuple[str, ...] = (),
) -> Layout:
    """The layout of a data set that is published as an archive.

    Its root is the folder that is given, or the only one that fits one or two levels below it.

    Args:
        task: its name.
        title: the data set's name.
        size: the published numbers of photos and of classes.
        address: where to get it.
        marker: a pattern of paths that the root has, and other folders do not.
        read: lists the photos in the root, of one of the variants.
        variants: the task's, if it has several.
    """
    described = (
        f"{task}: {title}, {size[0]:,} photos of {size[1]} classes: unpack the archive of {address}"
    )

    def fits(folder: Path) -> bool:
        return any(folder.glob(marker))

    def listed(data: Path, variant: str) -> Listing:
        listing = read(_find_root(data, fits, title, described), variant)
        listing = replace(listing, split=listing.split and f"official, {listing.split}")
        here = len(listing.labels), len(listing.classes)
        if here == size:
            return listing
        note = (
            f"{title} has {size[0]:,} photos of {size[1]:,} classes; "
            f"here {agree(here[0], 'is', 'are')} {count(here[0], 'photo')} of {here[1]:,}."
        )
        return replace(listing, notes=(*listing.notes, note))

    return Layout(task, described, listed, variants, fits=fits)


def _find_root(data: Path, fits: Callable[[Path], bool], title: str, described: str) -> Path:
    level = [data]
    for _ in range(3):
        found = [folder for folder in level if fits(folder)]
        if len(found) == 1:
            return found[0]
        level = [folder for above in level for folder in folders_in(above)]
    raise BadInput(f"{data} does not hold {title}, or more than once. {described}")


Row = tuple[str, str, str]
"""A photo's path, its class, and the name of its part in the data set ("" if there is none)."""

_TESTED = ("test", "testing", "val", "valid", "validation", "dev")  # the first that is there
_TRAINED = ("train", "training", "trainval", *_TESTED[2:])
PARTS = (*_TRAINED, *_TESTED[:2])


def listing_of(root: Path, rows: Iterable[Row], classes: Sequence[str] = ()) -> Listing:
    """A listing of photos in the root, each with its class and its part.

    The test part is "test", or the validation part if there is none. The others are trained on. A
    single part is no split.

    Args:
        root: the data set's folder.
        rows: the photos.
        classes: the names, in the order of labels; none: the classes of the rows, sorted.

    Raises:
        BadInput: a photo is listed twice or leads out of the root, or there are other parts.
    """
    found: dict[str, tuple[str, str]] = {}
    for photo, name, part in rows:
        path = PurePosixPath(photo)
        if path.is_absolute() or ".." in path.parts:
            raise BadInput(f"{root}: the photo {plain(photo)} leads out of the folder")
        if str(path) in found:
            raise BadInput(f"{root}: the photo {plain(photo)} is listed twice")
        found[str(path)] = name, part
    parts = list(dict.fromkeys(part for _, part in found.values()))
    split, used = _split(root, [part for part in parts if part])
    unused = [part or "photos of no part" for part in parts if part not in used]
    photos = {photo: value for photo, value in found.items() if value[1] in used}
    classes = classes or sorted({name for name, _ in photos.values()})
    labels = {name: label for label, name in enumerate(classes)}
    return Listing(
        root,
        tuple(classes),
        {photo: labels[name] for photo, (name, _) in photos.items()},
        split,
        {photo: used[part] for photo, (_, part) in photos.items()} if split else {},
        notes=(f"Not used, beside {split}: {named(unused)}.",) if unused else (),
    )


def _split(root: Path, parts: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The split in words, and "train" or "test" for each part that is used."""
    if len(parts) < 2:
        return "", {"": "", **dict.fromkeys(parts, "")}
    tested = next((part for part in _TESTED if part in parts), "")
    trained = [part for part in parts if part in _TRAINED and part != tested]
    if not (tested and trained):
        raise BadInput(
            f"{root} has the parts {named(parts)}: name them train and test (or val); photos of "
            "one part are split by a seed"
        )
    return f"{' + '.join(trained)} and {tested}", dict.fromkeys(trained, "train") | {tested: "test"}


def folders_in(folder: Path) -> list[Path]:
    """The folders in it, sorted by name, without hidden ones and junk."""
    return sorted(p for p in _shown(folder) if p.is_dir())


def files_in(folder: Path) -> list[Path]:
    """The files in it, sorted by name, without hidden ones and junk. Broken links are files."""
    return sorted(p for p in _shown(folder) if p.is_file() or (p.is_symlink() and not p.exists()))


def _shown(folder: Path) -> Iterator[Path]:
    return (p for p in folder.iterdir() if not p.name.startswith(".") and not is_junk(p.name))


def named(names: Sequence[str], most: int = 3) -> str:
    """The first names of a list."""
    return ", ".join(map(plain, names[:most])) + ", ..." * (len(names) > most)


def plain(name: str) -> str:
    """A file's name, escaped if it is not printable."""
    return name if name.isprintable() else ascii(name)[1:-1]
