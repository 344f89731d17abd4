"""What `genset keywords --yield` tells of each query, and what it proposes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from genset.db import Candidate, Photo, Store, Verdict
from genset.label.review import rule
from genset.scrape.estimate import FEWEST, query_yields
from genset.scrape.queries import workspace_queries
from genset.statistics.intervals import wilson
from genset.workspace import Workspace
from tests.labeled_workspace import TENCH, add_candidate, vote
from tests.scrape.commands import genset

LION, SEA_LION, LEOPARD, CAT = "n02129165", "n02077923", "n02128385", "n02123045"
GOOD, OTHER = "lion -sea -mountain -statue", '"Panthera leo"'
OWN = f"[classes]\n{LEOPARD} = ['leopard']\n{CAT} = ['cat']\n{TENCH} = ['tench', 'tinca']\n"


class Found:
    """A workspace with candidates that queries found."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace.create(root)
        self.root = self.workspace.root
        self.store = Store.open(self.workspace.store_url)
        self.count = 0

    def __call__(self, wnid: str, query: str, count: int, right: int | None = None) -> list[str]:
        """So many that a query found, of which Ann said that so many are right, if anything."""
        tasks = []
        for place in range(count):
            self.count += 1
            task = add_candidate(self.workspace, self.store, wnid, self.count, rank=place + 1)
            tasks.append(task)
            if right is not None:
                said = Verdict.CORRECT if place < right else Verdict.INCORRECT
                vote(self.store, task, "ann", said)
        with self.store.begin() as session:
            made = Candidate.keyword == "a keyword"
            session.execute(update(Candidate).where(made).values(keyword=query))
        return tasks

    def yields(self, *wnids: str) -> dict[str, dict[str, Any]]:
        told = json.loads(genset("keywords", "--yield", "--json", *wnids, cwd=self.root))
        return {each["query"]: each for each in told}


@pytest.fixture
def find(tmp_path: Path) -> Iterator[Found]:
    found = Found(tmp_path / "home")
    yield found
    found.store.close()


def claimed(store: Store, tasks: list[str], by: str) -> None:
    """Have another class's search return these photos too."""
    with store.begin() as session:
        for rank, task in enumerate(tasks, start=1):
            photo = select(Photo.id).where(Photo.source_id == task.partition(":")[2])
            photo_id = session.scalars(photo).one()
            session.add(Candidate(wnid=by, photo_id=photo_id, keyword="sea lion", rank=rank))


def test_each_query_is_told_with_its_share_and_interval(find: Found) -> None:
    find(LION, GOOD, 20, right=18)
    find(LION, OTHER, 15, right=12)
    find(LION, "lion", 20, right=2)  # which is not searched with any more
    told = find.yields()
    assert list(told) == [OTHER, GOOD, "lion"]
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
    assert (told["lion"]["searched"], told["lion"]["proposal"]) == (False, "")
    assert (told["lion"]["correct"], told["lion"]["labeled"]) == (2, 20)
    line = genset("keywords", "--yield", cwd=find.root).splitlines()[2]
    assert f"  90.0 ({100 * low:.1f}–{100 * high:.1f})  " in line
    assert line.endswith("  keep")


def test_what_is_proposed_for_a_query(find: Found) -> None:
    assert "no query has labeled photos" in genset("keywords", "--yield", cwd=find.root)
    assert "'liom' names no class" in genset("keywords", "--yield", "liom", cwd=find.root, code=2)
    (find.root / "queries.toml").write_text(OWN)
    find(LION, GOOD, 30, right=27)
    find(LION, OTHER, 30, right=3)
    find(CAT, "cat", 30, right=3)
    leopards = find(LEOPARD, "leopard", 20)
    claimed(find.store, leopards[:12], by=SEA_LION)
    tasks = find(TENCH, "tench", 12, right=12)
    vote(find.store, tasks[0], "ann", Verdict.UNSURE)  # a changed mind
    rule(find.store, tasks[-1], Verdict.INCORRECT, "bob", "no tench")
    find(TENCH, "tinca", FEWEST - 1, right=0)
    told = find.yields()
    assert set(told) == {GOOD, OTHER, "cat", "tench", "tinca"}  # those with labels
    told |= find.yields(LEOPARD)  # or those that are named
    few = f"too few labels: {FEWEST - 1} of at least {FEWEST}"
    assert {query: (each["proposal"], each["reason"]) for query, each in told.items()} == {
        GOOD: ("keep", ""),
        OTHER: ("drop", told[OTHER]["reason"]),
        "cat": ("sharpen", "fewer than half of its photos are correct"),
        "leopard": ("sharpen", f"shares photos with {SEA_LION} (sea lion): try leopard -sea -lion"),
        "tench": ("keep", ""),
        "tinca": ("", few),
    }
    assert "better" in told[OTHER]["reason"]
    assert (told["leopard"]["contested"], told["leopard"]["share"]) == (12, None)
    assert (told["tench"]["labeled"], told["tench"]["correct"]) == (12, 10)
    assert told["tinca"]["share"] is None


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
