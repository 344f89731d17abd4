"""The command line, as somebody at a terminal meets it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.label.labelers import Labelers
from genset.label.session.desk import Desk
from tests.commands import run
from tests.label.desks import do_all
from tests.labeled_workspace import TENCH, labeled_workspace


def genset(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return run(*words, cwd=cwd, env={"PATH": "/usr/bin:/bin", "HOME": str(cwd)} | more)


def error_of(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line on standard error of a command that must fail with this exit code."""
    assert done.returncode == code, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    assert genset("init", "work", cwd=tmp_path).returncode == 0
    return tmp_path / "work"


def test_init_makes_the_workspace_that_is_asked_for(tmp_path: Path) -> None:
    assert genset("-w", "there", "init", cwd=tmp_path).returncode == 0
    assert genset("init", "else", cwd=tmp_path, GENSET_WORKSPACE="there").returncode == 0
    made = sorted(path.parent.name for path in tmp_path.glob("**/genset.toml"))
    assert made == ["else", "there"]


def test_a_new_workspace_searches_what_needs_no_more_than_is_there(tmp_path: Path) -> None:
    made = genset("init", "flickr", cwd=tmp_path, FLICKR_API_KEY="key").stdout.splitlines()
    flickr = "it searches Flickr with FLICKR_API_KEY; to change it, edit sources in genset.toml"
    assert made[1:] == [flickr]
    line = error_of(genset("scrape", cwd=tmp_path / "flickr"), 2)
    assert "FLICKR_API_KEY" in line and ".env" in line and "--source commons" in line

    made = genset("init", "commons", cwd=tmp_path).stdout.splitlines()
    assert made[1:] == [
        "it searches Wikimedia Commons, since FLICKR_API_KEY is not set; to change it, edit "
        "sources in genset.toml",
        "Commons requires a contact address: set `contact` in genset.toml",
    ]
    assert "contact" in error_of(genset("scrape", cwd=tmp_path / "commons"), 2)
    made = genset("init", "other", "--contact", "me@example.org", cwd=tmp_path).stdout.splitlines()
    assert "contact" not in made[-1]
    assert 'contact = "me@example.org"' in (tmp_path / "other" / "genset.toml").read_text()

    for name in ("keyed", "old"):
        (tmp_path / name).mkdir()
    (tmp_path / "keyed" / ".env").write_text("FLICKR_API_KEY=key\n")
    assert flickr in genset("init", "keyed", cwd=tmp_path).stdout
    assert 'sources = ["flickr"]' in (tmp_path / "keyed" / "genset.toml").read_text()
    before = "[scrape]\nper_class = 5\n"  # of the time before sources
    (tmp_path / "old" / "genset.toml").write_text(before)
    assert genset("init", ".", cwd=tmp_path / "old").returncode == 0
    assert "FLICKR_API_KEY" in error_of(genset("scrape", cwd=tmp_path / "old"), 2)
    assert (tmp_path / "old" / "genset.toml").read_text() == before


def test_a_contact_is_an_address(tmp_path: Path) -> None:
    done = genset("init", "work", "--contact", "a@b.c\r\nX-Evil: 1", cwd=tmp_path)
    assert "contact must be an e-mail address or a web page" in error_of(done, 2)
    assert not (tmp_path / "work").exists()


def test_links_name_the_workspace_s_own_address(workspace: Path) -> None:
    study = "labelers", "study", "add", "prolific", "60d9", "--screens", "1"
    invite = "labelers", "invite", "Ann"
    settings = workspace / "genset.toml"
    set_key = "[label]\naddress = 'https://photos.org/'"
    settings.write_text(settings.read_text("utf-8").replace("[label]", set_key))
    assert genset(*invite, cwd=workspace).stdout.startswith("https://photos.org/?invite=")
    assert "https://photos.org/?PROLIFIC_PID=" in genset(*study, cwd=workspace).stdout
    other = genset(*invite, cwd=workspace, GENSET_LABEL_ADDRESS="https://labels.org").stdout
    assert other.startswith("https://labels.org/?invite=")
    refused = genset("label", cwd=workspace, GENSET_LABEL_ADDRESS="labels.org")
    assert "the page needs a host name of its own" in error_of(refused, 2)


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("sys.platform = 'win32'; sys.modules['fcntl'] = None", "within WSL"),
        ("sys.version_info = (3, 9, 18)", "needs Python 3.11 or newer"),
    ],
)
def test_other_systems_are_told_what_to_do(there: str, said: str) -> None:
    program = f"import sys; {there}\nfrom genset.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert said in error_of(done, 1)


