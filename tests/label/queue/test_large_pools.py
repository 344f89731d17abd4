"""Pools whose boards take long to make: labelers go on with those that are there meanwhile."""

from pathlib import Path

from tests.label.clock import HeldClock
from tests.label.desks import desk_of, do_all, owners
from tests.labeled_workspace import GOLDFISH, TENCH, add_candidate, labeled_workspace


def test_new_boards_of_a_large_pool_are_read_half_of_the_time_at_most(
    tmp_path: Path, clock: HeldClock
) -> None:
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH])
    ann = desk_of((workspace, store), "ann")
    clock.takes = 1.0
    ann.progress()  # makes the first boards, between two looks at the clock: one second
    clock.takes = 0.0
    do_all(ann)
    add_candidate(workspace, store, GOLDFISH, 100)
    clock.seconds += 0.8
    assert ann.screens() == []
    clock.seconds += 0.3
    assert owners(*ann.screens()) == ["owner 100"]
    store.close()
