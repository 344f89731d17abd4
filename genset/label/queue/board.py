"""What is left to label, kept in memory, so that no labeler waits for a look at all candidates.

The board only *suggests*: the database decides, candidate by candidate, when a screen is leased
(`genset.label.queue.leases`). So a board may be a little behind, and several processes may each
have one. Labels are append-only, so it catches up by reading those that are newer than the last it
knows; on PostgreSQL, where a label may be committed after one with a larger number, it learns of
such a one when it next suggests the candidate.
"""

import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import CompoundSelect, bindparam, func, null, select, union_all
from sqlalchemy.orm import Session

from genset.db import Label, LabelerEvent, Screen, ask
from genset.label.queue.open_candidates import CANDIDATES, OpenCandidates, Pool, locked
from genset.settings import LabelRules

Item = TypeVar("Item")

QUESTIONS_ON_A_SCREEN = 8

# Written once: building them takes longer than asking them.
# Labels, and decisions on labelers: without a candidate.
_NEWS: CompoundSelect[Any] = union_all(
    select(Label.number, Label.candidate_id, Label.worker).where(Label.number > bindparam("label")),
    select(LabelerEvent.number, null(), LabelerEvent.worker).where(
        LabelerEvent.number > bindparam("decision")
    ),
)
# Of a screen: that its lease goes on, in the panel that is labeled.
LIVE = (
    Screen.submitted_at.is_(None),
    Screen.lost_at.is_(None),
    Screen.expires_at > bindparam("now"),
    Screen.panel == bindparam("panel"),
)


class _Exclusions(NamedTuple):
    """What one labeler gets no more: what they labeled, in whatever panel.

    `of_open` counts those of each class that are still open to others; `unread` what they labeled
    of each class that was not read yet when they came.
    """

    labeled: set[int]
    of_open: Counter[str]
    unread: Counter[str]


