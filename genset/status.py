"""How far each stage of a workspace is, and whether its files are what the database says."""

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path
from typing import Any

from sqlalchemy import Select, distinct, func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.core.files import image_file, sha256_of
from genset.core.progress import progress
from genset.core.table import Table, of_words
from genset.db import (
    Candidate,
    ExamplePhoto,
    Fact,
    HostState,
    Label,
    Photo,
    PhotoFailure,
    Search,
    SearchFailure,
    Store,
    in_labeling,
    undecided_photos,
    votes_in_labeling,
)
from genset.db.images_folder import see_images
from genset.label.proposals.questions import questions
from genset.net.hosts import Hosts
from genset.release.reader import summaries
from genset.score.results.names import by_convention
from genset.score.results.runs import find_runs
from genset.scrape.opt_out import OptOut
from genset.scrape.side_by_side import UNFINISHED
from genset.sources.source import Settings, source_class
from genset.workspace import Workspace

_PAGE = 10_000
_OURS = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62}\.[a-z]+|\.partial-[0-9a-f]+)")
_NAME = Photo.source, Photo.source_id
_OF_POOL = Photo.id.not_in(select(ExamplePhoto.photo_id))
_STORED = Photo.sha256.is_not(None), Photo.rejected.is_(None)


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """What a source gave: pages of searches, photos found, stored and rejected, candidates."""

    searches: int
    found: int
    stored: int
    rejected: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Status:
    """Counts by stage. `rejected` is by reason, `releases` photos by name, `runs` by release.

    `waiting` photos and searches failed and are to be tried again; `down` says of each host that
    does not answer, by its name, since when. `contested` are photos that several classes claim and
    that count for none yet (`genset.db.undecided_photos`). `candidates` are those that labelers
    are shown or spoke of (`genset.db.in_labeling`); `labeled` of them have votes in force,
    `labels` in all, by `labelers`: ``genset labels stats`` has the same numbers. `sources` is by
    name, where several were searched; empty where only one was. `questions` about further classes
    are asked, or have all their votes; `unanswered` of them lack votes. `examples` are photos that
    somebody gave to be shown beside a class; no other number has them. `unfinished` is the command
    of a scrape that was stopped, `missing` what must be mended before the next one can begin.
    """

    workspace: str
    classes: int
    searched: int
    searches: int
    found: int
    stored: int
    rejected: dict[str, int]
    contested: int
    waiting: int
    down: dict[str, str]
    candidates: int
    candidate_classes: int
    labeled: int
    labels: int
    labelers: int
    releases: dict[str, int]
    runs: dict[str, list[str]]
    sources: dict[str, SourceCounts] = field(default_factory=dict)
    questions: int = 0
    unanswered: int = 0
    examples: int = 0
    unfinished: str = ""
    missing: str = ""

    @property
    def next_command(self) -> str:
        """What to type next: the first stage that is not complete."""
        if self.unfinished and not self.releases:
            return self.unfinished
        if self.searched < self.classes and not self.stored:
            return "genset scrape"
        if self.labeled < self.candidates or self.unanswered:
            return "genset label"
        if not self.releases:
            return "genset release create v1" if self.labeled else "genset scrape"
        newest = list(self.releases)[-1]
        if not self.runs.get(newest):
            return f"genset evaluate {newest} --model torchvision:resnet50"
        return f"genset report {newest}"


