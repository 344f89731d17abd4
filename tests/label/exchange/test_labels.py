"""Labels and rulings as CSV tables, out and in: by function, and as a manager types it."""

import csv
import json
import uuid
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, select

from genset.cli import cli
from genset.core.errors import BadInput
from genset.db import Label, Store, rulings_in_force
from genset.label import Verdict
from genset.label.ballots import votes_table
from genset.label.exchange import (
    Imported,
    export_labels,
    export_rulings,
    import_labels,
    import_table,
)
from genset.label.review import rule
from genset.settings import LabelRules
from genset.workspace import Workspace
from tests.commands import as_json
from tests.label.desks import desk_of, do_all
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace, vote

_HEAD = "task,worker,label,decided_at,id,via,panel,shown_at,decided_order,supersedes"
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


def test_the_table_holds_the_labels_in_force(store: Store, tmp_path: Path) -> None:
    vote(store, FIRST, "ann", Verdict.CORRECT)
    vote(store, FIRST, "Bob, the 2nd", Verdict.BROKEN, panel="fresh")
    vote(store, FIRST, "ann", Verdict.INCORRECT)

    assert export_labels(store, tmp_path / "out" / "labels.csv") == 2

    table = rows(tmp_path / "out" / "labels.csv")
    assert list(table[0])[:3] == ["task", "worker", "label"]
    assert [(row["task"], row["worker"], row["label"], row["panel"]) for row in table] == [
        (FIRST, "Bob, the 2nd", "broken", "fresh"),
        (FIRST, "ann", "incorrect", "main"),
    ]


