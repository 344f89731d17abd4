"""What `labels stats` says of proposals: the bias, and who agrees with whatever is proposed."""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from genset.db import (
    Label,
    Proposal,
    ProposalRound,
    ProposedBy,
    Question,
    Ruling,
    Screen,
    ScreenPhoto,
    Store,
    Verdict,
    find_candidate,
    now,
)
from genset.label.proposals.bias import ProposalStats
from genset.label.quality.stats import collect
from genset.label.quality.suspicion import pace, reasons_against, timed_screens
from genset.label.quality.void import void
from genset.workspace import LabelRules, Workspace
from tests.label.proposals.released import ALL, asked, done, released, score, shifted
from tests.labeled_workspace import CLASSES

CORRECT, INCORRECT, UNSURE = Verdict.CORRECT, Verdict.INCORRECT, Verdict.UNSURE
Opened = tuple[Workspace, Store]
Says = Callable[[str, Question], Verdict]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """Sixty photos of a release with 480 questions, of which a fifth are at random."""
    workspace, store, _ = released(tmp_path_factory.mktemp("made") / "workspace", CLASSES, 15)
    score(workspace, "a", shifted(50))
    score(workspace, "b", shifted(52))
    done(workspace, "labels", "propose", "v1", "--random-share", "0.2")
    yield workspace, store
    store.close()


@pytest.fixture
def proposed(made: Opened, tmp_path: Path) -> Iterator[Opened]:
    """A copy of it, for one test."""
    workspace, store = made
    store.close()
    shutil.copytree(workspace.root, tmp_path / "copy")
    (tmp_path / "copy" / "genset.toml").write_text("[label]\nvotes = 3\n")
    copy = Workspace.find(tmp_path / "copy")
    opened = Store.open(copy.store_url)
    yield copy, opened
    opened.close()


def say(store: Store, name: str, says: Says, photos: int = 60) -> None:
    """Let somebody answer all questions of so many photos."""
    questions = asked(store)
    some = sorted({task.partition("/")[2] for task in questions})[:photos]
    with store.begin() as session:
        session.add_all(
            Label(candidate_id=each.candidate_id, worker=name, verdict=says(task, each))
            for task, each in questions.items()
            if task.partition("/")[2] in some
        )


def truth(task: str, question: Question) -> Verdict:
    """One class in five is in the photo, of those that are proposed; no class at random."""
    return CORRECT if not question.at_random and sum(task.encode()) % 5 == 0 else INCORRECT


def honest(seed: int) -> Says:
    """Somebody who is mistaken once in thirty times."""
    chance = random.Random(seed)

    def says(task: str, question: Question) -> Verdict:
        right = truth(task, question)
        if chance.random() < 1 / 30:
            return INCORRECT if right is CORRECT else CORRECT
        return right

    return says


def agrees(_: str, __: Question) -> Verdict:
    """Somebody who agrees with every proposal."""
    return CORRECT


def stats_of(opened: Opened) -> ProposalStats:
    workspace, store = opened
    found = collect(store, workspace).proposals
    assert found is not None
    return found


def looks(opened: Opened) -> dict[str, tuple[str, ...]]:
    return {each.name: each.look for each in stats_of(opened).by_labeler if each.look}


def add(store: Store, task: str, name: str) -> None:
    """What the page stores when a labeler names another class."""
    wnid, _, _ = task.partition("/")
    with store.begin() as session:
        like = next(each for each in asked(store).values() if each.claim.task.endswith(task[9:]))
        claim = Proposal(wnid=wnid, photo_id=like.claim.photo_id, keyword="", rank=0)
        session.add(claim)
        session.flush()
        session.add(
            Question(candidate_id=claim.id, round_id=1, home=like.home, at_random=like.at_random)
        )
        session.flush()
        session.add(ProposedBy(candidate_id=claim.id, kind="labeler", name=name))
        session.add(Label(candidate_id=claim.id, worker=name, verdict=CORRECT))


