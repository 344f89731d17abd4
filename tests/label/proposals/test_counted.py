"""Stats and a release count the questions alike: those that lack votes, and those that do not."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from genset.core.errors import GensetError
from genset.db import Store, Verdict
from genset.release.reader import MANIFEST
from genset.workspace import Workspace
from tests.label.also import classes_of, decide, decide_all
from tests.label.desks import desk_of
from tests.label.proposals.released import ALL, done, genset, released, score, shifted
from tests.labeled_workspace import TENCH

Opened = tuple[Workspace, Store]
ADDED = ALL[990]
MULTILABEL = ("--from", "v1", "--multilabel")


@pytest.fixture
def named(tmp_path: Path) -> Iterator[Opened]:
    """Two photos with three questions each, for two labelers; ann named a class in the first."""
    workspace, store, _ = released(tmp_path / "workspace", [TENCH], 2)
    score(workspace, "a", shifted(50))
    (workspace.root / "genset.toml").write_text("[label]\nvotes = 2\n")
    opened = Workspace.find(workspace.root), store
    done(workspace, "labels", "propose", "v1", "--most", "3")
    ann = desk_of(opened, "ann")
    decide(ann, ann.also_screens()[0], Verdict.INCORRECT, ADDED)
    decide_all(ann)
    yield opened
    store.close()


def stats(workspace: Workspace) -> tuple[int, int]:
    """The questions, and how many of them lack votes."""
    counted = json.loads(done(workspace, "labels", "stats", "--json").stdout)["proposals"]
    return counted["questions"], counted["questions"] - counted["answered"]


def frozen(workspace: Workspace, name: str, *words: str) -> tuple[int, int]:
    """The same numbers of a release."""
    done(workspace, "release", "create", name, *MULTILABEL, *words)
    counted = json.loads((workspace.releases / name / MANIFEST).read_text("utf-8"))["multilabel"]
    return counted["questions"], counted["unanswered"]


def test_what_a_labeler_named_goes_to_the_others(named: Opened) -> None:
    workspace, _ = named
    assert stats(workspace) == frozen(workspace, "v2", "--allow-unanswered") == (7, 7)
    rejected = genset(workspace, "release", "create", "v3", *MULTILABEL).exception
    assert isinstance(rejected, GensetError)
    assert "7 of 7 questions, about 2 photos, lack votes" in str(rejected)
    screens = decide_all(desk_of(named, "ben"))
    assert ADDED in {wnid for screen in screens for wnid in classes_of(screen)}
    assert stats(workspace) == frozen(workspace, "v3") == (7, 0)
