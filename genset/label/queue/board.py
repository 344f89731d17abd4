"""What is left to label, kept in memory, so that no labeler waits for a look at all candidates.

The board only *suggests*: the database decides, candidate by candidate, when a screen is leased
(`genset.label.queue.leases`). So a board may be a little behind, and several processes may each
have one. Labels are append-only, so it catches up by reading those that are newer than the last it
knows; on PostgreSQL, where a label may be committed after one with a larger number, it learns of
such a one when it next suggests the candidate.
"""

import logging
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import wraps
from itertools import islice
from typing import Any, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import func, not_, or_, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from genset.label.answering import answering
from genset.label.quality.growth import lacking
from genset.store import (
    Candidate,
    Label,
    LabelerEvent,
    Photo,
    PhotoEvent,
    Ruling,
    Store,
    Verdict,
    is_contested,
    is_out,
    is_ruled,
    labels_in_force,
    rulings_in_force,
    stored_candidates,
)
from genset.workspace import LabelRules

PHOTOS_ON_A_SCREEN = 5
_NONE: frozenset[int] = frozenset()
_SECONDS_TO_WAIT = 0.25  # for a new board: a small one is there by then, a large one comes later
_SHARE_OF_TIME = 0.05  # that may go into making large boards while a scrape changes the pool
_OLDEST = 600.0  # seconds after which a board is made anew, whether or not the pool looks changed

log = logging.getLogger("genset.label")


Method = TypeVar("Method", bound=Callable[..., Any])


def _locked(method: Method) -> Method:
    """One thread at a time."""

    @wraps(method)
    def alone(board: "Board", *args: Any, **named: Any) -> Any:
        with board._lock:
            return method(board, *args, **named)

    return cast(Method, alone)


class Count(NamedTuple):
    """How many labelers a candidate lacks, and who labeled it, in whatever panel."""

    missing: int
    workers: set[str]


