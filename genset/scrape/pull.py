"""Rebuild somebody's set from its manifest: download each photo again, and check its hash.

A manifest comes from a stranger. Nothing of it is believed but hashes: it names files only as
genset does, addresses only on the source's own hosts, and what comes from there must be a photo
of the very bytes that it promises.
"""

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace as with_fields

from genset.core.errors import BadInput, PhotoRejected, SourceUnavailable
from genset.core.files import image_file, one_at_a_time, sha256_of, write_text, written_whole
from genset.core.progress import progress
from genset.core.safe import web_link
from genset.net.originals import Fetcher
from genset.net.picture import check_picture, compare
from genset.release.documents import documents
from genset.release.publish import facts_of_fewer, publish
from genset.release.reader import (
    LACKING,
    MANIFEST,
    Manifest,
    Release,
    ReleasePhoto,
    read_manifest,
)
from genset.sources.source import Source, is_source

_THREADS = 8
_LARGEST_MANIFEST = 256 * 2**20  # a quarter of a million photos


@dataclass
class PullSummary:
    """What a pull did. `gone`, `changed` and `rerendered` are photos' pages by file.

    Attributes:
        folder: where the set lies.
        photos: how many photos the manifest names.
        pulled: photos downloaded by this run.
        present: photos that were there already.
        gone: photos that are not up any more.
        changed: photos that are another picture now; these are not kept.
        rerendered: photos of which their source has other bytes of the same picture; these are
            not the manifest's, and not in its folder.
        failed: the reason by file, of photos that may come another time and of documents that could
            not be made.
        variant: the folder of the set with rerendered photos, where one was written.
    """

    folder: str
    photos: int
    pulled: int = 0
    present: int = 0
    gone: dict[str, str] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    rerendered: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    variant: str | None = None

    @property
    def missing(self) -> int:
        """Photos that the set lacks."""
        return self.photos - self.pulled - self.present


def pull(
    manifest: Path,
    open_source: Callable[[str], Source],
    folder: Path | None = None,
    *,
    accept_rerendered: bool = False,
) -> PullSummary:
    """Write the set that `manifest` describes to `folder`, which becomes such a release's folder.

    `open_source` gives the source of a name, ready to download from, or raises BadInput.

    `manifest` is its file, or the folder that it lies in. A folder that has photos, or lists what
    it lacks (an export as "mixed"), is completed in its place; its photos are copied where `folder`
    is another one. Else the default is a folder of the set's name in the current one. What is there
    already is not downloaded again, so the same call goes on where a killed one stopped. Where the
    host is down, it is waited for; what failed is asked for once more at the end.

    With `accept_rerendered` a variant, ``NAME-rerendered`` beside the folder, has the photos that
    are there and those that were rerendered, under its own hashes.

    Raises:
        BadInput: the manifest is not sound, or the folder holds something else.
    """
    is_folder = manifest.is_dir()
    manifest = manifest / MANIFEST if is_folder else manifest
    release, sources = _sound(manifest, open_source)
    there: Path | None = manifest.parent
    if not (manifest.parent / LACKING).is_file():
        has_some = any((manifest.parent / photo.file).is_file() for photo in release.photos)
        there = manifest.parent if is_folder and has_some else None
    folder = folder or there or Path(release.name)
    aside = None
    if accept_rerendered:
        variant = folder.absolute().with_name(f"{release.name}-rerendered")
        if variant.exists():
            raise BadInput(f"{variant} exists: move it away, or pull without --accept-rerendered")
        aside = folder.absolute().with_name(f".{folder.name}.rerendered")
    summary = PullSummary(str(folder), len(release.photos))
    with one_at_a_time(folder):
        _prepare(folder, manifest.read_bytes())
        summary.failed.update(_make_documents(folder, release))
        _pull_all(_Puller(sources, folder, there, aside), release, sources, summary)
        if not summary.missing:
            (folder / LACKING).unlink(missing_ok=True)  # it would not belong to the release
        if aside is not None:
            if summary.rerendered:
                summary.variant = _publish_variant(folder, aside, summary)
            shutil.rmtree(aside, ignore_errors=True)
    return summary