def status(workspace: Workspace, store: Store) -> Status:
    """Count what each stage has stored, in the database and not here: a pool may have millions."""
    taxonomy = store.taxonomy
    with store.session() as session:

        def count(query: Select[int]) -> int:
            return session.scalar(query) or 0

        by_class = _in_labeling(Candidate.wnid, func.count()).group_by(Candidate.wnid)
        candidates = dict(session.execute(by_class).all())
        # A labeler who is in two panels has one vote, as wherever panels are taken together.
        columns = Label.candidate_id, Label.worker
        cast = votes_in_labeling().with_only_columns(*columns).subquery()
        of_votes = func.count(cast.c.candidate_id.distinct()), func.count(cast.c.worker.distinct())
        votes, labeled, labelers = session.execute(
            select(func.count(), *of_votes).select_from(cast)
        ).one()
        contested = select(func.count(Photo.id)).where(*_STORED, Photo.id.in_(undecided_photos()))
        releases = summaries(workspace.releases)
        rules = workspace.label
        open_questions = [
            question
            for question in questions(session)
            if question.is_open or not question.waits(rules)
        ]
        now = Status(
            workspace=str(workspace.root),
            classes=len(taxonomy),
            searched=count(select(func.count(distinct(Search.wnid)))),
            searches=count(select(func.count(Search.id))),
            found=count(select(func.count(Photo.id)).where(_OF_POOL)),
            stored=count(select(func.count(Photo.sha256)).where(_OF_POOL)),
            rejected=_rejected(session),
            contested=count(contested),
            waiting=sum(
                count(select(func.count()).select_from(table).where(table.next_at.is_not(None)))
                for table in (PhotoFailure, SearchFailure)
            ),
            down={
                name: _moment(datetime.fromtimestamp(since, UTC))
                for name, since in session.execute(
                    select(HostState.name, HostState.down_since).where(
                        HostState.down_since.is_not(None)
                    )
                )
                if since is not None
            },
            candidates=sum(candidates.values()),
            candidate_classes=len(candidates),
            labeled=labeled,
            labels=votes,
            labelers=labelers,
            releases={release.name: len(release.photos) for release in releases},
            runs={
                release.name: by_convention(
                    [
                        run
                        for _, run in find_runs(workspace.runs, release.name)
                        if run.set_hash == release.content_hash
                    ]
                )
                for release in releases
            },
            sources=_by_source(session),
            questions=len(open_questions),
            unanswered=sum(question.waits(rules) for question in open_questions),
            examples=count(select(func.count(Photo.sha256)).where(~_OF_POOL)),
            unfinished=unfinished.value if (unfinished := session.get(Fact, UNFINISHED)) else "",
        )
    if now.next_command.startswith("genset scrape"):
        return replace(now, missing=_missing(workspace, store))
    return now


def _missing(workspace: Workspace, store: Store) -> str:
    """What keeps a scrape from beginning, such as a key that is not set; "" for nothing."""
    try:
        OptOut.of(workspace)
        see_images(workspace)
        for name in workspace.scrape.sources:
            source_class(name).connect(Hosts(store), Settings.of(workspace))
    except BadInput as error:
        return str(error)
    return ""


def _in_labeling(*columns: Any) -> Select[*tuple[Any, ...]]:
    """Something of the candidates that are labeled."""
    return in_labeling().order_by(None).with_only_columns(*columns)


def _rejected(session: Session) -> dict[str, int]:
    """How many photos were rejected, by the reason without its details.

    The commonest first, and of equally common ones that of the earlier photo.
    """
    reasons = (
        select(Photo.rejected, func.count())
        .where(Photo.rejected.is_not(None), _OF_POOL)
        .group_by(Photo.rejected)
        .order_by(func.min(Photo.id))
    )
    rejected: Counter[str] = Counter()
    for reason, count in session.execute(reasons):
        rejected[str(reason).partition(":")[0]] += count
    return dict(rejected.most_common())


def _by_source(session: Session) -> dict[str, SourceCounts]:
    """The counts of each source, where several were searched, be it in vain.

    Photos that somebody added from a folder have a source too, which was not.
    """
    searches = dict(
        session.execute(select(Search.source, func.count()).group_by(Search.source)).all()
    )
    tried = searches.keys() | set(session.scalars(select(SearchFailure.source).distinct()))
    if len(tried) < 2:
        return {}
    photos = select(
        Photo.source, func.count(), func.count(Photo.sha256), func.count(Photo.rejected)
    )
    photos = photos.where(_OF_POOL).group_by(Photo.source)
    counts = {name: (found, stored, out) for name, found, stored, out in session.execute(photos)}
    candidates = dict(
        session.execute(_in_labeling(Photo.source, func.count()).group_by(Photo.source)).all()
    )
    named = {}
    for name in sorted(tried | counts.keys()):
        found, stored, out = counts.get(name, (0, 0, 0))
        named[name] = SourceCounts(
            searches=searches.get(name, 0),
            found=found,
            stored=stored,
            rejected=out,
            candidates=candidates.get(name, 0),
        )
    return named


def failed(store: Store) -> Table:
    """Each photo that was rejected, and each photo and search that did not come yet, by class.

    With why, its page, how often it was tried in vain, and when it is tried again ("" for never).
    """
    with store.session() as session:
        rows = [*_refused_photos(session), *_late_photos(session), *_late_searches(session)]
    return of_words(("wnid", "photo", "reason", "page", "tries", "next try"), rows)


def _refused_photos(session: Session) -> Iterator[tuple[str, ...]]:
    rejected = (
        select(Candidate.wnid, *_NAME, Photo.rejected, Photo.page_url)
        .join(Candidate.photo)
        .where(Photo.rejected.is_not(None))
        .order_by(Candidate.wnid, Candidate.rank)
    )
    for wnid, source, source_id, reason, page in session.execute(rejected):
        yield wnid, f"{source}:{source_id}", str(reason), page, "", ""


