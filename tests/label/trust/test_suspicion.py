"""Who gives cause for suspicion, and whose votes are held out for it."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from genset.db import LabelerAct
from genset.label import Store, Verdict, suspicion
from genset.label.aggregate.votes import Vote
from genset.label.agreement import Comparison
from genset.label.ballots import votes_table
from genset.label.decisions import clear, suspensions, void
from genset.label.gold import add_gold_question
from genset.label.session.desk import Desk
from genset.label.session.shown import Screen
from genset.label.stats import collect
from genset.label.suspicion import Timed, compare, contradicts, disagrees, hurries, misses, pace
from genset.workspace import Workspace
from tests.label.desks import CORRECT, INCORRECT, Say, decided, desk_of, do_all, under
from tests.labeled_workspace import CLASSES, add_candidate

START = datetime(2026, 1, 1, tzinfo=UTC)


def timed(claims: Sequence[float], gaps: Sequence[float], ahead: int = 4) -> list[Timed]:
    """Screens of five photos, leased `ahead` of their turn, submitted with these gaps (seconds)."""
    came = [START]
    for gap in gaps:
        came.append(came[-1] + timedelta(seconds=gap))
    return [
        Timed(5, claim, came[max(0, place - ahead)], came[place + 1])
        for place, claim in enumerate(claims)
    ]


def test_a_pace_is_what_the_page_says_where_that_is_possible() -> None:
    assert pace([]) is None
    assert pace(timed([0.1] * 6, [0.2] * 6)) == pytest.approx(0.02)
    assert pace(timed([10.0] * 6, [11.0] * 6)) == pytest.approx(2.0)
    # A page that was offline sends all at once, and has looked for as long as it says.
    offline = timed([10.0] * 4, [60, 0.01, 0.01, 0.01])
    assert pace(offline) == pytest.approx(2.0)


def test_who_claims_more_time_than_there_was_is_judged_by_the_servers_clock() -> None:
    lie = timed([9.0] * 75, [0.2] * 75)
    assert pace(lie) == pytest.approx(0.04)
    assert hurries(lie) == ["takes 0.04 s a photo, and nobody looks in less than 0.3 s"]
    # A night between two bursts is no time to look.
    burst, night = [0.2] * 30, [36_000.0]
    assert hurries(timed([9.0] * 121, (burst + night) * 3 + burst[:28]))
    # Nor does a cup of coffee make anybody a liar.
    assert hurries(timed([9.0, 1000.0, *[9.0] * 4], [9.5, 1000.5, *[9.5] * 4])) == []


def test_fewer_than_20_photos_contradict_nobody() -> None:
    assert contradicts(Comparison(0, 19, 0.5)) == []
    assert contradicts(Comparison(0, 20, 0.5))


def test_a_grid_s_photos_are_looked_at_faster() -> None:
    for seconds, told in ((4.0, 1), (5.0, 0)):
        screens = [Timed(48, seconds, *screen[2:]) for screen in timed([9.0] * 5, [10] * 5)]
        assert len(hurries(screens)) == told


@pytest.mark.parametrize(
    ("right", "of", "fails"),
    [(0, 4, False), (2, 5, True), (3, 5, False), (5, 5, False), (13, 20, False), (11, 20, True)],
)
def test_gold_questions_fail_somebody_only_beyond_doubt(right: int, of: int, fails: bool) -> None:
    assert misses((right, of), 0.8) is fails
    assert not misses((right, of), None)


@pytest.mark.parametrize("votes_for_each", [3, 5])
@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (3, {"guesser": 0.53, "opposite": 0.05}),
        (7, {"guesser": 0.53, "opposite": 0.05}),
        (7, {"guesser": 0.5, "another": 0.5, "opposite": 0.05}),
        (7, {"opposite": 0.05, "another": 0.05, "a third": 0.05}),
        (7, {"guesser": 0.5, "another": 0.5, "a third": 0.5}),
    ],
)
def test_bad_labelers_hide_neither_each_other_nor_behind_good_ones(
    good: int, bad: dict[str, float], votes_for_each: int
) -> None:
    for seed in range(10):
        draw = random.Random(seed)
        right = {**{f"good {number}": 0.9 + number / 100 for number in range(good)}, **bad}
        votes = []
        for task in range(374):
            truth = draw.random() < 0.7
            for worker in draw.sample(sorted(right), votes_for_each):
                says_so = truth == (draw.random() < right[worker])
                votes.append(Vote(str(task), worker, "correct" if says_so else "incorrect"))
        found = compare(votes)
        named = {name for name, one in found.items() if contradicts(one) or disagrees(one)}
        assert named == bad.keys(), seed


def work(desk: Desk, say: Say = CORRECT, looked: float = 0.0, screens: int = 99) -> list[Screen]:
    """Label screens, of which the page says that each was looked at for so long (seconds)."""
    done = []
    while len(done) < screens and (found := desk.screens(1)):
        submission = decided(found[0], say)
        began = submission.submitted_at - 1000 * looked
        assert all(each.ok for each in desk.submit(replace(submission, shown_at=began)))
        done.append(found[0])
    return done


@pytest.fixture
def larger(opened: tuple[Workspace, Store]) -> tuple[Workspace, Store]:
    """Sixty candidates instead of twenty."""
    workspace, store = opened
    for place, wnid in enumerate(CLASSES):
        for number in range(10):
            add_candidate(workspace, store, wnid, 1000 + 100 * place + number, number + 6)
    return opened


def test_who_cannot_have_looked_is_held_out_until_a_manager_decides(
    larger: tuple[Workspace, Store],
) -> None:
    strict = under(larger, hold_suspects=True)
    workspace, store = strict
    spam = desk_of(strict, "spam")
    work(spam, screens=4)
    assert suspensions(store) == {}
    work(spam, screens=1)
    held = suspensions(store)["spam"]
    assert (held.what, held.by) == (LabelerAct.HOLD, "genset")
    assert "s a photo, and nobody looks in less than 0.3 s" in held.reason
    assert votes_table(store) == []
    work(spam)  # they are not told, and what they say is held out too
    assert votes_table(store) == []
    assert len(do_all(desk_of(larger, "next"))) == 12
    [out] = collect(store, workspace).suspended
    assert (out.name, out.state, out.labels, out.by) == ("spam", "held out", 60, "genset")


def test_the_same_votes_are_not_held_out_again_once_they_are_cleared(
    larger: tuple[Workspace, Store],
) -> None:
    strict = under(larger, hold_suspects=True)
    workspace, store = strict
    spam = desk_of(strict, "spam")
    work(spam, screens=5)
    clear(store, workspace, "spam", by="mia", reason="I looked")
    assert len(votes_table(store)) == 25
    work(spam, screens=4)
    assert suspensions(store) == {}
    assert len(votes_table(store)) == 45
    work(spam, screens=1)  # what came since gives cause by itself, and is held out alone
    assert suspensions(store)["spam"].since is not None
    assert len(votes_table(store)) == 25
    void(store, workspace, "spam", by="mia", reason="enough")
    assert votes_table(store) == []


def test_who_misses_gold_questions_is_held_out(larger: tuple[Workspace, Store]) -> None:
    strict = under(larger, hold_suspects=True, gold=0.5)
    workspace, store = strict
    for number in range(8):
        task = add_candidate(workspace, store, "n04254680", 9000 + number)
        add_gold_question(store, task, Verdict.INCORRECT, "a ball", CLASSES[0])
    work(desk_of(strict, "spam"), looked=30)
    held = suspensions(store)["spam"]
    assert "gold questions" in held.reason


def test_who_says_the_opposite_is_held_out(larger: tuple[Workspace, Store]) -> None:
    calm = under(larger, votes=4)
    _, store = calm

    def right(owner: str) -> Verdict:
        return CORRECT if int(owner.split()[1]) % 2 else INCORRECT

    def wrong(owner: str) -> Verdict:
        return INCORRECT if right(owner) is CORRECT else CORRECT

    for name in ("ann", "ben"):
        do_all(desk_of(calm, name), right)
    work(desk_of(under(larger, votes=4, hold_suspects=True), "eve"), wrong, looked=3)
    assert "where chance gives" in suspensions(store)["eve"].reason
    assert set(suspensions(store)) == {"eve"}


def test_a_check_that_fails_fails_no_submission(
    larger: tuple[Workspace, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[str]:
        raise RuntimeError("out of order")

    monkeypatch.setattr(suspicion, "reasons_against", broken)
    strict = under(larger, hold_suspects=True)
    assert len(work(desk_of(strict, "spam"))) == 12
    assert suspensions(strict[1]) == {}
