"""`genset labels propose`: which questions come, who proposed them, and what stays.

Classes that a labeler added are asked of others, and go and come back with the votes.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from genset.classes import imagenet1k
from genset.core.errors import BadInput, GensetError
from genset.db import (
    Candidate,
    Photo,
    Proposal,
    ProposalRound,
    ProposedBy,
    Question,
    Store,
    Verdict,
    votes,
)
from genset.label.decisions import clear, void
from genset.label.exchange import import_labels
from genset.release.reader import MANIFEST, Release
from genset.scrape.removal import remove
from genset.workspace import Workspace
from tests.label.desks import classes_of, decide, decide_all, desk_of, hold
from tests.label.proposals.released import ALL, asked, done, genset, released, score, shifted
from tests.labeled_workspace import CLASSES, TENCH, vote

Opened = tuple[Workspace, Store, Release]


@pytest.fixture
def scored(tmp_path: Path) -> Iterator[Opened]:
    """Twenty photos of four classes, and two models, of which each proposes two classes alone."""
    workspace, store, release = released(tmp_path / "workspace")
    score(workspace, "a", shifted(50))
    score(workspace, "b", shifted(52))
    yield workspace, store, release
    store.close()


def propose(workspace: Workspace, *words: str) -> Any:
    return json.loads(done(workspace, "labels", "propose", "v1", *words, "--json").stdout)


def proposers(store: Store) -> dict[str, list[tuple[str, str, int | None]]]:
    """Who proposed, by the name of what is asked: kind, name and place."""
    found: dict[str, list[tuple[str, str, int | None]]] = {}
    with store.session() as session:
        for question in session.scalars(select(Question)):
            rows = session.scalars(
                select(ProposedBy)
                .where(ProposedBy.candidate_id == question.candidate_id)
                .order_by(ProposedBy.id)
            )
            found[question.claim.task] = [(each.kind, each.name, each.place) for each in rows]
    return found


def of_photo(store: Store, photo: str) -> dict[str, Question]:
    """A photo's questions by class."""
    return {
        task.partition("/")[0]: each for task, each in asked(store).items() if task.endswith(photo)
    }


def test_a_photo_is_asked_about_with_what_models_said_and_what_is_like_it(scored: Opened) -> None:
    workspace, store, _ = scored
    before = json.loads(done(workspace, "status", "--json").stdout)
    told = propose(workspace)
    found = of_photo(store, "/flickr:0")
    home = ALL.index(TENCH)
    both, alone = [ALL[home + 52], ALL[home + 53]], [ALL[home + 50], ALL[home + 51]]
    confusable = [each.wnid for each in imagenet1k().confusable(TENCH)]
    assert {*both, *alone, confusable[0]} <= {*found}
    assert len(found) == 8
    assert TENCH not in found
    by = proposers(store)
    assert by[f"{both[0]}/flickr:0"] == [("model", "a", 4), ("model", "b", 2)]
    assert by[f"{alone[0]}/flickr:0"] == [("model", "a", 2)]
    assert by[f"{confusable[0]}/flickr:0"] == [("confusable", TENCH, 1)]
    with store.session() as session:
        runs = set(session.scalars(select(ProposedBy.run).where(ProposedBy.kind == "model")))
        kept = [json.loads(path.read_text()) for path in workspace.runs.glob("v1/*/run.json")]
    assert runs == {run["key"] for run in kept}
    assert told["photos"] == 20
    assert told["questions"] == told["votes"] == len(asked(store)) == 160
    assert {each.home for each in found.values()} == {TENCH}
    # The first pass sees none of it.
    next_command = f"genset -w {workspace.root} label"
    asks = {"questions": 160, "unanswered": 160, "next_command": next_command}
    assert json.loads(done(workspace, "status", "--json").stdout) == {**before, **asks}
    vote(store, next(iter(asked(store))), "ben", Verdict.INCORRECT)
    said = "questions  1 of 160 about further classes answered; 159 lack votes\n"
    assert said in done(workspace, "status").output
    assert json.loads(done(workspace, "labels", "stats", "--json").stdout)["candidates"] == 20