def _late_photos(session: Session) -> Iterator[tuple[str, ...]]:
    columns: tuple[Any, ...] = (Candidate.wnid, *_NAME, Photo.page_url, PhotoFailure.error)
    late: Select[*tuple[Any, ...]] = (
        select(*columns, PhotoFailure.attempts, PhotoFailure.next_at)
        .select_from(Candidate)
        .join(Candidate.photo)
        .join(PhotoFailure, PhotoFailure.photo_id == Photo.id)
        .where(Photo.rejected.is_(None), Photo.sha256.is_(None))
        .order_by(Candidate.wnid, Candidate.rank)
    )
    for wnid, source, source_id, page, error, attempts, next_at in session.execute(late):
        yield wnid, f"{source}:{source_id}", error, page, str(attempts), _moment(next_at)


def _late_searches(session: Session) -> Iterator[tuple[str, ...]]:
    for search in session.scalars(
        select(SearchFailure).order_by(SearchFailure.wnid, SearchFailure.id)
    ):
        name = f"{search.source} search: {search.query} (page {search.page})"
        yield search.wnid, name, search.error, "", str(search.attempts), _moment(search.next_at)


def _moment(when: datetime | None) -> str:
    """A time for people here, and for programs; "" for never."""
    return "" if when is None else when.astimezone().isoformat(timespec="seconds")


def contested_photos(store: Store) -> Table:
    """Each stored photo that several classes claim and that counts for none, once for each.

    With its page.
    """
    claimed = select(Candidate.wnid, *_NAME, Candidate.keyword, Photo.page_url)
    claimed = claimed.join(Candidate.photo).where(*_STORED, Photo.id.in_(undecided_photos()))
    with store.session() as session:
        rows = [
            (source_id, f"{wnid}/{source}:{source_id}", keyword, page)
            for wnid, source, source_id, keyword, page in session.execute(claimed)
        ]
    return of_words(("photo", "task", "keyword", "page"), sorted(rows))


def check_files(workspace: Workspace, store: Store, *, repair: bool = False) -> list[str]:
    """Name each stored photo whose original is missing or changed.

    With `repair` such a photo counts as not downloaded, so that the next scrape fetches it again.
    """
    problems = []
    with store.session() as session:
        total = session.scalar(select(func.count(Photo.sha256))) or 0
    for photo in progress(_stored_photos(store), total=total, what="doctor", unit="photo"):
        file = image_file(photo.sha256, photo.format)
        path = workspace.images / file
        if path.is_file() and sha256_of(path) == photo.sha256:
            continue
        trouble = "was changed" if path.is_file() else "is missing"
        problems.append(f"{photo.source}:{photo.source_id}: images/{file} {trouble}")
        if repair:
            path.unlink(missing_ok=True)
            with store.begin() as session:
                lost = session.get_one(Photo, photo.id)
                lost.sha256 = lost.format = lost.stored_at = None
    return problems


def _stored_photos(store: Store) -> Iterator[Any]:
    """Every photo that has an original, some at a time, with no transaction open in between."""
    stored = select(Photo.id, *_NAME, Photo.sha256, Photo.format).order_by(Photo.id)
    last = 0
    while True:
        page = stored.where(Photo.id > last, Photo.sha256.is_not(None)).limit(_PAGE)
        with store.session() as session:
            photos = session.execute(page).all()
        yield from photos
        if len(photos) < _PAGE:
            return
        last = photos[-1].id


def files_of_nobody(workspace: Workspace, store: Store) -> list[Path]:
    """The files under ``images/`` that belong to no photo: a killed scrape leaves some.

    Younger ones than an hour are left out, since a scrape that runs may be about to need them; and
    all that genset does not name so.
    """
    found: list[Path] = []
    before = time.time() - 3600
    for folder in sorted(workspace.images.glob("*/")):
        # A folder holds the originals whose hashes begin with its name; no digit is over "f".
        within = Photo.sha256 >= folder.name, Photo.sha256 < f"{folder.name}g"
        with store.session() as session:
            rows = session.execute(select(Photo.sha256, Photo.format).where(*within))
            known = {workspace.images / file for file in starmap(image_file, rows)}
        found += [
            path
            for path in sorted(folder.iterdir())
            if path not in known
            and _OURS.fullmatch(f"{folder.name}/{path.name}")
            and path.is_file()
            and path.stat().st_mtime < before
        ]
    return found
