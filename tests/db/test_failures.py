"""Whatever becomes of the database, a command ends with one line that names it, and exit code 1."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from genset.db import Store, Verdict
from tests.commands import says
from tests.labeled_workspace import labeled_workspace, vote
from tests.test_cli import error_of, genset

COMMANDS = [
    ["status"],
    ["status", "--failed"],
    ["labels", "stats"],
    ["labels", "export", "all.csv"],
    ["duplicates", "list"],
    ["doctor"],
    ["scrape", "--dry-run"],
    ["remove", "flickr:1", "--reason", "asked"],
    ["release", "create", "v1"],
    ["backup"],
    ["label", "--port", "18533"],
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with labels, nobody at work in it."""
    workspace, store = labeled_workspace(tmp_path_factory.mktemp("kept") / "work", photos=20)
    vote(store, "n01440764/flickr:1", "Ann", Verdict.CORRECT)
    store.close()
    return workspace.root


@pytest.fixture
def workspace(kept: Path, tmp_path: Path) -> Path:
    return shutil.copytree(kept, tmp_path / "work")


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def cut_in_its_header(content: bytes) -> bytes:
    return content[:60]


def overwritten(content: bytes) -> bytes:
    """Every page but the first is another file's."""
    return content[:4096] + random.Random(0).randbytes(len(content) - 4096)


def emptied(content: bytes) -> bytes:
    return b""


DAMAGES = [truncated, cut_in_its_header, overwritten, emptied]


@pytest.mark.parametrize("place", range(len(COMMANDS)), ids=lambda place: " ".join(COMMANDS[place]))
def test_a_damaged_file_is_named_with_the_mend(workspace: Path, place: int) -> None:
    damage, words = DAMAGES[place % len(DAMAGES)], COMMANDS[place]
    file = workspace / "genset.db"
    file.write_bytes(damage(file.read_bytes()))
    line = error_of(genset(*words, cwd=workspace), 1)
    assert str(file) in line
    assert "genset backup" in line
    assert f"sqlite3 {file} .recover" in line


def test_a_damaged_word_in_a_sound_file_is_named_too(workspace: Path) -> None:
    file = workspace / "genset.db"
    file.write_bytes(file.read_bytes().replace(b"Anncorrect", b"Anncorrupt"))
    assert f"sqlite3 {file} .recover" in error_of(
        genset("labels", "export", "a.csv", cwd=workspace), 1
    )


def test_a_damaged_file_is_answered_with_the_newest_backup(workspace: Path) -> None:
    file = workspace / "genset.db"
    for day in ("01", "02"):
        (workspace / "backups").mkdir(exist_ok=True)
        shutil.copy(file, workspace / "backups" / f"genset-2026-05-{day}-120000.db")
    before = genset("status", cwd=workspace).stdout
    file.write_bytes(truncated(file.read_bytes()))
    line = error_of(genset("status", cwd=workspace), 1)
    assert "genset-2026-05-02-120000.db" in line
    said = line.partition("in its place: ")[2]
    subprocess.run(said, shell=True, check=True)
    assert genset("status", cwd=workspace).stdout == before


def test_another_program_s_database_is_left_as_it_is(workspace: Path, tmp_path: Path) -> None:
    (file := workspace / "genset.db").unlink()
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE bookmarks (address TEXT)")
    before = file.read_bytes()
    assert "it is another program's database" in error_of(genset("status", cwd=workspace), 1)
    assert file.read_bytes() == before
    # But an empty file is a new database, where there are no photos.
    genset("init", "new", cwd=tmp_path)
    (tmp_path / "new" / "genset.db").touch()
    assert genset("status", cwd=tmp_path / "new").returncode == 0


def while_it_works(workspace: Path, before: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """A command, where `before` is done to its open database when it has read it once."""
    program = f"""
import os, resource, sqlite3, sys
from genset.db import Store
opened = Store.open
def open_then(url):
    store = opened(url)
    with store.engine.connect() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM photo")
    store.close()
    {before}
    return store
Store.open = open_then
from genset.__main__ import main
main()
"""
    return subprocess.run(
        [sys.executable, "-c", program, *words], cwd=workspace, capture_output=True, text=True
    )


IN_THE_MIDDLE = {
    "damaged": ('open("genset.db", "r+b").truncate(40960)', "malformed"),
    "no database any more": ('open("genset.db", "r+b").write(b"Dear Sir, " * 500)', "not a"),
    "a disk that fails": (
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))",
        "disk I/O error; see that its disk has room",
    ),
    "no folder any more": ('os.rename(os.getcwd(), os.getcwd() + "-moved")', "unable to open"),
}


