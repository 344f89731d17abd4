"""The photos of earlier releases, which must not come again: neither the same nor near duplicates.

A release of a later year would otherwise measure again what models were scored on before, and may
have been trained on since.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from sqlalchemy import select

from genset.core.errors import BadInput, GensetError
from genset.core.pixels import fingerprint, scale_down
from genset.core.progress import progress
from genset.db import Photo, Store
from genset.protocols.kept import window_of
from genset.protocols.protocol import Protocol, Window
from genset.release.exclusions import Exclusion
from genset.release.reader import Release, find_releases, release_named
from genset.workspace import Workspace

_FEW = 500  # rows to name in one question


def earlier_releases(
    workspace: Workspace, protocol: Protocol, window: Window, more: Sequence[str]
) -> list[Release]:
    """The releases whose photos must not come again.

    Those with photos that were posted before a window, and those of the protocol's other windows,
    which may be later ones that were made first.

    Args:
        workspace: whose releases count.
        protocol: by which the release to come is made.
        window: that of the release to come.
        more: names or folders of further ones, whatever photos they have.

    Raises:
        BadInput: one of these is no release.
    """
    found = [
        release
        for release in find_releases(workspace.releases)
        if (of := window_of(release, protocol)) not in (None, window)
        or (of is None and any(photo.posted_at < window.posted_after for photo in release.photos))
    ]
    for word in more:
        found.append(Release(release_named(word, workspace.releases) or Path(word)))
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
    return tuple(_exclusion(store, release) for release in releases)


def _exclusion(store: Store, release: Release) -> Exclusion:
    """A release by the names and bytes of its photos, and by the looks of those not in the pool.

    Photos of the pool are compared with each other (`genset.scrape.upkeep.duplicates`), and people
    may say of two that they differ: their looks would overrule that.
    """
    pool = _in_pool(store, [photo.sha256 for photo in release.photos])
    others = [photo for photo in release.photos if photo.sha256 not in pool]
    hashes = [
        _fingerprint(release.root / photo.file, release.name)
        for photo in progress(others, total=len(others), what=f"hash {release.name}", unit="photo")
    ]
    return Exclusion(
        name=release.name,
        sha256=release.content_hash.removeprefix("sha256:"),
        digests=frozenset(photo.sha256 for photo in release.photos),
        fingerprints=np.unique(np.array(hashes, np.uint64)),
        photos=frozenset(f"{photo.source}:{photo.source_id}" for photo in release.photos),
    )


def _in_pool(store: Store, digests: Sequence[str]) -> set[str]:
    """Those of photos that are in the pool, by their sha256."""
    found: set[str] = set()
    with store.session() as session:
        for start in range(0, len(digests), _FEW):
            some = Photo.sha256.in_(digests[start : start + _FEW])
            rows = session.scalars(select(Photo.sha256).where(some, Photo.refused.is_(None)))
            found.update(str(sha256) for sha256 in rows)
    return found


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
