"""Proposals move with the labels: rounds, questions, who proposed them, and what was said."""

import csv
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from genset.core.errors import BadInput
from genset.db import (
    Candidate,
    Claim,
    Label,
    Photo,
    Proposal,
    ProposedBy,
    Question,
    Screen,
    ScreenPhoto,
    Store,
    Verdict,
    now,
)
from genset.label.exchange.archive import export_all
from genset.label.exchange.restore import import_all
from genset.label.exchange.table import Imported
from genset.label.proposals.choose import ModelAnswers
from genset.label.proposals.plan import ProposalRules
from genset.label.proposals.rounds import propose, withdraw
from genset.label.quality.stats import collect
from genset.release.reader import Release
from genset.workspace import LabelRules, Workspace
from tests.label.proposals.released import ALL, asked, released, shifted
from tests.labeled_workspace import CLASSES, TENCH, labeled_workspace, vote

Opened = tuple[Workspace, Store]
RULES = LabelRules(votes=2)


def proposed(root: Path) -> Opened:
    """Two rounds, of which one is withdrawn, answers to them, a screen, and an added class."""
    workspace, store, release = released(root)
    workspace = replace(workspace, label=RULES)
    found_too = f"{ALL[ALL.index(TENCH) + 52]}/flickr:0"
    with store.begin() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == "0")).one()
        session.add(Candidate(wnid=found_too[:9], photo=photo, keyword="x", rank=3))
    answers = [answers_of(release, name, by) for name, by in (("a", 50), ('b, "2nd"', 52))]
    propose(store, release, answers[:1], ProposalRules(most=5, share=0.3, seed=2), RULES)
    withdraw(store, "v1")
    propose(store, release, answers, ProposalRules(most=6, share=0.3, seed=2), RULES)
    chance = random.Random(1)
    tasks = sorted(asked(store))
    for name in ("ann", "ben", "yes-man"):
        for task in tasks:
            correct = name == "yes-man" or chance.random() < 0.2
            vote(store, task, name, Verdict.CORRECT if correct else Verdict.INCORRECT)
    with store.begin() as session:
        home = session.scalars(select(Question).join(Claim).where(Claim.photo_id == 1)).first()
        assert home is not None
        claim = Proposal(wnid=ALL[999], photo_id=1, keyword="", rank=0)
        session.add(claim)
        session.flush()
        session.add(
            Question(
                candidate_id=claim.id,
                round_id=home.round_id,
                home=home.home,
                at_random=home.at_random,
            )
        )
        times = {"expires_at": now(), "submitted_at": now(), "seconds": 3.5}
        words = {"worker": "ann", "wnid": home.home, "panel": "main", "guideline": "1"}
        session.add(Screen(id="a" * 32, photo_id=1, **words, **times))
        session.flush()
        session.add(ProposedBy(candidate_id=claim.id, kind="labeler", name="ann"))
        session.add(
            ScreenPhoto(id="b" * 32, screen_id="a" * 32, place=9, candidate_id=home.candidate_id)
        )
        session.add(
            Label(
                candidate_id=claim.id,
                worker="ann",
                verdict=Verdict.CORRECT,
                screen_id="a" * 32,
                via="page",
            )
        )
    return workspace, store


def answers_of(release: Release, name: str, by: int) -> ModelAnswers:
    best = {photo.file: shifted(by)(photo.wnid, photo.file) for photo in release.photos}
    return ModelAnswers(name, f"key of {name}", best)


@pytest.fixture
def moved(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Opened, Opened]]:
    """Such a workspace on either database, and one with the same photos, without labels."""
    monkeypatch.setenv("GENSET_STORE_URL", store_url)
    workspace, store = proposed(tmp_path / "from")
    monkeypatch.delenv("GENSET_STORE_URL")
    there, other = labeled_workspace(tmp_path / "to")
    yield (workspace, store), (replace(there, label=RULES), other)
    store.close()
    other.close()


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    _, store = proposed(tmp_path / "from")
    export_all(store, tmp_path / "out")
    store.close()
    return tmp_path / "out"


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.soak
def test_proposals_move_between_databases_with_what_was_said_of_them(
    moved: tuple[Opened, Opened], tmp_path: Path
) -> None:
    (workspace, store), (there, other) = moved
    counts = export_all(store, tmp_path / "out")
    assert (counts["proposal_rounds"], counts["questions"]) == (2, len(asked(store)))
    found = import_all(other, tmp_path / "out")
    assert found["questions"] == Imported(counts["questions"])
    assert found["proposers"] == Imported(counts["proposers"])
    export_all(other, tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "out")
    here, theirs = collect(store, workspace), collect(other, there)
    assert here.proposals is not None
    # All but the class that ann added, which lacks a vote.
    assert here.proposals.decided == here.proposals.questions - 1 > 100
    assert here.proposals.random.of >= 20
    # The candidate that a search found here is none there, but a question all the same.
    assert theirs.proposals is not None
    assert theirs.proposals.rounds == here.proposals.rounds
    for name in ("questions", "answered", "right", "unclear", "wrong", "random", "at_models"):
        assert getattr(theirs.proposals, name) == getattr(here.proposals, name), name
    assert [each.look for each in theirs.proposals.by_labeler if each.look] == [
        each.look for each in here.proposals.by_labeler if each.look
    ]
    with other.session() as session:
        screen = session.get_one(Screen, "a" * 32)
        photo = session.get_one(Photo, screen.photo_id)
        assert photo.source_id == "0"
    again = import_all(other, tmp_path / "out")
    assert {each.new for each in again.values()} == {0}
    assert content(tmp_path / "again") == content(tmp_path / "out")


