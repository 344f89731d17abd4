"""Two years of a protocol in the sandbox, as a maintainer makes them."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from genset.classes import imagenet1k
from genset.db import Photo, Store, now
from genset.db.duplicates import decide, open_pairs
from genset.scrape.upkeep.duplicates import propose
from genset.sets.photos import open_set
from tests.labeled_workspace import GOLDFISH, TENCH
from tests.protocols.years import Maintainer, rows_of, textured
from tests.reporting.sets import score_on
from tests.scrape.several import Start

CLASSES = tuple(imagenet1k()[wnid] for wnid in (TENCH, GOLDFISH))
OF_2023 = ("--posted-after", "2023-01-01", "--posted-before", "2024-01-01")
OF_2024 = ("--posted-after", "2024-01-01", "--posted-before", "2025-01-01")
SAVE = ("protocol", "save", "fish", "--classes", f"{TENCH},{GOLDFISH}", "--candidates", 5, *OF_2023)

FIRST = {1000, 1001, 1002, 1003, 1004, 1100, 1101, 1102, 1103, 1104}
NAMES = ("fish-2023", "several")
SECOND = {2000, 2001, 2002, 2003, 2004, 2100, 2101, 2102, 2103, 2104}


@pytest.fixture
def sandbox(start: Start) -> Any:
    """Seven photos of each class and year; three of the second year are copies of the first's.

    2000 has the bytes of 1003, 2101 is a worse copy of 1102, and 2002 is 1001 mirrored.
    """
    rows = [*rows_of(2023, 1000, CLASSES, 7), *rows_of(2024, 2000, CLASSES, 7)]
    numbers = [int(row["id_search_engine"]) for row in rows]
    contents = {number: textured(number) for number in numbers}
    contents |= {2000: textured(1003), 2101: textured(1102, quality=60)}
    contents[2002] = textured(1001, mirrored=True)
    return start("flickr", rows, contents=contents)


def made(genset: Maintainer, *words: object) -> Any:
    """Run the protocol, label what it found, and run it again."""
    genset("protocol", "run", "fish", *words)
    genset.label()
    return genset("protocol", "run", "fish", *words)


@pytest.mark.soak
def test_a_second_year_is_collected_as_the_first_one_was(sandbox: Any, genset: Maintainer) -> None:
    genset(*SAVE)
    begun = genset("protocol", "run", "fish")
    assert (begun["candidates"], begun["waiting"], begun["frozen"]) == (10, 10, None)
    assert "label them with genset label" in begun["why"]
    assert not genset.workspace.releases.exists()
    genset.label()
    assert genset("protocol", "run", "fish")["frozen"]["name"] == "fish-2023"
    assert genset.photos("fish-2023") == FIRST

    second = made(genset, *OF_2024)
    assert second["frozen"]["name"] == "fish-2024"
    assert genset.photos("fish-2024") == SECOND - {2000, 2101, 2002}
    assert second["earlier"] == {"fish-2023": 3}
    assert second["frozen"]["left_out"]["looks like a photo of fish-2023"] == 3

    manifest = json.loads(
        (genset.workspace.releases / "fish-2024" / "manifest.json").read_text("utf-8")
    )
    told = manifest["protocol"]
    assert told["sha256"] == genset("protocol", "show", "fish")["sha256"]
    assert (told["posted_after"], told["posted_before"]) == ("2024-01-01", "2025-01-01")
    assert [each["name"] for each in told["earlier"]] == ["fish-2023"]
    (listed,) = genset("protocol", "list")
    assert listed["releases"] == ["fish-2023", "fish-2024"]
    genset("release", "verify", "fish-2024")


@pytest.mark.soak
def test_who_says_that_two_photos_differ_keeps_both(sandbox: Any, genset: Maintainer) -> None:
    genset(*SAVE)
    made(genset)
    genset("protocol", "run", "fish", *OF_2024)
    store = Store.open(genset.workspace.store_url)
    propose(genset.workspace, store, ())
    pairs = {int(pair.photo.source_id): pair.id for pair in open_pairs(store)}
    assert sorted(pairs) == [2000, 2002, 2101]
    decide(store, [pairs[2101], pairs[2002]], same=False, by="ann")
    store.close()
    made(genset, *OF_2024)
    assert genset.photos("fish-2024") == SECOND - {2000}


def test_said_again_it_changes_nothing(sandbox: Any, genset: Maintainer) -> None:
    genset(*SAVE)
    once = made(genset)["frozen"]
    asked = len(sandbox.requests.of("flickr.photos.search"))
    assert genset("protocol", "run", "fish")["frozen"] == once
    assert len(sandbox.requests.of("flickr.photos.search")) == asked
    other = genset("protocol", "run", "fish", *OF_2024, "--release", "fish-2023")
    assert other.startswith("2: release fish-2023 exists, and is not of this window")


def test_what_other_searches_found_in_the_window_is_not_of_it(
    sandbox: Any, genset: Maintainer
) -> None:
    genset(*SAVE)
    words = ("--classes", f"{TENCH},{GOLDFISH}", "--per-class", 7, *OF_2023)
    assert genset("scrape", *words)["stored"] == 14
    genset.label()
    genset("protocol", "run", "fish")
    assert genset.photos("fish-2023") == FIRST
    left_out = genset("protocol", "run", "fish")["frozen"]["left_out"]
    assert left_out == {"not collected by the protocol in this window": 4}


def test_queries_that_change_later_do_not_change_a_protocol(
    sandbox: Any, genset: Maintainer
) -> None:
    genset(*SAVE)
    own = genset.workspace.root / "queries.toml"
    own.write_text(f'[classes.{TENCH}]\nqueries = ["carp"]\nwhy = "another fish"\n', "utf-8")
    genset("keywords", "update")
    made(genset)
    asked = {each.params["text"] for each in sandbox.requests.of("flickr.photos.search")}
    assert CLASSES[0].queries[0].text in asked
    assert "carp" not in asked
    assert genset.photos("fish-2023") == FIRST


def test_without_searching_it_freezes_what_was_collected(
    sandbox: Any, genset: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    genset(*SAVE)
    nothing = genset("protocol", "run", "fish", "--no-search")
    assert nothing["why"] == "2 classes are not collected yet: leave out --no-search"
    genset("protocol", "run", "fish")
    genset.label()
    monkeypatch.delenv("FLICKR_API_KEY")
    assert genset("protocol", "run", "fish", "--no-search")["frozen"]["photos"] == 10


@pytest.mark.parametrize(("search", "checked"), [((), 10), (("--no-search",), 0)])
def test_licences_that_were_seen_long_ago_are_asked_for_before_it_is_frozen(
    search: tuple[str, ...], checked: int, sandbox: Any, genset: Maintainer
) -> None:
    genset(*SAVE)
    genset("protocol", "run", "fish")
    genset.label()
    store = Store.open(genset.workspace.store_url)
    with store.begin() as session:
        for photo in session.query(Photo):
            photo.stored_at, photo.checked_at = now() - timedelta(days=31), None
    store.close()
    run = genset("protocol", "run", "fish", *search)
    assert (run["frozen"]["photos"], run["licenses"]["checked"]) == (10, checked)
    assert run["licenses"]["unchecked"] == {}


def test_votes_are_those_of_the_protocol(sandbox: Any, genset: Maintainer) -> None:
    settings = genset.workspace.root / "genset.toml"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("votes = 1", "votes = 2"), "utf-8")
    genset(*SAVE)
    settings.write_text(text, "utf-8")
    refused = genset("protocol", "run", "fish")
    assert refused.endswith(
        "[label] votes is 1, and protocol fish has 2: set it so, or save another protocol"
    )
    settings.write_text(text.replace("votes = 1", "votes = 2"), "utf-8")
    assert made(genset)["why"].startswith("10 of 10 candidates lack votes")
    genset.label("bob")
    assert genset("protocol", "run", "fish")["frozen"]["photos"] == 10


@pytest.mark.soak
def test_a_release_from_elsewhere_can_be_an_earlier_one(
    sandbox: Any, genset: Maintainer, tmp_path: Path
) -> None:
    """Its photos are not in this pool: their hashes are made of its files, as they are."""
    genset(*SAVE)
    made(genset)
    other = Maintainer(type(genset.workspace).create(tmp_path / "other"))
    other(*SAVE)
    earlier = genset.workspace.releases / "fish-2023"
    found = made(other, *OF_2024, "--earlier", earlier)
    assert found["earlier"] == {"fish-2023": 2}
    assert other.photos("fish-2024") == SECOND - {2000, 2101}


def test_a_window_that_is_not_over_is_collected_and_not_frozen(
    sandbox: Any, genset: Maintainer
) -> None:
    genset(*SAVE)
    words = ("--posted-after", "2024-01-01", "--posted-before", "2124-01-01")
    assert made(genset, *words)["why"] == "its window ends on 2124-01-01: wait until then"
    later = genset("protocol", "run", "fish", *("--posted-after", "2123-01-01"), *words[2:])
    assert later == "2: --posted-after is 2123-01-01, a day to come: no photo is posted since"
    half = genset("protocol", "run", "fish", *words[:2])
    assert half.startswith("2: a window has two ends")


@pytest.mark.soak
def test_with_several_answers_it_stays_of_its_window(sandbox: Any, genset: Maintainer) -> None:
    genset(*SAVE)
    made(genset)
    made(genset, *OF_2024)
    photos = open_set(str(genset.workspace.releases / "fish-2023"))
    score_on(photos, genset.workspace.runs, "one", set())
    genset("labels", "propose", "fish-2023")
    words = ("--from", "fish-2023", "--multilabel", "--allow-unanswered")
    genset("release", "create", "several", *words)
    assert genset.photos("several") == FIRST
    folder = genset.workspace.releases
    of, several = (json.loads((folder / n / "manifest.json").read_text()) for n in NAMES)
    assert several["protocol"] == of["protocol"]
    (listed,) = genset("protocol", "list")
    assert listed["releases"] == ["fish-2023", "fish-2024"]


def test_it_goes_on_with_what_its_sources_have(sandbox: Any, genset: Maintainer) -> None:
    """No class has as many photos as are wanted, and each has its last result."""
    genset(*SAVE[:-6], "--candidates", 50, *OF_2023)
    begun = genset("protocol", "run", "fish")
    assert (begun["candidates"], begun["waiting"]) == (14, 14)
    genset.label()
    assert genset("protocol", "run", "fish")["frozen"]["photos"] == 14


def test_a_window_in_which_nothing_was_posted_is_told(sandbox: Any, genset: Maintainer) -> None:
    genset(*SAVE)
    nothing = genset(
        "protocol", "run", "fish", "--posted-after", "2015-01-01", "--posted-before", "2016-01-01"
    )
    assert nothing == (
        "1: no photo of protocol fish was found in the window from 2015-01-01 until before "
        "2016-01-01"
    )


@pytest.mark.soak
def test_a_year_counts_its_own_candidates_alone(sandbox: Any, genset: Maintainer) -> None:
    """Of other years' candidates nothing is left out, and no class that was not asked for is short.

    Goldfish are in the pool, and not in this protocol; tench has fewer photos than are wanted.
    """
    genset("scrape", "--classes", GOLDFISH, "--per-class", 5, *OF_2023)
    words = ("--strategy", "threshold", "--per-class", 8, "--candidates", 8, *OF_2023)
    genset("protocol", "save", "fish", "--classes", TENCH, *words)
    made(genset)
    second = made(genset, *OF_2024)["frozen"]
    assert second["photos"] == 5
    assert second["left_out"] == {"looks like a photo of fish-2023": 2}
    manifest = genset.workspace.releases / "fish-2024" / "manifest.json"
    assert json.loads(manifest.read_text("utf-8"))["short"] == {TENCH: 3}


def test_two_runs_at_once_freeze_one_release(
    sandbox: Any, genset: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other run freezes just before this one does."""
    from genset.release import freeze

    genset(*SAVE)
    genset("protocol", "run", "fish")
    genset.label()
    create, others = freeze.create, list[Any]()

    def late(*words: Any) -> Any:
        monkeypatch.setattr(freeze, "create", create)
        others.append(genset("protocol", "run", "fish"))
        return create(*words)

    monkeypatch.setattr(freeze, "create", late)
    assert genset("protocol", "run", "fish")["frozen"] == others[0]["frozen"]
    assert [each.name for each in genset.workspace.releases.glob("[!.]*")] == ["fish-2023"]


