"""What was said and decided cannot be changed, whatever program has the file open."""

import sqlite3
import uuid
from contextlib import closing
from pathlib import Path

import pytest

from genset.db import (
    Candidate,
    GoldAnswer,
    GoldQuestion,
    Label,
    LabelerAct,
    LabelerEvent,
    ReviewRequest,
    Ruling,
    Store,
    Verdict,
)
from tests.labeled_workspace import photo_row

TABLES = ("label", "gold_answer", "ruling", "review_request", "labeler_event")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with a row in each of the tables, closed."""
    path = tmp_path / "genset.db"
    store = Store.open(f"sqlite:///{path}")
    with store.begin() as session:
        candidate = Candidate(wnid="n01440764", photo=photo_row(1), keyword="tench", rank=1)
        session.add(candidate)
        session.flush()
        known = {"wnid": "n01440764", "expected": Verdict.CORRECT, "reason": "seen"}
        question = GoldQuestion(photo_id=candidate.photo_id, **known)
        session.add(question)
        session.flush()
        said = {"worker": "ann", "verdict": Verdict.CORRECT}
        session.add(Label(candidate_id=candidate.id, **said))
        session.add(GoldAnswer(gold_id=question.id, **said))
        by = {"by": "mia", "reason": "seen"}
        session.add(Ruling(candidate_id=candidate.id, verdict=Verdict.CORRECT, **by))
        session.add(ReviewRequest(candidate_id=candidate.id, labelers=3, **by))
        session.add(LabelerEvent(worker="ann", what=LabelerAct.VOID, by="mia", reason="spam"))
    store.close()
    return path


@pytest.mark.parametrize("table", TABLES)
def test_another_program_can_neither_change_delete_nor_replace_a_row(
    path: Path, table: str
) -> None:
    with closing(sqlite3.connect(path)) as other:  # with SQLite's own settings, not genset's
        before = other.execute(f"SELECT * FROM {table} ORDER BY number").fetchall()
        assert before
        names = [row[1] for row in other.execute(f"PRAGMA table_info({table})")]
        row = dict(zip(names, before[-1], strict=True))
        changed = row | {"worker" if "worker" in row else "by": "somebody else"}
        new = {"number": row["number"] + 1000, "id": uuid.uuid4().hex}
        for said in (
            changed,
            changed | {"id": new["id"]},
            changed | {"number": new["number"]},
            changed | {"number": str(row["number"]), "id": new["id"]},
            changed | {"number": float(row["number"]), "id": new["id"]},
        ):
            columns, marks = ", ".join(said), ", ".join("?" * len(said))
            for verb in ("INSERT OR REPLACE INTO", "REPLACE INTO"):
                with pytest.raises(sqlite3.IntegrityError, match=f"{table} is append-only"):
                    other.execute(
                        f"{verb} {table} ({columns}) VALUES ({marks})", list(said.values())
                    )
        who = "worker" if "worker" in row else "by"
        for statement in (
            f"UPDATE {table} SET {who} = 'somebody else'",
            f"UPDATE OR REPLACE {table} SET number = number + 1",
            f"DELETE FROM {table}",
            f"INSERT INTO {table} SELECT * FROM {table} WHERE true "
            f"ON CONFLICT DO UPDATE SET {who} = 'somebody else'",
        ):
            with pytest.raises(sqlite3.IntegrityError, match=f"{table} is append-only"):
                other.execute(statement)
        assert other.execute(f"SELECT * FROM {table} ORDER BY number").fetchall() == before
        # A row of its own is welcome.
        said = row | new
        columns, marks = ", ".join(said), ", ".join("?" * len(said))
        other.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", list(said.values()))
        assert other.execute(f"SELECT count(*) FROM {table}").fetchone() == (len(before) + 1,)
