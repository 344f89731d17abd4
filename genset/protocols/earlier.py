"""The photos of earlier releases, which must not come again: neither the same nor near duplicates.

A release of a later year would otherwise measure again what models were scored on before, and may
have been trained on since.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from sqlalchemy import select

from genset.errors import BadInput, GensetError
from genset.progress import progress
from genset.protocols.protocol import Window
from genset.release.exclusions import Exclusion
from genset.release.reader import MANIFEST, Release, find_releases
from genset.scrape.fetch.fingerprint import fingerprint, scale_down
from genset.store import Photo, Store
from genset.workspace import Workspace

_FEW = 500  # rows to name in one question


def earlier_releases(workspace: Workspace, window: Window, more: Sequence[str]) -> list[Release]:
    """The releases that are earlier than a window: those with photos that were posted before it.

    Args:
        workspace: whose releases count.
        window: that of the release to come.
        more: names or folders of further ones, whatever photos they have.

    Raises:
        BadInput: one of these is no release.
    """
    own = find_releases(workspace.releases)
    found = [
        each for each in own if any(photo.posted_at < window.posted_after for photo in each.photos)
    ]
    for word in more:
        folder = Path(word) if (Path(word) / MANIFEST).is_file() else workspace.releases / word
        found.append(Release(folder))
    by_content = {each.content_hash: each for each in found}
    names = [each.name for each in by_content.values()]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadInput(f"two earlier releases are called {twice}: leave one out, or rename it")
    return list(by_content.values())


def as_exclusions(store: Store, releases: Iterable[Release]) -> tuple[Exclusion, ...]:
    """Releases as photos that another release must not contain.

    Raises:
        GensetError: a photo cannot be read.
    """
    return tuple(_exclusion(store, each) for each in releases)


def _exclusion(store: Store, release: Release) -> Exclusion:
    digests = [photo.sha256 for photo in release.photos]
    known = _fingerprints(store, digests)
    hashes = [
        known[photo.sha256]
        if photo.sha256 in known
        else _fingerprint(release.root / photo.file, release.name)
        for photo in progress(
            release.photos, total=len(digests), what=f"hash {release.name}", unit="photo"
        )
    ]
    content_hash = release.content_hash.removeprefix("sha256:")
    unique = np.unique(np.array(hashes, np.uint64))
    return Exclusion(release.name, content_hash, frozenset(digests), unique)


def _fingerprints(store: Store, digests: Sequence[str]) -> dict[str, int]:
    """Those that the pool knows already, by sha256."""
    known: dict[str, int] = {}
    with store.session() as session:
        for start in range(0, len(digests), _FEW):
            rows = session.execute(
                select(Photo.sha256, Photo.fingerprint).where(
                    Photo.sha256.in_(digests[start : start + _FEW]),
                    Photo.fingerprint.is_not(None),
                )
            )
            known |= {str(sha256): int(str(number), 16) for sha256, number in rows}
    return known


def _fingerprint(path: Path, name: str) -> int:
    try:
        with Image.open(path) as image:
            scale_down(image)
            return fingerprint(image)
    except Exception as error:  # noqa: BLE001 - what decoders raise on broken files is not bounded
        raise GensetError(
            f"{path} cannot be read ({error}), so that its copies cannot be told: see genset "
            f"release verify {name}"
        ) from None
