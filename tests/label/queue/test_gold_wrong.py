"""Which photos test a labeler as known to be wrong: those of classes that nobody would take for it.

What an abacus and an abaya have in common is that they are artifacts; an abacus and a tench, that
they are whole objects, which is all that far classes may have in common.
"""

import random
from pathlib import Path

import pytest

from genset.label.gold import list_gold_questions
from genset.label.queue import hiding
from tests.label.desks import CORRECT, INCORRECT, desk_of, do_all, under
from tests.labeled_workspace import TENCH, labeled_workspace, vote

ABACUS, ABAYA = "n02666196", "n02667093"


@pytest.mark.parametrize(("other", "is_far"), [(ABAYA, False), (TENCH, True)])
def test_photos_of_far_classes_alone_are_known_to_be_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, is_far: bool
) -> None:
    monkeypatch.setattr(hiding, "_random", random.Random(5))
    opened = labeled_workspace(tmp_path / "workspace", [ABACUS, other], photos=10)
    for number in range(10):
        for worker in ("first", "second"):
            vote(opened[1], f"{other}/flickr:{100 + number}", worker, CORRECT)
    do_all(desk_of(under(opened, votes=2, gold=0.4), "ann"))

    known = {each.task for each in list_gold_questions(opened[1]) if each.expected is INCORRECT}
    assert any(task.startswith(ABACUS) for task in known) == is_far
    opened[1].close()