def test_those_that_most_propose_come_first(scored: Opened) -> None:
    propose(scored[0], "--most", "2")
    home = ALL.index(TENCH)
    assert {*of_photo(scored[1], "/flickr:0")} == {ALL[home + 52], ALL[home + 53]}


def test_a_release_is_asked_about_once_and_its_answers_stay(scored: Opened) -> None:
    workspace, store, release = scored
    propose(workspace, "--model", "a")
    before = proposers(store)
    task = next(iter(before))
    vote(store, task, "ben", Verdict.CORRECT)
    for words in ((), ("--dry-run",)):
        failed = genset(workspace, "labels", "propose", "v1", *words).exception
        assert isinstance(failed, BadInput)
        assert str(failed).startswith("labelers were asked about v1 on 20")
    assert proposers(store) == before
    with store.session() as session:
        [made] = session.scalars(select(ProposalRound))
        assert made.content_hash == release.content_hash
        assert votes(session)[asked(store)[task].candidate_id][Verdict.CORRECT] == 1


def test_what_another_release_asks_of_a_photo_is_not_asked_again(scored: Opened) -> None:
    workspace, store, _ = scored
    propose(workspace)
    before = proposers(store)
    remove(workspace, store, "flickr:0", "its owner asked")
    done(workspace, "release", "create", "v2")
    score(workspace, "a", shifted(50), "v2")
    score(workspace, "c", shifted(200), "v2")
    said = json.loads(done(workspace, "labels", "propose", "v2", "--json").stdout)
    assert said["known"] == 19 * 8
    assert said["questions"] > 0
    after = proposers(store)
    assert {task: after[task] for task in before} == before
    assert len(after) == len(before) + said["questions"]


def test_what_another_search_found_becomes_a_question_with_its_labels(scored: Opened) -> None:
    workspace, store, _ = scored
    wnid = ALL[ALL.index(TENCH) + 52]
    with store.begin() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == "0")).one()
        session.add(Candidate(wnid=wnid, photo=photo, keyword="x", rank=3))
    vote(store, f"{wnid}/flickr:0", "ben", Verdict.CORRECT)
    told = propose(workspace)
    assert told["claimed"] == 1
    assert told["votes"] == told["questions"] - 1
    assert f"{wnid}/flickr:0" in asked(store)
    with store.session() as session:
        kinds = Counter(type(each.claim) for each in session.scalars(select(Question)))
    assert kinds == {Candidate: 1, Proposal: told["questions"] - 1}
    stats = json.loads(done(workspace, "labels", "stats", "--json").stdout)["proposals"]
    assert stats["questions"] - stats["answered"] == stats["votes_missing"] == told["votes"]


def test_removed_photos_are_left_out_and_counted(scored: Opened) -> None:
    workspace, store, _ = scored
    remove(workspace, store, "flickr:0", "its owner asked")
    with store.begin() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == "1")).one()
        photo.source_id = "elsewhere"
    said = done(workspace, "labels", "propose", "v1").output
    assert "left out: 2 photos (1 not in this workspace, 1 removed)" in said
    remove(workspace, store, "flickr:2", "its owner asked")
    stats = json.loads(done(workspace, "labels", "stats", "--json").stdout)["proposals"]
    of_others = [task for task in asked(store) if not task.endswith("/flickr:2")]
    assert stats["questions"] == len(of_others) < len(asked(store)) == 18 * 8


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("v2",), "v2 is not a release"),
        (("v1", "--model", "c"), "no model 'c' was scored on v1; known: a, b"),
        (("v1", "--most", "9"), "a photo has 1 to 8 proposals, not 9"),
        (("v1", "--seed", "-1"), "a seed is from 0 to"),
        (("v1", "--runs", "nowhere"), "nowhere has no model that was scored on v1 as it is now"),
    ],
)
def test_what_cannot_be_proposed_is_named(
    scored: Opened, words: tuple[str, ...], complaint: str
) -> None:
    failed = genset(scored[0], "labels", "propose", *words).exception
    assert isinstance(failed, GensetError)
    assert complaint in str(failed)
    assert "\n" not in str(failed)
    assert asked(scored[1]) == {}


