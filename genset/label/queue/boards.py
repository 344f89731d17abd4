"""The boards of a workspace, which all who label in a process share, kept as its pools change."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from genset.db import (
    Candidate,
    Claim,
    GoldQuestion,
    Photo,
    PhotoEvent,
    ProposalRound,
    ReviewRequest,
    Ruling,
    Store,
    ask,
)
from genset.db.failures import answering
from genset.label.queue.board import Board
from genset.label.queue.open_candidates import QUESTIONS
from genset.settings import LabelRules

_READ_AT_ONCE = 5_000  # candidates of new boards; of larger ones classes are read when asked for
_SECONDS_TO_WAIT = 0.25  # for new boards: small ones are there by then, large ones come later
_SHARE_OF_TIME = 0.5  # in which large boards may be read, slowly, while a scrape changes the pool
_LOOK_AGAIN = 1.0  # seconds after which it is asked once more whether a large pool has changed
_OLDEST = 600.0  # seconds after which boards are made anew, whether or not the pool looks changed

log = logging.getLogger("genset.label")

_NEWEST_CLAIM = select(func.max(Claim.id))
_STAMP = select(
    # Proposals are no news: with a round come questions, and labelers add some all the time.
    select(func.max(Candidate.id)).where(Candidate.id > bindparam("since")).scalar_subquery(),
    *(
        select(func.max(newest)).scalar_subquery()
        for newest in (
            Photo.stored_at,
            Ruling.number,
            ReviewRequest.number,
            PhotoEvent.id,
            ProposalRound.id,
        )
    ),
    # What a manager names as gold, or retires; others are made of candidates all the time.
    select(func.count(GoldQuestion.id))
    .where(GoldQuestion.basis_id.is_(None), GoldQuestion.retired_at.is_(None))
    .scalar_subquery(),
)


class Clock:
    """The time that boards take, and the wait for new ones. Tests hold one of their own."""

    def now(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def wait(self, thread: threading.Thread, seconds: float) -> None:
        """Until the thread has ended, or these seconds are over."""
        thread.join(seconds)


clock = Clock()


class Boards:
    """The boards of a store and its rules: questions, where there are any, and candidates."""

    def __init__(self, session: Session, rules: LabelRules) -> None:
        self._since: int = session.scalar(_NEWEST_CLAIM) or 0
        self._stamp = self._read_stamp(session)
        has_questions = session.scalar(select(ProposalRound.id).limit(1)) is not None
        self.questions = Board(session, rules, QUESTIONS) if has_questions else None
        self.candidates = Board(session, rules)
        self.rules = rules

    def __iter__(self) -> Iterator[Board]:
        """In the order in which labelers are asked."""
        if self.questions is not None:
            yield self.questions
        yield self.candidates

    def of(self, photo: int | None) -> Board:
        """The one that screens of one photo are of, or (None) all others."""
        return self.candidates if photo is None else self.questions or self.candidates

    def is_current(self, session: Session) -> bool:
        """Whether the pools are as they were when these boards were made."""
        return self._read_stamp(session) == self._stamp

    @property
    def unread(self) -> int:
        """How many candidates are in classes that were not read yet."""
        return sum(board.unread for board in self)

    def read_all(self, store: Store) -> None:
        """Read all classes; others may ask meanwhile, and have most of the time."""
        for board in self:
            board.read_all(store)

    def catch_up(self, session: Session, worker: str) -> None:
        """As `Board.catch_up`, for each."""
        for board in self:
            board.catch_up(session, worker)

    def _read_stamp(self, session: Session) -> Sequence[object]:
        """What changes whenever a candidate or a round of questions comes or goes."""
        return ask(session, _STAMP, {"since": self._since}).one()


class _CurrentBoards:
    """The boards of a store and its rules.

    The first are used while they are still being read, where the pool is large; any others once
    they are whole.
    """

    def __init__(self, store: Store, rules: LabelRules) -> None:
        self._rules = rules
        self._making = threading.Lock()
        self._began = self._looked_at = clock.now()
        self._boards = self._new(store)
        if self._boards.unread > _READ_AT_ONCE:
            store.analyze()
            self._making.acquire()
            self._aside(self._read, store, self._boards)
        else:
            self._boards.read_all(store)
        self._took = clock.now() - self._began

    def boards(self, store: Store) -> Boards:
        """The boards; new ones where the pool has changed, unless that takes too long to wait."""
        age = clock.now() - self._began - self._took
        is_large = self._took > _SECONDS_TO_WAIT
        may = not is_large or self._took < age * _SHARE_OF_TIME
        due = age > _OLDEST or (may and not self._is_current(store, is_large))
        if due and self._making.acquire(blocking=False):
            clock.wait(self._aside(self._make, store), _SECONDS_TO_WAIT)
        return self._boards

    def _is_current(self, store: Store, is_large: bool) -> bool:
        at = clock.now()
        if is_large and at - self._looked_at < _LOOK_AGAIN:
            return True
        self._looked_at = at
        with store.session() as session:
            return self._boards.is_current(session)

    def _new(self, store: Store) -> Boards:
        with store.session() as session:
            return Boards(session, self._rules)

    def _make(self, store: Store) -> None:
        began = clock.now()
        boards = self._new(store)
        boards.read_all(store)
        self._boards = boards
        self._began, self._took = began, clock.now() - began

    def _read(self, store: Store, boards: Boards) -> None:
        boards.read_all(store)
        self._took = clock.now() - self._began

    def _aside(self, work: Callable[..., None], *args: Any) -> threading.Thread:
        """Do what takes long in a thread of its own; `_making` is locked until it is done."""

        def run() -> None:
            try:
                work(*args)
            except DBAPIError as error:
                log.warning("the boards could not be made again: %s", error.orig)
            finally:
                self._making.release()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread


_boards: WeakKeyDictionary[Store, dict[LabelRules, _CurrentBoards]] = WeakKeyDictionary()
_lock = threading.Lock()


def boards_of(store: Store, rules: LabelRules) -> Boards:
    """The boards of a store, which all who label in this process share.

    Raises:
        GensetError: the store does not answer.
    """
    with answering():
        with _lock:
            by_rules = _boards.setdefault(store, {})
            if rules not in by_rules:
                by_rules[rules] = _CurrentBoards(store, rules)
        return by_rules[rules].boards(store)