def test_without_proposals_nothing_is_said_of_them(opened: Opened) -> None:
    workspace, store = opened
    assert collect(store, workspace).proposals is None
    assert "roposal" not in done(workspace, "labels", "stats").output


@pytest.mark.soak
def test_honest_labelers_show_no_bias_and_nobody_is_named(proposed: Opened) -> None:
    _, store = proposed
    for number in range(3):
        say(store, f"honest {number}", honest(number))
    stats = stats_of(proposed)
    assert (stats.questions, stats.answered, stats.votes_missing) == (480, 480, 0)
    assert stats.decided == 480
    assert stats.right + stats.unclear + stats.wrong == 480
    assert stats.random.of == 96
    assert stats.random.share == pytest.approx(0, abs=0.03)
    assert stats.random.high is not None
    assert stats.random.high < 0.1
    assert stats.models.share == pytest.approx(0.2, abs=0.07)
    assert stats.models.low is not None
    assert stats.models.low > stats.random.high
    assert [each.of > 0 for each in stats.by_rank] == [False, True, True, True, False]
    assert sum(each.of for each in stats.by_rank) == stats.models.of
    assert sum(each.of for each in stats.by_confusable) == stats.confusable.of
    assert stats.models.of + stats.confusable.of + stats.random.of == 480
    assert looks(proposed) == {}
    by_name = {each.name: each for each in collect(store, proposed[0]).by_labeler}
    assert [(by_name[f"honest {n}"].labels, by_name[f"honest {n}"].answers) for n in range(3)] == [
        (0, 480)
    ] * 3
    assert (by_name["ann"].labels, by_name["ann"].answers) == (60, 0)
    lines = done(proposed[0], "labels", "stats").output.splitlines()
    assert any(line.split()[:4] == ["honest", "0", "0", "480"] for line in lines)


def test_who_agrees_with_every_proposal_is_found_out(proposed: Opened) -> None:
    """The issue's check."""
    workspace, store = proposed
    say(store, "honest", honest(1))
    say(store, "yes-man", agrees)
    say(store, "yes too", agrees, photos=40)
    found = looks(proposed)
    assert set(found) == {"yes-man", "yes too"}
    assert found["yes-man"] == (
        "agrees with every proposal: 96 of 96 random ones; Wilson 96-100 %",
    )
    by_name = {each.name: each.look for each in collect(store, workspace).by_labeler}
    assert by_name["yes-man"] == found["yes-man"]
    said = done(workspace, "labels", "stats").output
    assert "agrees with every proposal: 96 of 96 random ones; Wilson 96-100 %" in said
    # Once their votes are taken out they bias nothing.
    assert (stats_of(proposed).random.share or 0) > 0.3
    for name in found:
        void(store, workspace, name, by="mia", reason="agrees with everything")
    say(store, "honest 2", honest(2))
    say(store, "honest 3", honest(3))
    assert looks(proposed) == {}
    assert (stats_of(proposed).random.share or 0) < 0.05


def test_all_are_found_out_where_all_agree(proposed: Opened) -> None:
    for name in ("one", "two", "three"):
        say(proposed[1], name, agrees)
    assert set(looks(proposed)) == {"one", "two", "three"}
    stats = stats_of(proposed)
    assert stats.random.share == stats.models.share == 1


def test_who_agrees_far_more_often_than_others_is_named(proposed: Opened) -> None:
    _, store = proposed
    chance = random.Random(3)
    say(store, "honest", truth)
    say(store, "honest too", truth)
    say(store, "soft", lambda *_: CORRECT if chance.random() < 0.3 else INCORRECT)
    [(name, [look])] = looks(proposed).items()
    assert name == "soft"
    assert look.startswith("calls random proposals correct: ")
    assert look.endswith("; the others of 0 of 192")


