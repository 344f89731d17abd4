"""How far each stage of a workspace is, and what failed or was rejected."""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Select, distinct, func, select
from sqlalchemy.orm import Session

from genset.core.dates import minute
from genset.core.errors import BadInput
from genset.core.table import Table, of_words
from genset.db import (
    Candidate,
    Claim,
    ExamplePhoto,
    Fact,
    GoldQuestion,
    HostState,
    Label,
    Photo,
    PhotoEvent,
    PhotoFailure,
    Search,
    SearchFailure,
    Store,
    chosen_classes,
    in_labeling,
    undecided_photos,
    votes_in_labeling,
)
from genset.db.images_folder import check_images, see_images
from genset.db.votes_needed import missing_votes
from genset.label.proposals import proposal_stats
from genset.net.hosts import Hosts
from genset.release.reader.manifest import Summary
from genset.release.reader.release import summaries
from genset.score.results.names import by_convention
from genset.score.results.runs import find_runs
from genset.scrape.opt_out import OptOut
from genset.scrape.side_by_side import UNFINISHED
from genset.sources.source import connected, source_class
from genset.workspace import Workspace

_NAME = Photo.source, Photo.source_id
# Not those that are shown as examples, or that were added to test labelers.
_EXAMPLE = Photo.id.in_(select(ExamplePhoto.photo_id))
_GOLD = Photo.id.in_(select(GoldQuestion.photo_id)) & Photo.id.not_in(select(Claim.photo_id))
_OF_POOL = ~_EXAMPLE & ~_GOLD
# Stored photos after which a refresh asked in vain last.
_LAST_FAILED = (
    select(func.max(PhotoEvent.id)).where(PhotoEvent.what == "failed").group_by(PhotoEvent.photo_id)
)
_UNCHECKED = (
    select(Photo.id)
    .join(PhotoEvent, PhotoEvent.photo_id == Photo.id)
    .where(Photo.in_use, PhotoEvent.id.in_(_LAST_FAILED))
    .where(Photo.checked_at.is_(None) | (PhotoEvent.at > Photo.checked_at))
)


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """What a source gave: pages of searches, photos found, stored and rejected, candidates."""

    searches: int
    found: int
    stored: int
    rejected: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Outage:
    """A host, or one of several keys, that is not called now.

    `error` is the cause, `since` and `next_try` are times, "" for a pause and a try that is due.
    """

    host: str
    since: str
    error: str
    next_try: str


