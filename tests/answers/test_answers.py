"""Commands answer as they did: each file in `recorded/` has commands and what they answered."""

import csv
import difflib
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.cli.group import first_sentence
from genset.core.table import FORMATS, Table, render
from tests.answers import making
from tests.answers.session import Session, commands, with_models
from tests.terminal import Terminal, environment

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch's ONNX export

RECORDED = Path(__file__).parent / "recorded"
GROUPS = sorted(path.stem for path in RECORDED.glob("*.txt") if path.stem != "workspace")


# The commands that print tables, told by their help, and what a table looks like in each form

_PRINTS = re.compile(r"(List|Show|Print|Summarize|Aggregate|Score)\b")
_NO_TABLE = {
    "labelers gold retire",
    "release cite",  # a reference, in forms of its own
}


def all_commands(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    """All commands that do something, by their full names."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from all_commands(command, *path, name)
        else:
            yield " ".join((*path, name)), command


PRINTING = {
    name: command
    for name, command in all_commands(cli)
    if name not in _NO_TABLE and _PRINTS.match(first_sentence(command))
}


def check_rendered(text: str, form: str) -> None:
    """See that readers of a form take an answer in it, and that there is a table in it."""
    if form == "json":
        json.loads(text)
    elif form == "csv":
        head, *rows = csv.reader(io.StringIO(text), strict=True)
        assert {len(row) for row in rows} <= {len(head)}, "rows are of different lengths"
        assert len(set(head)) == len(head), "two columns have one name"
        assert all(re.fullmatch(r"[a-z][a-z0-9_.]*", name) for name in head), head
        ends = [n for n, name in enumerate(head) if name.endswith(("_low", "_high"))]
        assert all(float(row[n] or 0) <= 1 for row in rows for n in ends), "not as fractions"
    elif form == "latex":
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 0
    elif form == "markdown":
        tables = [part for part in text.split("\n\n") if part.startswith("|")]
        assert tables, "there is no table"
        for table in tables:
            bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
            assert len(bars) == 1, "rows are of different lengths"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Painted photos in the place of Flickr; the address of its API."""
    folder = tmp_path_factory.mktemp("sandbox")
    making.photos(folder)
    words = ["sandbox", "--photos", "photos", "--records", "records.jsonl", "--port", "0"]
    server = subprocess.Popen(
        [sys.executable, "-m", "genset", *words],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    yield server.stdout.readline().strip().partition("=")[2]
    server.terminate()
    server.communicate()


@pytest.fixture(scope="module")
def made(sandbox: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, str]:
    """The workspace, made by the commands of `workspace.txt`; and what they answered."""
    keys = {"GENSET_FLICKR_ENDPOINT": sandbox, "FLICKR_API_KEY": "sandbox", "TZ": "UTC"}
    folder = tmp_path_factory.mktemp("made") / "workspace"
    folder.mkdir()
    making.photos(folder)
    session = Session(Terminal(tmp_path_factory.mktemp("home")), folder, keys)
    return session, session.answers(commands(RECORDED / "workspace.txt"))


def test_the_workspace_is_made_as_it_was(made: tuple[Session, str], recording: bool) -> None:
    compare("workspace", made[1], recording)


@pytest.mark.parametrize("group", GROUPS)
def test_commands_answer_as_they_did(
    group: str, made: tuple[Session, str], tmp_path: Path, recording: bool
) -> None:
    session = made[0]
    copy = tmp_path / "workspace"
    shutil.copytree(session.folder, copy)
    session = Session(session.terminal, copy, session.environment)
    compare(group, session.answers(commands(RECORDED / f"{group}.txt")), recording)


@pytest.mark.parametrize("model", ["TINY", "FEW", "ELSEWHERE"])
def test_a_run_that_is_made_again_is_the_one_that_was_kept(
    model: str, made: tuple[Session, str]
) -> None:
    session = made[0]
    session.answers([f"genset evaluate v1 --model ${model} --runs again-{model}"])
    (again,) = (session.folder / f"again-{model}" / "v1").iterdir()
    kept = session.folder / "runs" / "v1" / again.name
    for name in ("predictions.csv", "run.json"):
        texts = [(folder / name).read_text("utf-8") for folder in (again, kept)]
        one, other = (re.sub(r',?\s*"(created_at|\w+econds?)": [^,\n]*', "", t) for t in texts)
        assert one == other


TABLES = {  # what prints a table, by the command's name
    "classes show": "cifar10",
    "release diff": "v1 v2",
    "keywords": "tabby",
    "status": "",
    "duplicates list": "",
    "labelers list": "",
    "labelers gold list": "",
    "labelers study list": "",
    "labelers study show": "birds-1",
    "labels review": "",
    "labels suspects": "v1",
    "labels stats": "",
    "labels aggregate": "--method majority",
    "managers list": "",
    "evaluate": "v1 --model $TINY --model $ELSEWHERE",
    "tta table": "dawnbench",
    "tta stability": "trainings/fast",
    "tta thresholds": "dawnbench/ImageNet/train",
    "tta scaling": "4=trainings/scaling/on-4.tsv 16=trainings/scaling/on-16.tsv",
    "tta factors": "trainings/switches/RUNS.toml",
    "tta profile": "amp=rank0.json",
}
MORE = (
    *("compare few tiny --on v1", "evaluate v1", "report v1"),
    "finetune folder --data shades --test-share 0.4 --shots 1,all --model $ROUGH --model $TINY",
)
WITHOUT_ROWS = (
    *("release diff v1 v1", "tta table dawnbench --threshold 99.9", "report v1 --runs none"),
    *("-w empty labels stats", "-w empty labels aggregate --method majority"),
)


def test_each_form_of_a_table_renders(
    made: tuple[Session, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command runs once; what it would print is rendered in all forms."""
    copy = tmp_path / "workspace"
    shutil.copytree(made[0].folder, copy)
    monkeypatch.chdir(copy)
    session = Session(made[0].terminal, copy, made[0].environment)
    session.run("genset labelers study add mturk birds-1 --screens 2 --address https://a.org")
    session.run("genset init empty --contact mia@example.org")
    printed: list[Sequence[Table] | Table] = []

    def note(tables: Sequence[Table] | Table, form: str) -> str:
        printed.append(tables)
        return render(tables, form)

    for module in ("genset.cli.common", "genset.core.table"):
        monkeypatch.setattr(f"{module}.render", note)
    assert TABLES.keys() == PRINTING.keys(), "give an example of each command"
    for line in (*(f"{name} {words}" for name, words in TABLES.items()), *MORE, *WITHOUT_ROWS):
        for form in ("csv", "latex") if line.startswith("report") else ("csv",):
            words = shlex.split(with_models(f"{line} --format {form}"))
            check_rendered(CliRunner().invoke(cli, words).stdout, form)
        forms = ("csv", "latex") if line in WITHOUT_ROWS else FORMATS
        for tables, form in product(printed, forms):
            check_rendered(render(tables, form), form)
        assert printed, f"{line} printed no table"
        printed.clear()


def compare(group: str, text: str, recording: bool) -> None:
    path = RECORDED / f"{group}.txt"
    if recording:
        path.write_text(text, "utf-8")
        return
    before, now = path.read_text("utf-8").splitlines(), text.splitlines()
    changes = list(difflib.unified_diff(before, now, "recorded", "now", n=2, lineterm=""))
    if changes:
        pytest.fail("\n".join([f"{group}: answers changed", *changes]), pytrace=False)


# One photo is "1 photo": what commands print, also where there is one of each (cli.txt)

NOUNS = (
    "answers|candidates|classes|copies|entries|epochs|examples|files|labelers|labels|lines|logs"
    "|models|outputs|owners|pairs|photos|queries|questions|rounds|rows|runs|screens|searches|tries"
    "|visits|votes|workers"
)
WRONG = re.compile(rf"(?<![\w.,–−-])1 (?:[a-z]+ )?(?:{NOUNS})\b|(?<![\d.,])1 of 1 .*\bare\b")


def test_no_recorded_answer_has_one_of_several() -> None:
    answers = sorted(RECORDED.glob("*.txt"))
    found = [
        (path.name, line)
        for path in answers
        for line in path.read_text("utf-8").splitlines()
        if not line.startswith(("$ genset", " ", "{")) and WRONG.search(line)
    ]
    assert len(answers) > 10 and found == []
