"""What is left to label, kept in memory, so that no labeler waits for a look at all candidates.

The board only *suggests*: the database decides, candidate by candidate, when a screen is leased
(`genset.label.queue.leases`). So a board may be a little behind, and several processes may each
have one. Labels are append-only, so it catches up by reading those that are newer than the last it
knows; on PostgreSQL, where a label may be committed after one with a larger number, it learns of
such a one when it next suggests the candidate.
"""

import logging
import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import wraps
from itertools import islice
from typing import Any, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam, func, not_, or_, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from genset.label.answering import answering
from genset.label.quality.growth import lacking
from genset.label.queue.leased import Leased
from genset.store import (
    Candidate,
    Label,
    LabelerEvent,
    Photo,
    PhotoEvent,
    ReviewRequest,
    Ruling,
    Screen,
    Store,
    Verdict,
    ask,
    is_contested,
    is_out,
    is_ruled,
    now,
    requests_in_force,
    rulings_in_force,
    stored_candidates,
)
from genset.workspace import LabelRules

PHOTOS_ON_A_SCREEN = 5
_NONE: frozenset[int] = frozenset()
_READ_AT_ONCE = 5_000  # candidates of a new board; of a larger one classes are read when asked for
_READ_TOGETHER = 500  # candidates of small classes
_SECONDS_TO_WAIT = 0.25  # for a new board: a small one is there by then, a large one comes later
_SHARE_OF_TIME = 0.05  # that may go into making large boards while a scrape changes the pool
_SECONDS_AT_WORK = 5.0  # for which the number of those who label is taken to stay
_OLDEST = 600.0  # seconds after which a board is made anew, whether or not the pool looks changed

log = logging.getLogger("genset.label")

# Written once: building them takes longer than asking them.
_FRESH = (
    select(Label.number, Label.candidate_id, Label.worker)
    .where(Label.number > bindparam("newest"))
    .order_by(Label.number)
)
_LABELED = (
    select(Label.candidate_id, Candidate.wnid)
    .join(Candidate, Candidate.id == Label.candidate_id)
    .where(Label.worker == bindparam("worker"))
)
_DECIDED = (
    select(LabelerEvent.number, LabelerEvent.worker)
    .where(LabelerEvent.number > bindparam("newest"))
    .order_by(LabelerEvent.number)
)
_LABELS = (
    select(Label.candidate_id, Label.worker, Label.verdict, Label.panel, is_out(Label))
    .where(Label.candidate_id.in_(bindparam("candidates", expanding=True)))
    .order_by(Label.number)
)
_CANDIDATES = (
    stored_candidates()
    .where(
        Candidate.wnid.in_(bindparam("classes", expanding=True)),
        or_(not_(is_contested()), is_ruled()),
    )
    .with_only_columns(Candidate.id, Candidate.wnid, Candidate.photo_id)
)
_AT_WORK = select(func.count(Screen.worker.distinct())).where(
    Screen.submitted_at.is_(None),
    Screen.lost_at.is_(None),
    Screen.expires_at > bindparam("now"),
    Screen.panel == bindparam("panel"),
)
_STAMP = select(
    *(
        select(func.max(newest)).scalar_subquery()
        for newest in (
            Candidate.id,
            Photo.stored_at,
            Ruling.number,
            ReviewRequest.number,
            PhotoEvent.id,
        )
    )
)

Method = TypeVar("Method", bound=Callable[..., Any])


def _locked(method: Method) -> Method:
    """One thread at a time."""

    @wraps(method)
    def alone(board: "Board", *args: Any, **named: Any) -> Any:
        with board._lock:
            return method(board, *args, **named)

    return cast(Method, alone)


def is_for_examples(photo_id: Any) -> Any:
    """Of photos that are known to be right, every other one: shown as an example, never as a test.

    Who was shown a photo as known to be right, beside whatever class, knows it again as a test. No
    labeler can tell which photos these are. True or false; of a column, the condition.
    """
    return photo_id % 2 == 0


