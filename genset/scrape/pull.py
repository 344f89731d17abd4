"""Rebuild somebody's set from its manifest: download each photo again, and check its hash.

A manifest comes from a stranger. Nothing of it is believed but hashes: it names files only as
genset does, only addresses on the source's own hosts are asked, and what comes from there must be a
photo of the very bytes that it promises.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from msgspec.structs import replace as with_fields

from genset.core.errors import BadInput, GensetError, PhotoRejected, SourceUnavailable
from genset.core.files import image_file, one_at_a_time, sha256_of, write_text, written_whole
from genset.core.progress import progress
from genset.net.host_state import HostGaveUp
from genset.net.originals import Fetcher
from genset.net.picture import check_picture, compare
from genset.release.documents import documents
from genset.release.publish import described_part, publish_variant
from genset.release.reader import (
    MANIFEST,
    WHOLE,
    Manifest,
    Release,
    ReleasePhoto,
    file_of,
)
from genset.scrape.manifests import ManifestText, download, download_manifest, read_manifest
from genset.sources.source import Source, source_names

_THREADS = 8


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
        title: what lies in the folder now: the set, or how many of its photos; "" for none.
        content_hash: of these photos.
        variant: the folder of the set with rerendered photos, where one was written.
    """

    folder: str
    photos: int
    title: str = ""
    content_hash: str = ""
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
    manifest: Path | str,
    open_source: Callable[[str], Source],
    folder: Path | None = None,
    *,
    expect: str | None = None,
    accept_rerendered: bool = False,
) -> PullSummary:
    """Write the set that `manifest` describes to `folder`, which becomes such a release's folder.

    `open_source` gives the source of a name, ready to download from, or raises BadInput.
    `manifest` is its file, address or DOI (`is_remote`), or the folder that it lies in, such as an
    export as "mixed", which is completed in its place; else the default is a folder of the set's
    name in the current one. `expect` is the hash that was published, as in `genset release verify`.
    What is there already is not downloaded again, and what failed is asked for again. Where the
    host is down, it is waited for. Without some photos the folder is a part of the release, with a
    manifest, documents and hashes of its own, and the release's manifest beside it, as `WHOLE`.
    With `accept_rerendered` a variant beside it, ``NAME-rerendered``, has those photos too.

    Raises:
        BadInput: the manifest is not sound, or the folder holds something else.
        GensetError: the manifest cannot be downloaded, or is not the one that is expected.
    """
    if isinstance(manifest, Path) and manifest.is_dir():
        folder = folder or manifest
        manifest /= WHOLE if (manifest / WHOLE).is_file() else MANIFEST
    found = download_manifest(manifest) if isinstance(manifest, str) else read_manifest(manifest)
    release = found.checked(expect)
    folder = folder or Path(release.name)
    aside = None
    if accept_rerendered:
        variant = folder.absolute().with_name(f"{release.name}-rerendered")
        if variant.exists():
            raise BadInput(f"{variant} exists: move it away, or pull without --accept-rerendered")
        aside = folder.absolute().with_name(f".{folder.name}.rerendered")
    # A photo that was never up (`genset add`) has no address, and one of a source that is not
    # installed here is not to be had: they fail alone.
    names = {photo.source for photo in release.photos if photo.image_url}
    sources = {name: open_source(name) for name in sorted(names) if name in source_names()}
    summary = PullSummary(str(folder), len(release.photos))
    with one_at_a_time(folder):
        _prepare(folder, found.text)
        _pull_all(release, sources, folder, aside, summary)
        _settle(folder, found, release, summary)
        if aside is not None:
            if summary.rerendered:
                summary.variant = _publish_variant(folder, found.text, release, aside, summary)
            shutil.rmtree(aside, ignore_errors=True)
    return summary


def _pull_all(
    release: Manifest,
    sources: Mapping[str, Source],
    folder: Path,
    aside: Path | None,
    summary: PullSummary,
) -> None:
    fetchers = {
        name: Fetcher(source.images, source.may_fetch, folder) for name, source in sources.items()
    }
    with ThreadPoolExecutor(_THREADS) as threads:
        try:
            pulled = threads.map(partial(_pull, fetchers, folder, aside), release.photos)
            shown = progress(pulled, total=len(release.photos), what="pull", unit="photo")
            for photo, (how, detail) in zip(release.photos, shown, strict=True):
                if how in ("pulled", "present"):
                    setattr(summary, how, getattr(summary, how) + 1)
                else:
                    getattr(summary, how)[photo.file] = detail
        finally:
            for source in sources.values():
                source.images.hosts.stop()
            threads.shutdown(wait=False, cancel_futures=True)


