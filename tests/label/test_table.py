"""Labels as a CSV table."""

import csv
from pathlib import Path

import pandas as pd
import pytest
from crowdkit.aggregation import MajorityVote
from sqlalchemy import func, select

from genset.errors import BadInput
from genset.label import Labeling, Verdict, export_labels, import_labels
from genset.store import Label, Store
from genset.workspace import Workspace
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace

Opened = tuple[Workspace, Store]
FIRST, SECOND = f"{TENCH}/flickr:0", f"{TENCH}/flickr:1"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def labels(store: Store) -> int:
    with store.session() as session:
        return session.scalar(select(func.count(Label.number))) or 0


def write(folder: Path, *lines: str) -> Path:
    path = folder / "labels.csv"
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def test_the_table_holds_the_labels_in_force(opened: Opened, tmp_path: Path) -> None:
    _, store = opened
    Labeling(*opened, "ann").mark(FIRST, Verdict.CORRECT)
    Labeling(*opened, "Bob, the 2nd").mark(FIRST, Verdict.UNSURE)
    Labeling(*opened, "ann").mark(FIRST, Verdict.INCORRECT)

    assert export_labels(store, tmp_path / "out" / "labels.csv") == 2

    table = rows(tmp_path / "out" / "labels.csv")
    assert list(table[0]) == ["task", "worker", "label", "decided_at", "id"]
    assert [(row["task"], row["worker"], row["label"]) for row in table] == [
        (FIRST, "Bob, the 2nd", "unsure"),
        (FIRST, "ann", "incorrect"),
    ]


def test_crowd_kit_reads_the_table(opened: Opened, tmp_path: Path) -> None:
    for worker, first, second in (
        ("ann", Verdict.CORRECT, Verdict.INCORRECT),
        ("bob", Verdict.CORRECT, Verdict.INCORRECT),
        ("cid", Verdict.INCORRECT, Verdict.UNSURE),
    ):
        Labeling(*opened, worker).mark(FIRST, first)
        Labeling(*opened, worker).mark(SECOND, second)
    export_labels(opened[1], tmp_path / "labels.csv")

    votes = MajorityVote().fit_predict(pd.read_csv(tmp_path / "labels.csv"))

    assert votes.to_dict() == {FIRST: "correct", SECOND: "incorrect"}


def test_a_table_moves_to_another_workspace_whole_and_once(opened: Opened, tmp_path: Path) -> None:
    Labeling(*opened, "ann").mark(FIRST, Verdict.CORRECT)
    Labeling(*opened, "Bjørn").mark(SECOND, Verdict.UNSURE)
    table = tmp_path / "labels.csv"
    export_labels(opened[1], table)
    _, other = labeled_workspace(tmp_path / "other")

    assert import_labels(other, table) == (2, 0)
    assert import_labels(other, table) == (0, 2)

    export_labels(other, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == table.read_bytes()


def test_three_columns_are_enough(store: Store, tmp_path: Path) -> None:
    table = write(
        tmp_path,
        "label,note,worker,task",
        f"correct,a cat!, ann ,{FIRST}",
        f"incorrect,,ann,{SECOND}",
    )

    assert import_labels(store, table) == (2, 0)
    assert import_labels(store, table) == (0, 2)

    changed = write(tmp_path, "task,worker,label", f"{FIRST},ann,unsure")
    assert import_labels(store, changed) == (1, 0)
    assert labels(store) == 3


def test_a_table_as_a_spreadsheet_saves_it(store: Store, tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_bytes(f"\ufefftask,worker,label\r\n{FIRST},ann,correct\r\n".encode())

    assert import_labels(store, table) == (1, 0)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (f"{TENCH}/flickr:9,ann,correct", f"there is no candidate {TENCH}/flickr:9"),
        (f"{GOLDFISH}/flickr:0,ann,correct", "there is no candidate"),
        (f"{FIRST},ann,yes", "a label is correct, incorrect, unsure, not 'yes'"),
        (f"{FIRST},,correct", "a labeler's name"),
        (f"{FIRST},ann", "short of a column"),
        (f"{FIRST},ann,correct,2024-01-01T00:00:00", "needs a time zone"),
        (f"{FIRST},ann,correct,yesterday", "yesterday"),
        (f"{FIRST},ann,correct,,no-uuid", "UUID"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_added(
    store: Store, tmp_path: Path, line: str, complaint: str
) -> None:
    table = write(tmp_path, "task,worker,label,decided_at,id", f"{SECOND},ann,correct", line)

    with pytest.raises(BadInput, match=complaint) as caught:
        import_labels(store, table)

    assert f"{table}, line 3: " in str(caught.value)
    assert labels(store) == 0


def test_a_file_that_is_no_such_table_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no column worker, label"):
        import_labels(store, write(tmp_path, "task,who", "a,b"))
    with pytest.raises(BadInput, match="no column"):
        import_labels(store, write(tmp_path))
    with pytest.raises(BadInput, match=r"gone\.csv"):
        import_labels(store, tmp_path / "gone.csv")
    (tmp_path / "picture.csv").write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(BadInput, match=r"picture\.csv"):
        import_labels(store, tmp_path / "picture.csv")


def test_a_table_that_cannot_be_written_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot write"):
        export_labels(store, tmp_path)
