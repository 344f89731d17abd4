"""Doubts about labels and about models travel to everybody who reads the numbers."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from tests.label.test_stats import TASKS, screenful
from tests.labeled_workspace import labeled_workspace
from tests.reporting.sets import Page, release_of, report, score


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "20 of 20 photos rest on labelers flagged as too fast."),
        (40, "20 of 20 photos rest on labelers flagged by genset labels stats."),
    ],
)
def test_a_release_says_who_its_labels_rest_on(tmp_path: Path, seconds: float, said: str) -> None:
    workspace, store = labeled_workspace(tmp_path / "workspace")
    for start in range(0, 20, 4):  # one thing only, of all photos
        screenful(store, "eve", TASKS[start : start + 4], seconds, "correct")
    store.close()

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["-w", str(workspace.root), *words])
        assert done.exit_code == 0, done.output
        return done.stdout

    single = "20 of 20 photos have one label, so that agreement on them is not known."
    for words in (["release", "create", "v1", "--dry-run"], ["release", "create", "v1"]):
        lines = run(*words).splitlines()
        assert [line for line in lines if "20 of 20" in line] == [f"  {said}", f"  {single}"]
    assert said in (workspace.releases / "v1" / "docs/DATA_CARD.md").read_text()
    run("report", "v1", "-o", str(tmp_path / "v1.html"))
    page = Page(tmp_path / "v1.html").text
    assert page.index(said) < page.index(single) < page.index("To score one")
    assert said in run("report", "v1", "--format", "markdown")


def test_copies_of_one_model_are_named_where_they_are_compared(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 60), tmp_path / "runs"
    for name, right in (("a", 40), ("copy of a", 40), ("c", 30)):
        score(photos, runs, name, right, weights=f"sha256:{name}")
    said = "a, copy of a: equal answers and scores on every photo, as copies of one model have"
    assert f"{said}." in report(photos, runs).text
    words = ["compare", "--on", str(photos.root), "--runs", str(runs)]
    for second, count in (("copy of a", 1), ("c", 0)):
        done = CliRunner().invoke(cli, [*words, "a", second])
        assert done.stdout.count(said) == count, done.output
    few = release_of(tmp_path / "few", 49)
    for name in ("a", "b"):
        score(few, runs, name, 40, weights=f"sha256:{name}")
    assert "copies of one model" not in report(few, runs).text
