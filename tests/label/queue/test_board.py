"""What a board tells, whatever order labels came in: counted here from the labels themselves."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genset.db import LabelerAct, ReviewRequest, Ruling, Store, Verdict, find_candidate
from genset.label.decisions import record
from genset.label.queue.board import Board
from genset.label.queue.open_candidates import is_for_examples
from genset.settings import LabelRules
from genset.workspace import Workspace
from tests.label.desks import under
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, labeled_workspace, vote

CLASSES = (TENCH, GOLDFISH)
PHOTOS = 3
TASKS = [f"{wnid}/flickr:{100 * place + n}" for place, wnid in enumerate(CLASSES) for n in range(3)]
NAMES = ("ann", "bob", "cid")

Opened = tuple[Workspace, Store]

# Somebody labels; a manager takes their votes out, or lets them in; a board is asked.
Label = tuple[str, str, Verdict, str]
MOVES = st.one_of(
    st.tuples(
        st.sampled_from(TASKS),
        st.sampled_from(NAMES),
        st.sampled_from(Verdict),
        st.sampled_from(["main", "main", "other"]),
    ),
    st.sampled_from(NAMES),
    st.none(),
)


class Told:
    """What was said so far, and what follows from it: the labels are counted anew each time."""

    def __init__(
        self, store: Store, rules: LabelRules, ruled: dict[str, Verdict], doubted: dict[str, int]
    ) -> None:
        self.rules, self.ruled, self.doubted = rules, ruled, doubted
        self.labels: list[Label] = []
        self.out: set[str] = set()
        with store.session() as session:
            found = {task: find_candidate(session, task) for task in TASKS}
            self.ids = {task: candidate.id for task, candidate in found.items()}
            self.for_examples = {
                candidate.id for candidate in found.values() if candidate.photo_id % 2 == 0
            }

    def labeled(self, worker: str) -> set[str]:
        return {task for task, who, _, _ in self.labels if who == worker}

    def votes(self, task: str) -> dict[str, Verdict]:
        return {
            who: verdict
            for of, who, verdict, panel in self.labels
            if of == task and panel == "main" and who not in self.out
        }

    def lacks(self, task: str) -> int:
        wanted = max(self.rules.votes, self.doubted.get(task, 0))
        return max(0, wanted - len(self.votes(task)))

    def left(self, worker: str) -> dict[str, int]:
        mine = self.labeled(worker)
        return {
            wnid: sum(
                task.startswith(wnid) and task not in mine and self.lacks(task) > 0
                for task in TASKS
            )
            for wnid in CLASSES
        }

    def right(self, wnid: str) -> list[int]:
        """Those ruled correct, by rank; then those that all call correct, of most votes first."""
        ruled, rest = [], []
        for task in TASKS:
            said = list(self.votes(task).values())
            if not task.startswith(wnid) or task in self.doubted:
                continue
            if task in self.ruled:
                if self.ruled[task] is Verdict.CORRECT:
                    ruled.append(self.ids[task])
            elif said and set(said) == {Verdict.CORRECT}:
                rest.append((-len(said), self.ids[task]))
        return ruled + [number for _, number in sorted(rest)]

    def check(self, board: Board, store: Store) -> None:
        with store.session() as session:
            for worker in NAMES:
                board.catch_up(session, worker)
                left, most = self.left(worker), board.remaining_for(worker)
                assert all(left[wnid] <= most[wnid] <= PHOTOS for wnid in CLASSES)
            for wnid in CLASSES:  # which reads them
                assert board.known_right(session, wnid) == self.right(wnid)
            assert (board.unread, board.classes) == (0, [*CLASSES])
            for task, number in self.ids.items():
                assert board.is_open(number) == (self.lacks(task) > 0)
            for worker in NAMES:
                left = self.left(worker)
                assert board.remaining_for(worker) == left
                assert board.labels_of(worker) == len(self.labeled(worker))
                assert list(board.classes_for(session, worker, {})) == [
                    c for c in CLASSES if left[c]
                ]
                for wnid in CLASSES:
                    asked = {
                        number
                        for task, number in self.ids.items()
                        if self.lacks(task) and task not in self.labeled(worker)
                    }
                    if self.rules.gold:  # their own word makes no example, nor what may be a test
                        mine = {self.ids[task] for task in self.labeled(worker)}
                        asked |= mine | set(self.ids.values()) - self.for_examples
                        asked |= {self.ids[task] for task in TASKS if self.lacks(task)}
                    shown = [number for number in self.right(wnid) if number not in asked]
                    assert board.examples(session, worker, wnid, 9) == shown
                    assert board.examples(session, worker, wnid, 1) == shown[:1]


@contextmanager
def a_workspace(**rules: Any) -> Iterator[Opened]:
    with tempfile.TemporaryDirectory() as folder:
        workspace, store = labeled_workspace(Path(folder, "workspace"), CLASSES, PHOTOS)
        yield under((workspace, store), **rules)
        store.close()


def new_board(store: Store, rules: LabelRules) -> Board:
    with store.session() as session:
        return Board(session, rules)


@settings(max_examples=30, deadline=None)
@given(
    before=st.lists(MOVES, max_size=6),
    moves=st.lists(MOVES, max_size=12),
    votes=st.integers(1, 3),
    ruled=st.dictionaries(
        st.sampled_from(TASKS), st.sampled_from([Verdict.CORRECT, Verdict.INCORRECT]), max_size=2
    ),
    doubted=st.dictionaries(st.sampled_from(TASKS), st.integers(1, 3), max_size=2),
    gold=st.sampled_from([0, 0.2]),
)
def test_a_board_tells_what_the_labels_say_whenever_it_was_made(
    before: list[Any],
    moves: list[Any],
    votes: int,
    ruled: dict[str, Verdict],
    doubted: dict[str, int],
    gold: float,
) -> None:
    with a_workspace(votes=votes, gold=gold) as (workspace, store):
        told = Told(store, workspace.label, ruled, doubted)
        with store.begin() as session:
            for task, verdict in ruled.items():
                number = told.ids[task]
                session.add(Ruling(candidate_id=number, verdict=verdict, by="eve", reason="sure"))
            session.flush()
            for task, labelers in doubted.items():
                number = told.ids[task]
                session.add(
                    ReviewRequest(candidate_id=number, labelers=labelers, by="eve", reason="doubt")
                )
        boards: list[Board] = []
        for move in [*before, "a new board", *moves, None]:
            if move == "a new board":
                boards.append(new_board(store, workspace.label))
            elif move is None:
                for board in boards:
                    told.check(board, store)
            elif isinstance(move, str):
                turn(store, told, move)
            else:
                vote(store, *move)
                told.labels.append(move)
        told.check(new_board(store, workspace.label), store)


def turn(store: Store, told: Told, worker: str) -> None:
    """Take a labeler's votes out, or let them in again; nothing of who has none."""
    if told.labeled(worker):
        act = LabelerAct.CLEAR if worker in told.out else LabelerAct.HOLD
        with store.begin_alone() as session:
            record(session, worker, act, by="eve", reason="a test")
        told.out ^= {worker}


