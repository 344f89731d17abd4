"""Who labels, how fast, and when it will be done: a range, or that nobody can tell."""

from dataclasses import astuple
from datetime import timedelta
from pathlib import Path

from genset.db import Label, Store, Verdict, find_candidate, now
from genset.label.decisions import void
from genset.label.labelers import Labelers
from genset.label.quality import Pace, missing, pace
from genset.settings import LabelRules
from genset.workspace import Workspace
from tests.label.desks import desk_of, do, let_expire
from tests.labeled_workspace import TENCH, vote
from tests.questions import BASSINET, CROQUET, LAMPSHADE, questioned_workspace

Opened = tuple[Workspace, Store]
MINUTES = timedelta(minutes=1)


def said(store: Store, number: int, worker: str, ago: timedelta) -> None:
    with store.begin() as session:
        candidate = find_candidate(session, f"{TENCH}/flickr:{number}")
        row = {"worker": worker, "verdict": Verdict.CORRECT, "via": "page"}
        session.add(Label(candidate_id=candidate.id, decided_at=now() - ago, **row))


def test_who_has_photos_before_them_is_at_work(anywhere: Opened) -> None:
    workspace, store = anywhere
    ann = desk_of(anywhere, "ann")
    do(ann, ann.screens()[0])
    ann.screens()
    gone = desk_of(anywhere, "gone")
    let_expire(store, *gone.screens())
    going = pace(store, workspace.label)
    assert (going.at_work, going.labels) == ({"ann": 5}, 5)
    Labelers(store).block("ann")
    assert pace(store, workspace.label).at_work == {}


def test_the_last_hour_is_told_without_what_is_void(anywhere: Opened) -> None:
    workspace, store = anywhere
    for number, ago in enumerate((35, 30, 25, 5, 70)):
        said(store, number, "ann", ago * MINUTES)
    said(store, 0, "eve", 5 * MINUTES)
    vote(store, f"{TENCH}/flickr:1", "table", Verdict.CORRECT)  # came in a table, at once
    void(store, workspace, "eve", by="dana", reason="0 s a photo")
    found = pace(store, workspace.label)
    assert (found.labels, round(found.took / MINUTES)) == (4, 35)


def test_missing_votes_are_what_labelers_are_still_asked_for(anywhere: Opened) -> None:
    _, store = anywhere
    rules = LabelRules(votes=2, grow_to=(5,))
    vote(store, f"{TENCH}/flickr:0", "ann", Verdict.CORRECT)
    vote(store, f"{TENCH}/flickr:0", "ben", Verdict.INCORRECT)  # doubtful: it goes to five
    vote(store, f"{TENCH}/flickr:1", "ann", Verdict.CORRECT)
    assert astuple(missing(store, LabelRules(votes=1)))[1:] == (18, 18)
    assert astuple(missing(store, rules))[1:] == (18 * 2 + 3 + 1, 18 * 5 + 3 + 4)


def test_when_it_will_be_done_goes_by_the_pace_of_20_labels_or_more() -> None:
    assert Pace({}, 20, 10 * MINUTES).time_for(100) == 50 * MINUTES
    assert Pace({}, 19, 10 * MINUTES).time_for(100) is None


def test_questions_are_missing_votes_too(tmp_path: Path) -> None:
    _, store = questioned_workspace(tmp_path / "asked", photos=2)
    rules = LabelRules(votes=2, grow_to=(3,), threshold=0.3)
    assert astuple(missing(store, rules))[1:] == (48, 72)
    for worker, verdict in (("ann", Verdict.CORRECT), ("bob", Verdict.INCORRECT)):
        vote(store, f"{BASSINET}/flickr:0", worker, verdict)
        vote(store, f"{CROQUET}/flickr:0", worker, Verdict.CORRECT)
    assert astuple(missing(store, rules))[1:] == (45, 67)
    for worker, verdict in (("ann", Verdict.UNSURE), ("bob", Verdict.INCORRECT)):
        vote(store, f"{LAMPSHADE}/flickr:0", worker, verdict)
    assert astuple(missing(store, rules))[1:] == (44, 65)
    store.close()
