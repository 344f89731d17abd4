"""WebDataset's shards: tars of samples, each a photo and its class under one key.

``000042.jpg`` and ``000042.cls`` or ``.txt``, or ``000042.json`` with ``wnid``, ``cls``, ``label``
and the like. Where one of them is a class's id or full name and another a number, the name counts:
numbers are of many orders. A name that is not unique must be one of the number's class.

Source: https://github.com/webdataset/webdataset, ``base_plus_ext`` in ``tariterators.py``.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from genset.core.errors import BadInput
from genset.models.huggingface.labels import classes_called
from genset.sets.formats import is_photo_name
from genset.sets.layouts.layout import Classes, Row, is_number
from genset.sets.photos import Part, Slice, Unreadable

_NAME = re.compile(r"((?:.*/)?[^./]+)\.([^/]*)")
_FIELDS = ("cls", "class", "synset", "wnid", "txt")
_SURE = {"json", *_FIELDS[:-1]}
_IN_JSON = (
    *("wnid", "synset", "cls", "label", "class", "classname", "class_name", "label_name", "name"),
)
_LONGEST = 2**20  # bytes of a class's file


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


Fields = dict[str, Member]


def has_samples(members: Sequence[Member]) -> bool:
    """Whether photos have classes beside them; texts in folders may say something else."""
    return any(
        (fields.keys() & _SURE or ("txt" in fields and "/" not in key)) and _photo(fields)
        for key, fields in _samples(members).items()
    )


def rows_of(shards: Mapping[Path, Sequence[Member]], classes: Classes) -> list[Row]:
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
    ]
    words = [str(label) for label in labels if isinstance(label, str | int) and label != ""]
    named = [word for word in words if classes.find(word)]
    if len(set(map(classes.find, named))) > 1:
        raise BadInput(f"{where}: it has two classes, {named[0]} and {named[1]}")
    numbers = [word for word in words if is_number(word)]
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
    if member.why or member.size > _LONGEST:
        raise BadInput(f"{where}: its class cannot be read: {member.why or 'it is too long'}")
    file.seek(member.offset)
    try:
        return file.read(member.size).decode()
    except ValueError:
        raise BadInput(f"{where}: its class is no text in UTF-8") from None
