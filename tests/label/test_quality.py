"""How well labelers work, period by period; who is at it, how fast, and when it will be done."""

from dataclasses import astuple
from datetime import UTC, datetime, timedelta

import pytest

from genset.db import GoldAnswer, Label, Store, Verdict, find_candidate
from genset.label.decisions import void
from genset.label.gold import add_gold_question
from genset.label.labelers import Labelers
from genset.label.quality import Pace, Quality, missing, pace, quality
from genset.label.stats import collect
from genset.settings import LabelRules
from genset.workspace import Workspace
from tests.label.desks import desk_of, do, let_expire
from tests.labeled_workspace import GOLDFISH, TENCH, vote

YES, NO = Verdict.CORRECT, Verdict.INCORRECT


MONDAY = datetime(2026, 3, 2, 8, tzinfo=UTC)


def say(store: Store, worker: str, number: int, verdict: Verdict, at: datetime) -> None:
    with store.begin() as session:
        candidate = find_candidate(session, f"{TENCH}/flickr:{number}")
        values = {"worker": worker, "verdict": verdict, "decided_at": at}
        session.add(Label(candidate_id=candidate.id, **values))


def answer(store: Store, worker: str, gold_id: int, verdict: Verdict, at: datetime) -> None:
    values = {"worker": worker, "verdict": verdict, "decided_at": at}
    with store.begin() as session:
        session.add(GoldAnswer(gold_id=gold_id, **values))


def of(store: Store, worker: str) -> list[Quality]:
    return [row for row in quality(store) if row.worker == worker]


@pytest.mark.parametrize("a_step", [timedelta(minutes=1), timedelta(days=9)])
def test_a_labeler_is_seen_in_periods_with_equally_many_answers(
    anywhere: tuple[Workspace, Store], a_step: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genset.label.quality._LEAST_ANSWERS", 4)
    workspace, store = anywhere
    gold = [
        add_gold_question(store, f"{GOLDFISH}/flickr:{100 + number}", NO, "a carp").id
        for number in range(4)
    ]
    for number in range(4):
        at = MONDAY + number * a_step
        for worker in ("ann", "ben", "cleo"):
            say(store, worker, number, YES, at)
        say(store, "zed", number, NO if number > 1 else YES, at)
        answer(store, "zed", gold[number], YES if number > 1 else Verdict.BROKEN, at)
    first, second = of(store, "zed")
    assert (first.since, first.votes) == (MONDAY, 2)
    assert (second.since, second.votes) == (MONDAY + 2 * a_step, 2)
    assert first.gold_shown == 0.5
    assert first.gold is not None
    assert (first.gold.right, first.gold.of) == (2, 2)
    assert first.gold.low < 0.4  # of two, nobody can tell
    assert first.consensus is not None
    assert (first.consensus.right, first.consensus.of) == (2, 2)
    assert second.gold is not None
    assert second.consensus is not None
    assert (second.gold.right, second.consensus.right) == (0, 0)

    # A changed mind is counted where it was changed.
    say(store, "zed", 0, NO, MONDAY + 4 * a_step)
    assert [row.votes for row in of(store, "zed")] == [1, 3]
    # All periods together are what the numbers of the labeler are.
    numbers = {row.name: row for row in collect(store, workspace).by_labeler}
    for worker in ("ann", "zed"):
        whole = numbers[worker].consensus
        parts = [row.consensus for row in of(store, worker) if row.consensus is not None]
        assert whole is not None
        assert (whole.right, whole.of) == (
            sum(part.right for part in parts),
            sum(part.of for part in parts),
        )
    void(store, workspace, "zed", by="dana", reason="guesses")
    assert of(store, "zed") == []


Opened = tuple[Workspace, Store]


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


def test_when_it_will_be_done_goes_by_the_pace_of_20_labels_or_more() -> None:
    assert Pace({}, 20, timedelta(minutes=10)).time_for(100) == timedelta(minutes=50)
    assert Pace({}, 19, timedelta(minutes=10)).time_for(100) is None


def test_missing_votes_are_what_labelers_are_still_asked_for(anywhere: Opened) -> None:
    _, store = anywhere
    rules = LabelRules(votes=2, grow_to=(5,))
    vote(store, f"{TENCH}/flickr:0", "ann", Verdict.CORRECT)
    vote(store, f"{TENCH}/flickr:0", "ben", Verdict.INCORRECT)  # doubtful: it goes to five
    vote(store, f"{TENCH}/flickr:1", "ann", Verdict.CORRECT)
    assert astuple(missing(store, LabelRules(votes=1)))[1:] == (18, 18)
    assert astuple(missing(store, rules))[1:] == (18 * 2 + 3 + 1, 18 * 5 + 3 + 4)
