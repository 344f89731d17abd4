"""A ``.tar`` of folders of classes, or of photos with a ``labels.csv``; or WebDataset's shards."""

import hashlib
import posixpath
import tarfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from genset.core.errors import BadInput, first_line
from genset.core.progress import progress
from genset.release.reader import MANIFEST
from genset.sets.formats import has_no_ending, is_photo, is_photo_name
from genset.sets.hashes import HashStore
from genset.sets.layouts import webdataset
from genset.sets.layouts.folder import ClassFolders
from genset.sets.layouts.labels import LABELS, rows_of, validation_rows
from genset.sets.layouts.layout import Classes, Row, expanded, photo_set, set_name
from genset.sets.layouts.webdataset import Member
from genset.sets.photos import PhotoSet, Unreadable

_UNPACK = {
    ".gz": "gunzip",
    ".tgz": "gunzip",
    ".bz2": "bunzip2",
    ".xz": "unxz",
    ".zst": "unzstd",
    ".zip": "unzip",
}
_LONGEST = 2**28  # bytes of a table


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet | None:
    """The photos of a tar in the order of their ids or of its table; of shards in theirs.

    Raises:
        BadInput: it is none of these.
    """
    path = Path(named)
    if path.suffix not in (".tar", *_UNPACK) or path.is_dir():
        return None
    store = HashStore(hashes, path)
    tars = {path: _members_of(path, store) for path in expanded(named)}
    if len(tars) > 1 or any(map(webdataset.has_samples, tars.values())):
        rows = webdataset.rows_of(tars, classes)
        return photo_set(set_name(named), path, rows, classes, store, by_class=True)
    members = _without_top(tars[path], classes)
    if MANIFEST in members:
        raise BadInput(f"{path} is a packed release: unpack it, and name its folder")
    found = _classified(path, members, classes)
    listed = [] if found.rows else _listed(path, members, classes)
    if not any(row.label for row in listed):
        found.check(path)
        listed = sorted(found.rows, key=lambda row: row.name.split("/"))
    rows = [_row(row, members.get(row.name)) for row in listed]
    notes = found.notes() if found.rows else ()
    return photo_set(set_name(named), path, rows, classes, store, notes)


def _row(row: Row, member: Member | None) -> Row:
    """A row with the place of its photo in the tar."""
    if member is None:
        return replace(row, part=Unreadable("it is not in the tar"))
    return replace(row, part=member.part, sha256=member.sha256)


def _without_top(members: Sequence[Member], classes: Classes) -> dict[str, Member]:
    """By their names; without the folder that all lie in, as in a tar of ``val/``."""
    found = {member.name: member for member in members}
    while len(tops := {name.partition("/")[0] for name in found}) == 1:
        (top,) = tops
        if top in found or classes.find(top):
            break
        found = {name.removeprefix(f"{top}/"): member for name, member in found.items()}
    return found


def _classified(path: Path, members: dict[str, Member], classes: Classes) -> ClassFolders:
    folders = sorted({name.partition("/")[0] for name in members if "/" in name})
    found = ClassFolders(folders, str(path), classes)
    for name, member in sorted(members.items()):
        folder, *below = name.split("/")
        wnid = found.meant.get(folder) if below else None
        if len(below) == 1 and wnid:
            if member.is_photo:
                found.rows.append(Row(name, folder, path))
            elif not below[0].startswith("."):
                found.excluded["others"].append(below[0])
        elif member.is_photo and below and not wnid:
            found.excluded["strange"] += [folder] * (folder not in found.excluded["strange"])
        elif member.is_photo:
            found.excluded["stray"].append(name.rpartition("/")[2])
    return found


def _listed(path: Path, members: dict[str, Member], classes: Classes) -> list[Row]:
    """Photos that lie in no folders: by a list in the tar or beside it, if any."""
    table = path.with_name(LABELS)
    try:
        if member := members.get(LABELS):
            if member.size > _LONGEST:
                raise BadInput(f"{path}/{LABELS} is too large")
            rows = rows_of(member.part.read(path), path / LABELS, classes)
        elif table.is_file():
            rows = rows_of(table.read_bytes(), table, classes)
        else:
            photos = (name for name, member in sorted(members.items()) if member.is_photo)
            rows = validation_rows(path, photos)
    except OSError as error:
        raise BadInput(f"the {LABELS} of {path} cannot be read: {error.strerror}") from None
    return [replace(row, path=path) for row in rows]


# The files in a tar: listed and hashed once, and kept by its stat


def _members_of(path: Path, store: HashStore) -> list[Member]:
    """The files of a tar in its order; of two with one name, the last.

    Raises:
        BadInput: it is no tar, or a packed one, or is cut off.
    """
    if tool := _UNPACK.get(path.suffix):
        raise BadInput(f"{path} is packed: unpack it ({tool} {path}), and name what it holds")
    try:
        return [Member(*fields) for fields in store.read(str(path), _described_members)]
    except tarfile.TarError as error:
        raise BadInput(f"{path} is no tar, or cut off: {first_line(error)}") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None


def _described_members(path: str) -> list[Any]:
    with tarfile.open(path, "r:") as tar:
        files = (info for info in tar if not info.isdir())
        infos = {posixpath.normpath(info.name).lstrip("/"): info for info in files}
    with Path(path).open("rb") as file:
        end = file.seek(0, 2)
        items = progress(infos, total=len(infos), what=f"hashing {Path(path).name}", unit="photo")
        # As apple's tar does, metadata is beside each file under this prefix.
        return [
            _described(name, infos[name], file, end)
            for name in items
            if not name.rpartition("/")[2].startswith("._")
        ]


def _described(name: str, info: tarfile.TarInfo, file: BinaryIO, end: int) -> tuple[Any, ...]:
    if not info.isreg() or info.issparse():
        return name, 0, 0, "", "it is no regular file"
    if info.offset_data + info.size > end:
        return name, 0, 0, "", "the tar is cut off"
    base, sha256 = name.rpartition("/")[2], ""
    if is_photo_name(base) or has_no_ending(base):
        file.seek(info.offset_data)
        content = file.read(info.size)
        if is_photo_name(base) or is_photo(content):
            sha256 = hashlib.sha256(content).hexdigest()
    return name, info.offset_data, info.size, sha256, ""