def test_labels_on_proposals_go_out_and_come_in_by_their_names(
    scored: Opened, tmp_path: Path
) -> None:
    workspace, store, _ = scored
    propose(workspace)
    first, second, *_ = sorted(asked(store))
    table = workspace.root / "crowd.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(
            [("task", "worker", "label"), (first, "eve", "correct"), (second, "eve", "unsure")]
        )
    assert import_labels(store, table).new == 2
    done(workspace, "labels", "export", str(workspace.root / "out.csv"))
    _, there, _ = released(tmp_path / "other")  # where they were not asked
    with pytest.raises(BadInput, match=r"nobody was asked .*; see genset labels propose"):
        import_labels(there, workspace.root / "out.csv")
    there.close()
    with (workspace.root / "out.csv").open() as file:
        said = {row["task"]: row["label"] for row in csv.DictReader(file) if row["worker"] == "eve"}
    assert said == {first: "correct", second: "unsure"}
    # What brings votes together has them, too, and a release can still be made of that.
    done(workspace, "labels", "aggregate", "--method", "majority", "-o", str(table))
    with table.open() as file:
        assert {first, second} <= {row["task"] for row in csv.DictReader(file)}
    done(workspace, "release", "create", "v2", "--labels", "majority")
    release = Release(workspace.releases / "v2")
    assert {photo.wnid for photo in release.photos} == set(CLASSES)
    assert len(release.photos) == 20


def test_two_runs_of_one_name_are_told_apart_by_their_keys(scored: Opened) -> None:
    workspace, store, _ = scored
    score(workspace, "a", lambda wnid, _: [wnid, *ALL[900:904]])
    keys = {path.name.rpartition("-")[2] for path in workspace.runs.glob("v1/a-*")}
    assert len(keys) == 2
    failed = genset(workspace, "labels", "propose", "v1", "--model", "a").exception
    assert "'a' names several runs; say which by its key alone: a [" in str(failed)
    propose(workspace)
    with store.session() as session:
        by = session.scalars(select(ProposedBy).where(ProposedBy.kind == "model")).all()
    assert len({one.run for one in by}) == len({one.name for one in by}) == 3
    assert keys < {(one.run or "")[:12] for one in by}


Spammed = tuple[Workspace, Store]


ADDED = ALL[990]

WHY = {"by": "mia", "reason": "clicks everything"}


@pytest.fixture
def spammed(tmp_path: Path) -> Iterator[Spammed]:
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


def stats(opened: Spammed) -> dict[str, Any]:
    told = json.loads(done(opened[0], "labels", "stats", "--json").stdout)
    found: dict[str, Any] = told["proposals"]
    return found


def asked_of(opened: Spammed, name: str) -> set[str]:
    return {wnid for each in desk_of(opened, name).also_screens() for wnid in classes_of(each)}


def lists(opened: Spammed, name: str) -> set[str]:
    words = ("release", "create", name, "--from", "v1", "--multilabel", "--allow-unanswered")
    done(opened[0], *words)
    [photo] = Release(opened[0].releases / name).photos
    every = (photo.labels_correct, photo.labels_unclear, photo.labels_wrong)
    return {wnid for some in every for wnid in some or ()}


@pytest.mark.parametrize("take_out", [void, hold])
def test_what_only_a_voided_labeler_named_is_asked_no_more(spammed: Spammed, take_out: Any) -> None:
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


def test_what_others_found_in_the_photo_stays(spammed: Spammed) -> None:
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
def named(tmp_path: Path) -> Iterator[Spammed]:
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


def test_what_a_labeler_named_goes_to_the_others(named: Spammed) -> None:
    workspace, _ = named
    assert counts(workspace) == frozen(workspace, "v2", "--allow-unanswered") == (7, 7)
    rejected = genset(workspace, "release", "create", "v3", *MULTILABEL).exception
    assert isinstance(rejected, GensetError)
    assert "7 of 7 questions, about 2 photos, lack votes" in str(rejected)
    screens = decide_all(desk_of(named, "ben"))
    assert ADDED in {wnid for screen in screens for wnid in classes_of(screen)}
    assert counts(workspace) == frozen(workspace, "v3") == (7, 0)
