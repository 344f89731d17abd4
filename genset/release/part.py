"""Some of a release's photos: what its manifest says of these, and what an export may hand on."""

import hashlib
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from genset.core.errors import BadInput, GensetError
from genset.licenses import License, may_be_passed_on
from genset.release.documents import documents
from genset.release.multilabel.facts import recounted
from genset.release.publish import described
from genset.release.reader import MANIFEST, Release, ReleasePhoto, manifest_lines

PART = "-unrestricted"


_LONGEST = 100 - len(PART)  # a release's name has at most 100 characters


@dataclass(frozen=True, slots=True)
class Contents:
    """Photos to write, with what is said of them.

    Attributes:
        release: the photos, their name and their content hash; their files are in its root.
        texts: the documents and the manifest of these photos, by their files' names.
    """

    release: Release
    texts: Mapping[str, str]


def contents_of(release: Release, include_restricted: bool) -> Contents:
    """What is handed on of a release as bytes.

    Raises:
        BadInput: nothing may be.
        GensetError: a document is a symbolic link.
    """
    return all_of(release) if include_restricted else unrestricted_part_of(release)


def all_of(release: Release) -> Contents:
    """The release as it is: its own documents, or new ones if they are missing or changed.

    Raises:
        GensetError: one is a symbolic link.
    """
    text = (release.root / MANIFEST).read_text("utf-8")
    texts = documents(json.loads(text), release.photos)
    for name, sha256 in release.documents.items():
        path = release.path_of(name)
        if path.is_file() and hashlib.sha256(content := path.read_bytes()).hexdigest() == sha256:
            texts[name] = content.decode()
    return Contents(release, {**texts, MANIFEST: text})


def unrestricted_part_of(release: Release) -> Contents:
    """The photos that may be handed on, as a set with a name, a manifest and hashes of its own.

    The same release gives the same part, byte for byte. A release without restricted photos is
    handed on as it is.

    Raises:
        BadInput: it has no other photos.
    """
    photos = tuple(photo for photo in release.photos if not is_restricted(photo))
    if len(photos) == len(release.photos):
        return all_of(release)
    if not photos:
        raise BadInput(
            f"no licence lets any photo of {release.name} be handed on: share --format manifest, "
            "or say --include-restricted where they are yours"
        )
    facts = facts_of_fewer(release, photos)
    whole = json.loads((release.root / MANIFEST).read_text("utf-8"))
    facts |= {name: whole[name] for name in ("created_at", "genset") if name in whole}
    facts["part_of"] = {
        "name": release.name,
        "content_hash": release.content_hash,
        "photos": len(release.photos),
        "restricted": len(release.photos) - len(photos),
    }
    manifest, texts = described(f"{release.name[:_LONGEST]}{PART}", facts, photos)
    part = Release(release.root)
    part.name, part.content_hash, part.photos = manifest["name"], manifest["content_hash"], photos
    return Contents(part, {**texts, MANIFEST: "".join(manifest_lines(manifest))})


def is_restricted(photo: ReleasePhoto) -> bool:
    """Whether no licence that we know lets others hand it on."""
    return not may_be_passed_on(License(photo.license, photo.license_url))


_NOT_COPIED = {"format", "name", "created_at", "genset", "content_hash", "manifest_hash"}


_MADE_OF_IT = {"photos", "documents"}


def facts_of_fewer(release: Release, remaining: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """The facts of a manifest as they are to be copied.

    What it says of photos' several right answers is counted again (`recounted`), and of changed
    photos those that remain are named. A DOI is the whole's, and not copied.

    Raises:
        GensetError: the answers cannot be counted.
    """
    path = release.root / MANIFEST
    manifest: dict[str, Any] = json.loads(path.read_text("utf-8"))
    facts = {
        name: value for name, value in manifest.items() if name not in _NOT_COPIED | _MADE_OF_IT
    }
    if facts.get("multilabel") is not None:
        try:
            facts["multilabel"] = recounted(facts["multilabel"], remaining)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise GensetError(f"{path}: its answers cannot be counted again: {error!r}") from None
    if isinstance(facts.get("dataset"), dict):
        facts["dataset"] = {key: word for key, word in facts["dataset"].items() if key != "doi"}
    if isinstance(facts.get("variant"), dict):
        facts["variant"] = of_changed(facts["variant"], {photo.file for photo in remaining})
    return facts


def of_changed(variant: Mapping[str, Any], files: Set[str]) -> dict[str, Any]:
    """What is said of changed photos, for these files alone."""
    changed = variant.get("changed")
    if not isinstance(changed, dict):
        return dict(variant)
    remaining = {file: facts for file, facts in changed.items() if file in files}
    faces = sum(len(facts["faces"]) for facts in remaining.values())
    return {**variant, "faces": faces, "changed": remaining}
