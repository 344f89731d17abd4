"""`genset labels ...` as a manager types it."""

import csv
import json
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from genset.cli import cli
from genset.core.errors import BadInput
from genset.db import Label
from genset.label import Store, Verdict
from genset.workspace import Workspace
from tests.commands import as_json
from tests.label.desks import desk_of
from tests.labeled_workspace import GOLDFISH, TENCH, vote

Opened = tuple[Workspace, Store]
ONE, TWO = f"{TENCH}/flickr:0", f"{TENCH}/flickr:1"


def run(workspace: Workspace, *words: str) -> Result:
    return CliRunner().invoke(cli, ["-w", str(workspace.root), "labels", *words])


def answer(workspace: Workspace, *words: str) -> object:
    """What the command answers as JSON."""
    return as_json("-w", workspace.root, "labels", *words)


def voted(store: Store) -> None:
    """Ten candidates by three labelers, of whom "eve" says the opposite of some."""
    for number in range(10):
        task = f"{TENCH}/flickr:{number}" if number < 5 else f"{GOLDFISH}/flickr:{95 + number}"
        right = Verdict.CORRECT if number % 3 else Verdict.INCORRECT
        wrong = Verdict.INCORRECT if number % 3 else Verdict.CORRECT
        for worker in ("ann", "bob"):
            vote(store, task, worker, right)
        vote(store, task, "eve", wrong if number in (1, 4, 6) else right)


def test_what_nobody_labeled_goes_out_to_be_filled_in(opened: Opened, tmp_path: Path) -> None:
    workspace, store = opened
    path = tmp_path / "to-label.csv"
    assert run(workspace, "export", str(path), "--unlabeled").exit_code == 0
    whole = path.read_text("utf-8").splitlines()
    assert whole[0] == "task,worker,label,class,file,page"
    vote(store, ONE, "ann", Verdict.UNSURE)
    answered = answer(workspace, "export", str(path), "--unlabeled")
    assert answered == {"file": str(path), "candidates": len(whole) - 2}
    head, *lines = path.read_text("utf-8").splitlines()
    assert {ONE} == {line.split(",")[0] for line in {*whole} - {head, *lines}}
    with path.open(encoding="utf-8", newline="") as file:
        assert all(Path(row["file"]).is_file() for row in csv.DictReader(file))
    rows = {"table": "labels", "new": 0, "known": 0, "older": 0, "empty": len(lines)}
    assert answer(workspace, "import", str(path)) == rows
    filled = [line.replace(",,,", ",bob,correct,") for line in lines]
    path.write_text("\n".join([head, *filled]), "utf-8")
    rows |= {"new": len(lines), "empty": 0}
    assert answer(workspace, "import", str(path)) == rows
    assert "0 candidates" in run(workspace, "export", str(path), "--unlabeled").output
    for words in ((), ("--unlabeled",), ("--rulings",), ("--comments",)):
        assert ".csv" in str(run(workspace, "export", str(tmp_path), *words).exception)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_votes_come_together_as_crowd_kit_has_it_from_the_same_export(
    opened: Opened, tmp_path: Path
) -> None:
    from crowdkit.aggregation import DawidSkene

    workspace, store = opened
    voted(store)
    path, table = tmp_path / "together.csv", tmp_path / "labels.csv"
    run(workspace, "export", str(table))
    found = answer(workspace, "aggregate", "--method", "dawid-skene", "-o", str(path))
    assert found == {"file": str(path), "candidates": 10}
    theirs = DawidSkene().fit(pd.read_csv(table))
    assert theirs.probas_ is not None and theirs.labels_ is not None
    with path.open(encoding="utf-8", newline="") as file:
        ours = list(csv.DictReader(file))
    columns = ["task", "label", "votes", "correct", "incorrect", "unsure", "broken"]
    assert list(ours[0])[:7] == columns
    assert {row["task"]: row["label"] for row in ours} == theirs.labels_.to_dict()
    for row in ours:
        assert float(row["correct"]) == pytest.approx(
            theirs.probas_.loc[row["task"], "correct"], abs=1e-6
        )
        assert (row["unsure"], row["votes"]) == ("0.000000", "3")


def test_what_a_labeler_downloaded_is_stored_as_if_the_page_had_sent_it(
    opened: Opened, tmp_path: Path
) -> None:
    workspace, store = opened
    screen = desk_of(opened, "ann").screens()[0]
    labels = [
        {"id": str(uuid4()), "photo": photo.id, "verdict": "correct", "supersedes": None}
        | {"shown_at": 1.8e12, "decided_at": 1.8e12, "order": place}
        for place, photo in enumerate(screen.photos, 1)
    ]
    one = {"screen": screen.id, "shown_at": 1.8e12, "submitted_at": 1.8e12, "labels": labels}
    path = tmp_path / "unsaved labels of ann.json"
    path.write_text(json.dumps({"labeler": "ann", "submissions": [one]}))
    stored = {"stored": 5, "refused": []}
    assert answer(workspace, "import", str(path)) == stored
    assert answer(workspace, "import", str(path)) == stored  # and not once more
    with store.session() as session:
        rows = session.scalars(select(Label)).all()
        assert [(row.worker, row.via) for row in rows] == [("ann", "page")] * 5
    one["labels"] = [label | {"id": str(uuid4())} for label in labels]
    path.write_text(json.dumps({"submissions": [one]}))
    again = run(workspace, "import", str(path))
    assert again.output == "0 labels stored, 5 refused: you have decided this photo already\n"
    assert again.exit_code == 1
    elsewhere = run(workspace, "import", str(path), "--panel", "fresh")
    assert "--panel is for tables: the labels in " in str(elsewhere.exception)
    assert isinstance(elsewhere.exception, BadInput)
    path.write_text(json.dumps({"submissions": [one | {"screen": "f" * 32}]}))
    assert "there is no screen ffff" in str(run(workspace, "import", str(path)).exception)
