"""WebDataset's shards: tars of samples, each a photo and its class under one key.

``000042.jpg`` and ``000042.cls``, or ``000042.json`` with ``wnid``, ``cls`` or ``label``. Where one
of them is a class's id and another a number, the id counts: numbers are of many orders. The json of
an export of genset's own also says which classes are right beside it: these are the set's truth.

Source: https://github.com/webdataset/webdataset, ``base_plus_ext`` in ``tariterators.py``.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

from genset.core.errors import BadInput
from genset.sets.layouts.layout import Classes, exclusions
from genset.sets.layouts.members import Member
from genset.sets.photos import PhotoSet, ScoredPhoto, hash_of, readable
from genset.sets.truths.truth import Truth, truth_of_export

Shards = Mapping[Path, Sequence[Member]]

_NAME = re.compile(r"((?:.*/)?[^./]+)\.([^/]*)")
_IN_JSON = ("wnid", "cls", "label")
_LONGEST = 2**20  # bytes of a class's file


def has_samples(members: Sequence[Member]) -> bool:
    """Whether photos have classes beside them."""
    labeled = {key for key, fields in _grouped(members) if fields.keys() & {"cls", "json"}}
    return any(member.is_photo and _split(member.name)[0] in labeled for member in members)


def read(name: str, root: Path, shards: Shards, classes: Classes) -> PhotoSet:
    """The photos of all shards, in their order.

    Args:
        name: of the set.
        root: what names the shards.
        shards: their members.
        classes: which words are classes.

    Raises:
        BadInput: a class is none, or no photo has one.
    """
    samples: list[_Sample] = []
    labels: dict[str, str] = {}
    bare: list[str] = []
    for path, members in shards.items():
        with path.open("rb") as file:
            for sample in _samples(path, members):
                place = f"{path.name}/{sample.key}"
                if label := _label_of(sample, file, classes):
                    samples.append(sample)
                    labels[f"sample {place} ({len(samples)})"] = label
                else:
                    bare.append(place)
    if not samples:
        raise BadInput(f"{root} holds no photos with their classes: jpg and cls, or jpg and json")
    found = list(zip(samples, classes.of_labels(labels, str(root)).values(), strict=True))
    ids = [_id(sample, wnid) for sample, wnid in found]
    if len(set(ids)) < len(ids):  # each shard counts its samples from 0
        ids = [_id(sample, wnid, sample.path.stem) for sample, wnid in found]
    if len(set(ids)) < len(ids):
        raise BadInput(f"{root} holds a shard twice, or a key twice in a shard")
    photos = tuple(
        ScoredPhoto(id, sample.path, wnid, sample.photo.part, sample.photo.sha256)
        for id, (sample, wnid) in zip(ids, found, strict=True)
    )
    notes = exclusions(bare, "has no class", "have no class", "photo")
    truth = _truth(name, dict(zip(ids, (sample for sample, _ in found), strict=True)))
    return PhotoSet(
        name=name,
        root=root,
        content_hash=hash_of(photos),
        photos=photos,
        notes=tuple(notes),
        truth=truth,
        custom_taxonomy=classes.custom,
    )


def _truth(name: str, samples: "Mapping[str, _Sample]") -> Truth | None:
    """What the samples' json says of all right classes; other makers' json is not read for it."""
    records: dict[str, Mapping[str, Any]] = {}
    for path, group in groupby(samples.items(), lambda item: item[1].path):
        with path.open("rb") as file:
            for image, sample in group:
                record = _record(sample, file, sample.key)
                if not records and "labels_correct" not in record:
                    return None
                records[image] = record
    return truth_of_export(name, records)


def _record(sample: "_Sample", file: BinaryIO, where: str) -> Mapping[str, Any]:
    """A sample's json, if it is an object."""
    if "json" not in sample.fields:
        return {}
    try:
        found = json.loads(_content(sample.fields["json"], file, where))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: its json cannot be read: {error}") from None
    return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class _Sample:
    """A photo of a shard, with the other fields under its key."""

    path: Path
    key: str
    photo: Member
    fields: Mapping[str, Member]


def _split(name: str) -> tuple[str, str]:
    """A member's key and field: both end at the first dot of its file's name."""
    match = _NAME.fullmatch(name)
    return (match[1], match[2].lower()) if match else (name, "")


def _grouped(members: Sequence[Member]) -> Iterator[tuple[str, dict[str, Member]]]:
    """The fields of each key, by their names."""
    found: dict[str, dict[str, Member]] = {}
    for member in members:
        key, field = _split(member.name)
        found.setdefault(key, {})[field] = member
    yield from found.items()


def _samples(path: Path, members: Sequence[Member]) -> Iterator[_Sample]:
    for key, fields in _grouped(members):
        photo = next((field for field in fields.values() if field.is_photo), None)
        if photo is not None:
            yield _Sample(path, key, photo, fields)


def _id(sample: _Sample, wnid: str, shard: str = "") -> str:
    """A photo's path in the set: what its folder of classes would call it."""
    name = readable(sample.photo.name)
    inside = name.removeprefix(f"{wnid}/")
    return "/".join(filter(None, (wnid, shard, inside)))


def _label_of(sample: _Sample, file: BinaryIO, classes: Classes) -> str:
    """What says a photo's class: an id if there is one, else a number; "" where nothing does."""
    where = f"{sample.path}, sample {sample.key}"
    number = sample.fields.get("cls")
    labels: list[Any] = [_content(number, file, where).strip()] if number else []
    known = _record(sample, file, where)
    labels += [known.get(name) for name in _IN_JSON]
    words = [str(label) for label in labels if label is not None and label != ""]
    named = [word for word in words if word in classes]
    if len(set(named)) > 1:
        raise BadInput(f"{where}: it has two classes, {named[0]} and {named[1]}")
    return (named or words or [""])[0]


def _content(member: Member, file: BinaryIO, where: str) -> str:
    if member.why or member.size > _LONGEST:
        raise BadInput(f"{where}: its class cannot be read: {member.why or 'it is too long'}")
    file.seek(member.offset)
    try:
        return file.read(member.size).decode()
    except ValueError:
        raise BadInput(f"{where}: its class is no text in UTF-8") from None
