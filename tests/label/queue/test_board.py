"""What a board tells that followed the labels, whatever their order, is what a new one tells."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from genset.db import LabelerAct, ReviewRequest, Ruling, Store, Verdict, find_candidate
from genset.label.decisions import record
from genset.label.queue.board import Board
from genset.label.queue.open_candidates import is_for_examples
from tests.label.desks import under
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace, vote

CLASSES = (TENCH, GOLDFISH)
TASKS = [f"{wnid}/flickr:{100 * place + n}" for place, wnid in enumerate(CLASSES) for n in range(3)]
NAMES = ("ann", "bob", "cid")

# Somebody labels; a manager takes their votes out, or lets them in; a board is asked.
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


def told(board: Board, store: Store) -> dict[str, Any]:
    """All that a board tells of each class, candidate and labeler."""
    with store.session() as session:
        for name in NAMES:
            board.catch_up(session, name)
        found: dict[str, Any] = {wnid: board.known_right(session, wnid) for wnid in CLASSES}
        for task in TASKS:
            found[task] = board.is_open(find_candidate(session, task).id)
        for name in NAMES:
            found[name] = (
                board.remaining_for(name),
                board.labels_of(name),
                list(board.classes_for(session, name, {})),
                [board.examples(session, name, wnid, most) for wnid in CLASSES for most in (1, 9)],
            )
        return found


@settings(max_examples=30)
@given(
    moves=st.lists(MOVES, max_size=18),
    votes=st.integers(1, 3),
    ruled=st.dictionaries(
        st.sampled_from(TASKS), st.sampled_from([Verdict.CORRECT, Verdict.INCORRECT]), max_size=2
    ),
    doubted=st.dictionaries(st.sampled_from(TASKS), st.integers(1, 3), max_size=2),
    gold=st.sampled_from([0, 0.2]),
)
def test_a_board_that_followed_the_labels_tells_what_a_new_one_tells(
    moves: list[Any], votes: int, ruled: dict[str, Verdict], doubted: dict[str, int], gold: float
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        opened = labeled_workspace(Path(folder, "workspace"), CLASSES, photos=3)
        workspace, store = under(opened, votes=votes, gold=gold)
        with store.begin() as session:
            for task, verdict in ruled.items():
                number = find_candidate(session, task).id
                session.add(Ruling(candidate_id=number, verdict=verdict, by="eve", reason="sure"))
            session.flush()
            for task, labelers in doubted.items():
                number = find_candidate(session, task).id
                values = {"labelers": labelers, "by": "eve", "reason": "doubt"}
                session.add(ReviewRequest(candidate_id=number, **values))
        with store.session() as session:
            board = Board(session, workspace.label)
        acts: dict[str, LabelerAct] = {}
        for move in [*moves, None]:
            if move is None:
                with store.session() as session:
                    new = Board(session, workspace.label)
                assert told(board, store) == told(new, store)
            elif isinstance(move, str):
                is_out = acts.get(move) is LabelerAct.HOLD
                acts[move] = LabelerAct.CLEAR if is_out else LabelerAct.HOLD
                with store.begin_alone() as session:
                    record(session, move, acts[move], by="eve", reason="a test")
            else:
                vote(store, *move)
        store.close()


def test_a_photo_is_for_examples_or_for_tests_for_good() -> None:
    """Who was shown one as an example would know it again as a test, after an update too."""
    assert [number for number in range(1, 13) if is_for_examples(number)] == [3, 5, 6, 8, 11]
