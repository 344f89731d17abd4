"""What labelers are asked about, in memory: the votes of candidates, and which need more.

Candidates come class by class, questions about further classes photo by photo.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import Select, bindparam, case, func, not_, select
from sqlalchemy.orm import Session

from genset.db import (
    Candidate,
    Claim,
    Label,
    Photo,
    Question,
    Store,
    Verdict,
    among,
    ask,
    is_backed,
    is_named_gold,
    is_out,
    is_to_label,
    requests_in_force,
    rulings_in_force,
    stored_candidates,
)
from genset.db.votes_needed import most_alike, votes_missing
from genset.label.gold import AGREEING
from genset.settings import LabelRules

Columns = Select[*tuple[Any, ...]]


@dataclass(frozen=True)
class Pool:
    """The claims of one kind that labelers are asked about, as questions to the store.

    Each claim is asked about under a class: the claim's own, or the one that its photo is of.

    Attributes:
        counted: the classes, and how many claims each has, stored or not.
        members: id, class and photo of the claims of some `classes` that may be shown, in order.
        eligible: those of some `candidates`, by id, that may be shown now.
        labeled: id of each claim that a `worker` labeled, and its class in this pool, or None.
        by_photo: whether a screen is of one photo, and has all of its claims; these are questions,
            whose votes grow only where labelers differ.
        added: as `members`, of some `candidates`; None where labelers add none.
        unbacked: those of some `candidates`, by id, that nobody stands behind whose votes count;
            None where that is not asked.
    """

    counted: Columns
    members: Columns
    eligible: Columns
    labeled: Columns
    by_photo: bool = False
    added: Columns | None = None
    unbacked: Columns | None = None


_LABELED = select(Label.candidate_id).where(Label.worker == bindparam("worker"))
_TO_LABEL = is_to_label(of_pool=False)

CANDIDATES = Pool(
    counted=select(Candidate.wnid, func.count()).group_by(Candidate.wnid),
    members=stored_candidates()
    .where(among(Candidate.wnid, "classes"), _TO_LABEL)
    .with_only_columns(Candidate.id, Candidate.wnid, Candidate.photo_id),
    eligible=select(Candidate.id)
    .join(Candidate.photo)
    .where(among(Candidate.id, "candidates"), Photo.in_use, _TO_LABEL),
    labeled=_LABELED.join(Claim, Claim.id == Label.candidate_id).add_columns(
        case((Claim.rank > 0, Claim.wnid))
    ),
)

_ASKED = select(Question.candidate_id, Question.home)
_SHOWN = (
    _ASKED.add_columns(Claim.photo_id)
    .join(Claim, Claim.id == Question.candidate_id)
    .join(Photo, Photo.id == Claim.photo_id)
    .where(Photo.in_use, Claim.wnid != Question.home, not_(is_named_gold(of_class=True)))
    .order_by(Question.home, Claim.photo_id, Claim.id)
)

QUESTIONS = Pool(
    counted=_ASKED.with_only_columns(Question.home, func.count()).group_by(Question.home),
    members=_SHOWN.where(among(Question.home, "classes")),
    eligible=_SHOWN.with_only_columns(Question.candidate_id).where(
        among(Question.candidate_id, "candidates")
    ),
    labeled=_LABELED.outerjoin(Question, Question.candidate_id == Label.candidate_id).add_columns(
        Question.home
    ),
    by_photo=True,
    added=_SHOWN.where(among(Question.candidate_id, "candidates")),
    unbacked=select(Question.candidate_id).where(
        among(Question.candidate_id, "candidates"), not_(is_backed())
    ),
)


_NONE: frozenset[int] = frozenset()
_NOBODY = Counter[Verdict]()
_READ_TOGETHER = 100  # candidates of small classes
_REST = 9  # times as long as it takes to read a class, until the next one is read

# Written once: building it takes longer than asking it.
_LABELS = (
    select(Label.candidate_id, Label.worker, Label.verdict, Label.panel, is_out(Label))
    .where(among(Label.candidate_id, "candidates"))
    .order_by(Label.number)
)
Method = TypeVar("Method", bound=Callable[..., Any])


def locked(method: Method) -> Method:
    """One thread at a time."""

    @wraps(method)
    def alone(board: "OpenCandidates", *args: Any, **named: Any) -> Any:
        with board._lock:
            return method(board, *args, **named)

    return cast(Method, alone)


def is_for_examples(photo_id: Any) -> Any:
    """Of photos that are known to be right, every other one: shown as an example, never as a test.

    Who was shown a photo as known to be right, beside whatever class, knows it again as a test. No
    labeler can tell which photos these are. Not every second id: photos that come by turns would
    all be of one kind. True or false; of a column, the condition.
    """
    return (photo_id + photo_id // 2 + photo_id // 4) % 2 == 0


class Count(NamedTuple):
    """How many labelers a candidate needs yet, and who labeled it, in whatever panel."""

    missing: int
    workers: set[str]


class OpenCandidates:
    """The candidates of one `pool`, and how many votes of a panel each needs yet.

    Candidates are those with a stored photo that no other class claims, or that somebody ruled on;
    or, in the pool of questions, the classes that a stored photo is asked about. A class is read
    from the store when it is first asked for, so that nobody waits until all of a large pool is
    read; `read_all` reads the rest.

    Threads may share one. A session that is handed over must have its connection already (by any
    question to the store): a thread must not wait for one while others wait for the lock.
    """

    def __init__(self, session: Session, rules: LabelRules, pool: Pool) -> None:
        self.rules = rules
        self.pool = pool
        self._lock = threading.RLock()
        self._newest: int = session.scalar(select(func.max(Label.number))) or 0
        self.rulings = rulings_in_force(session)
        # How many labelers those candidates go to, in all, that somebody sent to review.
        requests = requests_in_force(session)
        self._requested = {number: request.labelers for number, request in requests.items()}
        # How many candidates the classes have that were not read yet, stored or not.
        self._unread: dict[str, int] = dict(sorted(map(tuple, session.execute(pool.counted))))
        # All classes in order; of those that were read, the candidates by rank, and how many votes
        # each open one needs.
        self._ranked: dict[str, list[int]] = {wnid: [] for wnid in self._unread}
        self._open: dict[str, dict[int, int]] = {wnid: {} for wnid in self._ranked}
        # How many candidates of each class are open, or unread.
        self._remaining = self._unread.copy()
        self._class_of: dict[int, str] = {}
        self._photo_of: dict[int, int] = {}  # where screens are of one photo
        self._open_of: Counter[int] = Counter()  # by photo, where some are open
        self._for_examples: set[int] = set()
        # How many labelers answered, how many said correct, how many what most said.
        self._votes: dict[int, tuple[int, int, int]] = {}
        self._missing_in: Counter[str] = Counter()  # votes, by class
        self._known_right: dict[str, list[int]] = {}

    @property
    def unread(self) -> int:
        """How many candidates are in classes that were not read yet."""
        with self._lock:
            return sum(self._unread.values())

    @property
    def classes(self) -> list[str]:
        """The classes that were read, in order."""
        with self._lock:
            return [wnid for wnid in self._ranked if wnid not in self._unread]

    def read_all(self, store: Store) -> None:
        """Read all classes; others may ask meanwhile, and have most of the time."""
        while (wnid := next(iter(self._unread), None)) is not None:
            started = time.monotonic()
            with store.session() as session:
                session.connection()
                self._read(session, wnid, list(self._unread))
            if self._unread:
                time.sleep(_REST * (time.monotonic() - started))

    @locked
    def count_again(self, session: Session, candidates: Collection[int]) -> dict[int, Count]:
        """Read the votes of these candidates from the store, and return them."""
        counts: dict[int, Count] = {}
        workers: dict[int, set[str]] = {number: set() for number in candidates}
        verdicts: dict[int, dict[str, Verdict]] = {number: {} for number in candidates}
        if not candidates:
            return counts
        for number, worker, verdict, panel, out in ask(
            session, _LABELS, {"candidates": candidates}
        ):
            workers[number].add(worker)
            if panel == self.rules.panel and not out:
                verdicts[number][worker] = verdict
        unbacked = self._unbacked(session, candidates)
        for number, by_worker in verdicts.items():
            by_verdict = Counter(by_worker.values()) if by_worker else _NOBODY
            correct, agreeing = by_verdict[Verdict.CORRECT], most_alike(by_verdict)
            self._votes[number] = len(by_worker), correct, agreeing
            missing = 0 if number in unbacked else self._missing(number)
            counts[number] = Count(missing, workers[number])
            if (wnid := self._class_of.get(number)) is not None:
                self._known_right.pop(wnid, None)
                self._open_or_close(number, missing, workers[number])
        return counts

    @locked
    def drop(self, candidate: int) -> None:
        """Leave a candidate out: its photo is gone, or another class claims it now."""
        if candidate in self._class_of:
            self._open_or_close(candidate, 0, None)
            wnid = self._class_of.pop(candidate)
            self._photo_of.pop(candidate, None)
            self._ranked[wnid].remove(candidate)
            if not self._ranked[wnid]:
                del self._remaining[wnid]
            self._known_right.pop(wnid, None)

    @locked
    def is_open(self, candidate: int) -> bool:
        """Whether it goes to any more labelers."""
        return candidate in self._open.get(self._class_of.get(candidate, ""), _NONE)

    @locked
    def photo_of(self, candidate: int) -> int:
        """The photo that a question is about, which was suggested."""
        return self._photo_of[candidate]

    @locked
    def known_right(self, session: Session, wnid: str) -> list[int]:
        """The candidates of a class that are known to be right, the surest first.

        Those ruled correct, then those of which all who answered said correct.
        """
        self._read(session, wnid)
        if (right := self._known_right.get(wnid)) is None:
            ruled, unanimous = [], []
            for number in self._ranked.get(wnid, ()):
                votes, correct, _ = self._votes[number]
                if number in self._requested:  # somebody doubts it
                    continue
                if number in self.rulings:
                    if self.rulings[number] is Verdict.CORRECT:
                        ruled.append(number)
                elif votes == correct > 0:
                    unanimous.append((-votes, number))
            right = self._known_right[wnid] = ruled + [number for _, number in sorted(unanimous)]
        return right

    @locked
    def agreed(self, session: Session, wnid: str) -> list[int]:
        """The candidates of a class that test a labeler: nobody is asked about them any more.

        A reviewer ruled on them, or at least two labelers, and all who answered, are of one mind.
        Of those that are right none `is_for_examples`.
        """
        self._read(session, wnid)
        found = []
        for number in self._ranked.get(wnid, ()):
            votes, correct, agreeing = self._votes[number]
            is_right = self.rulings.get(number) is Verdict.CORRECT or correct > 0
            is_known = number in self.rulings or votes == agreeing >= AGREEING
            is_waiting = number in self._open[wnid] or number in self._requested
            if is_known and not is_waiting and not (is_right and number in self._for_examples):
                found.append(number)
        return found

    @locked
    def _read(self, session: Session, wnid: str, then: Iterable[str] = ()) -> None:
        """Read a class that was not read yet, and with it small ones of those that come `then`."""
        if wnid not in self._unread:
            return
        together, count = [wnid], self._unread[wnid]
        for other in then:
            if count >= _READ_TOGETHER:
                break
            size = self._unread.get(other)
            if size is not None and other != wnid and count + size <= _READ_TOGETHER:
                together.append(other)
                count += size
        rows = ask(session, self.pool.members, {"classes": together}).all()
        for other in together:
            del self._unread[other], self._remaining[other]
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
            self._remaining.setdefault(of_class, 0)
            self._class_of[candidate] = of_class
        self.count_again(session, candidates)

    def _unbacked(self, session: Session, candidates: Collection[int]) -> set[int]:
        """Those of these that nobody is asked about: who named them has no vote that counts."""
        if self.pool.unbacked is None:
            return set()
        return set(ask(session, self.pool.unbacked, {"candidates": candidates}).scalars())

    def _missing(self, candidate: int) -> int:
        votes, correct, agreeing = self._votes[candidate]
        if not votes and candidate not in self._requested:
            return self.rules.votes
        return votes_missing(
            self.rules,
            votes,
            correct,
            ruled=candidate in self.rulings,
            requested=self._requested.get(candidate, 0),
            agreeing=agreeing if self.pool.by_photo else None,
        )

    def _open_or_close(self, candidate: int, missing: int, workers: Iterable[str] | None) -> None:
        """Note how many votes a candidate, which these labeled, of a read class needs now."""
        wnid = self._class_of[candidate]
        open_ = self._open[wnid]
        before = open_.get(candidate, 0)
        self._missing_in[wnid] += missing - before
        if missing:
            open_[candidate] = missing
        else:
            open_.pop(candidate, None)
        if bool(missing) != bool(before):
            change = 1 if missing else -1
            self._remaining[wnid] += change
            if (photo := self._photo_of.get(candidate)) is not None:
                self._open_of[photo] += change
                if not self._open_of[photo]:
                    del self._open_of[photo]
            self._count_for_labelers(candidate, change, workers)

    def _count_for_labelers(
        self, candidate: int, change: int, workers: Iterable[str] | None
    ) -> None:
        """A candidate was opened (1) or closed (-1): these labeled it; None: some of all."""
