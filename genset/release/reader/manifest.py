"""The manifest of a release: a record for each photo, its classes and its hashes.

It may come from anywhere: it is checked when it is read, and believed in nothing that it cannot
show.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import to_builtins

from genset.classes import (
    Taxonomy,
    document_of,
    hash_of,
    hash_of_document,
    imagenet1k,
    mistakes_in,
    taxonomy_of,
)
from genset.core.numbers import count
from genset.core.photo import PhotoOrigin
from genset.core.safe import clean
from genset.core.validation import Invalid, Meta, Record, check, parse_json, read_text

MANIFEST = "manifest.json"
PHOTOS = "test"  # the folder of photos, with one for each class: readers take it for the split
WHOLE = "whole.json"  # beside a part of a release: the release's manifest, for genset pull
FORMAT = "genset release 1"

LISTS = ("labels_correct", "labels_unclear", "labels_wrong")
ANSWERS = (*LISTS, "label_votes", "label_rulings", "label_proposers")

Ground = Literal["taken", "posted", "none"]
"""Why a photo counts as unseen (`ReleasePhoto.unseen`)."""

# Readers such as `datasets` take a folder with one of these words in its name for a split, and
# pass over one that begins with two underscores.
_SPLIT = re.compile(
    r"(?<![^-._0-9])(train(?:ing)?|validation|valid|val|dev|test(?:ing)?|eval(?:uation)?)"
    r"(?![^-._0-9])"
)

_OPTIONAL = ("confidence", "fingerprint", *ANSWERS)  # left out of a record where they are None
_NOT_HASHED = ("license_id", "unseen", "confidence", "fingerprint")
_TAXONOMY = "taxonomy"
LARGEST = 512 * 2**20  # bytes; half a million photos


class ReleasePhoto(PhotoOrigin, frozen=True, kw_only=True):
    """One photo's record in a manifest, with what its source says of it.

    `file` is relative to the release's folder. `labels` has the number of labelers by verdict.
    `selection_frequency` is the share who said correct, 0 to 1, or None without votes that count (a
    reviewer accepted the photo).

    `license_id` is the licence's SPDX id. `unseen` is the ground on which the photo counts as
    unseen: it was "taken" since the manifest's day `unseen_since`, so was nowhere before it; it was
    "posted" at its source since, and may have been elsewhere before; or "none" of both is known.

    `confidence` is that of the aggregated label "correct" by which the photo was taken, 0 to 1;
    None where votes were counted, or a ruling decided.

    `fingerprint` is the perceptual hash of `genset.core.pixels`, by which ``genset pull`` knows the
    picture where its source renders it anew; None where it is not known.

    The rest is None but where photos have several right answers: `labels_correct` are the wnids of
    all classes that are right answers, the photo's own first; `labels_unclear` those of which the
    votes do not tell, or of which nobody was asked yet; `labels_wrong` those that are not in it.
    Each is sorted but for the photo's own class, and a class is in one of them at most: of those in
    none, nobody was asked. `label_votes` has the number of labelers by verdict for each of these
    classes, `label_rulings` the verdict of a reviewer where there is one, and `label_proposers` who
    proposed to ask about a class: models by their names, "confusable" (it is confused with the
    photo's own), "labeler" (one named it), and "search" where one found the photo for it, too, or
    "added" where somebody added it to the class. The photo's own class is not there.
    """

    posted_at: Annotated[datetime, Meta(tz=True)]
    file: str
    wnid: str
    sha256: str
    byte_size: int
    width: int
    height: int
    keyword: str
    rank: int
    labels: dict[str, int]
    selection_frequency: float | None
    license_id: str
    unseen: Ground
    confidence: Annotated[float, Meta(ge=0, le=1)] | None = None
    fingerprint: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")] | None = None
    labels_correct: tuple[str, ...] | None = None
    labels_unclear: tuple[str, ...] | None = None
    labels_wrong: tuple[str, ...] | None = None
    label_votes: dict[str, dict[str, Annotated[int, Meta(gt=0)]]] | None = None
    label_rulings: dict[str, str] | None = None
    label_proposers: dict[str, list[str]] | None = None

    def __post_init__(self) -> None:
        """Refuse a path that leaves the folder of the photo's class, and answers in disorder."""
        name = self.file.rpartition("/")[2]
        if not re.fullmatch(r"[0-9a-f]{64}\.[a-z]+", name) or self.file != file_of(self.wnid, name):
            raise ValueError(f"{self.file!r} is no file of a photo of {self.wnid!r}")
        there = [name for name in ANSWERS if getattr(self, name) is not None]
        if there and len(there) < len(ANSWERS):
            raise ValueError(f"it has {there[0]}, and not all of {', '.join(ANSWERS)}")
        if there:
            self._check_answers()

    def _check_answers(self) -> None:
        correct = self.labels_correct or ()
        every = (*correct, *(self.labels_unclear or ()), *(self.labels_wrong or ()))
        if correct[:1] != (self.wnid,) or len(every) != len(set(every)):
            raise ValueError("its own class must come first in labels_correct, and each class once")
        voted, ruled = set(self.label_votes or ()), set(self.label_rulings or ())
        if voted != set(every) or not ruled | set(self.label_proposers or ()) <= voted:
            raise ValueError("it has votes on other classes than its lists name")

    def as_json(self) -> dict[str, Any]:
        """The record as a manifest has it: without what is None of `confidence` and answers."""
        record = to_builtins(self) | {"posted_at": self.posted_at.isoformat()}
        record |= {name: list(record[name]) for name in LISTS if record[name] is not None}
        names = ("file", "wnid", *record)
        return {
            name: record[name]
            for name in dict.fromkeys(names)
            if record[name] is not None or name not in _OPTIONAL
        }


def file_of(wnid: str, name: str) -> str:
    """The path in a release of a photo's file; a ~ keeps readers from taking a class for a split.

    >>> file_of("test_tube", "0.jpg")
    'test/test~_tube/0.jpg'
    """
    folder = f"{'~' * wnid.startswith('__')}{wnid}"
    return "/".join((PHOTOS, _SPLIT.sub(r"\1~", folder), name))


class PartOf(Record, frozen=True, forbid_unknown_fields=False):
    """Of which release photos are a part: its name and hash, and how many photos it has."""

    name: str
    content_hash: str
    photos: int


@dataclass
class Manifest:
    """The content of a manifest. `photos` are sorted by `file`.

    `documents` has the sha256 of the other documents in the folder, by name. `missing_votes` says
    how many "candidates" of the pool lacked how many "votes" when it was frozen. `chosen_classes`
    are those that photos were wanted of; none for all. `without_effect` are options of its choice
    that changed nothing. `multilabel` says
    how photos came to have several right answers (`genset.release.multilabel.facts`); None: they
    have one. `variant` says of what release and how the photos were changed; None: they were not.
    `part_of` is the release of which they are a part; None: they are all there are.
    `taxonomy` are its classes: ImageNet's, or its own.
    """

    name: str
    created_at: str
    content_hash: str
    strategy: dict[str, Any]
    labelers: int
    excluded: dict[str, int]
    documents: dict[str, str]
    photos: tuple[ReleasePhoto, ...]
    missing_votes: dict[str, int] = field(default_factory=dict)
    chosen_classes: list[str] = field(default_factory=list)
    without_effect: list[str] = field(default_factory=list)
    multilabel: dict[str, Any] | None = None
    variant: dict[str, Any] | None = None
    part_of: PartOf | None = None
    taxonomy: Taxonomy = field(default_factory=imagenet1k)

    def __post_init__(self) -> None:
        """Refuse names of documents that leave the folder, and answers without a word on them."""
        for name in self.documents:
            if not re.fullmatch(
                r"docs/[A-Z][A-Z_]*\.(md|txt)|(test/)?[a-z]+\.(csv|json)", name
            ) or (name == MANIFEST):
                raise ValueError(f"{name!r} is no document of a release")
        several = self.multilabel is not None
        if any((photo.label_votes is not None) is not several for photo in self.photos):
            raise ValueError("multilabel says how photos came to have several right answers")

    @property
    def title(self) -> str:
        """What these photos are called in a sentence: of a part, how many of which release."""
        if self.part_of is None:
            return self.name
        whole = self.part_of
        return f"{len(self.photos):,} of {count(whole.photos, 'photo')} of {clean(whole.name)}"

    def keep(self, photos: Sequence[ReleasePhoto]) -> None:
        """Make it the part that has these of its photos alone."""
        if len(photos) < len(self.photos):
            whole = PartOf(name=self.name, content_hash=self.content_hash, photos=len(self.photos))
            self.part_of = self.part_of or whole
            self.photos, self.content_hash = tuple(photos), content_hash(photos)

    def is_as_written(self, manifest: Mapping[str, Any]) -> bool:
        """Whether the manifest from which this was read agrees with its own hashes."""
        hashes = (manifest.get("manifest_hash"), self.content_hash)
        return hashes == (manifest_hash(manifest), content_hash(self.photos))


# Reading


class Summary(Record, frozen=True, forbid_unknown_fields=False):
    """What can be read of a manifest without looking at each photo and class."""

    format: Literal["genset release 1"]
    name: str
    created_at: str
    content_hash: str
    photos: list[Any]


class _ChangedPhoto(Record, frozen=True, forbid_unknown_fields=False):
    """What a photo of a variant was."""

    of: str


class _Variant(Record, frozen=True, forbid_unknown_fields=False):
    """Of which release a variant is, and which photos were changed."""

    name: str
    content_hash: str
    changed: dict[str, _ChangedPhoto]


class _FileForm(Summary, frozen=True, forbid_unknown_fields=False):
    """What a `Manifest` has in another form than its file."""

    variant: _Variant | None = None
    taxonomy: dict[str, Any] | None = None


def read_manifest(path: Path) -> Manifest:
    """Read a manifest from any folder, with or without its photos.

    Raises:
        BadInput: it cannot be read, or is not a manifest of genset's.
    """
    return parse_manifest(read_text(path, LARGEST).encode(), str(path))


def parse_manifest(content: bytes, where: str) -> Manifest:
    """What a manifest says; `where` names it in errors.

    Raises:
        BadInput: it is not a manifest of genset's.
    """
    manifest = parse_json(content, dict[str, Any], where, LARGEST)
    check(manifest, _FileForm, where)
    document = {name: value for name, value in manifest.items() if name != _TAXONOMY}
    found = check(document, Manifest, where)
    found.taxonomy = taxonomy = read_classes(manifest, where)
    for number, photo in enumerate(found.photos):
        for wnid in (photo.wnid, *(photo.label_votes or ())):
            if wnid not in taxonomy:
                raise Invalid(where, ("photos", number), f": {wnid!r} is none of its classes")
    return found


def read_classes(manifest: Mapping[str, Any], where: str) -> Taxonomy:
    """The classes of a stranger's manifest; `where` names it in errors.

    Raises:
        BadInput: they are not as genset writes them, or their hash differs.
    """
    document = manifest.get(_TAXONOMY)
    try:
        return imagenet1k() if document is None else _classes_in(json.dumps(document))
    except Invalid as error:
        raise Invalid(where, (_TAXONOMY, *error.keys), error.words) from None


@lru_cache(maxsize=4)  # to read thousands of classes takes seconds
def _classes_in(text: str) -> Taxonomy:
    document = json.loads(text)
    expected = document.pop("hash", None)
    for mistake in mistakes_in(document):
        raise mistake
    taxonomy = taxonomy_of(document)
    if expected != hash_of(taxonomy):
        raise Invalid(_TAXONOMY, ("hash",), f" must be that of the classes, not {expected!r}")
    return taxonomy


def fact_of(taxonomy: Taxonomy) -> dict[str, Any]:
    """What a manifest says of its classes: nothing where they are ImageNet's, else all of them."""
    if taxonomy.is_imagenet:
        return {}
    document = document_of(taxonomy)
    named = {"name": document["name"], "hash": hash_of_document(document)}
    return {_TAXONOMY: {**named, "classes": document["classes"]}}


def classes_of(manifest: Mapping[str, Any]) -> Taxonomy:
    """The classes of a manifest that genset made, or that was read before."""
    document = manifest.get(_TAXONOMY)
    if document is None:
        return imagenet1k()
    return taxonomy_of({name: document[name] for name in ("name", "classes")})


# Writing and hashing


def manifest_lines(manifest: Mapping[str, Any]) -> Iterator[str]:
    """The text of a manifest: one line for each fact, then one for each photo."""
    yield "{\n"
    for name, value in manifest.items():
        if name != "photos":
            yield f" {json.dumps(name)}: {json.dumps(value)},\n"
    yield ' "photos": [\n'
    for number, photo in enumerate(manifest["photos"], start=1):
        yield f"  {json.dumps(photo)}{',' if number < len(manifest['photos']) else ''}\n"
    yield " ]\n"
    yield "}\n"


def content_hash(photos: Sequence[ReleasePhoto]) -> str:
    """A sha256 over the photos' records, sorted by `file`.

    `license_id`, `unseen` and `fingerprint` follow from the rest and are not in it, nor is
    `confidence`: the same
    photos with the same votes have one hash, by whatever method their votes were aggregated. Where
    photos have several right answers, it is over these, and their votes.
    """
    digest = hashlib.sha256()
    for photo in sorted(photos, key=lambda photo: photo.file):
        record = {name: value for name, value in photo.as_json().items() if name not in _NOT_HASHED}
        digest.update(json.dumps(record, sort_keys=True).encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"


def manifest_hash(manifest: Mapping[str, Any]) -> str:
    """A sha256 over everything in a manifest except this hash."""
    rest = {name: value for name, value in manifest.items() if name != "manifest_hash"}
    return f"sha256:{hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()}"
