"""Any photos in a folder for each class, with or without ``train/`` and ``test/`` above them."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.finetune.layouts.listing import Listing, files_in, folders_in, named
from genset.sets.formats import SUFFIXES

DESCRIBED = (
    "folder: your own photos, in a folder for each class (owl/1.jpg), or in such folders under "
    "train/ and test/ (or val/)"
)

_PARTS = ("train", "val", "test")


def read(data: Path) -> Listing:
    """List the photos of each class folder, in two parts if there is ``train/``.

    The test part is ``test/``, or ``val/`` if there is no ``test/``.

    Raises:
        BadInput: there are no such folders, or only one of the two parts.
    """
    children = folders_in(data)
    found = [name for name in _PARTS if data / name in children]
    if not found:
        return _listing(data, {"": data})
    tested = "test" if "test" in found else "val"
    for part in ("train", tested):
        if part not in found:
            other = "test/ (or val/)" if part == "val" else "train/"
            raise BadInput(
                f"{data} has {found[0]}/ and no {other}: add it, or put the folders of classes "
                f"directly into {data}, to be split"
            )
    unused = [f"{child.name}/" for child in children if child.name not in ("train", tested)]
    notes = [f"Not used, beside train/ and {tested}/: {named(unused)}."] if unused else []
    parts = {"train": data / "train", "test": data / tested}
    return _listing(data, parts, split=f"its own, train/ and {tested}/", notes=notes)


def _listing(
    data: Path, parts: Mapping[str, Path], split: str = "", notes: Iterable[str] = ()
) -> Listing:
    """List the photos of all parts. Without a split there is one part, named ""."""
    found: dict[str, tuple[str, str]] = {}  # id -> class and part
    classes: set[str] = set()
    others: list[str] = []
    for part, folder in parts.items():
        for child in folders_in(folder):
            for path in files_in(child):
                classes.add(child.name)
                photo = path.relative_to(data).as_posix()
                if path.suffix.lower() in SUFFIXES:
                    found[photo] = child.name, part
                else:
                    others.append(photo)
    if not found:
        raise BadInput(f"{data} holds no folders of photos. {DESCRIBED}")
    if others:
        files = count(len(others), "file")
        notes = [*notes, f"Left out as no photos, by their names: {files} ({named(others)})."]
    names = sorted(classes)
    labels = {name: label for label, name in enumerate(names)}
    return Listing(
        root=data,
        classes=tuple(names),
        labels={photo: labels[name] for photo, (name, _) in found.items()},
        split=split,
        parts={photo: part for photo, (_, part) in found.items() if part},
        notes=tuple(notes),
    )