def test_a_photo_is_for_examples_or_for_tests_for_good() -> None:
    """Who was shown one as an example would know it again as a test, after an update too."""
    assert [number for number in range(1, 13) if is_for_examples(number)] == [3, 5, 6, 8, 11]


@pytest.mark.parametrize(
    ("together", "read"), [(5, [TENCH]), (6, [TENCH, GOLDFISH]), (9, [TENCH, GOLDFISH, CRANE])]
)
def test_a_class_is_read_with_the_small_ones_after_it(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, together: int, read: list[str]
) -> None:
    monkeypatch.setattr("genset.label.queue.open_candidates._READ_TOGETHER", together)
    workspace, store = labeled_workspace(opened[0].root / "three", photos=3)
    board = new_board(store, workspace.label)
    with store.session() as session:
        board.catch_up(session, "ann")
        assert next(board.classes_for(session, "ann", {})) == TENCH
        assert board.examples(session, "ann", TABBY, 3) == []  # which is not read for that
    assert board.classes == read
    assert board.unread == 3 * (4 - len(read))
    store.close()


def test_reading_all_leaves_most_of_the_time_to_labelers(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments, pauses = count(), list[float]()
    clock = SimpleNamespace(monotonic=lambda: next(moments) ** 2, sleep=pauses.append)
    monkeypatch.setattr("genset.label.queue.open_candidates.time", clock)
    monkeypatch.setattr("genset.label.queue.open_candidates._READ_TOGETHER", 5)
    board = new_board(opened[1], opened[0].label)
    board.read_all(opened[1])
    assert board.unread == 0
    assert pauses == [9 * (1 - 0), 9 * (9 - 4), 9 * (25 - 16)]  # after each class but the last


def test_what_is_dropped_is_left_to_nobody(opened: Opened) -> None:
    store = opened[1]
    board = new_board(store, opened[0].label)
    vote(store, f"{TENCH}/flickr:1", "bob", Verdict.CORRECT)
    with store.session() as session:
        number, other = (find_candidate(session, f"{TENCH}/flickr:{n}").id for n in (0, 1))
        board.catch_up(session, "ann")
        assert board.known_right(session, TENCH) == [other]
        assert board.remaining_for("ann") == {TENCH: 4, GOLDFISH: 5, CRANE: 5, TABBY: 5}
        for _ in range(2):  # a second time changes nothing
            board.drop(number)
            board.drop(other)
            assert board.remaining_for("ann")[TENCH] == 3
            assert not board.is_open(number)
            assert board.known_right(session, TENCH) == []