def test_import_takes_what_export_wrote_with_labelers_rulings_and_times(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a workspace that people labeled on the page, on either database."""
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace, one = labeled_workspace(tmp_path / "one")
    monkeypatch.delenv("GENSET_STORE_URL")
    workspace = replace(workspace, label=LabelRules(votes=2, guideline="2, in brief"))
    for name in ("ann", "Bjørn, 2nd"):
        do_all(desk_of((workspace, one), name), lambda owner: list(Verdict)[int(owner[6:]) % 4])
    vote(one, FIRST, "ann", Verdict.BROKEN, panel="fresh")
    rule(one, FIRST, Verdict.INCORRECT, "mia", "a carp")
    rule(one, FIRST, Verdict.CORRECT, "mia", 'a "tench"; seen from below, after all')
    rule(one, SECOND, Verdict.UNSURE, "=mia", "+blurred")
    export_labels(one, tmp_path / "labels.csv")
    assert export_rulings(one, tmp_path / "rulings.csv") == 2
    _, other = labeled_workspace(tmp_path / "other")

    for table, count in (("labels", labels(one)), ("rulings", 2)):
        assert import_table(other, tmp_path / f"{table}.csv") == Imported(table, count)
        assert import_table(other, tmp_path / f"{table}.csv") == Imported(table, 0, count)

    export_labels(other, tmp_path / "labels-again.csv")
    export_rulings(other, tmp_path / "rulings-again.csv")
    for table in ("labels", "rulings"):
        again = tmp_path / f"{table}-again.csv"
        assert again.read_bytes() == (tmp_path / f"{table}.csv").read_bytes()
    assert sorted(votes_table(other)) == sorted(votes_table(one))
    with one.session() as session, other.session() as session_of_other:
        assert rulings_in_force(session_of_other) == rulings_in_force(session)
        decided = select(Label.id, Label.worker, Label.decided_at, Label.shown_at, Label.guideline)
        rows = session.execute(decided.order_by(Label.id)).all()
        assert session_of_other.execute(decided.order_by(Label.id)).all() == rows
    one.close()
    other.close()


def test_a_ruling_that_is_older_than_the_stored_one_is_left_out(
    store: Store, tmp_path: Path
) -> None:
    rule(store, FIRST, Verdict.CORRECT, "mia", "seen")
    old = write(
        tmp_path, "task,label,by,reason,at", f"{FIRST},incorrect,eve,no,2020-01-01T00:00:00+00:00"
    )
    assert import_table(store, old) == Imported("rulings", older=1)
    same = write(tmp_path, "task,label,by,reason", f"{FIRST},correct,eve,yes")
    assert import_table(store, same) == Imported("rulings", known=1)
    new = write(tmp_path, "task,label,by,reason", *[f"{FIRST},incorrect,eve,no"] * 2)
    assert import_table(store, new) == Imported("rulings", new=1, known=1)


def test_a_table_needs_three_columns_and_goes_into_the_panel_that_is_asked_for(
    store: Store, tmp_path: Path
) -> None:
    rows = f"correct,a cat!, ann ,{FIRST}", f"incorrect,,ann,{SECOND}"
    table = write(tmp_path, "label,note,worker,task", *rows)
    assert import_labels(store, table) == Imported("labels", 2, 0)
    assert import_labels(store, table) == Imported("labels", 0, 2)
    assert import_labels(store, table, "fresh").new == 2  # another panel: other votes
    changed = write(tmp_path, "task,worker,label", f"{FIRST},ann,unsure")
    assert import_labels(store, changed) == Imported("labels", 1, 0)
    assert labels(store) == 5
    rows = f"{FIRST},bob,correct,third", f"{FIRST},eve,broken,"
    mixed = write(tmp_path, "task,worker,label,panel", *rows)
    assert import_labels(store, mixed, "fresh") == Imported("labels", 2, 0)
    workers = {
        panel: [vote.worker for vote in votes_table(store, panel)] for panel in ("fresh", "third")
    }
    assert workers == {"fresh": ["ann", "ann", "eve"], "third": ["bob"]}


def test_an_older_decision_never_takes_the_place_of_a_later_one(
    store: Store, tmp_path: Path
) -> None:
    for year, label, expected in (
        (2024, "correct", Imported("labels", 1, 0)),
        (2023, "incorrect", Imported("labels", 0, 0, older=1)),
        (2025, "unsure", Imported("labels", 1, 0)),
    ):
        line = f"{FIRST},ann,{label},{year}-01-01T00:00:00+00:00,{uuid.UUID(int=year)}"
        table = write(tmp_path, "task,worker,label,decided_at,id", line)
        assert import_labels(store, table) == expected
    assert [vote.label for vote in votes_table(store)] == ["unsure"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "sep=;"])
def test_a_table_as_a_spreadsheet_saves_it(
    encoding: str, delimiter: str, store: Store, tmp_path: Path
) -> None:
    rows = (
        ("Task", " Worker", "LABEL ", "", ""),
        (FIRST, " Zoë", "Correct ", "", ""),
        ("", "", "", "", ""),
        (SECOND, "", "", "", ""),
    )
    above = "sep=;\r\n" if delimiter == "sep=;" else ""
    text = above + "".join(f"{delimiter[-1].join(row)}\r\n" for row in rows)
    table = tmp_path / "labels.csv"
    table.write_bytes(text.encode(encoding))
    assert import_labels(store, table) == Imported("labels", 1, empty=1)
    assert [tuple(vote)[1:] for vote in votes_table(store)] == [("Zoë", "correct")]
    table.write_bytes(text.replace("Zoë", "").encode(encoding))
    line = 3 if above else 2
    with pytest.raises(BadInput, match=rf"labels\.csv, line {line}: worker is empty"):
        import_labels(store, table)


def test_one_person_has_one_vote_however_their_name_is_written(
    store: Store, tmp_path: Path
) -> None:
    lines = [
        f"{FIRST},{name},{label}"
        for name, label in (("Rater 1", "correct"), ("Ｒater  1", "unsure"))
    ]
    import_labels(store, write(tmp_path, "task,worker,label", *lines))
    import_labels(store, write(tmp_path, "task,worker,label", f"{FIRST},rater 1,incorrect"))
    assert [tuple(vote)[1:] for vote in votes_table(store)] == [("Rater 1", "incorrect")]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@sum", "'=1", "''-2", "'ann'", "-"])
def test_a_name_that_is_a_formula_is_a_text_in_a_spreadsheet(
    name: str, store: Store, tmp_path: Path
) -> None:
    table = write(tmp_path, "task,worker,label", f'{FIRST},"{name}",correct')
    if name[0] in "=+-@":  # as the user wrote it, without an apostrophe
        assert import_labels(store, table) == Imported("labels", 1, 0)
        assert [vote.worker for vote in votes_table(store)] == [name]
    else:
        written = f"{FIRST},'{name},correct" if name != "'ann'" else f"{FIRST},{name},correct"
        assert import_labels(store, write(tmp_path, "task,worker,label", written)).new == 1
    export_labels(store, tmp_path / "out.csv")
    cell = (tmp_path / "out.csv").read_text().splitlines()[1].split(",")[1]
    assert cell[0] not in "=+-@"
    assert import_labels(store, tmp_path / "out.csv") == Imported("labels", 0, 1)
    assert [vote.worker for vote in votes_table(store)] == [name]


_RULING = "task,label,by,reason,at,id"


@pytest.mark.parametrize(
    ("head", "line", "complaint"),
    [
        (_HEAD, f"{TENCH}/flickr:9,ann,correct", f"there is no candidate {TENCH}/flickr:9"),
        (_HEAD, f"{FIRST},ann,yes", "a label is correct, incorrect, unsure, broken, not 'yes'"),
        (_HEAD, f"{FIRST},,correct", "worker is empty"),
        (_HEAD, f"{FIRST},ann,", "label is empty"),
        (_HEAD, f"{FIRST},ann", "short of a column"),
        (_HEAD, f"{FIRST},ann,correct,2024-01-01T00:00:00", "needs a time zone"),
        (_HEAD, f"{FIRST},ann,correct,yesterday", "is no time: yesterday; a time is written"),
        (_HEAD, f"{FIRST},ann,correct,,no-uuid", "id: .*UUID"),
        (_HEAD, f"{FIRST},ann,correct,,,tele", "via is page, import, review, not 'tele'"),
        (_RULING, f"{TENCH}/flickr:9,correct,mia,seen", f"no candidate {TENCH}/flickr:9"),
        (_RULING, f"{FIRST},yes,mia,seen", "a label is correct, incorrect, unsure, broken"),
        (_RULING, f"{FIRST},correct,,seen", "a ruling needs somebody who makes it, and a reason"),
        (_RULING, f"{FIRST},correct,mia,", "a ruling needs somebody who makes it, and a reason"),
        (_RULING, f"{FIRST},correct,mia,seen,2024-01-01T00:00:00", "needs a time zone"),
        (_RULING, f"{FIRST},correct,mia,seen,,no-uuid", "UUID"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_added(
    store: Store, tmp_path: Path, head: str, line: str, complaint: str
) -> None:
    good = f"{SECOND},ann,correct" if head is _HEAD else f"{SECOND},correct,mia,seen"
    table = write(tmp_path, head, good, line)
    with pytest.raises(BadInput, match=complaint) as caught:
        import_table(store, table)
    assert f"{table}, line 3: " in str(caught.value)
    assert labels(store) == 0
    with store.session() as session:
        assert rulings_in_force(session) == {}


def test_a_file_that_is_no_such_table_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no column worker, label"):
        import_labels(store, write(tmp_path, "task,who", "a,b"))
    with pytest.raises(BadInput, match="no column"):
        import_labels(store, write(tmp_path))
    with pytest.raises(BadInput, match=r"gone\.csv"):
        import_labels(store, tmp_path / "gone.csv")
    (tmp_path / "labels.xlsx").write_bytes(b"PK\x03\x04\x14\x00")
    with pytest.raises(BadInput, match=r"labels\.xlsx: a workbook.* save it as CSV"):
        import_labels(store, tmp_path / "labels.xlsx")
    (tmp_path / "picture.csv").write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(BadInput, match=r"picture\.csv"):
        import_labels(store, tmp_path / "picture.csv")


Opened = tuple[Workspace, Store]


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
    vote(store, FIRST, "ann", Verdict.UNSURE)
    answered = answer(workspace, "export", str(path), "--unlabeled")
    assert answered == {"file": str(path), "candidates": len(whole) - 2}
    head, *lines = path.read_text("utf-8").splitlines()
    assert {FIRST} == {line.split(",")[0] for line in {*whole} - {head, *lines}}
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