@pytest.mark.soak
def test_a_manager_reconciles_and_shows_a_study(tmp_path: Path) -> None:
    opened = labeled_workspace(tmp_path, [TENCH])
    words = "labelers", "study"
    terms = "--screens", "1", "--address", "https://labels.example.org/"
    genset(*words, "add", "prolific", "60d9", *terms, cwd=tmp_path)
    for person, key in (("P1", "V1"), ("made-up", "V2")):
        labeler = Labelers(opened[1]).by_study("prolific", "60d9", person, key)
        do_all(desk := Desk(*opened, labeler))
        desk.progress()
    opened[1].close()
    export = tmp_path / "prolific_export_60d9.csv"
    export.write_text("Submission id,Participant id,Status\nV1,P1,AWAITING REVIEW\n", "utf-8")
    said = genset(*words, "reconcile", str(export), cwd=tmp_path).stdout
    assert "1 of 2 visits listed, 1 AWAITING REVIEW" in said
    assert "held out now: 1\n  prolific:made-up (V2)" in said
    approved = tmp_path / "approve.csv"
    shown = genset(*words, "show", "60d9", "--export", str(approved), "--json", cwd=tmp_path)
    visits = json.loads(shown.stdout)["visits"]
    found = [(each["visit"]["key"], each["proposal"], each["out"]) for each in visits]
    assert found == [("V1", "approve", False), ("V2", "wait", True)]
    assert approved.read_text() == "V1\n"


def test_a_table_with_a_cell_too_many_or_a_date_to_come_is_refused(tmp_path: Path) -> None:
    labeled_workspace(tmp_path, [TENCH])[1].close()
    for row, said in (
        ("correct,2020-01-01T00:00:00Z,left over", "line 2: the row has more cells"),
        ("correct,2999-01-01T00:00:00Z", "line 2: decided_at is more than a day in the future"),
        ("correct,0001-01-01T00:00:00+14:00", "line 2: decided_at is before all time"),
        (f"correct,,{10**23}", "line 2: decided_order is at most 2147483647"),
    ):
        head = "task,worker,label,decided_at" + ",decided_order" * row.startswith("correct,,")
        (tmp_path / "table.csv").write_text(f"{head}\n{TENCH}/flickr:0,Cleo,{row}\n")
        assert said in error_of(genset("labels", "import", "table.csv", cwd=tmp_path), 2)
    assert json.loads(genset("status", "--json", cwd=tmp_path).stdout)["labels"] == 0


def test_ctrl_c_says_what_is_stored_and_how_to_go_on(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.commands["scrape"], "callback", interrupt)
    done = CliRunner().invoke(cli, ["-w", str(workspace), "scrape"])
    assert done.exit_code == 130
    assert "the searches and photos so far are stored; run the same command again" in done.stderr


def test_a_terminal_without_a_sign_gets_another(tmp_path: Path) -> None:
    folder = tmp_path / "Ann\u2019s"
    folder.mkdir()
    assert run("init", cwd=folder).returncode == 0
    latin = os.environ | {"PYTHONIOENCODING": "latin-1"}
    line = [sys.executable, "-m", "genset", "status"]
    done = subprocess.run(line, cwd=folder, env=latin, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Ann?s" in done.stdout


KEPT = "stopped: all is kept; run the same command again to go on"
IN_CLI, IN_RUN = "genset.cli.cli = cli", "__main__._run = _run"
IN_A_COMMAND = "genset.cli.cli.commands['status'].callback = _run; sys.argv = ['genset', 'status']"


@pytest.mark.parametrize(
    ("number", "where", "line", "stored"),
    [
        (signal.SIGINT, IN_CLI, KEPT, "'all is kept'"),
        (signal.SIGTERM, IN_CLI, KEPT, "'all is kept'"),
        (signal.SIGTERM, IN_RUN, "stopped: run the same command again", "''"),
        (signal.SIGTERM, IN_A_COMMAND, "stopped", "''"),
        (signal.SIGINT, IN_CLI, "stopped at once: run the same command again", "_run()"),
        (signal.SIGTERM, IN_CLI, "stopped at once: run the same command again", "_run()"),
    ],
)
def test_an_interrupt_ends_with_a_line_and_its_code_wherever_it_came(
    tmp_path: Path, number: signal.Signals, where: str, line: str, stored: str
) -> None:
    (tmp_path / "interrupted.py").write_text(
        "import os, sys\n"
        "from genset import __main__\n"
        "from genset.cli.common import stoppable\n"
        "def _run(**_):\n"
        f"    exec('os.kill(os.getpid(), {number:d})\\nwhile True: pass')\n"
        "def cli(prog_name):\n"
        f"    with stoppable(lambda: {stored}):\n"
        "        _run()\n"
        "import genset.cli\n"
        f"{where}\n"
        "__main__.main()\n"
    )
    words = [sys.executable, "-m", "interrupted"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.lstrip("\n")) == (128 + number, f"genset: {line}\n")
