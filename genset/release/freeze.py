"""Write a release: whole or not at all."""

import fcntl
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from sqlalchemy import select

from genset import __version__
from genset.errors import BadInput, GensetError
from genset.files import sha256_of, sync_folder, write_text, written_whole
from genset.progress import progress
from genset.release.choose import Votes, majority, selection_frequency
from genset.release.reader import (
    FORMAT,
    MANIFEST,
    Release,
    ReleasePhoto,
    content_hash,
    manifest_hash,
)
from genset.store import Candidate, Label, Store, now, stored_candidates, votes
from genset.workspace import Workspace


def create(workspace: Workspace, store: Store, name: str) -> Release:
    """Freeze what was labeled correct into ``releases/NAME/``.

    Raises:
        BadInput: the name is taken or cannot be a folder's name.
        GensetError: nothing was labeled correct, or an original is missing or damaged.
    """
    _free_folder(workspace, name)
    with store.session() as session:
        candidates = list(session.scalars(stored_candidates()))
        said = votes(session)
        labelers = len(session.scalars(select(Label.worker).distinct()).all())
    choice = majority(candidates, said)
    if not choice.chosen:
        raise GensetError("no photo is labeled correct yet; label some with: genset label")
    frozen = [(_record(c, said), workspace.images / c.photo.file) for c in choice.chosen]
    frozen.sort(key=lambda pair: pair[0].file)
    photos = [record for record, _ in frozen]
    manifest = {
        "format": FORMAT,
        "name": name,
        "created_at": now().isoformat(timespec="seconds"),
        "genset": __version__,
        "content_hash": content_hash(photos),
        "strategy": {"name": "majority"},
        "labelers": labelers,
        "left_out": dict(sorted(Counter(choice.left_out.values()).items())),
        "photos": [asdict(photo) for photo in photos],
    }
    manifest["manifest_hash"] = manifest_hash(manifest)
    with _one_at_a_time(workspace.releases):
        folder = _free_folder(workspace, name)  # still, once it is our turn
        partial = workspace.releases / f".{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)  # what a killed run left
        try:
            for record, original in progress(
                frozen, total=len(frozen), what="release", unit="photo"
            ):
                _copy(original, partial / record.file, record.sha256)
            write_text(partial / MANIFEST, json.dumps(manifest, indent=1) + "\n")
            for path in partial.rglob("*"):
                if path.is_file():
                    path.chmod(0o444)
            partial.rename(folder)
            sync_folder(workspace.releases)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return Release.open(folder)


@contextmanager
def _one_at_a_time(releases: Path) -> Iterator[None]:
    """Wait while another process makes a release here; a kill gives up the turn."""
    releases.mkdir(exist_ok=True)
    handle = os.open(releases, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _free_folder(workspace: Workspace, name: str) -> Path:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise BadInput(f"a release's name has letters, digits, '.', '_' and '-' only: {name!r}")
    folder = workspace.releases / name
    if folder.exists():
        raise BadInput(f"release {name} exists, and a release never changes: choose another name")
    return folder


def _record(candidate: Candidate, said: Votes) -> ReleasePhoto:
    photo = candidate.photo
    assert photo.sha256 and photo.byte_size and photo.width and photo.height
    return ReleasePhoto(
        file=f"{candidate.wnid}/{Path(photo.file).name}",
        wnid=candidate.wnid,
        sha256=photo.sha256,
        byte_size=photo.byte_size,
        width=photo.width,
        height=photo.height,
        source=photo.source,
        source_id=photo.source_id,
        page_url=photo.page_url,
        image_url=photo.image_url,
        owner=photo.owner,
        owner_name=photo.owner_name,
        title=photo.title,
        license=photo.license,
        license_url=photo.license_url,
        posted_at=photo.posted_at.isoformat(),
        taken_at=photo.taken_at,
        keyword=candidate.keyword,
        rank=candidate.rank,
        labels={verdict.value: count for verdict, count in sorted(said[candidate.id].items())},
        selection_frequency=round(selection_frequency(said[candidate.id]), 6),
    )


def _copy(original: Path, target: Path, sha256: str) -> None:
    try:
        with original.open("rb") as source, written_whole(target) as file:
            shutil.copyfileobj(source, file)
    except FileNotFoundError:
        raise GensetError(f"{original} is missing: see genset doctor") from None
    if sha256_of(target) != sha256:
        raise GensetError(f"{original} was changed since it was stored: see genset doctor")