@pytest.mark.parametrize("name", IN_THE_MIDDLE)
def test_what_happens_in_the_middle_of_a_command_is_one_line_too(
    workspace: Path, name: str
) -> None:
    before, reason = IN_THE_MIDDLE[name]
    words = ["labels", "rule", "n01440764/flickr:1", "incorrect", "--reason", "x", "--by", "Ann"]
    line = error_of(while_it_works(workspace, before, *words), 1)
    assert str(workspace / "genset.db") in line
    assert reason in line


def test_a_full_disk_is_one_line(workspace: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    size = (workspace / "genset.db").stat().st_size + 80_000
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only root can make a small disk")
    try:
        shutil.copy(workspace / "genset.db", disk)
        settings = workspace / "genset.toml"
        settings.write_text(settings.read_text().replace("genset.db", f"{disk}/genset.db"))
        photo = tmp_path / "photos" / "n01443537" / "one.jpg"
        photo.parent.mkdir(parents=True)
        photo.write_bytes(next(workspace.glob("images/*/*")).read_bytes())
        words = ["add", str(tmp_path / "photos"), "--min-size", "1"]
        full = disk / "filled"
        with full.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
            while True:
                file.write(bytes(4096))
        line = error_of(genset(*words, cwd=workspace), 1)
        assert str(disk / "genset.db") in line
        assert "room" in line
        assert "room" in error_of(genset("backup", cwd=workspace), 1)
        assert not list(disk.glob("backups/*"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# Imports all before it becomes another user, who may not read it.
AS_NOBODY = """
import encodings.utf_8_sig, os, sys
from genset.__main__ import main
from genset.db import Store
import genset.cli, genset.status
Store.open("sqlite:///../warm.db").close()
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
main()
"""


@pytest.mark.parametrize("readable", [True, False])
def test_a_folder_that_may_not_be_written_is_one_line(
    kept: Path, open_to_all: Path, readable: bool
) -> None:
    workspace = shutil.copytree(kept, open_to_all / "work")
    (workspace / "genset.db").chmod(0o444 if readable else 0)
    workspace.chmod(0o555)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, "status"], cwd=workspace, capture_output=True, text=True
    )
    workspace.chmod(0o755)
    line = error_of(done, 1)
    assert str(workspace / "genset.db") in line
    assert "this user" in line


def test_a_database_that_another_holds_for_long_is_one_line(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genset.db.sqlite.WAIT", 0.1)
    monkeypatch.chdir(workspace)
    with closing(sqlite3.connect("genset.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        line = says("remove", "flickr:1", "--reason", "asked", code=1)
    assert "another command has held it" in line and "\n" not in line


# PostgreSQL


def test_a_server_that_goes_away_in_the_middle_is_one_line(
    tmp_path: Path, postgresql_server: str
) -> None:
    server = make_url(postgresql_server)
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    name = "goes_away"
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    url = server.set(database=name, username="genset", password="s3cret")
    Store.open(url.render_as_string(hide_password=False)).close()
    genset("init", "work", cwd=tmp_path)
    program = """
import sys
from genset.db import Store
begin = Store.begin
def cut_off(store):
    with store.session() as session:
        session.connection().exec_driver_sql("SELECT 1")
        with open("connected", "w"):
            pass
        import time
        from pathlib import Path
        while Path("connected").exists():
            time.sleep(0.02)
        session.connection().exec_driver_sql("SELECT 1")
Store.begin_alone = cut_off
from genset.__main__ import main
main()
"""
    work = tmp_path / "work"
    running = subprocess.Popen(
        [sys.executable, "-c", program, "init", "--taxonomy", "cifar10"],
        cwd=work,
        env=os.environ | {"GENSET_STORE_URL": url.render_as_string(hide_password=False)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (work / "connected").exists():
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()
    (work / "connected").unlink()
    out, errors = running.communicate(timeout=60)
    line = error_of(subprocess.CompletedProcess([], running.returncode, out, errors), 1)
    assert name in line
    assert "run the same command again" in line
    assert "s3cret" not in line