@pytest.mark.soak
def test_a_window_that_was_frozen_under_another_name_is_found(
    sandbox: Any, genset: Maintainer
) -> None:
    genset(*SAVE)
    assert made(genset, "--release", "first")["frozen"]["name"] == "first"
    assert genset("protocol", "run", "fish")["frozen"]["name"] == "first"
    said = genset.says("protocol", "run", "fish", "--release", "again")
    assert "first is of this window too" in said


def test_a_window_that_overlaps_another_is_told(sandbox: Any, genset: Maintainer) -> None:
    genset(*SAVE)
    made(genset)
    words = ("--posted-after", "2023-06-15", "--posted-before", "2024-06-15")
    genset("protocol", "run", "fish", *words)
    genset.label()
    said = genset.says("protocol", "run", "fish", *words)
    assert "the window of fish-2023 (from 2023-01-01 until before 2024-01-01) overlaps this" in said


@pytest.mark.soak
def test_copies_do_not_come_again_in_a_year_that_is_made_later(
    sandbox: Any, genset: Maintainer
) -> None:
    genset(*SAVE)
    made(genset, *OF_2024)
    first = made(genset)
    assert genset.photos("fish-2024") == SECOND
    assert genset.photos("fish-2023") == FIRST - {1001, 1003, 1102}
    assert first["earlier"] == {"fish-2024": 3}