def test_nothing_is_said_of_a_few_answers(proposed: Opened) -> None:
    workspace, store = proposed
    at_random = sorted({task[10:] for task, each in asked(store).items() if each.at_random})

    questions = {task: each for task, each in asked(store).items() if task[10:] in at_random[:2]}
    with store.begin() as session:
        for each in questions.values():
            for name in ("ann", "ben", "cleo"):
                session.add(Label(candidate_id=each.candidate_id, worker=name, verdict=CORRECT))
    stats = stats_of(proposed)
    assert (stats.random.right, stats.random.of, stats.random.share) == (16, 16, None)
    assert looks(proposed) == {}
    said = done(workspace, "labels", "stats").output
    assert "Bias of proposals: too few to tell" in said
    assert "too few to tell how many show a further class" in said


def test_without_random_proposals_who_agrees_with_all_is_named_still(tmp_path: Path) -> None:
    workspace, store, _ = released(tmp_path / "workspace")
    score(workspace, "a", shifted(50))
    done(workspace, "labels", "propose", "v1", "--random-share", "0")
    say(store, "honest", truth)
    say(store, "yes-man", agrees)
    assert looks((replace(workspace, label=LabelRules(votes=2)), store)) == {
        "yes-man": (
            "agrees with every proposal: 160 of 160; Wilson 98-100 % (too few random ones to tell "
            "by)",
        )
    }
    store.close()


def test_classes_that_labelers_add_are_counted_by_what_the_photo_was_given(
    proposed: Opened,
) -> None:
    _workspace, store = proposed
    for number in range(3):
        say(store, f"honest {number}", truth)
    photos = {task.partition("/")[2]: each for task, each in asked(store).items()}
    at_random = sorted(photo for photo, each in photos.items() if each.at_random)
    models = sorted(photo for photo, each in photos.items() if not each.at_random)
    for photo in [*at_random[:5], models[0]]:
        add(store, f"{ALL[990]}/{photo}", "honest 0")
    stats = stats_of(proposed)
    assert (stats.at_random.photos, stats.at_random.added) == (12, 5)
    assert stats.at_random.added_a_photo is None
    assert (stats.at_models.photos, stats.at_models.added) == (48, 1)
    assert stats.at_models.added_a_photo == pytest.approx(1 / 48)
    assert stats.at_models.with_added.right == 1
    # Their own word says nothing of whether they agree; the others' does.
    assert stats.questions == 486
    assert stats.labelers.of == 0
    say_also = [each for task, each in asked(store).items() if task.startswith(ALL[990])]
    with store.begin() as session:
        for name, verdict in (("honest 1", CORRECT), ("honest 2", CORRECT)):
            for each in say_also:
                session.add(Label(candidate_id=each.candidate_id, worker=name, verdict=verdict))
    stats = stats_of(proposed)
    assert (stats.labelers.right, stats.labelers.of) == (6, 6)
    assert looks(proposed) == {}


def test_answers_are_right_unclear_or_wrong_as_votes_and_rulings_say(proposed: Opened) -> None:
    _, store = proposed
    tasks = [task for task, each in asked(store).items() if not each.at_random][:6]
    said = [
        (CORRECT, CORRECT, INCORRECT),
        (INCORRECT, INCORRECT, CORRECT),
        (CORRECT, INCORRECT, UNSURE),
        (UNSURE, UNSURE, UNSURE),
        (CORRECT, CORRECT),  # one vote is missing
    ]
    with store.begin() as session:
        for task, verdicts in zip(tasks, said, strict=False):
            claim = find_candidate(session, task)
            for name, verdict in zip("abc", verdicts, strict=False):
                session.add(Label(candidate_id=claim.id, worker=name, verdict=verdict))
        claim = find_candidate(session, tasks[5])
        session.add(Ruling(candidate_id=claim.id, verdict=CORRECT, by="mia", reason="I see it"))
    stats = stats_of(proposed)
    assert (stats.right, stats.unclear, stats.wrong, stats.decided) == (2, 2, 1, 5)
    assert stats.votes_missing == 480 * 3 - 14


