"""Write a release's folder, completely or not at all; and what is handed on of one.

The part of a release that licences let others have is a set with a name and hashes of its own.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from genset import __version__
from genset.core.errors import BadInput, GensetError
from genset.core.files import one_at_a_time, sync_folder, write_text
from genset.core.progress import progress
from genset.db import now
from genset.licenses import License, may_be_passed_on
from genset.release.documents import documents
from genset.release.documents.words import fact
from genset.release.multilabel.facts import recounted
from genset.release.reader import (
    FORMAT,
    MANIFEST,
    Release,
    ReleasePhoto,
    content_hash,
    manifest_hash,
    manifest_lines,
)

_THREADS, _AT_ONCE = 8, 256
_MOST_PHOTOS, _MOST_BYTES = 1000, 256 * 2**20  # of an export's file
_LONGEST_NAME = 100


def publish(
    releases: Path,
    name: str,
    facts: Mapping[str, Any],
    photos: Sequence[ReleasePhoto],
    originals: Iterable[Path],
) -> Release:
    """Write ``releases/NAME/``.

    Args:
        releases: the folder of releases.
        name: of the release.
        facts: the other fields of the manifest.
        photos: the records, sorted by `file`.
        originals: the files of the photos, in the same order.

    Raises:
        BadInput: the name is taken or cannot be a folder's name.
        GensetError: an original is missing or damaged.
    """
    manifest, texts = described(name, facts, photos)
    with one_at_a_time(releases):
        folder = free_folder(releases, name)  # check again, now under the lock
        with folder_written_whole(folder) as partial:
            copies = [
                Copy(original, partial / photo.file, photo.sha256)
                for photo, original in zip(photos, originals, strict=True)
            ]
            copy_all(copies, "release")
            for document, text in texts.items():
                write_text(partial / document, text)
            with (partial / MANIFEST).open("x", encoding="utf-8") as file:
                file.writelines(manifest_lines(manifest))
                file.flush()
                os.fsync(file.fileno())
    return Release(folder)


def described(
    name: str, facts: Mapping[str, Any], photos: Sequence[ReleasePhoto]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The manifest of photos and the documents that are made of it, by their files' names.

    It is made now and by this version, unless `facts` say otherwise.
    """
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        "created_at": now().isoformat(timespec="seconds"),
        "genset": __version__,
        "content_hash": content_hash(photos),
        **facts,
    }
    texts = documents(manifest, photos)
    manifest["documents"] = {
        name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()
    }
    manifest["photos"] = [photo.as_json() for photo in photos]
    manifest["manifest_hash"] = manifest_hash(manifest)
    return manifest, texts


