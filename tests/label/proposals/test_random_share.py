"""The photos with classes at random: a control group that stays one, and is drawn anew if asked."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from genset.db import ProposalRound, Question, Store, Verdict
from genset.workspace import Workspace
from tests.label.also import decide
from tests.label.desks import desk_of
from tests.label.proposals.released import ALL, asked, done, released, score, shifted
from tests.labeled_workspace import TENCH, vote

Opened = tuple[Workspace, Store]


@pytest.fixture
def scored(tmp_path: Path) -> Iterator[Opened]:
    """Twenty photos of four classes, and a model's answers."""
    workspace, store, _ = released(tmp_path / "workspace")
    score(workspace, "a", shifted(50))
    yield workspace, store
    store.close()


def propose(workspace: Workspace, *words: str) -> Any:
    return json.loads(done(workspace, "labels", "propose", "v1", *words, "--json").stdout)


def kinds(store: Store) -> dict[str, bool]:
    """Whether each photo is one with classes at random; every question of it says the same."""
    found: dict[str, set[bool]] = {}
    for task, each in asked(store).items():
        found.setdefault(task.partition("/")[2], set()).add(each.at_random)
    assert all(len(marks) == 1 for marks in found.values())
    return {photo: marks.pop() for photo, marks in found.items()}


def answer_all(opened: Opened, name: str, *added: str) -> None:
    desk = desk_of(opened, name)
    while screens := desk.also_screens(count=1):
        assert all(receipt.ok for receipt in decide(desk, screens[0], Verdict.INCORRECT, *added))


def test_classes_that_a_labeler_adds_change_no_photos_kind(scored: Opened) -> None:
    workspace, store = scored
    propose(workspace, "--random-share", "0.3")
    before = kinds(store)
    answer_all(scored, "ann", ALL[990])
    assert len(asked(store)) == 160 + 20
    assert kinds(store) == before
    again = propose(workspace, "--random-share", "0.3")
    assert (again["questions"], again["round"], again["at_random"]) == (0, None, 6)
    assert kinds(store) == before


def test_an_added_class_that_is_marked_wrong_is_no_proposal(scored: Opened) -> None:
    """As databases have it in which classes were added as if no photo were a random one."""
    workspace, store = scored
    propose(workspace, "--random-share", "0.3")
    answer_all(scored, "ann", ALL[990])
    with store.begin() as session:
        wrong = [each.candidate_id for task, each in asked(store).items() if ALL[990] in task]
        session.execute(
            update(Question).where(Question.candidate_id.in_(wrong)).values(at_random=False)
        )
    again = propose(workspace, "--random-share", "0.3")
    assert (again["questions"], again["at_random"]) == (0, 6)
    stats = json.loads(done(workspace, "labels", "stats", "--json").stdout)["proposals"]
    assert (stats["at_random"]["photos"], stats["at_random"]["added"]) == (6, 6)
    assert (stats["at_models"]["photos"], stats["at_models"]["added"]) == (14, 14)


def test_what_people_see_by_themselves_is_of_photos_that_are_answered(scored: Opened) -> None:
    workspace, store = scored
    propose(workspace, "--random-share", "0.3")
    desk = desk_of(scored, "ann")
    for _ in range(10):
        decide(desk, desk.also_screens(count=1)[0], Verdict.INCORRECT, ALL[990])
    # Of the photos that nobody answered, two have a class that a first labeler added, no more.
    rest = [photo for photo in kinds(store) if f"{ALL[990]}/{photo}" not in asked(store)]
    assert len(rest) == 10
    stats = json.loads(done(workspace, "labels", "stats", "--json").stdout)["proposals"]
    of = stats["at_random"], stats["at_models"]
    assert sum(each["photos"] for each in of) == sum(each["added"] for each in of) == 10
    # Withdrawn, what was never answered leaves no photo behind of which all would be answered.
    done(workspace, "labels", "propose", "v1", "--withdraw")
    stats = json.loads(done(workspace, "labels", "stats", "--json").stdout)["proposals"]
    assert sum(stats[kind]["photos"] for kind in ("at_random", "at_models")) == 10


@pytest.mark.soak
def test_an_import_that_mixes_both_kinds_on_a_photo_is_told(tmp_path: Path) -> None:
    """Another workspace asked about the same photos, and drew none of them."""
    here, store, _ = released(tmp_path / "here", [TENCH], 3)
    there, other, _ = released(tmp_path / "there", [TENCH], 2)
    for each, share in ((here, "1"), (there, "0")):
        score(each, "a", shifted(50))
        done(each, "labels", "propose", "v1", "--most", "2", "--random-share", share)
    out = str(tmp_path / "out")
    done(there, "labels", "export", out)
    assert "at random" not in done(there, "labels", "import", out).output
    said = done(here, "labels", "import", out).output
    assert "2 photos with classes at random and others' proposals, as imported" in said
    answer_all((here, store), "ann")
    stats = json.loads(done(here, "labels", "stats", "--json").stdout)["proposals"]
    photos = [stats[kind]["photos"] for kind in ("at_models", "at_random")]
    assert (photos, stats["mixed"]) == ([0, 1], 2)
    assert "Of neither kind: 2 photos with" in done(here, "labels", "stats").output
    store.close()
    other.close()


def test_a_share_that_was_mistyped_is_undone(scored: Opened) -> None:
    workspace, store = scored
    assert propose(workspace, "--random-share", "1")["at_random"] == 20
    answered = next(iter(asked(store)))
    vote(store, answered, "ben", Verdict.INCORRECT)
    said = done(workspace, "labels", "propose", "v1", "--random-share", "0.1").output
    assert "--random-share does not apply to 18 photos, drawn in an earlier round" in said
    assert "genset labels propose v1 --withdraw" in said
    assert "apply" not in done(workspace, "labels", "propose", "v1").output

    done(workspace, "labels", "propose", "v1", "--withdraw")
    anew = propose(workspace, "--random-share", "0.1")

    at_random = {
        task.partition("/")[2]
        for task, each in asked(store).items()
        if each.round_id == 2 and each.at_random
    }
    assert anew["at_random"] == len(at_random)
    assert answered.partition("/")[2] in at_random
    assert len(at_random) in (2, 3)
    with store.session() as session:
        first, second = session.scalars(select(ProposalRound).order_by(ProposalRound.id))
    assert first.share == 1
    assert second.share == pytest.approx(len(at_random) / 20)


def test_a_round_says_which_share_it_has_where_an_earlier_one_drew(scored: Opened) -> None:
    workspace, store = scored
    propose(workspace, "--random-share", "0.3")
    score(workspace, "b", shifted(52))
    said = done(workspace, "labels", "propose", "v1", "--random-share", "0.5", "--seed", "0").output
    assert "--random-share and --seed do not apply to 4 photos" in said
    with store.session() as session:
        shares = session.scalars(select(ProposalRound.share).order_by(ProposalRound.id)).all()
    assert shares == [0.3, 0.3]
