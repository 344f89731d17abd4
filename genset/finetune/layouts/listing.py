"""The photos and classes of a data set by its files' names and lists. No photo is opened."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from genset.core.errors import BadInput
from genset.core.junk import is_junk
from genset.core.numbers import agree, count
from genset.sets.photos import Part, ScoredPhoto

Read = Callable[[Path, str], "Listing"]
Place = tuple[Path, Part | None]
"""A photo's file, and which part of it the photo is; None: all of it."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The photos of a data set, by their ids.

    An id is a path in the root, with forward slashes, unless `places` says where the photo is. If
    the data set defines no split, `split` and `parts` are empty.
    """

    root: Path
    classes: tuple[str, ...]  # readable names, in the order of labels
    labels: dict[str, int]  # id -> index of its class in `classes`
    split: str = ""  # in words
    parts: dict[str, str] = field(default_factory=dict)  # id -> "train" or "test"
    excluded: dict[str, str] = field(default_factory=dict)  # id -> reason
    notes: tuple[str, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict)

    def photo(self, id: str) -> ScoredPhoto:
        """A photo with its class, to read."""
        path, within = self.places.get(id, (self.root / id, None))
        return ScoredPhoto(id, path, self.classes[self.labels[id]], within)


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
    read: Read
    variants: tuple[str, ...] = ()
    by_folder: bool = False
    fits: Callable[[Path], bool] = lambda folder: False


def published(
    task: str,
    title: str,
    size: tuple[int, int],
    address: str,
    marker: str,
    variants: tuple[str, ...] = (),
) -> Callable[[Read], Layout]:
    """Make a layout of a function that lists the photos of a data set in its root.

    The root is the folder that is given, or the only one that fits one or two levels below it. The
    function gets it, and one of the variants.

    Args:
        task: its name.
        title: the data set's name.
        size: the published numbers of photos and of classes.
        address: where to get it.
        marker: a pattern of paths that the root has, and other folders do not.
        variants: the task's, if it has several.
    """
    described = (
        f"{task}: {title}, {size[0]:,} photos of {size[1]} classes: unpack the archive of {address}"
    )

    def fits(folder: Path) -> bool:
        return any(folder.glob(marker))

    def layout(read: Read) -> Layout:
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

    return layout


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
        BadInput: a photo is listed twice, leads out of the root or is of another class, or there
            are other parts.
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
    for photo, (name, _) in photos.items():
        if name not in labels:
            raise BadInput(f"{root}: {plain(photo)} is of {plain(name)}, which no list names")
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