class Count(NamedTuple):
    """How many labelers a candidate lacks, and who labeled it, in whatever panel."""

    missing: int
    workers: set[str]


class _Theirs(NamedTuple):
    """What one labeler gets no more: what they labeled, in whatever panel, and what is left out.

    `of_open` counts those of each class that are still open to others; `unread` what they labeled
    of each class that was not read yet when they came.
    """

    labeled: set[int]
    left_out: set[int]
    of_open: Counter[str]
    unread: Counter[str]

    def has(self, candidate: int) -> bool:
        return candidate in self.labeled or candidate in self.left_out


class Board:
    """The candidates of a panel, their votes, and who labeled what.

    Candidates are those with a stored photo that no other class claims, or that somebody ruled on.
    A class is read from the store when it is first asked for, so that nobody waits until all of a
    large pool is read; `read_all` reads the rest. Until then what is told of the whole pool
    (`left_for`, `votes_missing`) takes each candidate of the unread classes as one to label.

    Threads may share one. A session that is handed over must have its connection already (by any
    question to the store): a thread must not wait for one while others wait for the board.
    """

    def __init__(self, session: Session, rules: LabelRules) -> None:
        self.rules = rules
        self._lock = threading.RLock()
        self._stamp = _stamp(session)
        self._newest: int = session.scalar(select(func.max(Label.number))) or 0
        self._decided: int = session.scalar(select(func.max(LabelerEvent.number))) or 0
        self.rulings = rulings_in_force(session)
        # How many labelers those candidates go to, in all, that somebody sent to review.
        self._asked = {number: each.labelers for number, each in requests_in_force(session).items()}
        counted = select(Candidate.wnid, func.count()).group_by(Candidate.wnid)
        # How many candidates the classes have that were not read yet, stored or not.
        self._unread = dict(sorted(session.execute(counted).all()))
        # All classes in order; of those that were read, the candidates by rank, and how many votes
        # each open one lacks.
        self._ranked: dict[str, list[int]] = {wnid: [] for wnid in self._unread}
        self._open: dict[str, dict[int, int]] = {wnid: {} for wnid in self._ranked}
        self._class_of: dict[int, str] = {}
        self._for_examples: set[int] = set()
        self._votes: dict[int, tuple[int, int]] = {}
        self._votes_missing = 0
        self._known_right: dict[str, list[tuple[int, int]]] = {}
        self._theirs: dict[str, _Theirs] = {}
        self._at_work = -math.inf, 1
        self.leased = Leased()
        self.estimates: dict[tuple[str, int | None], int] = {}

    def is_current(self, session: Session) -> bool:
        """Whether the pool is as it was when this board was made."""
        return _stamp(session) == self._stamp

    @property
    def unread(self) -> int:
        """How many candidates are in classes that were not read yet."""
        with self._lock:
            return sum(self._unread.values())

    @property
    def votes_missing(self) -> int:
        """How many votes the open candidates lack, all together."""
        with self._lock:
            return self._votes_missing + self.unread * self.rules.votes

    @property
    def classes(self) -> list[str]:
        """The classes that were read, in order."""
        with self._lock:
            return [wnid for wnid in self._ranked if wnid not in self._unread]

    def read_all(self, store: Store) -> None:
        """Read all classes; others may ask meanwhile."""
        while (wnid := next(iter(self._unread), None)) is not None:
            started = time.monotonic()
            with store.session() as session:
                session.connection()
                self._read(session, wnid)
            if self._unread:
                time.sleep(time.monotonic() - started)  # half of the time is for those who label

    @_locked
    def catch_up(self, session: Session, worker: str) -> None:
        """Learn of the labels since the last time, and of all that this labeler gave.

        And of those whose votes were taken out since, or let in again.
        """
        fresh = ask(session, _FRESH, {"newest": self._newest}).all()
        for number, candidate_id, labeler in fresh:
            self._newest = number
            theirs = self._theirs.get(labeler)
            if theirs is not None:
                if self.is_open(candidate_id) and not theirs.has(candidate_id):
                    theirs.of_open[self._class_of[candidate_id]] += 1
                theirs.labeled.add(candidate_id)
        changed = {row.candidate_id for row in fresh}
        if decided := ask(session, _DECIDED, {"newest": self._decided}).all():
            self._decided = decided[-1].number
            self.leased.forget()
            about = Label.worker.in_({row.worker for row in decided})
            changed.update(session.scalars(select(Label.candidate_id).where(about)))
        self.count_again(session, changed)
        if worker not in self._theirs:
            labeled = dict(ask(session, _LABELED, {"worker": worker}).all())
            of_open = Counter(wnid for each, wnid in labeled.items() if self.is_open(each))
            unread = Counter(wnid for wnid in labeled.values() if wnid in self._unread)
            self._theirs[worker] = _Theirs(set(labeled), set(), of_open, unread)

    @_locked
    def count_again(self, session: Session, candidates: Iterable[int]) -> dict[int, Count]:
        """Read the votes of these candidates from the store, and return them."""
        counts: dict[int, Count] = {}
        for some in in_batches(candidates, 500):
            workers: dict[int, set[str]] = {number: set() for number in some}
            verdicts: dict[int, dict[str, Verdict]] = {number: {} for number in some}
            for number, worker, verdict, panel, out in ask(session, _LABELS, {"candidates": some}):
                workers[number].add(worker)
                if panel == self.rules.panel and not out:
                    verdicts[number][worker] = verdict
            for number, said in verdicts.items():
                correct = sum(verdict is Verdict.CORRECT for verdict in said.values())
                self._votes[number] = len(said), correct
                lack = self._lack(number)
                counts[number] = Count(lack, workers[number])
                if (wnid := self._class_of.get(number)) is not None:
                    self._known_right.pop(wnid, None)
                    self._open_or_close(number, lack)
        return counts

    @_locked
    def drop(self, candidate: int) -> None:
        """Leave a candidate out: its photo is gone, or another class claims it now."""
        if candidate in self._class_of:
            self._open_or_close(candidate, 0)
            wnid = self._class_of.pop(candidate)
            self._ranked[wnid].remove(candidate)
            self._known_right.pop(wnid, None)

    @_locked
    def leave_out(self, worker: str, candidate: int) -> None:
        """Suggest a candidate to this labeler, whom `catch_up` has met, no more."""
        theirs = self._theirs[worker]
        if self.is_open(candidate) and not theirs.has(candidate):
            theirs.of_open[self._class_of[candidate]] += 1
        theirs.left_out.add(candidate)

    @_locked
    def is_open(self, candidate: int) -> bool:
        """Whether it goes to any more labelers."""
        return candidate in self._open.get(self._class_of.get(candidate, ""), _NONE)

    def is_for_examples(self, candidate: int) -> bool:
        """Whether its photo is is for examples; of a class that was read."""
        return candidate in self._for_examples

    @_locked
    def is_labeled_by(self, worker: str, candidate: int) -> bool:
        """Whether this labeler, whom `catch_up` has met, labeled it, in whatever panel."""
        return candidate in self._theirs[worker].labeled

    @_locked
    def labels_of(self, worker: str) -> int:
        """How many candidates this labeler, whom `catch_up` has met, labeled."""
        return len(self._theirs[worker].labeled)

    @_locked
    def left_for(self, worker: str) -> tuple[int, int, int]:
        """What is left for this labeler, whom `catch_up` has met.

        Of how many classes they may get no candidate any more, of how many classes in all, and how
        many candidates they may yet get.
        """
        of_open = self._theirs[worker].of_open
        done, classes, left = 0, len(self._unread), 0
        for wnid in self._unread:
            here = self._left_in(wnid, worker)
            done += not here
            left += here
        for wnid, ranked in self._ranked.items():  # no calls: a pool has a thousand classes
            if ranked:
                here = len(self._open[wnid]) - of_open.get(wnid, 0)
                classes += 1
                done += not here
                left += here
        return done, classes, left

    def at_work(self, session: Session) -> int:
        """How many labelers have open screens, at least 1; as it was some seconds ago at most."""
        asked_at, number = self._at_work
        if time.monotonic() - asked_at > _SECONDS_AT_WORK:
            asked = {"panel": self.rules.panel, "now": now()}
            number = ask(session, _AT_WORK, asked).scalar() or 1
            self._at_work = time.monotonic(), number
        return number

    def classes_left(self, session: Session, worker: str) -> Iterator[str]:
        """The classes of which this labeler may yet get candidates, in order."""
        for wnid in list(self._ranked):
            if self._read_if_left(session, wnid, worker):
                yield wnid

    @_locked
    def suggest(self, worker: str, wnid: str, without: Container[int]) -> list[list[int]]:
        """Screens of a class for a labeler: up to five candidates each, the best rank first.

        None that looks `leased` to as many as it lacks, and none of those in `without`.
        """
        open_, theirs, leased = self._open[wnid], self._theirs[worker], self.leased.of(wnid)
        free = [
            number
            for number in self._ranked[wnid]
            if open_.get(number, 0) > leased.get(number, 0)
            and number not in without
            and not theirs.has(number)
        ]
        size = PHOTOS_ON_A_SCREEN
        if free and not self.rules.gold:
            # Six make two screens of three, not one of five and one of a single photo. Among gold
            # questions they do not: a screen that has one would be of another size than it should.
            size = -(-len(free) // -(-len(free) // size))
        return list(in_batches(free, size))

    @_locked
    def known_right(self, session: Session, wnid: str, least: int = 1) -> list[int]:
        """The candidates of a class that are known to be right, the surest first.

        Those ruled correct, then those of which at least `least` labelers, and all who were
        asked, said correct.
        """
        self._read(session, wnid)
        if (right := self._known_right.get(wnid)) is None:
            right = self._known_right[wnid] = self._settled(wnid)
        return [number for votes, number in right if votes >= least]

    @_locked
    def examples(self, session: Session, worker: str, wnid: str, most: int) -> list[int]:
        """Candidates that are known to be right, and that this labeler will not be asked about.

        Among gold questions none that they labeled, for their own word makes a candidate an
        example and never a gold question, and only photos that never test anybody.
        """
        right, theirs = self.known_right(session, wnid), self._theirs[worker].labeled
        open_ = self._open.get(wnid, ())
        if self.rules.gold:
            spared = self._for_examples
            shown = (e for e in right if e in spared and e not in open_ and e not in theirs)
        else:
            shown = (each for each in right if each not in open_ or each in theirs)
        return list(islice(shown, most))

    @_locked
    def _read(self, session: Session, wnid: str) -> None:
        """Read a class that was not read yet, and with it some small ones that come after it."""
        if wnid not in self._unread:
            return
        together: list[str] = []
        count = 0
        for each in self._unread:
            if each < wnid or (together and count + self._unread[each] > _READ_TOGETHER):
                continue
            together.append(each)
            count += self._unread[each]
        candidates = []
        for candidate, of_class, photo in ask(session, _CANDIDATES, {"classes": together}):
            candidates.append(candidate)
            if is_for_examples(photo):
                self._for_examples.add(candidate)
            self._ranked[of_class].append(candidate)
            self._class_of[candidate] = of_class
        for each in together:
            del self._unread[each]
        self.count_again(session, candidates)

    @_locked
    def _read_if_left(self, session: Session, wnid: str, worker: str) -> bool:
        """Whether this labeler may yet get candidates of a class, which then is read."""
        if not self._left_in(wnid, worker):
            return False
        self._read(session, wnid)
        return bool(self._left_in(wnid, worker))

    def _settled(self, wnid: str) -> list[tuple[int, int]]:
        """Those `known_right`, with their votes; ruled ones as if all had voted for them.

        None that waits for a review: somebody doubts it.
        """
        ruled, unanimous = [], []
        for number in self._ranked.get(wnid, ()):
            votes, correct = self._votes[number]
            if number in self._asked:
                continue
            if number in self.rulings:
                if self.rulings[number] is Verdict.CORRECT:
                    ruled.append((sys.maxsize, number))
            elif votes == correct > 0:
                unanimous.append((votes, number))
        return ruled + sorted(unanimous, key=lambda each: (-each[0], each[1]))

    def _left_in(self, wnid: str, worker: str) -> int:
        """How many candidates of a class this labeler may yet get; at most, if it is unread."""
        theirs = self._theirs[worker]
        if (unread := self._unread.get(wnid)) is not None:
            return unread - theirs.unread[wnid]
        return len(self._open[wnid]) - theirs.of_open[wnid]

    def _lack(self, candidate: int) -> int:
        votes, correct = self._votes[candidate]
        ruled, asked = candidate in self.rulings, self._asked.get(candidate, 0)
        return lacking(self.rules, votes, correct, ruled=ruled, asked=asked)

    def _open_or_close(self, candidate: int, lack: int) -> None:
        """Note how many votes a candidate of a class that was read lacks now."""
        wnid = self._class_of[candidate]
        open_ = self._open[wnid]
        before = open_.get(candidate, 0)
        self._votes_missing += lack - before
        if lack:
            open_[candidate] = lack
        else:
            open_.pop(candidate, None)
        if bool(lack) != bool(before):
            for theirs in self._theirs.values():
                if theirs.has(candidate):
                    theirs.of_open[wnid] += 1 if lack else -1


class _Kept:
    """The board of a store and its rules.

    The first is used while it is still being read, where the pool is large; any other once it is
    whole.
    """

    def __init__(self, store: Store, rules: LabelRules) -> None:
        self._rules = rules
        self._making = threading.Lock()
        self._began = time.monotonic()
        self._board = self._new(store)
        if self._board.unread > _READ_AT_ONCE:
            store.analyze()
            self._making.acquire()
            self._aside(self._read, store, self._board)
        else:
            self._board.read_all(store)
        self._took = time.monotonic() - self._began

    def board(self, store: Store) -> Board:
        """The board; a new one where the pool has changed, unless that takes too long to wait."""
        age = time.monotonic() - self._began - self._took
        is_large = self._took > _SECONDS_TO_WAIT
        may = not is_large or self._took < age * _SHARE_OF_TIME
        due = age > _OLDEST or (may and not self._is_current(store))
        if due and self._making.acquire(blocking=False):
            self._aside(self._make, store).join(_SECONDS_TO_WAIT)
        return self._board

    def _is_current(self, store: Store) -> bool:
        with store.session() as session:
            return self._board.is_current(session)

    def _new(self, store: Store) -> Board:
        with store.session() as session:
            return Board(session, self._rules)

    def _make(self, store: Store) -> None:
        began = time.monotonic()
        board = self._new(store)
        board.read_all(store)
        self._board = board
        self._began, self._took = began, time.monotonic() - began

    def _read(self, store: Store, board: Board) -> None:
        board.read_all(store)
        self._took = time.monotonic() - self._began

    def _aside(self, work: Callable[..., None], *given: Any) -> threading.Thread:
        """Do what takes long in a thread of its own; `_making` is held until it is done."""

        def run() -> None:
            try:
                work(*given)
            except DBAPIError as error:
                log.warning("the board could not be made anew: %s", error.orig)
            finally:
                self._making.release()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread


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
    return ask(session, _STAMP).one()