def _pull_all(
    puller: "_Puller", release: Manifest, sources: Mapping[str, Source], summary: PullSummary
) -> None:
    """Pull each photo, at the end once more those that failed and may come."""
    once_more: list[ReleasePhoto] = []
    with ThreadPoolExecutor(_THREADS) as threads:
        try:
            pulled = zip(release.photos, threads.map(puller.pull, release.photos), strict=True)
            shown = progress(pulled, total=len(release.photos), what="pull", unit="photo")
            for photo, outcome in shown:
                if outcome.how == "unavailable":
                    once_more.append(photo)
                else:
                    _count(summary, photo, outcome)
            for photo, outcome in zip(once_more, threads.map(puller.pull, once_more), strict=True):
                _count(summary, photo, outcome)
        finally:
            for source in sources.values():
                source.images.hosts.stop()
            threads.shutdown(wait=False, cancel_futures=True)


class _Outcome(NamedTuple):
    """What came of a photo: `how` names a field of `PullSummary`, or is "unavailable"."""

    how: str
    reason: str = ""


def _count(summary: PullSummary, photo: ReleasePhoto, outcome: _Outcome) -> None:
    if outcome.how in ("pulled", "present"):
        setattr(summary, outcome.how, getattr(summary, outcome.how) + 1)
    elif outcome.how in ("gone", "changed", "rerendered"):
        getattr(summary, outcome.how)[photo.file] = photo.page_url
    else:
        summary.failed[photo.file] = outcome.reason


def _publish_variant(folder: Path, aside: Path, summary: PullSummary) -> str:
    """Write the set of the photos that are there and those that were rerendered; its folder."""
    release = Release(folder)
    photos: list[tuple[ReleasePhoto, Path]] = []
    changed, excluded = {}, []
    for photo in release.photos:
        path, other = folder / photo.file, aside / Path(photo.file).name
        if photo.file in summary.rerendered:
            content = other.read_bytes()
            found, sha256 = check_picture(content), hashlib.sha256(content).hexdigest()
            file = f"{photo.wnid}/{Path(image_file(sha256, found.format)).name}"
            new = {"file": file, "sha256": sha256, "byte_size": len(content)}
            size = {"width": found.width, "height": found.height}
            photos.append((with_fields(photo, **new, **size, fingerprint=found.fingerprint), other))
            changed[file] = {"of": photo.file}
        elif photo.file in (summary.gone | summary.changed | summary.failed):
            excluded.append(photo.file)
        else:
            photos.append((photo, path))
    photos.sort(key=lambda pair: pair[0].file)
    records, originals = [photo for photo, _ in photos], [path for _, path in photos]
    facts = facts_of_fewer(release, records)
    facts["variant"] = {
        "what": "photos rendered anew by their source",
        "name": release.name,
        "content_hash": release.content_hash,
        "changed": dict(sorted(changed.items())),
        "excluded": excluded,
    }
    name = f"{release.name}-rerendered"
    return str(publish(folder.absolute().parent, name, facts, records, originals).root)


class _Puller:
    def __init__(
        self, sources: Mapping[str, Source], folder: Path, there: Path | None, aside: Path | None
    ) -> None:
        self._folder = folder
        self._there = there
        self._aside = aside
        self._sources = sources
        self._fetchers = {
            name: Fetcher(source.images, source.may_fetch, folder)
            for name, source in sources.items()
        }

    def pull(self, photo: ReleasePhoto) -> _Outcome:
        path = self._folder / photo.file
        if path.is_symlink() or path.parent.is_symlink():
            return _Outcome("failed", "a symbolic link is in its place: delete it")
        fetcher = self._fetchers.get(photo.source)
        if path.is_file() and sha256_of(path) == photo.sha256:
            if fetcher is not None and photo.image_url:
                fetcher.remember(photo.image_url)
            return _Outcome("present")
        if self._there is not None and _copied(self._there / photo.file, path, photo.sha256):
            return _Outcome("present")
        if not photo.image_url:
            return _Outcome("failed", "no download address")
        if fetcher is None:
            return _Outcome("failed", f"source {photo.source!r} is not installed")
        try:
            content = fetcher.content(photo.image_url)
            look = compare(content, photo.sha256, photo.fingerprint)
            kind = check_picture(content).format
        except PhotoRejected as rejected:
            return _Outcome("gone" if rejected.reason == "gone" else "failed", str(rejected))
        except SourceUnavailable as error:
            return _Outcome("unavailable", str(error))
        if look == "rerendered" and self._aside is not None:
            path = self._aside / path.name
        elif look != "same":
            return _Outcome(look)
        elif not image_file(photo.sha256, kind).endswith(path.name):
            return _Outcome("failed", f"it is a {kind}")
        with written_whole(path) as file:
            file.write(content)
        return _Outcome("pulled" if look == "same" else look)


