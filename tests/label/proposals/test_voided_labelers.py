"""Classes that a labeler added are asked of others, and go and come back with the votes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from genset.core.errors import GensetError
from genset.db import Store, Verdict
from genset.label.decisions import clear, void
from genset.release.reader import MANIFEST, Release
from genset.workspace import Workspace
from tests.label.also import classes_of, decide, decide_all
from tests.label.desks import desk_of, hold
from tests.label.proposals.released import ALL, done, genset, released, score, shifted
from tests.labeled_workspace import TENCH

Opened = tuple[Workspace, Store]


ADDED = ALL[990]

WHY = {"by": "mia", "reason": "clicks everything"}


@pytest.fixture
def spammed(tmp_path: Path) -> Iterator[Opened]:
    """One photo with three questions; eve, who came first, named a class that nobody proposed."""
    workspace, store, _ = released(tmp_path / "workspace", [TENCH], 1)
    score(workspace, "a", shifted(50))
    (workspace.root / "genset.toml").write_text("[label]\nvotes = 1\ngrow_to = [2]\ngold = 0\n")
    done(workspace, "labels", "propose", "v1", "--most", "3")
    opened = Workspace.find(workspace.root), store
    eve = desk_of(opened, "eve")
    decide(eve, eve.also_screens()[0], Verdict.INCORRECT, ADDED)
    yield opened
    store.close()


def stats(opened: Opened) -> dict[str, Any]:
    told = json.loads(done(opened[0], "labels", "stats", "--json").stdout)
    found: dict[str, Any] = told["proposals"]
    return found


def asked_of(opened: Opened, name: str) -> set[str]:
    return {wnid for each in desk_of(opened, name).also_screens() for wnid in classes_of(each)}


def lists(opened: Opened, name: str) -> set[str]:
    words = ("release", "create", name, "--from", "v1", "--multilabel", "--allow-unanswered")
    done(opened[0], *words)
    [photo] = Release(opened[0].releases / name).photos
    every = (photo.labels_correct, photo.labels_unclear, photo.labels_wrong)
    return {wnid for some in every for wnid in some or ()}


@pytest.mark.parametrize("take_out", [void, hold])
def test_what_only_a_voided_labeler_named_is_asked_no_more(spammed: Opened, take_out: Any) -> None:
    workspace, store = spammed
    assert (stats(spammed)["questions"], stats(spammed)["votes_missing"]) == (4, 0)
    assert ADDED in lists(spammed, "before")
    take_out(store, workspace, "eve", **WHY)
    assert (stats(spammed)["questions"], stats(spammed)["votes_missing"]) == (3, 3)
    left = asked_of(spammed, "ann")
    assert len(left) == 3 and ADDED not in left
    assert ADDED not in lists(spammed, "after")
    clear(store, workspace, "eve", by="mia", reason="a mistake")
    assert stats(spammed)["questions"] == 4
    assert ADDED in lists(spammed, "again")


def test_what_others_found_in_the_photo_stays(spammed: Opened) -> None:
    workspace, store = spammed
    (workspace.root / "genset.toml").write_text("[label]\nvotes = 2\ngrow_to = []\ngold = 0\n")
    more = Workspace.find(workspace.root), store
    ann = desk_of(more, "ann")
    (screen,) = ann.also_screens()
    assert ADDED in classes_of(screen)
    decide(ann, screen, lambda wnid: Verdict.CORRECT if wnid == ADDED else Verdict.INCORRECT)
    void(store, workspace, "eve", **WHY)
    assert stats(more)["questions"] == 4
    assert ADDED in asked_of(more, "ben")
    assert ADDED in lists(more, "stays")


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


def counts(workspace: Workspace) -> tuple[int, int]:
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
    assert counts(workspace) == frozen(workspace, "v2", "--allow-unanswered") == (7, 7)
    rejected = genset(workspace, "release", "create", "v3", *MULTILABEL).exception
    assert isinstance(rejected, GensetError)
    assert "7 of 7 questions, about 2 photos, lack votes" in str(rejected)
    screens = decide_all(desk_of(named, "ben"))
    assert ADDED in {wnid for screen in screens for wnid in classes_of(screen)}
    assert counts(workspace) == frozen(workspace, "v3") == (7, 0)
