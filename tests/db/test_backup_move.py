"""`genset backup`, a whole copy made while others work, and the way back; and `genset move`."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from genset.db import Store, Verdict
from genset.label.labelers import Labelers
from genset.label.server import alone_with
from genset.label.session.desk import Desk
from genset.workspace import Workspace
from tests.label.desks import do_all
from tests.labeled_workspace import GOLDFISH, TENCH, labeled_workspace, vote
from tests.test_cli import error_of, genset

TASK = "n01440764/flickr:0"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made, store = labeled_workspace(tmp_path / "a workspace", photos=1)
    vote(store, TASK, "Ann", Verdict.CORRECT)
    store.close()
    return made.root


def votes_in(file: Path) -> int:
    with closing(sqlite3.connect(file)) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(opened.execute("SELECT count(*) FROM label").fetchone()[0])


def add_votes(workspace: Path, *workers: str) -> None:
    store = Store.open(f"sqlite:///{workspace / 'genset.db'}")
    for worker in workers:
        vote(store, TASK, worker, Verdict.CORRECT)
    store.close()


def test_a_backup_is_put_back_by_the_lines_that_it_prints(workspace: Path) -> None:
    said = genset("backup", cwd=workspace).stdout.splitlines()
    (copy,) = (workspace / "backups").iterdir()
    assert said[0].startswith(f"{copy}: ")
    held = Store.open(f"sqlite:///{workspace / 'genset.db'}")
    with held.session() as session:  # so the log stays when the votes are in
        session.execute(text("SELECT count(*) FROM label"))
    add_votes(workspace, "Ben", "Cleo")
    log = (workspace / "genset.db-wal").read_bytes()
    assert log
    held.close()
    (workspace / "genset.db-wal").write_bytes(log)  # as a killed command leaves it
    for line in said[2:]:
        subprocess.run(line, shell=True, check=True)
    assert json.loads(genset("labels", "stats", "--json", cwd=workspace).stdout)["votes"] == 1
    assert votes_in(workspace / "genset.db") == 1
    assert votes_in(workspace / "genset.db.aside") == 3


def test_it_goes_where_it_is_told_and_replaces_nothing(workspace: Path, tmp_path: Path) -> None:
    done = json.loads(genset("backup", "../copy.db", "--json", cwd=workspace).stdout)
    assert done["file"] == str(tmp_path / "copy.db")
    assert done["bytes"] == (tmp_path / "copy.db").stat().st_size
    assert votes_in(tmp_path / "copy.db") == 1
    before = (tmp_path / "copy.db").read_bytes()
    assert "copy.db is there already" in error_of(genset("backup", "../copy.db", cwd=workspace), 2)
    assert (tmp_path / "copy.db").read_bytes() == before
    assert genset("backup", "..", cwd=workspace).returncode == 0
    assert len(list(tmp_path.glob("genset-*.db"))) == 1
    assert not list(tmp_path.glob(".partial*"))


def test_what_cannot_be_backed_up_is_one_line(workspace: Path, tmp_path: Path) -> None:
    genset("init", "new", cwd=tmp_path)
    assert "nothing to back up" in error_of(genset("backup", cwd=tmp_path / "new"), 2)
    assert not (tmp_path / "new" / "genset.db").exists()
    url = "postgresql+psycopg://genset@127.0.0.1/genset"
    assert "pg_dump" in error_of(genset("backup", cwd=workspace, GENSET_STORE_URL=url), 1)
    # Damage in a page that a copy does not look into is found, too.
    file = workspace / "genset.db"
    content = bytearray(file.read_bytes())
    content[-4096:] = b"Dear Sir or Madam, "[:16] * 256
    file.write_bytes(content)
    assert "no backup was made" in error_of(genset("backup", cwd=workspace), 1)
    assert not list((workspace / "backups").glob("*"))


WRITING = """
import sys
from genset.db import Label, Store, Verdict, find_candidate
store = Store.open(sys.argv[1])
number = 0
while True:
    with store.begin() as session:  # each pair of votes is one transaction
        candidate = find_candidate(session, sys.argv[2])
        for part in (1, 2):
            session.add(
                Label(candidate_id=candidate.id, worker=f"{number}", verdict=Verdict.CORRECT)
            )
            session.flush()
    number += 1
    print(number, flush=True)
"""


def test_a_backup_is_of_one_moment_while_others_write(workspace: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{workspace / 'genset.db'}"
    writing = subprocess.Popen(
        [sys.executable, "-c", WRITING, url, TASK],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert writing.stdout is not None
        votes = []
        for number in range(4):
            before = int(writing.stdout.readline())
            assert genset("backup", f"../{number}.db", cwd=workspace).returncode == 0
            votes.append(votes_in(tmp_path / f"{number}.db"))
            assert votes[-1] % 2 == 1, "a transaction was torn"  # Ann's is the odd one
            assert votes[-1] >= 1 + 2 * before
        assert votes == sorted(set(votes)), "others could not write"
    finally:
        writing.kill()
        writing.communicate()


# A workspace moves from SQLite to PostgreSQL by one command


def test_a_workspace_goes_on_in_postgresql(
    tmp_path: Path, postgresql_without_encoding: str
) -> None:
    postgresql = postgresql_without_encoding
    workspace, store = labeled_workspace(tmp_path, [TENCH, GOLDFISH])
    do_all(Desk(workspace, store, Labelers(store).by_name("Ann")))
    store.close()

    def shown() -> tuple[str, str]:
        genset("labels", "export", "labels.csv", cwd=tmp_path)
        status = genset("status", "--json", cwd=tmp_path).stdout
        return status, (tmp_path / "labels.csv").read_text("utf-8")

    before = shown()
    with alone_with(workspace.store_url):
        assert "end that one first" in error_of(genset("move", postgresql, cwd=tmp_path), 1)
    assert "genset.db\n" in genset("move", postgresql, cwd=tmp_path).stdout
    assert Workspace.find(tmp_path).store_url == postgresql
    assert shown() == before
    # New rows get numbers of their own.
    assert genset("labelers", "invite", "Bób", cwd=tmp_path).returncode == 0
    names = [
        row["name"] for row in json.loads(genset("labelers", "list", "--json", cwd=tmp_path).stdout)
    ]
    assert names == ["Ann", "Bób"]
    assert "store.url must be a database" in error_of(genset("move", "nonsense", cwd=tmp_path), 2)
    assert "not empty" in error_of(genset("move", postgresql, cwd=tmp_path), 2)
