"""What was sent to review moves to another workspace with the labels."""

from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.label import Store, Verdict
from genset.label.exchange.archive import export_all
from genset.label.exchange.restore import import_all
from genset.label.exchange.table import Imported
from genset.label.quality.review import queue, rule, send_to_review
from genset.workspace import LabelRules, Workspace
from tests.labeled_workspace import CLASSES, TENCH, labeled_workspace

ONE, TWO = f"{TENCH}/flickr:0", f"{TENCH}/flickr:1"
RULES = LabelRules(votes=3)

Opened = tuple[Workspace, Store]


def test_requests_come_back_and_wait_as_they_did(opened: Opened, tmp_path: Path) -> None:
    _, store = opened
    send_to_review(store, ONE, RULES, "noa", "a goldfish, or a carp?")
    rule(store, ONE, Verdict.CORRECT, "mia", "a tench")
    send_to_review(store, TWO, RULES, "noa", "a teapot?")
    folder = tmp_path / "labels"
    assert export_all(store, folder)["review_requests"] == 2
    _, other = labeled_workspace(tmp_path / "other", CLASSES)
    assert import_all(other, folder)["review_requests"] == Imported(new=2)
    assert import_all(other, folder)["review_requests"] == Imported(known=2)
    assert [(each.task, each.detail) for each in queue(other)] == [
        (TWO, "sent to review by noa: a teapot?")
    ]
    again = tmp_path / "again"
    export_all(other, again)
    name = "review_requests.csv"
    assert (again / name).read_bytes() == (folder / name).read_bytes()
    other.close()


def test_without_requests_there_is_no_file(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    stale = tmp_path / "labels" / "review_requests.csv"
    stale.write_text("task,labelers,by,reason,at,id\n")
    assert "review_requests" not in export_all(opened[1], tmp_path / "labels")
    assert not stale.exists()


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (f"{TENCH}/flickr:99,3,noa,why,,", "line 2: .*candidate"),
        (f"{ONE},0,noa,why,,", "line 2: labelers is a number from 1"),
        (f"{ONE},3, ,why,,", "line 2: .*a reason"),
    ],
)
def test_a_wrong_row_is_named(opened: Opened, tmp_path: Path, row: str, says: str) -> None:
    export_all(opened[1], tmp_path)
    identity = "6f2f9a53-6d11-4f0a-8c0a-0d3a3a3a3a3a"
    (tmp_path / "review_requests.csv").write_text(
        f"task,labelers,by,reason,at,id\n{row}{identity}\n"
    )
    with pytest.raises(BadInput, match=says):
        import_all(opened[1], tmp_path)