@contextmanager
def folder_written_whole(folder: Path) -> Iterator[Path]:
    """Yield a folder that is renamed to `folder` when the block ends without an exception.

    Its files are made read-only. Files of a killed run are deleted. The caller makes sure that no
    two runs write the same folder.
    """
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        yield partial
        for path in partial.rglob("*"):
            if path.is_file():
                path.chmod(0o444)
            else:
                sync_folder(path)
        sync_folder(partial)
        partial.rename(folder)
        sync_folder(folder.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder in `folder`, which is deleted then: of a killed run, by the next."""
    with one_at_a_time(folder):
        try:
            shutil.rmtree(folder / "scratch", ignore_errors=True)
            (folder / "scratch").mkdir()
            yield folder / "scratch"
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def free_folder(releases: Path, name: str) -> Path:
    """The folder of a new release.

    Raises:
        BadInput: the name is taken or cannot be a folder's name.
    """
    if len(name) > _LONGEST_NAME or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        signs = f"at most {_LONGEST_NAME} letters, digits, '.', '_' and '-'"
        raise BadInput(f"a release's name has {signs}: {name[:_LONGEST_NAME]!r}")
    folder = releases / name
    if folder.exists():
        raise BadInput(f"release {name} exists, and a release never changes: choose another name")
    return folder


class Copy(NamedTuple):
    """A photo to copy: its source, its target, and the expected sha256."""

    original: Path
    target: Path
    sha256: str


def copy_all(copies: Sequence[Copy], what: str) -> None:
    """Copy photos into a folder of `folder_written_whole`, and check each.

    Raises:
        GensetError: a photo is missing, or its hash differs.
    """
    shown = progress(copies, total=len(copies), what=what, unit="photo")
    with ThreadPoolExecutor(_THREADS) as threads:  # a disk writes several files at once
        while some := list(islice(shown, _AT_ONCE)):
            list(threads.map(_copy, some))


def _copy(copy: Copy) -> None:
    content = checked_bytes(copy.original, copy.sha256)
    copy.target.parent.mkdir(parents=True, exist_ok=True)
    with copy.target.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def checked_bytes(path: Path, sha256: str) -> bytes:
    """A photo's original bytes.

    Raises:
        GensetError: it is missing, or its hash differs.
    """
    try:
        content = path.read_bytes()
    except OSError:
        raise GensetError(f"{path} is missing: see genset doctor") from None
    if hashlib.sha256(content).hexdigest() != sha256:
        raise GensetError(f"{path} was changed since it was stored: see genset doctor")
    return content


@dataclass(frozen=True, slots=True)
class Contents:
    """Photos to write, with what is said of them.

    Attributes:
        release: the photos, their name and their content hash; their files are in its root.
        texts: the documents and the manifest of these photos, by their files' names.
    """

    release: Release
    texts: Mapping[str, str]


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
            f"no licence lets any photo of {release.name} be shared: use --format manifest, "
            "or --include-restricted if they are yours"
        )
    counts = {"restricted": len(release.photos) - len(photos)}
    manifest, texts = described_part(release.manifest, photos, "-unrestricted", counts)
    part = Release(release.root)
    part.keep(photos)
    part.name = manifest["name"]
    return Contents(part, texts)


def described_part(
    whole: Mapping[str, Any],
    photos: Sequence[ReleasePhoto],
    suffix: str,
    counts: Mapping[str, int],
) -> tuple[dict[str, Any], dict[str, str]]:
    """The manifest of some of a release's photos, and the documents and it as texts by file.

    The same photos of the same release have the same manifest, byte for byte, whenever it is made.
    A part of a part is one of the release that both come from.

    Args:
        whole: the release's manifest.
        photos: the part's.
        suffix: what the part is called behind the release's name.
        counts: why how many others are not in it: "restricted" or "missing".
    """
    facts = facts_of_fewer(whole, photos)
    facts |= {name: whole[name] for name in ("created_at", "genset") if name in whole}
    before = whole.get("part_of") or {
        "name": whole["name"],
        "content_hash": whole["content_hash"],
        "photos": len(whole["photos"]),
    }
    facts["part_of"] = before | {
        why: number + (fact(before, why, int) or 0) for why, number in counts.items()
    }
    name = f"{whole['name'][: _LONGEST_NAME - len(suffix)]}{suffix}"
    manifest, texts = described(name, facts, photos)
    return manifest, {**texts, MANIFEST: "".join(manifest_lines(manifest))}


def is_restricted(photo: ReleasePhoto) -> bool:
    """Whether no licence that we know lets others hand it on."""
    return not may_be_passed_on(License(photo.license, photo.license_url))


_OF_ITSELF = {"format", "name", "created_at", "genset", "content_hash", "manifest_hash"}
_OF_ITSELF |= {"photos", "documents"}


def facts_of_fewer(
    manifest: Mapping[str, Any], remaining: Sequence[ReleasePhoto]
) -> dict[str, Any]:
    """The facts of a manifest as they are to be copied.

    What it says of photos' several right answers is counted again (`recounted`), and of changed
    photos those that remain are named. A DOI is the whole's, and not copied.

    Raises:
        GensetError: the answers cannot be counted.
    """
    facts = {name: value for name, value in manifest.items() if name not in _OF_ITSELF}
    if facts.get("multilabel") is not None:
        try:
            facts["multilabel"] = recounted(facts["multilabel"], remaining)
        except (AttributeError, KeyError, TypeError, ValueError):
            why = f"the answers of {manifest['name']} are not as genset writes them"
            raise GensetError(f"{why}: ask for its manifest again") from None
    if isinstance(facts.get("dataset"), dict):
        facts["dataset"] = {key: word for key, word in facts["dataset"].items() if key != "doi"}
    if variant := facts.get("variant"):
        files = {photo.file for photo in remaining}
        changed = {file: was for file, was in variant["changed"].items() if file in files}
        facts["variant"] = {**variant, "changed": changed}
    return facts


def publish_variant(
    releases: Path,
    suffix: str,
    manifest: Mapping[str, Any],
    photos: Sequence[tuple[ReleasePhoto, Path]],
    **variant: Any,
) -> Release:
    """Write ``releases/NAME-SUFFIX``, of photos some of which were changed.

    Args:
        releases: the folder of releases.
        suffix: what its name has behind that of the release.
        manifest: the release's.
        photos: each record, and the file that it is to have.
        variant: what the manifest says of it: `what` was done, and by file how it `changed`.

    Raises what `publish` raises.
    """
    photos = sorted(photos, key=lambda pair: pair[0].file)
    records = [photo for photo, _ in photos]
    facts = facts_of_fewer(manifest, records)
    named = {key: manifest[key] for key in ("name", "content_hash")}
    facts["variant"] = {**named, **variant, "changed": dict(sorted(variant["changed"].items()))}
    name = f"{manifest['name']}-{suffix}"
    return publish(releases, name, facts, records, (path for _, path in photos))


def flat_name(release: Release, photo: ReleasePhoto) -> str:
    """A file's name for a photo where there are no folders: ``WNID_SHA256.jpg``.

    Where classes are not ImageNet's, it has the class's index: an id may have a dot, where readers
    of tar files cut names, or be so long that with a hash it is too long for a file system.
    """
    if release.taxonomy.is_imagenet:
        return f"{photo.wnid}_{photo.file.rpartition('/')[2]}"
    return f"{release.taxonomy[photo.wnid].index}_{photo.file.rpartition('/')[2]}"


def content(release: Release, photo: ReleasePhoto) -> bytes:
    """A photo's original bytes; GensetError where it is missing, was changed, or is a link."""
    return checked_bytes(release.path_of(photo.file), photo.sha256)


def shards(photos: Iterable[ReleasePhoto]) -> list[list[ReleasePhoto]]:
    """Split photos, in order, into shards of at most 1,000 photos and about 256 MiB."""
    cut: list[list[ReleasePhoto]] = []
    size = 0
    for photo in photos:
        if not cut or len(cut[-1]) == _MOST_PHOTOS or size + photo.byte_size > _MOST_BYTES:
            cut.append([])
            size = 0
        cut[-1].append(photo)
        size += photo.byte_size
    return cut
