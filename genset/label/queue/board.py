"""What is left to label, kept in memory, so that no labeler waits for a look at all candidates.

The board only *suggests*: the database decides, candidate by candidate, when a screen is leased
(`genset.label.queue.leases`). So a board may be a little behind, and several processes may each
have one. Labels are append-only, so it catches up by reading those that are newer than the last it
knows; on PostgreSQL, where a label may be committed after one with a larger number, it learns of
such a one when it next suggests the candidate.
"""

import math
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import islice
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from genset.db import (
    Label,
    LabelerEvent,
    Screen,
    Store,
    Verdict,
    ask,
    in_batches,
    is_out,
    now,
    requests_in_force,
    rulings_in_force,
)
from genset.db.growth import alike, lacking
from genset.label.queue.leased import Leased
from genset.label.queue.pools import CANDIDATES, Pool
from genset.settings import LabelRules

PHOTOS_ON_A_SCREEN = 5
QUESTIONS_ON_A_SCREEN = 8
_NONE: frozenset[int] = frozenset()
_READ_TOGETHER = 500  # candidates of small classes
_SECONDS_AT_WORK = 5.0  # for which the number of those who label is taken to stay

_random = random.SystemRandom()

# Written once: building them takes longer than asking them.
_FRESH = (
    select(Label.number, Label.candidate_id, Label.worker)
    .where(Label.number > bindparam("newest"))
    .order_by(Label.number)
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
_AT_WORK = select(func.count(Screen.worker.distinct())).where(
    Screen.submitted_at.is_(None),
    Screen.lost_at.is_(None),
    Screen.expires_at > bindparam("now"),
    Screen.panel == bindparam("panel"),
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
    """The candidates of a panel in one `pool`, their votes, and who labeled what.

    Candidates are those with a stored photo that no other class claims, or that somebody ruled on;
    or, in the pool of questions, the classes that a stored photo is asked about. A class is read
    from the store when it is first asked for, so that nobody waits until all of a large pool is
    read; `read_all` reads the rest. Until then what is told of the whole pool (`left_for`,
    `votes_missing`) takes each candidate of the unread classes as one to label.

    Threads may share one. A session that is handed over must have its connection already (by any
    question to the store): a thread must not wait for one while others wait for the board.
    """

    def __init__(self, session: Session, rules: LabelRules, pool: Pool = CANDIDATES) -> None:
        self.rules = rules
        self.pool = pool
        self._lock = threading.RLock()
        self._newest: int = session.scalar(select(func.max(Label.number))) or 0
        self._decided: int = session.scalar(select(func.max(LabelerEvent.number))) or 0
        self.rulings = rulings_in_force(session)
        # How many labelers those candidates go to, in all, that somebody sent to review.
        self._asked = {number: each.labelers for number, each in requests_in_force(session).items()}
        # How many candidates the classes have that were not read yet, stored or not.
        self._unread: dict[str, int] = dict(sorted(map(tuple, session.execute(pool.counted))))
        # All classes in order; of those that were read, the candidates by rank, and how many votes
        # each open one lacks.
        self._ranked: dict[str, list[int]] = {wnid: [] for wnid in self._unread}
        self._open: dict[str, dict[int, int]] = {wnid: {} for wnid in self._ranked}
        self._class_of: dict[int, str] = {}
        self._photo_of: dict[int, int] = {}  # where screens are of one photo
        self._open_of: Counter[int] = Counter()  # by photo, where some are open
        self._for_examples: set[int] = set()
        # How many labelers answered, how many said correct, how many what most said.
        self._votes: dict[int, tuple[int, int, int]] = {}
        self._votes_missing = 0
        self._known_right: dict[str, list[tuple[int, int]]] = {}
        self._theirs: dict[str, _Theirs] = {}
        self._at_work = -math.inf, 1
        self.leased = Leased()

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
        if self.pool.added is not None:
            self._add(session, {row.candidate_id for row in fresh} - self._class_of.keys())
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
            labeled = dict(ask(session, self.pool.labeled, {"worker": worker}).all())
            of_open = Counter(self._class_of[each] for each in labeled if self.is_open(each))
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
            unbacked = self._unbacked(session, some)
            for number, said in verdicts.items():
                by_verdict = Counter(said.values())
                self._votes[number] = len(said), by_verdict[Verdict.CORRECT], alike(by_verdict)
                lack = 0 if number in unbacked else self._lack(number)
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
            self._photo_of.pop(candidate, None)
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
        """Whether its photo is for examples; of a class that was read."""
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
    def left_for(self, worker: str) -> dict[str, int]:
        """How many candidates of each class this labeler, whom `catch_up` has met, may yet get."""
        of_open = self._theirs[worker].of_open
        left = {wnid: self._left_in(wnid, worker) for wnid in self._unread}
        for wnid, ranked in self._ranked.items():  # no calls: a pool has a thousand classes
            if ranked:
                left[wnid] = len(self._open[wnid]) - of_open.get(wnid, 0)
        return left

    @_locked
    def screens_of(self, left: Mapping[str, int]) -> float:
        """How many screens as many candidates of each class fill as are in `left` (`left_for`).

        No screen has photos of two classes, so a class with one photo left takes one. Of questions
        it is what a screen of those that are open holds in the mean.
        """
        if self.pool.by_photo:
            most = QUESTIONS_ON_A_SCREEN
            screens = sum(_screens(count, most) for count in self._open_of.values())
            on_a_screen = self._open_of.total() / screens if screens else most
            return sum(left.values()) / on_a_screen
        room = PHOTOS_ON_A_SCREEN * (1 - self.rules.gold)  # gold questions take half at most
        return sum(_screens(count, room) for count in left.values())

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

        Or, of questions, one screen a photo, unless it has more than eight. None that looks
        `leased` to as many as it lacks, and none of those in `without`.
        """
        open_, theirs, leased = self._open[wnid], self._theirs[worker], self.leased.of(wnid)
        free = [
            number
            for number in self._ranked[wnid]
            if open_.get(number, 0) > leased.get(number, 0)
            and number not in without
            and not theirs.has(number)
        ]
        if self.pool.by_photo:
            of_photos: dict[int, list[int]] = {}
            for number in free:
                of_photos.setdefault(self._photo_of[number], []).append(number)
            return [each for some in of_photos.values() for each in _evenly(some)]
        if not self.rules.gold:
            return list(_evenly(free, PHOTOS_ON_A_SCREEN))
        # Not evenly: a screen that has a gold question would be of another size than it should.
        return list(in_batches(free, PHOTOS_ON_A_SCREEN))

    @_locked
    def photo_of(self, candidate: int) -> int:
        """The photo that a question is about, which was suggested."""
        return self._photo_of[candidate]

    @_locked
    def some(self, count: int) -> list[int]:
        """Some candidates of those that were read, drawn at random: so many, with repetitions."""
        ranked = [each for each in self._ranked.values() if each]
        return [_random.choice(_random.choice(ranked)) for _ in range(count if ranked else 0)]

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
        rows = ask(session, self.pool.members, {"classes": together}).all()
        for each in together:
            del self._unread[each]
        self._take_in(session, rows)

    def _add(self, session: Session, candidates: Collection[int]) -> None:
        """Take in those of these candidates that labelers added; unread classes read them later."""
        if candidates and self.pool.added is not None:
            rows = ask(session, self.pool.added, {"candidates": candidates}).all()
            read = self._ranked.keys() - self._unread.keys()
            self._take_in(session, [row for row in rows if row[1] in read])

    def _take_in(self, session: Session, rows: Iterable[Any]) -> None:
        candidates = []
        for candidate, of_class, photo in rows:
            candidates.append(candidate)
            if is_for_examples(photo):
                self._for_examples.add(candidate)
            if self.pool.by_photo:
                self._photo_of[candidate] = photo
            self._ranked[of_class].append(candidate)
            self._class_of[candidate] = of_class
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
            votes, correct, _ = self._votes[number]
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

    def _unbacked(self, session: Session, candidates: Sequence[int]) -> set[int]:
        """Those of these that nobody is asked about: who named them has no vote that counts."""
        if self.pool.unbacked is None:
            return set()
        return set(ask(session, self.pool.unbacked, {"candidates": candidates}).scalars())

    def _lack(self, candidate: int) -> int:
        votes, correct, same = self._votes[candidate]
        return lacking(
            self.rules,
            votes,
            correct,
            ruled=candidate in self.rulings,
            asked=self._asked.get(candidate, 0),
            alike=same if self.pool.by_photo else None,
        )

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
            if (photo := self._photo_of.get(candidate)) is not None:
                self._open_of[photo] += 1 if lack else -1
                if not self._open_of[photo]:
                    del self._open_of[photo]
            for theirs in self._theirs.values():
                if theirs.has(candidate):
                    theirs.of_open[wnid] += 1 if lack else -1


def _evenly(items: Sequence[int], most: int = QUESTIONS_ON_A_SCREEN) -> Iterator[list[int]]:
    """In as few lists of at most so many as they need: six in two of three, not five and one."""
    size = -(-len(items) // -(-len(items) // most)) if items else most
    return in_batches(items, size)


def _screens(count: int, most: float) -> float:
    """How many screens so many take, of at most so many each."""
    return -(-count // most)