@dataclass(frozen=True, slots=True)
class Status:
    """Counts by stage. `rejected` is by reason, `releases` photos by name, `runs` by release.

    `chosen` are the classes that photos are wanted of (`genset.db.chosen_classes`); all at first.
    `waiting` photos and searches failed and are to be tried again; `rejected_searches` are not
    (pages of queries), nor `rejected_entries` of pages, by reason. `unchecked` photos failed in the
    last refresh. `outages` are of hosts. `contested` are photos that several classes claim and
    that count for none yet (`genset.db.undecided_photos`). `candidates` are those that labelers
    are shown or spoke of (`genset.db.in_labeling`); `labeled` of them have votes in force,
    `labels` in all, by `labelers`: ``genset labels stats`` has the same numbers. `sources` is by
    name, where several were searched; empty where only one was. `missing_votes` says how many
    "candidates" lack how many "votes"; empty where none does. `questions` about further classes are
    asked; `unanswered` of them lack votes. `examples` are photos that
    somebody gave to be shown beside a class; no other number has them. `unfinished` is the command
    of a scrape that was stopped, `missing` what must be mended before the next one can begin.
    """

    workspace: str
    classes: int
    chosen: int
    searched: int
    searches: int
    found: int
    stored: int
    rejected: dict[str, int]
    contested: int
    waiting: int
    outages: list[Outage]
    candidates: int
    candidate_classes: int
    labeled: int
    labels: int
    labelers: int
    releases: dict[str, int]
    runs: dict[str, list[str]]
    sources: dict[str, SourceCounts] = field(default_factory=dict)
    missing_votes: dict[str, int] = field(default_factory=dict)
    questions: int = 0
    unanswered: int = 0
    examples: int = 0
    rejected_searches: int = 0
    rejected_entries: dict[str, int] = field(default_factory=dict)
    unchecked: int = 0
    unfinished: str = ""
    missing: str = ""

    @property
    def next_command(self) -> str:
        """What to type next: the first stage that is not complete."""
        if self.unfinished and not self.releases:
            return self.unfinished
        if self.searched < self.classes and not self.stored:
            return "genset scrape"
        if self.labeled < self.candidates or self.missing_votes or self.unanswered:
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
        by_class = _in_labeling(Candidate.wnid, func.count()).group_by(Candidate.wnid)
        candidates = dict(session.execute(by_class).all())
        # A labeler who is in two panels has one vote, as wherever panels are taken together.
        columns = Label.candidate_id, Label.worker
        cast = votes_in_labeling().with_only_columns(*columns).subquery()
        of_votes = func.count(cast.c.candidate_id.distinct()), func.count(cast.c.worker.distinct())
        votes, labeled, labelers = session.execute(
            select(func.count(), *of_votes).select_from(cast)
        ).one()
        releases = summaries(workspace.releases)
        rules = workspace.label
        further = proposal_stats(session, rules)
        chosen = chosen_classes(session)
        reasons = (
            select(Photo.rejected, func.count())
            .where(Photo.rejected.is_not(None), _OF_POOL)
            .group_by(Photo.rejected)
            .order_by(func.min(Photo.id))
        )
        rejected: Counter[str] = Counter()
        for reason, count in session.execute(reasons):
            rejected[str(reason).partition(":")[0]] += count
        now = Status(
            **_counts(session),
            workspace=str(workspace.root),
            classes=len(taxonomy),
            chosen=sum(cls.wnid in chosen for cls in taxonomy) or len(taxonomy),
            rejected=dict(rejected.most_common()),
            rejected_entries=dict(sum(_rejected_entries(session).values(), Counter())),
            outages=list(_outages(session)),
            candidates=sum(candidates.values()),
            candidate_classes=len(candidates),
            labeled=labeled,
            labels=votes,
            labelers=labelers,
            releases={release.name: len(release.photos) for release in releases},
            runs={release.name: _runs(workspace, release) for release in releases},
            sources=_by_source(session),
            missing_votes=missing_votes(session, rules).as_json(),
            questions=further.questions,
            unanswered=further.questions - further.answered,
            unfinished=unfinished.value if (unfinished := session.get(Fact, UNFINISHED)) else "",
        )
    may_scrape = now.next_command.startswith("genset scrape")
    return replace(now, missing=_missing(workspace, store, may_scrape=may_scrape))


def _runs(workspace: Workspace, release: Summary) -> list[str]:
    """The models that were scored on a release as it is."""
    runs = find_runs(workspace.runs, release.name)
    return by_convention([run for _, run in runs if run.set_hash == release.content_hash])


def _counts(session: Session) -> dict[str, Any]:
    """Those fields of `Status` that the database counts, in one statement."""
    contested = select(func.count(Photo.id)).where(Photo.in_use, Photo.id.in_(undecided_photos()))
    photos, pages = select(func.count(PhotoFailure.photo_id)), select(func.count(SearchFailure.id))
    fields = {
        "searched": select(func.count(distinct(Search.wnid))),
        "searches": select(func.count(Search.id)),
        "found": select(func.count(Photo.id)).where(_OF_POOL),
        "stored": select(func.count(Photo.sha256)).where(_OF_POOL),
        "examples": select(func.count(Photo.sha256)).where(_EXAMPLE),
        "contested": contested,
        "late_photos": photos.where(PhotoFailure.next_at.is_not(None)),
        "late_pages": pages.where(SearchFailure.next_at.is_not(None)),
        "rejected_searches": pages.where(SearchFailure.next_at.is_(None)),
        "unchecked": select(func.count()).select_from(_UNCHECKED.subquery()),
    }
    columns = [query.scalar_subquery().label(name) for name, query in fields.items()]
    counts = session.execute(select(*columns)).one()._asdict()
    return counts | {"waiting": counts.pop("late_photos") + counts.pop("late_pages")}


