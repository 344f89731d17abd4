"""How far each stage of a workspace is, and whether its files are what the database says."""

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Select, distinct, func, select

from genset.evaluation.results.runs import find_runs
from genset.files import sha256_of
from genset.progress import progress
from genset.release.reader import find_releases
from genset.store import (
    Candidate,
    Label,
    Photo,
    Search,
    Store,
    is_contested,
    stored_candidates,
    votes,
)
from genset.taxonomy import imagenet1k
from genset.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Status:
    """Counts by stage. `refused` is by reason, `releases` photos by name, `runs` by release.

    `candidates` are those with a stored photo; `labeled` of them have at least one label, and
    `contested` are claimed by another class too.
    """

    workspace: str
    classes: int
    searched: int
    searches: int
    found: int
    stored: int
    refused: dict[str, int]
    contested: int
    candidates: int
    candidate_classes: int
    labeled: int
    labels: int
    labelers: int
    releases: dict[str, int]
    runs: dict[str, list[str]]


def status(workspace: Workspace, store: Store) -> Status:
    """Count what each stage has stored."""
    with store.session() as session:

        def count(query: Select[int]) -> int:
            return session.scalar(query) or 0

        candidates = list(session.scalars(stored_candidates()))
        labeled = votes(session)
        reasons = session.scalars(select(Photo.refused).where(Photo.refused.is_not(None)))
        refused = Counter(str(reason).partition(":")[0] for reason in reasons)
        contested = stored_candidates().where(is_contested())
        releases = find_releases(workspace.releases)
        return Status(
            workspace=str(workspace.root),
            classes=len(imagenet1k()),
            searched=count(select(func.count(distinct(Search.wnid)))),
            searches=count(select(func.count(Search.id))),
            found=count(select(func.count(Photo.id))),
            stored=count(select(func.count(Photo.sha256))),
            refused=dict(refused.most_common()),
            contested=len({candidate.photo_id for candidate in session.scalars(contested)}),
            candidates=len(candidates),
            candidate_classes=len({candidate.wnid for candidate in candidates}),
            labeled=sum(candidate.id in labeled for candidate in candidates),
            labels=count(select(func.count(Label.number))),
            labelers=count(select(func.count(distinct(Label.worker)))),
            releases={release.name: len(release.photos) for release in releases},
            runs={
                release.name: [
                    run.model
                    for _, run in find_runs(workspace.runs, release.name)
                    if run.set_hash == release.content_hash
                ]
                for release in releases
            },
        )


Listing = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""The names of the columns, and the rows."""


def refused_photos(store: Store) -> Listing:
    """Each refused photo by class, why it was, and its page."""
    refused = select(Candidate).join(Candidate.photo).where(Photo.refused.is_not(None))
    with store.session() as session:
        found = session.scalars(refused.order_by(Candidate.wnid, Candidate.rank))
        rows: list[tuple[str, ...]] = [
            (c.wnid, c.task.partition("/")[2], str(c.photo.refused), c.photo.page_url)
            for c in found
        ]
    return ("wnid", "photo", "reason", "page"), rows


def contested_photos(store: Store) -> Listing:
    """Each downloaded photo that several classes claim, once for each, with its page."""
    with store.session() as session:
        found = session.scalars(stored_candidates().where(is_contested()))
        rows: list[tuple[str, ...]] = [
            (c.photo.source_id, c.task, c.keyword, c.photo.page_url) for c in found
        ]
    return ("photo", "task", "keyword", "page"), sorted(rows)


def check_files(workspace: Workspace, store: Store, *, repair: bool = False) -> list[str]:
    """Name each stored photo whose original is missing or changed.

    With `repair` such a photo counts as not downloaded, so that the next scrape fetches it again.
    """
    problems = []
    with store.session() as session:
        stored = list(session.scalars(select(Photo).where(Photo.sha256.is_not(None))))
    for photo in progress(stored, total=len(stored), what="doctor", unit="photo"):
        path = workspace.images / photo.file
        if path.is_file() and sha256_of(path) == photo.sha256:
            continue
        trouble = "was changed" if path.is_file() else "is missing"
        problems.append(f"{photo.source}:{photo.source_id}: images/{photo.file} {trouble}")
        if repair:
            path.unlink(missing_ok=True)
            with store.begin() as session:
                lost = session.get_one(Photo, photo.id)
                lost.sha256 = lost.format = lost.stored_at = None
    return problems


def files_of_nobody(workspace: Workspace, store: Store) -> list[Path]:
    """The files under ``images/`` that belong to no photo: a killed scrape leaves some.

    Younger ones than an hour are left out, since a scrape that runs may be about to need them.
    """
    with store.session() as session:
        stored = session.scalars(select(Photo).where(Photo.sha256.is_not(None)))
        theirs = {workspace.images / photo.file for photo in stored}
    before = time.time() - 3600
    return [
        path
        for path in sorted(workspace.images.glob("*/*"))
        if path not in theirs and path.is_file() and path.stat().st_mtime < before
    ]
