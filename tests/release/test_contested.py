"""Photos that several classes claim: what releases, review, status and the queue make of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from genset.db import Verdict
from genset.label.labelers import Labelers
from genset.label.review import queue, rule
from genset.label.session.desk import Desk
from genset.release.reader import Release
from genset.scrape.removal import remove
from genset.status import status
from tests.labeled_workspace import CRANE, GOLDFISH, TENCH, add_candidate, picture
from tests.release.conftest import Pool
from tests.scrape.commands import genset

FIRST = f"{TENCH}/flickr:0"
CLAIMED = "claimed by several classes"


def waiting(pool: Pool) -> list[str]:
    return [case.task for case in queue(pool.store, None, pool.workspace.label)]


def taken(pool: Pool) -> set[str]:
    """The tasks of a release made now; what is contested is left out, in review and in `status`."""
    name = f"v{len(list(pool.workspace.releases.glob('*')))}"
    made = pool.create(name)
    contested = status(pool.workspace, pool.store).contested
    assert bool(contested) == (CLAIMED in made.excluded) == bool(waiting(pool))
    return {f"{photo.wnid}/flickr:{photo.source_id}" for photo in made.photos}


@pytest.fixture
def contested(pool: Pool) -> str:
    """Ann said of the first photo that it is a tench; then it was found for goldfish, too."""
    pool.label_all_correct()
    assert FIRST in taken(pool)
    return pool.also_found_for(GOLDFISH, 0)


def test_a_claim_that_comes_after_the_label_opens_the_photo_again(
    pool: Pool, contested: str
) -> None:
    assert FIRST not in taken(pool)
    assert waiting(pool) == sorted([FIRST, contested])
    cases = queue(pool.store)
    assert len({json.dumps(case.blind()["why"]) for case in cases}) == 1  # no word of the label
    assert pool.create("again").excluded == {CLAIMED: 1, "not labeled": 1}
    # Nor do labels that are brought together settle it.
    words = ("create", "v9", "--labels", "majority", "--dry-run", "--json", "--no-refresh")
    told = json.loads(genset("release", *words, cwd=pool.workspace.root))
    assert told["reasons"][FIRST] == CLAIMED
    # An answer for the other class does, unless it is unsure or void; whatever names the bytes
    # have in one class.
    pool.label(contested, bob="unsure")
    assert FIRST not in taken(pool)
    for word in ("broken", "incorrect"):
        pool.label(contested, bob=word)
        assert FIRST in taken(pool)
    add_candidate(pool.workspace, pool.store, TENCH, 999, content=picture(0))
    assert FIRST in taken(pool)
    genset("labelers", "void", "bob", "--reason", "no look", cwd=pool.workspace.root)
    assert FIRST not in taken(pool)


def test_so_does_a_ruling_for_either_and_a_tie_does_not(pool: Pool, contested: str) -> None:
    pool.label(contested, bob="incorrect", eve="correct")
    assert FIRST not in taken(pool)
    rule(pool.store, contested, Verdict.INCORRECT, "mia", "a tench")
    assert FIRST in taken(pool)
    pool.also_found_for(CRANE, 0)
    assert FIRST not in taken(pool)  # of the cranes nobody said anything
    rule(pool.store, FIRST, Verdict.CORRECT, "mia", "a tench")
    assert FIRST in taken(pool)  # a ruling for one class is enough, whoever else claims it
    rule(pool.store, contested, Verdict.CORRECT, "mia", "no, a goldfish")
    assert FIRST not in taken(pool)  # which is correct for both now
    rule(pool.store, FIRST, Verdict.INCORRECT, "mia", "a goldfish")
    assert contested in taken(pool)


def test_the_same_bytes_under_another_name_are_the_same_photo_until_they_are_removed(
    pool: Pool,
) -> None:
    pool.label_all_correct()
    twin = add_candidate(pool.workspace, pool.store, GOLDFISH, 999, content=picture(0))
    assert FIRST not in taken(pool)
    assert waiting(pool) == sorted([FIRST, twin])
    remove(pool.workspace, pool.store, "flickr:999", "its owner asked")
    assert FIRST in taken(pool)


def numbers(root: Path) -> dict[str, Any]:
    """What `status` and `labels stats` count, which must be the same."""
    now, stats = (
        json.loads(genset(*words, "--json", cwd=root))
        for words in (["status"], ["labels", "stats"])
    )
    said = {name: now[name] for name in ("candidates", "labeled", "labels", "labelers")}
    assert said == {
        "candidates": stats["candidates"],
        "labeled": stats["labeled"],
        "labels": stats["votes"],
        "labelers": stats["labelers"],
    }
    assert sum(each["candidates"] for each in stats["classes"]) == now["candidates"]
    return said


def test_the_commands_tell_one_thing(pool: Pool) -> None:
    """From the label to the claim, the review, and the release."""
    root = pool.workspace.root
    pool.label_all_correct()
    before = {"candidates": 8, "labeled": 8, "labels": 8, "labelers": 1}
    assert numbers(root) == before
    (root / "more" / GOLDFISH).mkdir(parents=True)
    (root / "more" / GOLDFISH / "a.jpg").write_bytes(picture(0))
    assert "1 photo added (source: more)" in genset("add", "more", "--license", "CC0", cwd=root)

    assert json.loads(genset("status", "--json", cwd=root))["contested"] == 2  # under two names
    assert numbers(root) == before  # of the new one nobody spoke, and labelers do not see it
    assert Desk(pool.workspace, pool.store, Labelers(pool.store).by_name("bob")).screens() == []
    review = json.loads(genset("labels", "review", "--json", cwd=root))
    first, other = (case["task"] for case in review)
    assert first == FIRST and other.startswith(f"{GOLDFISH}/more:")
    made = genset("release", "create", "v1", "--no-refresh", cwd=root)
    assert "7 photos" in made and f"left out: 1 {CLAIMED}" in made

    genset("labels", "rule", other, "incorrect", "--reason", "a tench", "--by", "mia", cwd=root)
    assert json.loads(genset("status", "--json", cwd=root))["contested"] == 0
    assert numbers(root) == before | {"candidates": 9}  # now labelers may see it
    assert json.loads(genset("labels", "review", "--json", cwd=root)) == []
    genset("release", "create", "v2", "--no-refresh", cwd=root)
    assert len(Release(root / "releases" / "v2").photos) == 8