def _outages(session: Session) -> Iterator[Outage]:
    """Hosts that do not answer, keys that are refused, and hosts that asked for a pause."""
    now = time.time()
    closed = HostState.down_since.is_not(None) | (HostState.paused_until > now)
    for host in session.scalars(select(HostState).where(closed).order_by(HostState.title)):
        since = _moment(host.down_since)
        until = max(host.probe_at or 0.0, host.paused_until or 0.0)
        error = host.error if since else "it asked to wait"
        yield Outage(host.title, since, error, minute(until) if until > now else "")


def _missing(workspace: Workspace, store: Store, *, may_scrape: bool) -> str:
    """What keeps the next command from beginning, such as a key not set; "" for nothing."""
    try:
        check_images(workspace, store)
        if not may_scrape:
            return ""
        OptOut.of(workspace)
        see_images(workspace)
        for name in workspace.scrape.sources:
            connected(source_class(name), Hosts(store), workspace.scrape)
    except BadInput as error:
        return str(error)
    return ""


def _in_labeling(*columns: Any) -> Select[*tuple[Any, ...]]:
    """Something of the candidates that are labeled."""
    return in_labeling().order_by(None).with_only_columns(*columns)


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
        photo_counts = counts.get(name, (0, 0, 0))
        named[name] = SourceCounts(searches.get(name, 0), *photo_counts, candidates.get(name, 0))
    return named


def failed(store: Store) -> Table:
    """Each photo, search and entry of a search that failed or was rejected, by class.

    With why, its page, how often it was tried in vain, and when it is tried again ("" for never).
    """
    parts = _rejected_photos, _late_photos, _unchecked_photos, _failed_searches, _entries
    with store.session() as session:
        rows = [row for part in parts for row in part(session)]
    columns = "wnid", "photo or search", "state", "reason", "page", "tries", "next try"
    return of_words(columns, rows)


def _rejected_photos(session: Session) -> Iterator[tuple[str, ...]]:
    rejected = (
        select(Candidate.wnid, *_NAME, Photo.rejected, Photo.page_url)
        .join(Candidate.photo)
        .where(Photo.rejected.is_not(None))
        .order_by(Candidate.wnid, Candidate.rank)
    )
    for wnid, source, source_id, reason, page in session.execute(rejected):
        yield wnid, f"{source}:{source_id}", "rejected", str(reason), page, "", ""


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
    for wnid, source, source_id, page, error, tries, next_at in session.execute(late):
        name = f"{source}:{source_id}"
        yield wnid, name, "failed", error, page, str(tries), _moment(next_at)


def _unchecked_photos(session: Session) -> Iterator[tuple[str, ...]]:
    """Those that the last refresh could not ask after."""
    photos = _UNCHECKED.with_only_columns(Candidate.wnid, *_NAME, Photo.page_url, PhotoEvent.detail)
    photos = photos.join(Candidate, Candidate.photo_id == Photo.id)
    for wnid, source, source_id, page, error in session.execute(photos.order_by(Candidate.wnid)):
        yield wnid, f"{source}:{source_id}", "failed", error, page, "", "the next genset refresh"


def _failed_searches(session: Session) -> Iterator[tuple[str, ...]]:
    for search in session.scalars(
        select(SearchFailure).order_by(SearchFailure.wnid, SearchFailure.id)
    ):
        name = f"{search.source} search: {search.query} (page {search.page})"
        state = "failed" if search.next_at else "rejected"
        tries, next_try = str(search.attempts), _moment(search.next_at)
        yield search.wnid, name, state, search.error, "", tries, next_try


def _entries(session: Session) -> Iterator[tuple[str, ...]]:
    for (wnid, source, query), reasons in _rejected_entries(session).items():
        words = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
        yield wnid, f"{source} search: {query}", "rejected", f"entries: {words}", "", "", ""


def _rejected_entries(session: Session) -> dict[tuple[str, str, str], Counter[str]]:
    """How many entries of pages were rejected, by reason; by class, source and query."""
    found = defaultdict[tuple[str, str, str], Counter[str]](Counter)
    rows = select(Search.wnid, Search.source, Search.query, Search.rejected)
    rows = rows.where(Search.rejected != "").order_by(Search.id)
    for wnid, source, query, rejected in session.execute(rows):
        found[wnid, source, query].update(json.loads(rejected))
    return found


def _moment(when: datetime | float | None) -> str:
    """A time; "" for never."""
    return "" if when is None else minute(when)