def test_a_year_says_who_labeled_it_and_by_which_protocol(sandbox: Any, genset: Maintainer) -> None:
    """Ann labels the first year, and bob the second: of the second, ann has no part in it."""
    genset(*SAVE)
    made(genset)
    genset("protocol", "run", "fish", *OF_2024)
    genset.label("bob", year=2024)
    genset("protocol", "run", "fish", *OF_2024)
    folder = genset.workspace.releases / "fish-2024"
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["labelers"] == 1
    collected = manifest["collected"]
    assert (collected["labels"], collected["candidates"], collected["searches"]) == (10, 14, 4)
    (way,) = manifest["labeling"]["by_way"].values()
    assert (way["labels"], way["labelers"]) == (10, 1)
    assert manifest["protocol"]["labels"] == 10
    (earlier,) = manifest["protocol"]["earlier"]
    assert earlier["labels_in_common"] == 0
    card = (folder / "DATA_CARD.md").read_text("utf-8").replace("\\", "")
    assert "10 labels by 1 labeler on 10 candidates of the protocol's window" in card
    assert f"protocol fish (sha256:{manifest['protocol']['sha256']})" in card
    assert "posted from 2024-01-01 until before 2025-01-01" in card
    assert "Photos that are in fish-2023, or near duplicates of theirs, were left out" in card