class Board(OpenCandidates):
    """The open candidates of a pool, and what each labeler may get of them.

    What is told of the whole pool (`remaining_for`) takes each candidate of the classes that were
    not read yet as one to label.
    """

    def __init__(self, session: Session, rules: LabelRules, pool: Pool = CANDIDATES) -> None:
        super().__init__(session, rules, pool)
        self._newest_decision: int = session.scalar(select(func.max(LabelerEvent.number))) or 0
        self._exclusions: dict[str, _Exclusions] = {}
        self._classes_of: dict[str, list[str]] = {}  # by labeler, in their order

    @locked
    def catch_up(self, session: Session, worker: str) -> None:
        """Learn of the labels since the last time, and of all that this labeler gave.

        And of those whose votes were taken out since, or let in again.
        """
        values = {"label": self._newest, "decision": self._newest_decision}
        news = ask(session, _NEWS, values).all()
        new = [row for row in news if row.candidate_id is not None]
        if self.pool.added is not None:
            self._add(session, {row.candidate_id for row in new} - self._class_of.keys())
        for number, candidate_id, labeler in new:
            self._newest = max(self._newest, number)
            exclusions = self._exclusions.get(labeler)
            if exclusions is not None:
                if self.is_open(candidate_id) and candidate_id not in exclusions.labeled:
                    exclusions.of_open[self._class_of[candidate_id]] += 1
                exclusions.labeled.add(candidate_id)
        changed = {row.candidate_id for row in new}
        if decisions := [row for row in news if row.candidate_id is None]:
            self._newest_decision = max(row.number for row in decisions)
            about = Label.worker.in_({row.worker for row in decisions})
            changed.update(session.scalars(select(Label.candidate_id).where(about)))
        self.count_again(session, changed)
        if worker not in self._exclusions:
            labeled = dict(ask(session, self.pool.labeled, {"worker": worker}).all())
            of_open = Counter(self._class_of[number] for number in labeled if self.is_open(number))
            unread = Counter(wnid for wnid in labeled.values() if wnid in self._unread)
            self._exclusions[worker] = _Exclusions(set(labeled), of_open, unread)

    @locked
    def may_get(self, worker: str, candidate: int) -> bool:
        """Whether this labeler, whom `catch_up` has met, may get it once nobody else has."""
        return self.is_open(candidate) and candidate not in self._exclusions[worker].labeled

    @locked
    def labels_of(self, worker: str) -> int:
        """How many candidates this labeler, whom `catch_up` has met, labeled."""
        return len(self._exclusions[worker].labeled)

    @locked
    def remaining_for(self, worker: str) -> dict[str, int]:
        """How many candidates of each class this labeler, whom `catch_up` has met, may yet get."""
        remaining = self._remaining.copy()  # at once: a pool has a thousand classes
        exclusions = self._exclusions[worker]
        for wnid in self._unread.keys() & exclusions.unread.keys():
            remaining[wnid] -= exclusions.unread[wnid]
        for wnid in remaining.keys() & exclusions.of_open.keys():
            remaining[wnid] -= exclusions.of_open[wnid]
        return remaining

    def classes_for(
        self, session: Session, worker: str, leased: Mapping[str, int]
    ) -> Iterator[str]:
        """The classes of which this labeler may get candidates, in their order.

        None of which as many are `leased`, all together, as votes are missing.
        """
        if worker not in self._classes_of:
            self._classes_of[worker] = self._in_order(list(self._ranked), worker)
        order = self._classes_of[worker]
        for place, wnid in enumerate(order):
            then = islice(order, place, None)
            if self._read_if_remaining(session, wnid, worker, then) and (
                self._missing_in[wnid] > leased.get(wnid, 0)
            ):
                yield wnid

    @locked
    def suggest(
        self, worker: str, wnid: str, without: Container[int], leases: Mapping[int, int]
    ) -> list[int]:
        """The candidates of a class that a labeler may get, in their order.

        None that is leased to as many as it needs, and none of those in `without`.
        """
        open_, exclusions = self._open[wnid], self._exclusions[worker]
        free = [
            number
            for number in self._ranked[wnid]
            if open_.get(number, 0) > leases.get(number, 0)
            and number not in without
            and number not in exclusions.labeled
        ]
        return self._in_order(free, worker)

    def _in_order(self, items: list[Item], worker: str) -> list[Item]:
        """As the rules say: what comes first, and is looked at afresh, is not the same for all."""
        is_random = self.rules.order == "random"
        return shuffled(items, self.rules.panel, worker) if is_random else items

    @locked
    def by_photo(self, questions: Iterable[int]) -> list[list[int]]:
        """Questions in screens: one a photo, unless it has more than eight."""
        of_photos: dict[int, list[int]] = {}
        for number in questions:
            of_photos.setdefault(self._photo_of[number], []).append(number)
        return [
            screen for some in of_photos.values() for screen in evenly(some, QUESTIONS_ON_A_SCREEN)
        ]

    @locked
    def examples(self, session: Session, worker: str, wnid: str, most: int) -> list[int]:
        """Candidates that are known to be right, and that this labeler will not be asked about.

        Among gold questions none that they labeled, for their own word makes a candidate an
        example and never a gold question, and only photos that never test anybody. None of a class
        that was not read yet: a labeler's first screens would wait for several of these.
        """
        if wnid in self._unread:
            return []
        right, labeled = self.known_right(session, wnid), self._exclusions[worker].labeled
        open_ = self._open.get(wnid, ())
        if self.rules.gold:
            spared = self._for_examples
            shown = (e for e in right if e in spared and e not in open_ and e not in labeled)
        else:
            shown = (e for e in right if e not in open_ or e in labeled)
        return list(islice(shown, most))

    @locked
    def _read_if_remaining(
        self, session: Session, wnid: str, worker: str, then: Iterable[str]
    ) -> bool:
        """Whether this labeler may yet get candidates of a class, which then is read."""
        if not self._remaining_in(wnid, worker):
            return False
        self._read(session, wnid, then)
        return bool(self._remaining_in(wnid, worker))

    def _remaining_in(self, wnid: str, worker: str) -> int:
        """How many candidates of a class this labeler may yet get; at most, if it is unread."""
        exclusions = self._exclusions[worker]
        if (unread := self._unread.get(wnid)) is not None:
            return unread - exclusions.unread[wnid]
        return len(self._open[wnid]) - exclusions.of_open[wnid]

    def _count_for_labelers(
        self, candidate: int, change: int, workers: Iterable[str] | None
    ) -> None:
        wnid = self._class_of[candidate]
        for worker in self._exclusions if workers is None else workers:
            exclusions = self._exclusions.get(worker)
            if exclusions is not None and candidate in exclusions.labeled:
                exclusions.of_open[wnid] += change


def shuffled(items: Iterable[Item], *seed: object) -> list[Item]:
    """In an order of chance: the same whenever the seed is."""

    def drawn(item: Item) -> bytes:
        return hashlib.blake2b(f"{start} {item}".encode(), digest_size=8).digest()

    start = " ".join(map(str, seed))
    return sorted(items, key=drawn)


def evenly(items: Sequence[int], most: int) -> Iterator[list[int]]:
    """In as few lists of at most so many as they need: six in two of three, not five and one."""
    parts = -(-len(items) // most)
    starts = [-(-len(items) * part // parts) for part in range(parts)]
    return (list(items[start:end]) for start, end in pairwise([*starts, len(items)]))