def test_what_is_proposed_there_already_is_kept_and_what_is_new_is_added(
    exported: Path, tmp_path: Path
) -> None:
    workspace, store, release = released(tmp_path / "to")
    mine = [answers_of(release, "c", 51)]
    propose(store, release, mine, ProposalRules(most=5, share=0.3, seed=2), RULES)
    before = {task: (each.round_id, each.at_random) for task, each in asked(store).items()}
    found = import_all(store, exported)
    after = {task: (each.round_id, each.at_random) for task, each in asked(store).items()}
    assert before.items() <= after.items()
    assert found["proposal_rounds"] == Imported(2)
    assert found["questions"] == Imported(len(after) - len(before), found["questions"].known)
    assert found["questions"].known > 0
    with store.session() as session:
        names = set(session.scalars(select(ProposedBy.name).where(ProposedBy.kind == "model")))
    assert names == {"a", 'b, "2nd"', "c"}
    stats = collect(store, workspace).proposals
    assert stats is not None
    assert len(stats.rounds) == 3
    store.close()


@pytest.mark.soak
def test_that_a_round_was_withdrawn_since_comes_too(exported: Path, tmp_path: Path) -> None:
    workspace, store = labeled_workspace(tmp_path / "to")
    import_all(store, exported)
    path = exported / "proposal_rounds.csv"
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert [bool(row[-1]) for row in rows[1:]] == [True, False]
    rows[2][-1] = rows[1][-1]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert import_all(store, exported)["proposal_rounds"] == Imported(0, 2)
    stats = collect(store, workspace).proposals
    assert stats is not None
    assert all(each.withdrawn_at for each in stats.rounds)
    store.close()


def test_an_archive_from_before_proposals_comes_in(exported: Path, tmp_path: Path) -> None:
    for name in ("proposal_rounds", "questions", "proposers"):
        (exported / f"{name}.csv").unlink()
    for name in ("labels", "screen_photos"):  # it knew candidates alone
        path = exported / f"{name}.csv"
        with path.open(newline="") as file:
            head, *rows = csv.reader(file)
            task = head.index("task")
        own = {
            f"{wnid}/flickr:{100 * place + n}"
            for place, wnid in enumerate(CLASSES)
            for n in range(5)
        }
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([head, *(row for row in rows if row[task] in own)])
    workspace, store = labeled_workspace(tmp_path / "to")
    found = import_all(store, exported)
    assert found["labels"] == Imported(20)
    assert "questions" not in found
    assert collect(store, workspace).proposals is None
    store.close()


@pytest.mark.soak
def test_an_export_over_an_older_one_leaves_no_proposals_of_that(
    exported: Path, tmp_path: Path
) -> None:
    _, store = labeled_workspace(tmp_path / "to")
    export_all(store, exported)
    assert not list(exported.glob("*propos*"))
    assert not (exported / "questions.csv").exists()
    store.close()


@pytest.mark.parametrize(
    ("name", "column", "wrong", "complaint"),
    [
        ("proposal_rounds", "made_at", "", "made_at is empty"),
        ("proposal_rounds", "share", "1.5", "a share is from 0 to 1, not 1.5"),
        ("proposal_rounds", "most", "-1", "most is a number from 0 on"),
        ("proposal_rounds", "seed", "99999999999", "seed is at most"),
        ("questions", "task", f"{TENCH}/flickr:99", "there is no photo flickr:99"),
        ("questions", "task", "n00000000/flickr:1", "no class 'n00000000'"),
        ("questions", "home", "tench", "no class 'tench'"),
        ("questions", "round", "7", "there is no round 7 in proposal_rounds.csv"),
        ("questions", "at_random", "maybe", "at_random is 0 or 1, not 'maybe'"),
        ("proposers", "task", f"{TENCH}/flickr:0", "there is no question"),
        ("proposers", "kind", "cat", "who proposes is model, confusable, random, labeler"),
        ("proposers", "place", "first", "invalid literal"),
        ("screens", "photo", "flickr:99", "there is no photo flickr:99"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_comes_in(
    exported_once: Path, tmp_path: Path, name: str, column: str, wrong: str, complaint: str
) -> None:
    path = tmp_path / "out"
    path.mkdir()
    for file_name, held in content(exported_once).items():
        (path / file_name).write_bytes(held)
    with (path / f"{name}.csv").open(newline="") as file:
        head, first, *rows = csv.reader(file)
    first[head.index(column)] = wrong
    with (path / f"{name}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([head, first, *rows])
    _, store = labeled_workspace(tmp_path / "to")
    with pytest.raises(BadInput, match=re.escape(f"{name}.csv, line 2: ")) as refused:
        import_all(store, path)
    assert complaint in str(refused.value)
    with store.session() as session:
        for table in (Label, Question, Screen, Proposal):
            assert session.scalars(select(table)).first() is None
    store.close()


@pytest.fixture(scope="module")
def exported_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("exported")
    _, store = proposed(root / "from")
    export_all(store, root / "out")
    store.close()
    return root / "out"