def test_a_models_share_of_what_it_alone_proposed(proposed: Opened) -> None:
    _, store = proposed
    with store.session() as session:
        rows = session.execute(select(ProposedBy.candidate_id, ProposedBy.kind, ProposedBy.name))
        by: dict[int, set[tuple[str, str]]] = {}
        for number, kind, name in rows:
            by.setdefault(number, set()).add((kind, name))

    def says(_: str, each: Question) -> Verdict:
        return CORRECT if by[each.candidate_id] == {("model", "a")} else INCORRECT

    for name in ("x", "y", "z"):
        say(store, name, says)
    a, b = stats_of(proposed).by_model
    assert (a.name, b.name) == ("a", "b")
    assert a.alone.share == 1
    assert a.alone.of < a.questions
    assert a.all.right == a.alone.right
    assert (b.all.right, b.alone.right) == (0, 0)


@pytest.mark.soak
def test_a_model_that_proposed_for_two_releases_is_one_model(proposed: Opened) -> None:
    """Its run on each release has a key of its own."""
    _, store = proposed
    for name in ("x", "y", "z"):
        say(store, name, agrees)
    a, b = stats_of(proposed).by_model
    with store.begin() as session:
        session.execute(
            update(ProposedBy)
            .where(ProposedBy.name == "a", ProposedBy.candidate_id % 2 == 0)
            .values(run="another key")
        )
    one, other = stats_of(proposed).by_model
    assert (one.name, set(one.runs)) == ("a", {*a.runs, "another key"})
    assert (one.questions, one.all, one.alone) == (a.questions, a.all, a.alone)
    assert other == b


def test_all_of_it_is_in_the_json(proposed: Opened) -> None:
    workspace, store = proposed
    for name in ("one", "two", "three"):
        say(store, name, agrees)
    found: Any = json.loads(done(workspace, "labels", "stats", "--json").stdout)["proposals"]
    with store.session() as session:
        [made] = session.scalars(select(ProposalRound))
    assert found["rounds"] == [
        {
            "release": "v1",
            "content_hash": made.content_hash,
            "seed": 0,
            "share": 0.2,
            "most": 8,
            "made_at": made.made_at.isoformat(),
            "withdrawn_at": None,
            "questions": 480,
        }
    ]
    assert found["random"] == {
        "right": 96,
        "of": 96,
        "share": 1.0,
        "low": pytest.approx(0.9615, abs=1e-4),
        "high": 1.0,
    }
    assert found["by_labeler"][0]["look"]


def test_a_screen_of_one_photo_is_one_photo_however_much_it_asks(proposed: Opened) -> None:
    """Who says "none of these" with one key after two seconds did look."""
    _, store = proposed
    by_photo: dict[int, list[Question]] = {}
    for each in asked(store).values():
        by_photo.setdefault(each.claim.photo_id, []).append(each)
    at = now()
    with store.begin() as session:
        for number, (photo, questions) in enumerate(list(by_photo.items())[:6]):
            began = at - timedelta(minutes=20 - number)
            times = {"created_at": began, "expires_at": at, "seconds": 2.0}
            times["submitted_at"] = began + timedelta(seconds=10)
            words = {"worker": "ann", "wnid": questions[0].home, "panel": "main"}
            name = f"{number:032x}"
            session.add(Screen(id=name, photo_id=photo, guideline="1", **words, **times))
            session.flush()
            for place, each in enumerate(questions, start=1):
                session.add(
                    ScreenPhoto(
                        id=f"{number:031x}{place}",
                        screen_id=name,
                        place=place,
                        candidate_id=each.candidate_id,
                    )
                )
                session.add(
                    Label(
                        candidate_id=each.candidate_id,
                        worker="ann",
                        verdict=INCORRECT,
                        screen_id=name,
                    )
                )
    with store.session() as session:
        screens = timed_screens(session, "ann")["ann"]
        assert [each.photos for each in screens] == [1] * 6
        assert pace(screens) == 2.0
        assert reasons_against(session, "ann") == []
