"""What `genset keywords --yield` tells of each query, and what it proposes."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from genset.db import Candidate, Photo, Ruling, Store, Verdict
from genset.scrape.estimate import FEWEST, query_yields
from genset.scrape.queries import workspace_queries
from genset.statistics.intervals import wilson
from genset.workspace import Workspace
from tests.labeled_workspace import TENCH, add_candidate, vote
from tests.scrape.commands import genset

LION, SEA_LION = "n02129165", "n02077923"
GOOD, OTHER = "lion -sea -mountain -statue", '"Panthera leo"'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return Workspace.create(tmp_path / "home").root


@pytest.fixture
def find(home: Path) -> Any:
    """Store so many candidates that a query found, and have labelers say that `right` are."""
    workspace = Workspace.find(home)
    store = Store.open(workspace.store_url)
    numbers = iter(range(10_000))

    def make(wnid: str, query: str, count: int, right: int | None = None) -> list[str]:
        tasks = []
        for place in range(count):
            number = next(numbers)
            tasks.append(add_candidate(workspace, store, wnid, number, rank=place + 1))
            with store.begin() as session:
                made = session.scalars(select(Candidate).order_by(Candidate.id.desc())).first()
                assert made is not None
                made.keyword = query
            if right is not None:
                said = Verdict.CORRECT if place < right else Verdict.INCORRECT
                vote(store, tasks[-1], "ann", said)
        return tasks

    make.store = store  # type: ignore[attr-defined]
    yield make
    store.close()


def claimed(store: Store, tasks: list[str], by: str) -> None:
    """Have another class's search return these photos too."""
    with store.begin() as session:
        for rank, task in enumerate(tasks, start=1):
            photo = select(Photo.id).where(Photo.source_id == task.partition(":")[2])
            photo_id = session.scalars(photo).one()
            session.add(Candidate(wnid=by, photo_id=photo_id, keyword="sea lion", rank=rank))


def yields(home: Path, *wnids: str) -> dict[str, dict[str, Any]]:
    told = json.loads(genset("keywords", "--yield", "--json", *wnids, cwd=home))
    return {each["query"]: each for each in told}


def test_each_query_is_told_with_its_share_and_interval(home: Path, find: Any) -> None:
    find(LION, GOOD, 20, right=18)
    find(LION, OTHER, 15, right=12)
    told = yields(home)
    assert list(told) == [OTHER, GOOD]
    low, high = wilson(18, 20)
    assert told[GOOD] == {
        "wnid": LION,
        "query": GOOD,
        "searched": True,
        "candidates": 20,
        "stored": 20,
        "labeled": 20,
        "correct": 18,
        "share": {"low": low, "high": high},
        "contested": 0,
        "contested_share": {"low": 0, "high": wilson(0, 20).high},
        "rival": None,
        "proposal": "keep",
        "reason": "",
    }
    line = genset("keywords", "--yield", cwd=home).splitlines()[2]
    assert f"  90.0 ({100 * low:.1f}–{100 * high:.1f})  " in line
    assert line.endswith("  keep")


def test_a_query_that_is_clearly_worse_than_another_is_to_be_dropped(home: Path, find: Any) -> None:
    find(LION, GOOD, 30, right=27)
    find(LION, OTHER, 30, right=3)
    told = yields(home)
    assert told[GOOD]["proposal"] == "keep"
    assert told[OTHER]["proposal"] == "drop"
    assert "better" in told[OTHER]["reason"]


def test_a_bad_query_without_a_better_one_is_to_be_sharpened(home: Path, find: Any) -> None:
    find(LION, GOOD, 30, right=3)
    told = yields(home)[GOOD]
    assert (told["proposal"], told["reason"]) == (
        "sharpen",
        "fewer than half of its photos are correct",
    )


def test_a_query_that_another_class_claims_is_to_be_sharpened_with_its_words(
    home: Path, find: Any
) -> None:
    (home / "queries.toml").write_text(f'[classes]\n{LION} = ["lion"]\n')
    tasks = find(LION, "lion", 20)
    claimed(find.store, tasks[:12], by=SEA_LION)
    told = yields(home, LION)["lion"]
    assert (told["contested"], told["rival"], told["proposal"]) == (12, SEA_LION, "sharpen")
    assert told["reason"] == f"shares photos with {SEA_LION} (sea lion): try lion -sea"
    assert told["share"] is None


@pytest.mark.soak
def test_too_few_labels_cannot_tell(home: Path, find: Any) -> None:
    find(LION, GOOD, FEWEST - 1, right=0)
    told = yields(home)[GOOD]
    assert (told["share"], told["proposal"]) == (None, "")
    assert told["reason"] == f"too few labels: {FEWEST - 1} of at least {FEWEST}"
    assert "0.0" not in genset("keywords", "--yield", cwd=home)
    find(LION, GOOD, 1, right=0)
    assert yields(home)[GOOD]["share"] is not None


def test_a_ruling_decides_and_unsure_is_not_correct(home: Path, find: Any) -> None:
    tasks = find(LION, GOOD, 12, right=12)
    vote(find.store, tasks[0], "ann", Verdict.UNSURE)  # a changed mind
    with find.store.begin() as session:
        first = session.scalars(select(Candidate).order_by(Candidate.rank.desc())).first()
        assert first is not None
        session.add(
            Ruling(candidate_id=first.id, verdict=Verdict.INCORRECT, by="bob", reason="no lion")
        )
    told = yields(home)[GOOD]
    assert (told["labeled"], told["correct"]) == (12, 10)


@pytest.mark.soak
def test_classes_with_labels_are_shown_or_those_named(home: Path, find: Any) -> None:
    assert "no query has labeled photos" in genset("keywords", "--yield", cwd=home)
    find(LION, GOOD, 2, right=1)
    find(TENCH, "tench", 2)
    assert set(yields(home)) == {GOOD, OTHER}
    assert set(yields(home, TENCH)) == {"tench", '"Tinca tinca"'}
    assert "'liom' names no class" in genset("keywords", "--yield", "liom", cwd=home, code=2)


def test_what_is_not_searched_with_any_more_gets_no_proposal(home: Path, find: Any) -> None:
    find(LION, "lion", 20, right=2)
    find(LION, GOOD, 20, right=18)
    told = yields(home)
    assert list(told) == [OTHER, GOOD, "lion"]
    assert (told["lion"]["searched"], told["lion"]["proposal"]) == (False, "")
    assert (told["lion"]["correct"], told["lion"]["labeled"]) == (2, 20)


def test_both_databases_tell_the_same(store_url: str, tmp_path: Path) -> None:
    workspace, store = Workspace.create(tmp_path / "shared"), Store.open(store_url)
    tasks = [add_candidate(workspace, store, LION, number, rank=number + 1) for number in range(12)]
    for task in tasks:
        vote(store, task, "ann", Verdict.CORRECT)
    claimed(store, tasks[:8], by=SEA_LION)
    queries = workspace_queries(workspace, store, begin=True)
    assert workspace_queries(workspace, store) == queries
    *_, told = query_yields(store, queries)
    assert (told.query, told.labeled, told.correct, told.contested, told.rival) == (
        *("a keyword", 12, 12, 8),
        SEA_LION,
    )
    store.close()
