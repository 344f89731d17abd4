"""Whom `labels stats` names where the questions somebody got were chosen by others' answers."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.db import Label, Question, Store, Verdict, labels_in_force
from genset.label.quality.stats import collect
from genset.label.quality.void import void
from genset.workspace import Workspace
from tests.label.proposals.released import asked, done, released, score, shifted
from tests.labeled_workspace import CLASSES

CORRECT, INCORRECT, UNSURE = Verdict.CORRECT, Verdict.INCORRECT, Verdict.UNSURE
Opened = tuple[Workspace, Store]
Says = Callable[[str], Verdict]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """Forty photos of a release with 320 questions, of which two fifths are at random."""
    workspace, store, _ = released(tmp_path_factory.mktemp("made") / "workspace", CLASSES, 10)
    score(workspace, "a", shifted(50))
    score(workspace, "b", shifted(52))
    done(workspace, "labels", "propose", "v1", "--random-share", "0.4")
    (workspace.root / "genset.toml").write_text("[label]\nvotes = 2\ngrow_to = [3]\n")
    yield Workspace.find(workspace.root), store
    store.close()


@pytest.fixture
def proposed(made: Opened, tmp_path: Path) -> Iterator[Opened]:
    """A copy of it, for one test: two labelers get each question, a third where they differ."""
    workspace, store = made
    store.close()
    shutil.copytree(workspace.root, tmp_path / "copy")
    copy = Workspace.find(tmp_path / "copy")
    opened = Store.open(copy.store_url)
    yield copy, opened
    opened.close()


def truth(task: str) -> Verdict:
    """One class in seven is in the photo, whoever proposed it."""
    return CORRECT if sum(task.encode()) % 7 == 0 else INCORRECT


def yes(_: str) -> Verdict:
    return CORRECT


def no(_: str) -> Verdict:
    return INCORRECT


def in_vain(_: str) -> Verdict:
    return UNSURE


def answer(opened: Opened, name: str, says: Says, *, only: int | None = None) -> int:
    """Answer the questions that lack votes, as the queue hands them out; return how many."""
    with opened[1].begin() as session:
        said: dict[int, list[Verdict]] = {}
        for each in session.scalars(labels_in_force()):
            said.setdefault(each.candidate_id, []).append(each.verdict)
        open_ = [
            each
            for each in session.scalars(select(Question).order_by(Question.candidate_id))
            if len(said.get(each.candidate_id, ())) < 2
            or (len(said[each.candidate_id]) == 2 and len(set(said[each.candidate_id])) == 2)
        ][:only]
        for each in open_:
            verdict = says(each.claim.task)
            session.add(Label(candidate_id=each.candidate_id, worker=name, verdict=verdict))
        return len(open_)


def looks(opened: Opened) -> dict[str, str]:
    found = collect(opened[1], opened[0]).proposals
    assert found is not None
    return {each.name: "; ".join(each.look) for each in found.by_labeler if each.look}


@pytest.mark.parametrize("lazy", [no, in_vain])
def test_who_calls_nothing_correct_is_named_and_not_the_honest_third(
    proposed: Opened, lazy: Says
) -> None:
    """Where a lazy labeler and an honest one differ, the honest third says correct of all."""
    assert answer(proposed, "lazy", lazy) == 320
    assert answer(proposed, "honest", truth) == 320
    third = answer(proposed, "third", truth)
    correct = sum(truth(task) is CORRECT for task in asked(proposed[1]))
    assert third == (correct if lazy is no else 320)
    [(name, look)] = looks(proposed).items()
    assert name == "lazy"
    assert look.startswith("calls nothing correct that is proposed: 0 of 320, of which the others ")
    assert look.split(": ", 1)[1] in done(proposed[0], "labels", "stats").output


def test_an_honest_labeler_who_comes_after_a_void_is_not_named(proposed: Opened) -> None:
    """Of what an agreeing labeler answered, only what another called correct lacks a vote again."""
    workspace, store = proposed
    answer(proposed, "honest", truth)
    answer(proposed, "agrees", yes)
    answer(proposed, "third", truth)
    assert set(looks(proposed)) == {"agrees"}
    void(store, workspace, "agrees", by="mia", reason="agrees with everything")
    assert answer(proposed, "honest 2", truth) == sum(
        truth(task) is CORRECT for task in asked(store)
    )
    assert looks(proposed) == {}


def test_a_second_one_who_agrees_with_everything_is_found_after_the_first_is_void(
    proposed: Opened,
) -> None:
    """Though every question had its votes before: most of those that are left say incorrect."""
    workspace, store = proposed
    answer(proposed, "agrees", yes)
    answer(proposed, "honest", truth, only=200)
    void(store, workspace, "agrees", by="mia", reason="agrees with everything")
    answer(proposed, "agrees too", yes)
    found = looks(proposed)
    assert set(found) == {"agrees too"}
    assert found["agrees too"].startswith("agrees with every proposal: ")


def test_nobody_strict_is_named_beside_those_who_agree_with_everything(proposed: Opened) -> None:
    """What a labeler is compared with are the others but for these."""
    answer(proposed, "agrees", yes)
    answer(proposed, "strict", no)
    assert set(looks(proposed)) == {"agrees"}
