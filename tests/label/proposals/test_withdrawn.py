"""What labelers named is asked again after a withdrawal, and the numbers say what is not."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from genset.core.errors import GensetError
from genset.db import Store, Verdict
from genset.label.trust.void import void
from genset.release.reader import MANIFEST
from genset.workspace import Workspace
from tests.label.also import classes_of, decide, decide_all
from tests.label.desks import desk_of
from tests.label.proposals.released import ALL, asked, done, genset, released, score, shifted
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
    propose(workspace)
    ann = desk_of(opened, "ann")
    decide(ann, ann.also_screens()[0], Verdict.INCORRECT, ADDED)
    decide_all(ann)
    yield opened
    store.close()


def propose(workspace: Workspace, *words: str) -> Any:
    given = ("--most", "3", *words, "--json")
    return json.loads(done(workspace, "labels", "propose", "v1", *given).stdout)


def withdraw(workspace: Workspace) -> None:
    done(workspace, "labels", "propose", "v1", "--withdraw")


def stats(workspace: Workspace) -> tuple[int, int, int, int]:
    told = json.loads(done(workspace, "labels", "stats", "--json").stdout)["proposals"]
    lack = told["questions"] - told["answered"] - told["withdrawn"]
    return told["questions"], told["answered"], told["withdrawn"], lack


def frozen(workspace: Workspace, name: str, *words: str) -> tuple[int, int, int, int]:
    """The same numbers of a release."""
    done(workspace, "release", "create", name, *MULTILABEL, *words)
    told = json.loads((workspace.releases / name / MANIFEST).read_text("utf-8"))["multilabel"]
    lack = told["unanswered"], told["withdrawn"]
    return told["questions"], told["questions"] - sum(lack), told["withdrawn"], told["unanswered"]


@pytest.mark.soak
def test_what_a_labeler_named_goes_to_the_others_in_the_next_round(named: Opened) -> None:
    workspace, store = named
    assert stats(workspace) == (7, 0, 0, 7)
    withdraw(workspace)
    again = propose(workspace)
    assert (again["questions"], again["again"], again["by"]["labeler"]) == (7, 7, 1)
    assert {each.round_id for each in asked(store).values()} == {2}
    assert propose(workspace)["questions"] == 0
    assert stats(workspace) == frozen(workspace, "v2", "--allow-unanswered") == (7, 0, 0, 7)
    rejected = genset(workspace, "release", "create", "v3", *MULTILABEL).exception
    assert isinstance(rejected, GensetError)
    assert "7 of 7 questions, about 2 photos, lack votes" in str(rejected)
    with at_a_new_server(workspace) as opened:
        screens = decide_all(desk_of(opened, "ben"))
    assert ADDED in {wnid for screen in screens for wnid in classes_of(screen)}
    assert stats(workspace) == frozen(workspace, "v3") == (7, 7, 0, 0)


def test_what_only_a_void_labeler_named_comes_back_with_their_votes_alone(named: Opened) -> None:
    workspace, store = named
    withdraw(workspace)
    void(store, workspace, "ann", by="mia", reason="a machine")
    assert propose(workspace)["questions"] == 6


def test_what_is_withdrawn_for_good_is_counted_alike_by_stats_and_release(named: Opened) -> None:
    workspace, _ = named
    withdraw(workspace)
    assert stats(workspace) == frozen(workspace, "v2") == (7, 0, 7, 0)
    said = done(workspace, "labels", "stats").output
    assert "0 need 0 more votes, 7 withdrawn unanswered; so far" in said
    card = (workspace.releases / "v2" / "DATA_CARD.md").read_text("utf-8")
    assert "7 questions were withdrawn before they had all their votes." in card


def test_a_withdrawn_class_that_a_labeler_names_is_asked_again(named: Opened) -> None:
    """It was proposed once, and is not any more; then somebody sees it."""
    workspace, store = named
    withdraw(workspace)
    gone = ALL[ALL.index(TENCH) + 50]
    assert gone in {task.partition("/")[0] for task in asked(store)}
    score(workspace, "b", lambda wnid, _: [wnid, *ALL[900:904]])
    key = next(path.name.rpartition("-")[2] for path in workspace.runs.glob("v1/b-*"))
    propose(workspace, "--model", key, "--most", "1")
    (workspace.root / "genset.toml").write_text("[label]\nvotes = 2\ngrow_to = [3]\n")
    with at_a_new_server(Workspace.find(workspace.root)) as opened:
        ben = desk_of(opened, "ben")
        screens = ben.also_screens(count=4)
        assert gone not in {wnid for screen in screens for wnid in classes_of(screen)}
        receipts = decide(ben, screens[0], Verdict.INCORRECT, gone)
        assert all(each.ok for each in receipts)
        dans = desk_of(opened, "dan").also_screens(count=4)
        assert gone in {wnid for screen in dans for wnid in classes_of(screen)}


@contextmanager
def at_a_new_server(workspace: Workspace) -> Iterator[Opened]:
    """One that knows nothing of before: a running one learns of a new round after a while."""
    store = Store.open(workspace.store_url)
    yield workspace, store
    store.close()
