"""A ``.tar`` of folders of classes, or of photos with a ``labels.csv``; or WebDataset's shards.

Shards are tars of samples, each a photo and its class under one key: ``000042.jpg`` and
``000042.cls`` or ``.txt``, or ``000042.json`` with ``wnid``, ``cls``, ``label`` and the like. Where
one of them is a class's id or full name and another a number, the name counts: numbers are of many
orders. A name that is not unique must be one of the number's class.

Source: https://github.com/webdataset/webdataset, ``base_plus_ext`` in ``tariterators.py``.
"""

import hashlib
import json
import posixpath
import re
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from genset.core.errors import BadInput, first_line
from genset.core.progress import progress
from genset.models.huggingface.labels import classes_called
from genset.release.reader import MANIFEST
from genset.sets.formats import has_no_ending, is_photo, is_photo_name
from genset.sets.hashes import HashStore
from genset.sets.layouts.folder import ClassFolders
from genset.sets.layouts.labels import LABELS, rows_of, validation_rows
from genset.sets.layouts.layout import Classes, Row, expanded, is_number, photo_set, set_name
from genset.sets.photos import Part, PhotoSet, Slice, Unreadable

_UNPACK = {
    ".gz": "gunzip",
    ".tgz": "gunzip",
    ".bz2": "bunzip2",
    ".xz": "unxz",
    ".zst": "unzstd",
    ".zip": "unzip",
}
_LONGEST = 2**28  # bytes of a table

_NAME = re.compile(r"((?:.*/)?[^./]+)\.([^/]*)")
_FIELDS = ("cls", "class", "synset", "wnid", "txt")
_SURE = {"json", *_FIELDS[:-1]}
_IN_JSON = (
    *("wnid", "synset", "cls", "label", "class", "classname", "class_name", "label_name", "name"),
)
_WNID = re.compile(r"\bn\d{8}(?=[_/.])")  # in the name of the file that a photo was
_LONGEST_LABEL = 2**20  # bytes of a class's file


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a tar.

    Attributes:
        name: its path in the tar.
        offset, size: where its bytes are.
        sha256: of a photo's bytes; "" for other files.
        why: why it cannot be read; "" where it can.
    """

    name: str
    offset: int
    size: int
    sha256: str
    why: str

    @property
    def is_photo(self) -> bool:
        """Whether it is one, by its name or, without an ending, by its content."""
        return is_photo_name(self.name.rpartition("/")[2]) or bool(self.sha256)

    @property
    def part(self) -> Part:
        """Where its bytes are."""
        return Unreadable(self.why) if self.why else Slice(self.offset, self.size)


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
    if len(tars) > 1 or any(map(_has_samples, tars.values())):
        rows = _rows_of_shards(tars, classes)
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


# WebDataset's samples

Fields = dict[str, Member]


def _has_samples(members: Sequence[Member]) -> bool:
    """Whether photos have classes beside them; texts in folders may say something else."""
    return any(
        (fields.keys() & _SURE or ("txt" in fields and "/" not in key)) and _photo(fields)
        for key, fields in _samples(members).items()
    )


def _rows_of_shards(shards: Mapping[Path, Sequence[Member]], classes: Classes) -> list[Row]:
    """The photos of all shards, in their order.

    Args:
        shards: their members.
        classes: which words are classes.

    Raises:
        BadInput: of a sample's class, naming it.
    """
    rows = []
    for path, members in shards.items():
        with path.open("rb") as file:
            for key, fields in _samples(members).items():
                if (photo := _photo(fields)) is None:
                    continue
                where = f"{path}, sample {key}"
                record = _record(fields, file, where)
                label = _label_of(fields, record, file, classes, where)
                number = f"{path.stem}/{photo.name}"  # each shard counts its samples from 0
                rows.append(Row(photo.name, label, path, photo.part, photo.sha256, number))
    return rows


def _samples(members: Sequence[Member]) -> dict[str, Fields]:
    """The fields of each key, by their names: both end at the first dot of a file's name."""
    found: dict[str, Fields] = {}
    for member in members:
        match = _NAME.fullmatch(member.name)
        key, field = (match[1], match[2].lower()) if match else (member.name, "")
        found.setdefault(key, {})[field] = member
    return found


def _photo(fields: Fields) -> Member | None:
    return next((field for field in fields.values() if field.is_photo), None)


def _record(fields: Fields, file: BinaryIO, where: str) -> Mapping[str, Any]:
    """A sample's json, if it is an object."""
    if "json" not in fields:
        return {}
    try:
        found = json.loads(_content(fields["json"], file, where))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: its json cannot be read: {error}") from None
    return found if isinstance(found, dict) else {}


def _label_of(
    fields: Fields, record: Mapping[str, Any], file: BinaryIO, classes: Classes, where: str
) -> str:
    """What says a photo's class: an id if there is one, else a number; "" where nothing does."""
    labels: list[Any] = [
        *(_content(fields[name], file, where).strip() for name in _FIELDS if name in fields),
        *(record.get(name) for name in _IN_JSON),
        *filter(classes.find, _WNID.findall(str(record.get("filename", "")).replace("_n", "/n"))),
    ]
    words = [str(label) for label in labels if isinstance(label, str | int) and label != ""]
    named = [word for word in words if classes.find(word)]
    numbers = [word for word in words if is_number(word)]
    facts: dict[object, str] = {classes.find(word): word for word in named}
    facts = facts or {int(word): word for word in numbers}
    if len(facts) > 1:
        raise BadInput(f"{where}: it has two classes, {' and '.join(facts.values())}")
    names = [word for word in words if not is_number(word)]
    place = int(numbers[0]) if numbers else len(classes.taxonomy)
    if not named and names and place < len(classes.taxonomy) and classes.custom is None:
        wnid = classes.taxonomy.by_index(place).wnid
        if wnid not in (classes_called(names[0]) or {wnid}):
            raise BadInput(
                f"{where}: {names[0][:60]!r} is not the class {wnid}, which is number {place} of "
                "ImageNet's: its numbers are of another order; write wnids in their place"
            )
    return (named or numbers or names or [""])[0]


def _content(member: Member, file: BinaryIO, where: str) -> str:
    if member.why or member.size > _LONGEST_LABEL:
        raise BadInput(f"{where}: its class cannot be read: {member.why or 'it is too long'}")
    file.seek(member.offset)
    try:
        return file.read(member.size).decode()
    except ValueError:
        raise BadInput(f"{where}: its class is no text in UTF-8") from None