def _pull(
    fetchers: Mapping[str, Fetcher], folder: Path, aside: Path | None, photo: ReleasePhoto
) -> tuple[str, str]:
    """Pull a photo; which field of `PullSummary` it belongs to, and its detail there."""
    path, fetcher = folder / photo.file, fetchers.get(photo.source)
    if path.is_file() and not path.is_symlink() and sha256_of(path) == photo.sha256:
        if fetcher is not None and photo.image_url:
            fetcher.remember(photo.image_url)
        return "present", ""
    if not photo.image_url:
        return "failed", "no download address"
    if fetcher is None:
        return "failed", f"source {photo.source!r} is not installed"
    try:
        content = fetcher.content(photo.image_url)
        look = compare(content, photo.sha256, photo.fingerprint)
        kind = check_picture(content).format
    except PhotoRejected as rejected:
        is_gone = rejected.reason == "gone"
        return ("gone", photo.page_url) if is_gone else ("failed", str(rejected))
    except (SourceUnavailable, HostGaveUp) as error:
        return "failed", str(error)
    if look == "rerendered" and aside is not None:
        path = aside / path.name
    elif look != "same":
        return look, photo.page_url
    elif not image_file(photo.sha256, kind).endswith(path.name):
        return "failed", f"it is a {kind}, and not named by its hash"
    with written_whole(path) as file:
        file.write(content)
    return ("pulled", "") if look == "same" else (look, photo.page_url)


def _publish_variant(
    folder: Path, text: str, release: Manifest, aside: Path, summary: PullSummary
) -> str:
    """Write the set of the photos that are there and those that were rerendered; its folder."""
    photos, changed = list[tuple[ReleasePhoto, Path]](), {}
    missing = summary.gone | summary.changed | summary.failed
    for photo in release.photos:
        if photo.file in summary.rerendered:
            other = aside / Path(photo.file).name
            content = other.read_bytes()
            found, sha256 = check_picture(content), hashlib.sha256(content).hexdigest()
            file = file_of(photo.wnid, Path(image_file(sha256, found.format)).name)
            new = {"file": file, "sha256": sha256, "byte_size": len(content)}
            size = {"width": found.width, "height": found.height}
            photos.append((with_fields(photo, **new, **size, fingerprint=found.fingerprint), other))
            changed[file] = {"of": photo.file}
        elif photo.file not in missing:
            photos.append((photo, folder / photo.file))
    made = publish_variant(
        folder.absolute().parent,
        "rerendered",
        json.loads(text),
        photos,
        what="photos rendered anew by their source",
        changed=changed,
        excluded=[photo.file for photo in release.photos if photo.file in missing],
    )
    return str(made.root)


def _prepare(folder: Path, text: str) -> None:
    """Put the manifest there first: it says what the folder is to become.

    Raises:
        BadInput: the folder is not empty, and not of this set.
    """
    for path in folder.rglob(".partial-*"):
        path.unlink()  # of a killed run
    for path in (folder / WHOLE, folder / MANIFEST):
        if path.is_file() and path.read_bytes() == text.encode():
            return
    if any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty: name another folder with --to")
    write_text(folder / WHOLE, text)


def _settle(folder: Path, found: ManifestText, release: Manifest, summary: PullSummary) -> None:
    """Make the folder what its photos are: the release, or a part of it.

    Its manifest comes last. Until then the folder is what it was, with files too many.
    """
    lost = summary.gone | summary.changed | summary.rerendered | summary.failed
    photos = [photo for photo in release.photos if photo.file not in lost]
    text, document = found.text, json.loads(found.text)
    if len(photos) == len(release.photos):
        texts, hashes = {**documents(document, photos), MANIFEST: text}, release.documents
    else:
        write_text(folder / WHOLE, text)
        for file in lost:
            (folder / file).unlink(missing_ok=True)  # of other bytes than the release's
        if not photos:
            (folder / MANIFEST).unlink(missing_ok=True)
            return
        document, texts = described_part(document, photos, "-part", {"missing": len(lost)})
        hashes = document["documents"]
    summary.failed.update(_write_documents(folder, texts, hashes, found))
    write_text(folder / MANIFEST, texts[MANIFEST])
    made = Release(folder)
    summary.title, summary.content_hash = made.title, made.content_hash
    if not lost:
        (folder / WHOLE).unlink(missing_ok=True)


def _write_documents(
    folder: Path, texts: Mapping[str, str], hashes: Mapping[str, str], found: ManifestText
) -> dict[str, str]:
    """Write a set's documents, which are made of its manifest; return what could not be.

    Those that another version of genset made are downloaded, where they lie beside the manifest.
    """
    failed = {}
    for name, sha256 in hashes.items():
        path, text = folder / name, texts.get(name, "")
        if path.is_file() and sha256_of(path) == sha256:
            continue
        address = found.address_of(name)
        if hashlib.sha256(text.encode()).hexdigest() != sha256 and address:
            with suppress(GensetError):
                text = download(address).decode("utf-8", "replace")
        if hashlib.sha256(text.encode()).hexdigest() == sha256:
            write_text(path, text)
        else:
            path.unlink(missing_ok=True)
            failed[name] = "another version of genset made it: ask for the file"
    return failed
