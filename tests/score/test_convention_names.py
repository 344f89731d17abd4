"""One model by several conventions on own classes: each run is told apart wherever it is named."""

import io
import json
import re
import shlex
from pathlib import Path

import pytest
from PIL import Image

from genset.classes import read_taxonomy
from genset.db import Verdict
from genset.db.taxonomies import store_taxonomy
from genset.release.freeze import create
from tests.commands import says
from tests.labeled_workspace import add_candidate, labeled_workspace, vote
from tests.score.colours import BLUE, GREEN, RED, colours
from tests.score.test_own_classes import CLASSES

PHOTOS = (("Крас", RED), ("Крас", GREEN), ("Крас", BLUE), ("cool", BLUE), ("cool", BLUE))
CONVENTIONS = {
    "all": (),
    "all, max": ("--pool", "max"),
    "subset": ("--among", "subset"),
    "subset, max": ("--pool", "max", "--among", "subset"),
}
NAMES = [f"colours ({each})" for each in CONVENTIONS]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace on own classes with a release of them, v1."""
    (tmp_path / "own.toml").write_text(CLASSES, "utf-8")
    workspace, store = labeled_workspace(tmp_path / "mine", classes=())
    with store.begin_alone() as session:
        store_taxonomy(session, read_taxonomy(tmp_path / "own.toml"))
    store._looked_at = -1e9  # some seconds pass
    for number, (wnid, colour) in enumerate(PHOTOS):
        content = painted(colour, number)
        task = add_candidate(workspace, store, wnid, number, content=content)
        vote(store, task, "ann", Verdict.CORRECT)
    create(workspace, store, "v1")
    store.close()
    monkeypatch.chdir(workspace.root)
    return workspace.root


def painted(colour: str, number: int) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (48 + number, 40), colour).save(content, "PNG")
    return content.getvalue()


def score(here: Path, *conventions: str, name: str = "colours") -> None:
    for each in conventions:
        spec = f"{colours(here)}&name={name}"
        says("evaluate", "v1", *CONVENTIONS[each], "--model", spec)


def test_compare_says_how_to_name_each_and_takes_these_names(here: Path) -> None:
    score(here, *CONVENTIONS)
    score(here, "all", name="other")
    said = says("compare", "colours", "other", code=2)
    start, _, listed = said.partition("; say which: ")
    assert start == "'colours' names several runs"
    names = [name.removesuffix(",") for name in shlex.split(listed)]
    assert sorted(names) == sorted(NAMES)
    for name in names:
        found = json.loads(says("compare", name, "other", "--json"))
        assert {found["first"], found["second"]} == {name, "other"}
        (remark, *_) = found["remarks"][name]
        assert ("answers among these alone" in remark) == ("subset" in name)
        assert ("the largest probability taken" in remark) == ("max" in name)
    text = says("compare", "colours (all)", "colours (subset, max)")
    assert re.search(r"^colours \(subset, max\)  ", text, re.MULTILINE)
    assert "colours (all) was scored by (all) and colours (subset, max) by (subset, max)" in text
    alike = says("compare", "colours (all)", "other")
    assert "was scored by" not in alike
    # A convention may be said where it is the only one, too; and what was not run is not found.
    assert "other  " in says("compare", "other (all)", "colours (all)")
    said = says("compare", "other (subset)", "colours (all)", code=2)
    assert "no model 'other (subset)' was scored on v1; known: colours (" in said


def test_reports_tell_them_apart_in_every_form(here: Path) -> None:
    score(here, *CONVENTIONS)
    score(here, "subset", name="other")
    wanted = sorted([*NAMES, "other"])
    data = json.loads(says("report", "v1", "--json", "-o", "page.html"))
    assert sorted(model["label"] for model in data["models"]) == wanted
    assert {each["first"] for each in data["pairs"]} <= set(wanted)
    text = says("report", "v1", "--format", "markdown")
    board = [line for line in text.splitlines() if line.startswith("|")][2:7]
    cells = sorted(line.split(" | ")[1].partition(" (my")[0] for line in board)
    assert cells == wanted
    page = (here / "page.html").read_text("utf-8")
    assert sorted(re.findall(r"<summary><bdi>(.+?)</bdi>", page)) == wanted
