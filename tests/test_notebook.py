"""docs/notebook.ipynb runs in an empty folder and prints what it shows."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from tests.conftest import ROOT

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
