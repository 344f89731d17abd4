"""The manifest of a release: a record for each photo, its classes and its hashes.

It may come from anywhere: it is read, and believed in nothing that it cannot show."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

from genset.classes import (
    Taxonomy,
    document_of,
    hash_of,
    hash_of_document,
    imagenet1k,
    mistakes_in,
    taxonomy_of,
)
from genset.core.errors import BadInput

MANIFEST = "manifest.json"


LACKING = "to-pull.csv"  # of an export as "mixed", until genset pull has completed it


FORMAT = "genset release 1"


# On which ground a photo counts as unseen (`ReleasePhoto.unseen`).
GROUNDS = ("taken", "posted", "none")


LISTS = ("labels_correct", "labels_unclear", "labels_wrong")


ANSWERS = (*LISTS, "label_votes", "label_rulings", "label_proposers")


OPTIONAL = ("confidence", *ANSWERS)


_NOT_HASHED = ("license_id", "unseen", "confidence")


_FACT = "taxonomy"


@dataclass(frozen=True, slots=True)
class ReleasePhoto:
    """One photo's record in a manifest.

    `file` is relative to the release's folder, and times are ISO 8601. `labels` has the number of
    labelers by verdict. `selection_frequency` is the share who said correct, 0 to 1, or None
    without votes that count (a reviewer accepted the photo).

    `license_id` is the licence's SPDX id. `unseen` is the ground on which the photo counts as
    unseen: it was "taken" since the manifest's day `unseen_since`, so was nowhere before it; it was
    "posted" at its source since, and may have been elsewhere before; or "none" of both is known.

    `confidence` is that of the aggregated label "correct" by which the photo was taken, 0 to 1;
    None where votes were counted, or a ruling decided.

    The rest is None but where photos have several right answers: `labels_correct` are the wnids
    of all classes that are right answers, the photo's own first; `labels_unclear` those of
    which the votes do not tell, or of which nobody was asked yet; `labels_wrong` those that are
    not in it. Each is sorted but for the photo's own class, and a class is in one of them at
    most: of those in none, nobody was asked. `label_votes` has the number of labelers by
    verdict for each of these classes, `label_rulings` the verdict of a reviewer where there is
    one, and `label_proposers` who proposed to ask about a class: models by their names,
    "confusable" (it is confused with the photo's own), "random", "labeler" (one named it), and
    "search" where one found the photo for it, too, or "added" where somebody added it to the
    class. The photo's own class is not there.
    """

    file: str
    wnid: str
    sha256: str
    byte_size: int
    width: int
    height: int
    source: str
    source_id: str
    page_url: str
    image_url: str
    owner: str
    owner_name: str
    title: str
    license: str
    license_url: str
    posted_at: str
    taken_at: str | None
    keyword: str
    rank: int
    labels: dict[str, int]
    selection_frequency: float | None
    license_id: str
    unseen: str
    confidence: float | None = None
    labels_correct: tuple[str, ...] | None = None
    labels_unclear: tuple[str, ...] | None = None
    labels_wrong: tuple[str, ...] | None = None
    label_votes: dict[str, dict[str, int]] | None = None
    label_rulings: dict[str, str] | None = None
    label_proposers: dict[str, list[str]] | None = None

    def as_json(self) -> dict[str, Any]:
        """The record as a manifest has it: without what is None of `confidence` and answers."""
        record = asdict(self)
        lists = {name: list(record[name]) for name in LISTS if record[name] is not None}
        return {
            name: value
            for name, value in (record | lists).items()
            if value is not None or name not in OPTIONAL
        }


@dataclass
class Manifest:
    """The content of a manifest. `photos` are sorted by `file`.

    `documents` has the sha256 of the other documents in the folder, by name. `multilabel` says how
    photos came to have several right answers (`genset.release.multilabel.facts`); None: they have
    one. `variant` says of what release and how the photos were changed; None: they were not.
    `taxonomy` are its classes: ImageNet's, or its own.
    """

    name: str
    created_at: str
    content_hash: str
    strategy: dict[str, Any]
    labelers: int
    left_out: dict[str, int]
    documents: dict[str, str]
    photos: tuple[ReleasePhoto, ...]
    multilabel: dict[str, Any] | None = None
    variant: dict[str, Any] | None = None
    taxonomy: Taxonomy = field(default_factory=imagenet1k)

    def is_as_written(self, path: Path) -> bool:
        """Whether the manifest at `path`, from which this was read, agrees with its own hashes."""
        manifest = json.loads(path.read_text("utf-8"))
        hashes = (manifest.get("manifest_hash"), self.content_hash)
        return hashes == (manifest_hash(manifest), content_hash(self.photos))


@dataclass(frozen=True, slots=True)
class Summary:
    """What a manifest says of its release in a few words; `photos` is how many there are."""

    name: str
    created_at: str
    content_hash: str
    photos: int


def read_manifest(path: Path) -> Manifest:
    """Read a manifest from any folder, with or without its photos.

    Raises:
        BadInput: it is not a manifest of genset's.
    """
    try:
        manifest = _load(path)
        taxonomy = read_classes(manifest)
        several = manifest.get("multilabel") is not None
        photos = tuple(read_photo(record, taxonomy, several) for record in manifest["photos"])
        rest = {field.name: manifest.get(field.name) for field in fields(Manifest)}
        rest["taxonomy"] = taxonomy
        documents = _documents(manifest["documents"])
        _check_variant(rest["variant"])
        return typed(Manifest, {**rest, "documents": documents, "photos": photos})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _none(path, error) from None


def read_summary(path: Path) -> Summary:
    """Read of a manifest what can be told without looking at each photo and class.

    Raises:
        BadInput: it is not a manifest of genset's, by as much as is read.
    """
    try:
        manifest = _load(path)
        told = {field.name: manifest[field.name] for field in fields(Summary)}
        return typed(Summary, {**told, "photos": len(told["photos"])})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _none(path, error) from None


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


def is_laid_out_as_written(path: Path) -> bool:
    """Whether a manifest has exactly the bytes that `manifest_lines` writes."""
    manifest = json.loads(path.read_text("utf-8"))
    with path.open("rb") as file:
        same = all(file.readline() == line.encode() for line in manifest_lines(manifest))
        return same and not file.read()


def content_hash(photos: Sequence[ReleasePhoto]) -> str:
    """A sha256 over the photos' records, sorted by `file`.

    `license_id` and `unseen` follow from the rest and are not in it, nor is `confidence`: the same
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


def fact_of(taxonomy: Taxonomy) -> dict[str, Any]:
    """What a manifest says of its classes: nothing where they are ImageNet's, else all of them."""
    if taxonomy.is_imagenet:
        return {}
    told = document_of(taxonomy)
    return {
        _FACT: {"name": told["name"], "hash": hash_of_document(told), "classes": told["classes"]}
    }


def classes_of(manifest: Mapping[str, Any]) -> Taxonomy:
    """The classes of a manifest that genset made, or that was read before."""
    told = manifest.get(_FACT)
    return imagenet1k() if told is None else taxonomy_of(told)


def read_classes(manifest: Mapping[str, Any]) -> Taxonomy:
    """The classes of a stranger's manifest.

    Raises:
        ValueError, TypeError, KeyError: they are not as genset writes them, or their hash differs.
    """
    told = manifest.get(_FACT)
    return imagenet1k() if told is None else _read(json.dumps(told))


@lru_cache(maxsize=4)  # to read thousands of classes takes seconds
def _read(text: str) -> Taxonomy:
    told = json.loads(text)
    document = {key: value for key, value in told.items() if key != "hash"}
    for mistake in mistakes_in(document):
        raise ValueError(f"its classes: {mistake.words}")
    taxonomy = taxonomy_of(document)
    if told["hash"] != hash_of(taxonomy):
        raise ValueError(f"its classes have not the hash that it says: {told['hash']!r}")
    return taxonomy


def _load(path: Path) -> Any:
    """A manifest of our format, whose content is not checked yet."""
    manifest = json.loads(path.read_text("utf-8"))
    if (form := manifest["format"]) != FORMAT:
        raise BadInput(f"{path} is in the format {form!r}, not {FORMAT!r}")
    return manifest


def _none(path: Path, error: Exception) -> BadInput:
    return BadInput(f"{path} is not a release's manifest: {error!r}")


def _check_variant(variant: Any) -> None:
    """Check that a variant names its release, and of each changed photo what it was, and where."""
    if variant is None:
        return
    whole = (variant["name"], variant["content_hash"])
    changed = variant["changed"].values()
    if not all(isinstance(word, str) for word in (*whole, *(each["of"] for each in changed))):
        raise ValueError("a variant names its release, and what each changed photo was")
    boxes = [[type(side) for side in box] for each in changed for box in each["faces"]]
    if any(kinds != [int] * 4 for kinds in boxes):
        raise ValueError("a face in a changed photo has four sides")


def _documents(hashes: Any) -> Any:
    """The documents' hashes. Their names are checked, for the same reason."""
    for name in hashes:
        if not re.fullmatch(r"[A-Z][A-Z_]*\.(md|txt)|[a-z]+\.(csv|json)", name) or name == MANIFEST:
            raise ValueError(f"{name!r} is no document of a release")
    return hashes


def read_photo(record: dict[str, Any], taxonomy: Taxonomy, several: bool) -> ReleasePhoto:
    """A photo's record in a manifest with these classes, and with `several` right answers or one.

    Raises:
        ValueError, TypeError: it is none.
    """
    lists = {name: tuple(record[name]) for name in LISTS if name in record}
    photo = typed(ReleasePhoto, {**record, **lists})
    if several:
        _check_answers(photo, taxonomy)
    elif not record.keys().isdisjoint(ANSWERS):
        raise ValueError(f"a manifest without multilabel has no {' and no '.join(ANSWERS)}")
    if photo.unseen not in GROUNDS:
        raise ValueError(f"a photo is unseen by what is {', '.join(GROUNDS)}: {photo.unseen!r}")
    if photo.confidence is not None and not 0 <= photo.confidence <= 1:
        raise ValueError(f"a confidence is from 0 to 1: {photo.confidence!r}")
    # A manifest may come from an untrusted source. Its paths must not leave its folder.
    folder, _, name = photo.file.partition("/")
    named = re.fullmatch(r"[0-9a-f]{64}\.[a-z]+", name)
    if named is None or folder != photo.wnid or not _is_class(folder, taxonomy):
        raise ValueError(f"{photo.file!r} is no file of a photo of {photo.wnid!r}")
    return photo


def _is_class(wnid: Any, taxonomy: Taxonomy) -> bool:
    """Whether it is one of a release's own classes; of ImageNet's, whether it could be."""
    if not isinstance(wnid, str):
        return False
    if taxonomy.is_imagenet:
        return re.fullmatch("n[0-9]{8}", wnid) is not None
    return wnid in taxonomy


def _check_answers(photo: ReleasePhoto, taxonomy: Taxonomy) -> None:
    """Check that each class that was asked about is one, in one list, with its votes."""
    lists = [getattr(photo, name) for name in LISTS]
    votes, rulings, proposers = photo.label_votes, photo.label_rulings, photo.label_proposers
    if None in lists or votes is None or rulings is None or proposers is None:
        raise ValueError(f"{photo.file!r} has not all of {', '.join(ANSWERS)}")
    every = [wnid for wnids in lists for wnid in wnids]
    if not all(_is_class(wnid, taxonomy) for wnid in every):
        raise ValueError(f"{photo.file!r} has an answer that is no wnid")
    if lists[0][:1] != (photo.wnid,) or len(every) != len(set(every)):
        raise ValueError(f"{photo.file!r}: the photo's own class comes first, and each class once")
    if set(votes) != set(every) or not set(rulings) | set(proposers) <= set(every):
        raise ValueError(f"{photo.file!r} has votes on other classes than its lists name")
    counts = [item for said in votes.values() for item in said.items()]
    if not all(isinstance(word, str) and type(n) is int and n > 0 for word, n in counts):
        raise ValueError(f"{photo.file!r} has votes that are no numbers of labelers")
    if not all(isinstance(word, str) for word in rulings.values()):
        raise ValueError(f"{photo.file!r} has a ruling that is no verdict")
    if not all(isinstance(name, str) for names in proposers.values() for name in names):
        raise ValueError(f"{photo.file!r} has a proposer without a name")


_T = TypeVar("_T")


def typed(kind: type[_T], values: Mapping[str, Any]) -> _T:
    """Make a record, and check that each value has its field's type."""
    made = kind(**values)
    for name, wanted in _wanted(kind):  # type: ignore[arg-type]
        if not isinstance(value := getattr(made, name), wanted):
            raise TypeError(f"{name} cannot be a {type(value).__name__}")
    return made


@cache
def _wanted(kind: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """The fields of a kind of record, each with the types that its value may have."""
    return [(field.name, tuple(map(_plain, _kinds(field.type)))) for field in fields(kind)]


def _kinds(type_: Any) -> tuple[Any, ...]:
    """The types of a union; the type alone of what is none."""
    return get_args(type_) if get_origin(type_) is UnionType else (type_,)


def _plain(type_: Any) -> Any:
    """A type as `isinstance` takes it: without those of its items."""
    return get_origin(type_) or type_
