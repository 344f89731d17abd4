"""A manifest, read from any folder and believed in nothing that it cannot show."""

import json
import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput
from genset.release.reader.classes import read_classes
from genset.release.reader.hashes import content_hash, manifest_hash
from genset.release.reader.layout import FORMAT, MANIFEST
from genset.release.reader.records import ReleasePhoto, read_photo
from genset.release.reader.typed import typed


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


@dataclass(frozen=True, slots=True)
class Summary:
    """What a manifest says of its release in a few words; `photos` is how many there are."""

    name: str
    created_at: str
    content_hash: str
    photos: int


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