def _copied(there: Path, to: Path, sha256: str) -> bool:
    """Copy a photo from a folder that came from somebody, if it is there and the right one."""
    if there == to or there.is_symlink() or not there.is_file():
        return False
    if sha256_of(there) != sha256:
        return False
    with there.open("rb") as file, written_whole(to) as copy:
        shutil.copyfileobj(file, copy)
    return sha256_of(to) == sha256


def _sound(path: Path, open_source: Callable[[str], Source]) -> tuple[Manifest, dict[str, Source]]:
    """Read a manifest, and refuse one that is not as genset writes them.

    Return it with the sources that its photos are at, by name, as far as they are installed here.
    """
    if path.stat().st_size > _LARGEST_MANIFEST:
        raise BadInput(f"{path} is too large for a manifest (over {_LARGEST_MANIFEST >> 20} MiB)")
    release = read_manifest(path)
    if not release.is_as_written(path):
        raise BadInput(f"{path} was changed since it was written: ask for it again")
    if release.variant is not None:
        raise BadInput(
            f"{path} is of photos that were changed, and addresses lead to photos as they were: "
            f"ask for the photos, or pull {release.variant['name']}"
        )
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", release.name):
        raise BadInput(f"{path} names its set {release.name[:99]!r}, which is not a release's name")
    [(file, times)] = Counter(photo.file for photo in release.photos).most_common(1) or [("", 1)]
    if times > 1:
        raise BadInput(f"{path} names {file} {times} times")
    for photo in release.photos:
        if Path(photo.file).stem != photo.sha256:
            raise BadInput(f"{path}: {photo.file} is not named by its hash")
        for url in (photo.image_url, photo.page_url, photo.license_url):
            if url and web_link(url) is None:
                raise BadInput(f"{path}: {photo.file} has no web address: {url[:99]!r}")
    # A photo that was never up (`genset add`) has no address, and is told as not to be had.
    # Nor are those to be had of a source that is somebody's own, and not installed here.
    names = {photo.source for photo in release.photos if photo.image_url}
    sources = {name: open_source(name) for name in sorted(names) if is_source(name)}
    for photo in release.photos:
        source = sources.get(photo.source) if photo.image_url else None
        if source is not None and not source.may_fetch(photo.image_url):
            raise BadInput(
                f"{path}: {photo.file} is on no host of {photo.source}: {photo.image_url[:99]!r}"
            )
    return release, sources


def _prepare(folder: Path, manifest: bytes) -> None:
    """Put the manifest there first: it says what the folder is, and what it lacks.

    Raises:
        BadInput: the folder is not empty, and not of this set.
    """
    for partial in (*folder.glob(".partial-*"), *folder.glob("*/.partial-*")):
        partial.unlink()  # of a killed run
    path = folder / MANIFEST
    if path.is_file() and path.read_bytes() == manifest:
        return
    if any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty: name another folder with --to")
    with written_whole(path) as file:
        file.write(manifest)


def _make_documents(folder: Path, release: Manifest) -> dict[str, str]:
    """Write the set's documents, which are made of its manifest; return what could not be."""
    missing = {
        name: sha256
        for name, sha256 in release.documents.items()
        if not ((folder / name).is_file() and sha256_of(folder / name) == sha256)
    }
    if not missing:
        return {}
    texts = documents(json.loads((folder / MANIFEST).read_text("utf-8")), release.photos)
    failed = {}
    for name, sha256 in missing.items():
        text = texts.get(name, "")
        if hashlib.sha256(text.encode()).hexdigest() == sha256:
            write_text(folder / name, text)
        else:
            failed[name] = "another version of genset made it: ask for the file"
    return failed
