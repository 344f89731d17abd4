"""Labeling in numbers, on workspaces whose numbers can be counted by hand."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from genset.core.errors import BadInput
from genset.db import Candidate, GoldAnswer, Label, Photo, Screen, ScreenPhoto, find_candidate
from genset.label import Store, Verdict
from genset.label.gold import add_gold_question, list_gold_questions
from genset.label.stats import Frequency, LabelerStats, Share, Stats, collect
from genset.settings import LabelRules
from genset.workspace import Workspace
from tests.labeled_workspace import CLASSES, GOLDFISH, TENCH, vote

Opened = tuple[Workspace, Store]
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
TASKS = [f"{wnid}/flickr:{100 * place + k}" for place, wnid in enumerate(CLASSES) for k in range(5)]


def say(store: Store, task: str, *verdicts: str, panel: str = "main") -> None:
    """Let one labeler after the other say something of a task."""
    for number, verdict in enumerate(verdicts):
        vote(store, task, f"w{number}", Verdict(verdict), panel)


def screenful(
    store: Store, worker: str, tasks: Sequence[str], seconds: float, verdict: str
) -> None:
    """Let somebody decide a screen, at which they look for so many `seconds`."""
    with store.begin() as session:
        painted = NOON + timedelta(hours=session.query(Screen).count())
        values = {"worker": worker, "wnid": tasks[0][:9], "panel": "main", "guideline": "1"}
        values |= {"candidates": len(tasks), "created_at": painted, "expires_at": painted}
        done = painted + timedelta(seconds=seconds)
        screen = Screen(id=secrets.token_hex(16), submitted_at=done, seconds=seconds, **values)
        session.add(screen)
        session.flush()
        for place, task in enumerate(tasks, 1):
            about = {"candidate_id": find_candidate(session, task).id, "screen_id": screen.id}
            session.add(ScreenPhoto(id=secrets.token_hex(16), place=place, **about))
            session.add(Label(worker=worker, verdict=Verdict(verdict), **about))


def answer(store: Store, worker: str, number: int, *verdicts: str) -> None:
    """Let somebody answer a question that is known to be wrong; the last answer counts."""
    task = f"{TENCH}/flickr:{number}"
    known = {each.task: each for each in list_gold_questions(store)}
    question = known.get(f"{GOLDFISH}/flickr:{number}")
    question = question or add_gold_question(store, task, Verdict.INCORRECT, "a tench", GOLDFISH)
    with store.begin() as session:
        for verdict in verdicts:
            session.add(GoldAnswer(gold_id=question.id, worker=worker, verdict=Verdict(verdict)))
            session.flush()


def of(stats: Stats, name: str) -> LabelerStats:
    return next(each for each in stats.by_labeler if each.name == name)


def test_progress_and_frequencies_by_class_and_candidate(opened: Opened) -> None:
    workspace, store = opened
    workspace = replace(workspace, label=LabelRules(votes=3))
    say(store, TASKS[0], "correct", "correct", "incorrect")
    say(store, TASKS[1], "correct", "correct", "correct")
    say(store, TASKS[2], "broken")
    say(store, TASKS[5], "unsure", "unsure", "incorrect")
    say(store, TASKS[0], "correct", "correct", "correct")  # the third labeler's second thought

    stats = collect(store, workspace)

    assert (stats.labeled, stats.done, stats.votes, stats.labelers) == (4, 3, 10, 3)
    assert stats.histogram == (2, *[0] * 9, 2)
    tench, goldfish, *_ = stats.classes
    assert (tench.name, tench.labeled, tench.done, tench.votes) == ("tench", 3, 2, 7)
    assert tench.frequency == pytest.approx(2 / 3)
    assert goldfish.frequency == 0
    assert goldfish.alpha == pytest.approx(0)
    assert stats.frequencies[0] == Frequency(
        TASKS[0], 3, 3, 1.0, pytest.approx(0.4385, abs=1e-4), 1.0, None
    )
    assert stats.frequencies[3].share == 0


def test_panels_are_kept_apart(opened: Opened) -> None:
    workspace, store = opened
    say(store, TASKS[0], "correct", "correct")
    say(store, TASKS[0], "incorrect", "incorrect", panel="fresh")
    shares = {
        panel: [each.share for each in collect(store, workspace, panel).frequencies]
        for panel in ("main", "fresh")
    }
    assert shares == {"main": [1.0], "fresh": [0.0]}
    assert collect(store, workspace).panels == {"fresh": 2, "main": 2}
    with pytest.raises(BadInput, match="no labels of panel 'other'"):
        collect(store, workspace, "other")


def test_a_contested_photo_counts_once_somebody_spoke_of_it(opened: Opened) -> None:
    workspace, store = opened
    with store.begin() as session:
        photo = session.query(Photo).filter_by(source_id="0").one()
        session.add(Candidate(wnid=GOLDFISH, photo=photo, keyword="other", rank=9))
    assert collect(store, workspace).candidates == 19
    say(store, TASKS[0], "correct")
    assert collect(store, workspace).candidates == 20


def test_pace_is_the_median_of_screens_by_their_photos(opened: Opened) -> None:
    workspace, store = opened
    screenful(store, "ann", TASKS[0:5], 10, "correct")  # 2 s a photo
    screenful(store, "ann", TASKS[5:10], 3, "correct")  # by one key: 0.6 s
    screenful(store, "ann", TASKS[10:12], 500, "correct")  # a break: 250 s
    say(store, TASKS[12], "correct")
    stats = collect(store, workspace)
    assert of(stats, "ann").seconds == 2.0
    assert of(stats, "w0").seconds is None


def test_known_answers_tell_who_guesses(opened: Opened) -> None:
    workspace, store = opened
    for number in range(5):
        answer(store, "ann", number, "incorrect" if number else "broken")
        answer(store, "eve", number, "incorrect", "correct")  # changed to the worse
    stats = collect(store, workspace)
    assert of(stats, "ann").gold == Share(5, 5, 1.0, pytest.approx(0.5655, abs=1e-4), 1.0)
    assert of(stats, "ann").reasons == ()
    assert of(stats, "eve").reasons == ("right on 0 of 5 gold questions",)


def test_who_disagrees_with_everybody_is_named(opened: Opened) -> None:
    workspace, store = opened
    for place, task in enumerate(TASKS):
        right = "correct" if place % 3 else "incorrect"
        wrong = "incorrect" if place % 3 else "correct"
        say(store, task, right, right, right, right if place < 2 else wrong)
    stats = collect(store, workspace)
    assert of(stats, "w3").consensus == Share(
        2, 20, 0.1, pytest.approx(0.0279, abs=1e-4), pytest.approx(0.301, abs=1e-3)
    )
    assert of(stats, "w3").reasons == ("agrees with the others on 2 of 20; they do on 100%",)
    assert [name for name in ("w0", "w1", "w2") if of(stats, name).reasons] == []


def test_who_hurries_and_who_says_one_thing_only_is_named(opened: Opened) -> None:
    workspace, store = opened
    for start in range(0, 20, 5):
        tasks = TASKS[start : start + 5]
        screenful(store, "ann", tasks, 15, "correct" if start else "incorrect")
    for start in range(0, 20, 4):
        screenful(store, "eve", TASKS[start : start + 4], 2, "correct")
    stats = collect(store, workspace)
    assert of(stats, "eve").reasons == (
        "takes 0.5 s a photo; the others take 3.0 s",
        "says correct of all 20 photos",
    )
    assert of(stats, "ann").reasons == ()