class Board:
    """The candidates of a panel, their votes, and who labeled what.

    Threads may share one. A session that is handed over must have its connection already (by any
    question to the store): a thread must not wait for one while others wait for the board.

    `classes` has each class's candidates by rank: those with a stored photo that no other class
    claims, or that somebody ruled on.
    """

    def __init__(self, session: Session, rules: LabelRules) -> None:
        self.rules = rules
        self._lock = threading.RLock()
        self._newest: int = session.scalar(select(func.max(Label.number))) or 0
        self._decided: int = session.scalar(select(func.max(LabelerEvent.number))) or 0
        self.rulings = rulings_in_force(session)
        self.classes: dict[str, list[int]] = {}
        self._class_of: dict[int, str] = {}
        eligible = stored_candidates().where(or_(not_(is_contested()), is_ruled()))
        for wnid, number in session.execute(
            eligible.with_only_columns(Candidate.wnid, Candidate.id)
        ):
            self.classes.setdefault(wnid, []).append(number)
            self._class_of[number] = wnid
        force = labels_in_force(rules.panel).subquery()
        is_correct = force.c.verdict == Verdict.CORRECT
        self._votes: dict[int, tuple[int, int]] = {
            number: (count, correct)
            for number, count, correct in session.execute(
                select(
                    force.c.candidate_id, func.count(), func.count().filter(is_correct)
                ).group_by(force.c.candidate_id)
            )
        }
        # How many votes each open candidate lacks, by class.
        self._open = {
            wnid: {number: lack for number in numbers if (lack := self._lack(number))}
            for wnid, numbers in self.classes.items()
        }
        self.votes_missing = sum(sum(open_.values()) for open_ in self._open.values())
        # By class; "" for those that are not, or no longer, on the board.
        self._labeled: dict[str, dict[str, set[int]]] = {}

    @_locked
    def catch_up(self, session: Session, worker: str) -> None:
        """Learn of the labels since the last time, and of all that this labeler gave.

        And of those whose votes were taken out since, or let in again.
        """
        fresh = session.execute(
            select(Label.number, Label.candidate_id, Label.worker)
            .where(Label.number > self._newest)
            .order_by(Label.number)
        ).all()
        for number, candidate_id, labeler in fresh:
            self._newest = number
            if labeler in self._labeled:
                self._labeled[labeler][self._class_of.get(candidate_id, "")].add(candidate_id)
        changed = {row.candidate_id for row in fresh}
        decided = session.execute(
            select(LabelerEvent.number, LabelerEvent.worker)
            .where(LabelerEvent.number > self._decided)
            .order_by(LabelerEvent.number)
        ).all()
        if decided:
            self._decided = decided[-1].number
            labelers = {row.worker for row in decided}
            changed.update(
                session.scalars(select(Label.candidate_id).where(Label.worker.in_(labelers)))
            )
        self.count_again(session, changed)
        if worker not in self._labeled:
            theirs: dict[str, set[int]] = defaultdict(set)
            for number in session.scalars(
                select(Label.candidate_id).where(Label.worker == worker).distinct()
            ):
                theirs[self._class_of.get(number, "")].add(number)
            self._labeled[worker] = theirs

    @_locked
    def count_again(self, session: Session, candidates: Iterable[int]) -> dict[int, Count]:
        """Read the votes of these candidates from the store, and return them."""
        counts: dict[int, Count] = {}
        for some in in_batches(candidates, 500):
            workers: dict[int, set[str]] = {number: set() for number in some}
            verdicts: dict[int, dict[str, Verdict]] = {number: {} for number in some}
            for number, worker, verdict, panel, out in session.execute(
                select(Label.candidate_id, Label.worker, Label.verdict, Label.panel, is_out(Label))
                .where(Label.candidate_id.in_(some))
                .order_by(Label.number)
            ):
                workers[number].add(worker)
                if panel == self.rules.panel and not out:
                    verdicts[number][worker] = verdict
            for number, said in verdicts.items():
                correct = sum(verdict is Verdict.CORRECT for verdict in said.values())
                self._votes[number] = len(said), correct
                counts[number] = Count(self._open_or_close(number), workers[number])
        return counts

    @_locked
    def drop(self, candidate: int) -> None:
        """Leave a candidate out: its photo is gone, or another class claims it now."""
        if (wnid := self._class_of.pop(candidate, None)) is not None:
            self.classes[wnid].remove(candidate)
            self.votes_missing -= self._open[wnid].pop(candidate, 0)
            for theirs in self._labeled.values():
                if candidate in theirs.get(wnid, _NONE):
                    theirs[wnid].remove(candidate)
                    theirs[""].add(candidate)

    @_locked
    def is_open(self, candidate: int) -> bool:
        """Whether it goes to any more labelers."""
        return candidate in self._open.get(self._class_of.get(candidate, ""), _NONE)

    @_locked
    def is_labeled_by(self, worker: str, candidate: int) -> bool:
        """Whether this labeler, whom `catch_up` has met, labeled it, in whatever panel."""
        wnid = self._class_of.get(candidate, "")
        return candidate in self._labeled[worker].get(wnid, _NONE)

    @_locked
    def labels_of(self, worker: str) -> int:
        """How many candidates this labeler, whom `catch_up` has met, labeled; of any panel."""
        return sum(map(len, self._labeled[worker].values()))

    @_locked
    def left_for(self, worker: str) -> dict[str, int]:
        """How many candidates of each class this labeler, whom `catch_up` has met, may yet get."""
        theirs = self._labeled[worker]
        return {
            wnid: len(numbers) - len(numbers.keys() & theirs.get(wnid, _NONE))
            if wnid in theirs
            else len(numbers)
            for wnid, numbers in self._open.items()
        }

    @_locked
    def suggest(
        self, worker: str, leased: Counter[int], without: Container[int], screens: int
    ) -> list[tuple[str, list[int]]]:
        """Up to this many screens for a labeler: a class and up to five of its candidates each.

        The first class first, and in it the best rank. `leased` counts the live leases of each
        candidate; those in `without` are not taken.
        """
        found: list[tuple[str, list[int]]] = []
        for wnid, numbers in self._open.items():
            theirs = self._labeled[worker].get(wnid, _NONE)
            if len(numbers) <= len(theirs) and numbers.keys() <= theirs:
                continue
            free = [
                number
                for number, lack in numbers.items()
                if number not in theirs and number not in without and lack > leased[number]
            ]
            if free:  # six make two screens of three, not one of five and one of a single photo
                together = -(-len(free) // PHOTOS_ON_A_SCREEN)
                size = -(-len(free) // together)
                found += [(wnid, some) for some in in_batches(free, size)]
            if len(found) >= screens:
                break
        return found[:screens]

    @_locked
    def known_right(self, wnid: str, least: int = 1) -> list[int]:
        """The candidates of a class that are known to be right, the surest first.

        Those ruled correct, then those of which at least `least` labelers, and all who were
        asked, said correct.
        """
        numbers = self.classes.get(wnid, ())
        ruled = [each for each in numbers if self.rulings.get(each) is Verdict.CORRECT]
        unanimous = []
        for number in numbers:
            votes, correct = self._votes.get(number, (0, 0))
            if correct == votes >= least and number not in self.rulings:
                unanimous.append((-votes, number))
        return ruled + [number for _, number in sorted(unanimous)]

    @_locked
    def examples(self, worker: str, wnid: str, most: int) -> list[int]:
        """Candidates that are known to be right, and that this labeler will not be asked about."""
        settled = (
            each
            for each in self.known_right(wnid)
            if not self.is_open(each) or self.is_labeled_by(worker, each)
        )
        return list(islice(settled, most))

    def _lack(self, candidate: int) -> int:
        votes, correct = self._votes.get(candidate, (0, 0))
        return lacking(self.rules, votes, correct, ruled=candidate in self.rulings)

    def _open_or_close(self, candidate: int) -> int:
        lack = self._lack(candidate)
        if (wnid := self._class_of.get(candidate)) is None:
            return lack
        open_ = self._open[wnid]
        self.votes_missing += lack - open_.get(candidate, 0)
        if lack:
            open_[candidate] = lack
        else:
            open_.pop(candidate, None)
        return lack


class _Kept:
    """The board of a store and its rules, and what the pool looked like when it was made."""

    def __init__(self, store: Store, rules: LabelRules) -> None:
        self._rules = rules
        self._making = threading.Lock()
        self._make(store)

    def board(self, store: Store) -> Board:
        """The board; a new one where the pool has changed, unless that takes too long to wait."""
        with store.session() as session:
            changed = _stamp(session) != self._stamp
        age = time.monotonic() - self._made_at
        is_large = self._took > _SECONDS_TO_WAIT
        due = age > _OLDEST or (changed and (not is_large or self._took < age * _SHARE_OF_TIME))
        if due and self._making.acquire(blocking=False):
            maker = threading.Thread(target=self._make_aside, args=(store,), daemon=True)
            maker.start()
            maker.join(_SECONDS_TO_WAIT)
        return self._board

    def _make(self, store: Store) -> None:
        started = time.monotonic()
        with store.session() as session:
            self._stamp = _stamp(session)
            self._board = Board(session, self._rules)
        self._made_at = time.monotonic()
        self._took = self._made_at - started

    def _make_aside(self, store: Store) -> None:
        try:
            self._make(store)
        except DBAPIError as error:
            log.warning("the board could not be made anew: %s", error.orig)
        finally:
            self._making.release()


_kept: WeakKeyDictionary[Store, dict[LabelRules, _Kept]] = WeakKeyDictionary()
_keeping = threading.Lock()


def board_of(store: Store, rules: LabelRules) -> Board:
    """The board of a store, which all who label in this process share.

    Raises:
        GensetError: the store does not answer.
    """
    with answering():
        with _keeping:
            boards = _kept.setdefault(store, {})
            if rules not in boards:
                boards[rules] = _Kept(store, rules)
        return boards[rules].board(store)


def in_batches(items: Iterable[int], size: int) -> Iterator[list[int]]:
    """The items in lists of `size`; the last may be shorter."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def _stamp(session: Session) -> Sequence[object]:
    """What changes whenever a candidate comes, is downloaded, ruled on or removed."""
    newest = (Candidate.id, Photo.stored_at, Ruling.number, PhotoEvent.id)
    columns = [select(func.max(column)).scalar_subquery() for column in newest]
    return session.execute(select(*columns)).one()
