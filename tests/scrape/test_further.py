"""Searching again, for photos posted since the last search: what ranks they get."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select, update

from genset.db import Candidate, Search, Verdict
from genset.label.review import rule
from genset.release.documents.provenance import collection
from genset.release.freeze import create
from genset.release.reader import MANIFEST
from genset.scrape.further import since_last
from genset.scrape.scraper import scrape
from tests.labeled_workspace import TENCH
from tests.scrape.commands import genset
from tests.scrape.pools import DOG, DOWN, Pool, Row, Serve, image_class, record

CLASS = image_class(TENCH, "cat", "kitten")
OLD = tuple(record(number) for number in range(1, 9))
NEW = tuple(
    record(number, keyword, date_upload_search_engine="2017-01-01 12:00:00")
    for number, keyword in ((11, "kitten"), (12, "cat"), (13, "cat"), (14, "kitten"))
)
NEWEST = tuple(
    record(number, date_upload_search_engine="2019-01-01 12:00:00") for number in range(21, 29)
)


def searched_in(pool: Pool, year: int) -> None:
    """Let the searches of today have been made in another year."""
    with pool.store.begin() as session:
        today = Search.searched_at > datetime(2025, 1, 1, tzinfo=UTC)
        session.execute(
            update(Search).where(today).values(searched_at=datetime(year, 1, 1, tzinfo=UTC))
        )


def ranks(pool: Pool) -> dict[str, int]:
    """The rank of each stored photo."""
    with pool.store.session() as session:
        found = session.scalars(select(Candidate))
        return {one.photo.source_id: one.rank for one in found if one.photo.sha256}


def further(pool: Pool, *rows: Row, serve: Serve) -> str:
    """Scrape what was posted since the last search; since when that is."""
    plan = since_last(pool.store, pool.plan)
    scrape(pool.workspace, pool.store, serve(*rows).source, plan)
    return f"{plan.posted_after:%Y}"


@pytest.fixture
def searched(pool: Pool, serve: Serve) -> Pool:
    """A class that was filled from a search in 2016."""
    pool.plan = replace(pool.plan, classes=(CLASS,))
    scrape(pool.workspace, pool.store, serve(*OLD).source, pool.plan)
    searched_in(pool, 2016)
    return pool


def test_new_photos_rank_after_those_of_the_searches_before(searched: Pool, serve: Serve) -> None:
    first = ranks(searched)
    assert first == {"1": 1, "2": 2, "3": 3}
    assert further(searched, *OLD, *NEW, serve=serve) == "2016"
    second = first | {"11": 1_000_001, "12": 1_000_001, "13": 1_000_002}
    assert ranks(searched) == second
    searched_in(searched, 2018)
    assert further(searched, *OLD, *NEW, *NEWEST, serve=serve) == "2018"
    third = {"21": 2_000_001, "22": 2_000_002, "23": 2_000_003}
    assert ranks(searched) == second | third
    # The whole pool has enough, by the first search's photos.
    done = scrape(searched.workspace, searched.store, serve(*OLD).source, searched.plan)
    assert (done.full, done.stored, done.searches) == (1, 0, 0)


def test_a_search_that_is_not_done_goes_on(searched: Pool, serve: Serve) -> None:
    sandbox = serve(*OLD, *NEW)
    sandbox.fault = lambda request: DOWN if "/13_" in request.path else None
    plan = since_last(searched.store, replace(searched.plan, wait=False))
    assert scrape(searched.workspace, searched.store, sandbox.source, plan).waiting
    searched_in(searched, 2018)
    assert since_last(searched.store, replace(searched.plan, wait=False)) == plan
    assert further(searched, *OLD, *NEW, serve=serve) == "2016"
    assert since_last(searched.store, searched.plan).posted_after.year == 2018


def test_a_release_says_how_many_photos_each_search_found_and_ranks_stay(
    searched: Pool, serve: Serve
) -> None:
    further(searched, *OLD, *NEW, serve=serve)
    for name in ("1", "2", "12"):
        rule(searched.store, f"{TENCH}/flickr:{name}", Verdict.CORRECT, "ann", "a tench")
    release = create(searched.workspace, searched.store, "grown")
    manifest = json.loads((release.root / MANIFEST).read_text())
    assert manifest["origins"]["flickr"]["by_search"] == [2, 1]
    words = " ".join(collection(manifest, release.photos))
    assert "; photos by search, from first to last: 2, 1" in words
    # The first search is asked for more, and finds the same photos by another query.
    before = ranks(searched)
    other = image_class(TENCH, "cat", "kitten", "tom")
    new = (record(11, "tom", date_upload_search_engine="2017-01-01 12:00:00"), record(9, "tom"))
    searched.scrape(serve(*OLD, *new).source, other, per_class=4)
    assert ranks(searched) == before | {"9": 2}


def test_a_first_search_that_is_not_done_goes_on(pool: Pool, serve: Serve) -> None:
    pool.plan = replace(pool.plan, per_class=1, classes=(CLASS, DOG))
    pool.scrape(serve(*OLD).source, CLASS, per_class=1)
    assert since_last(pool.store, pool.plan) == pool.plan
    pool.scrape(serve(record(31, "dog")).source, DOG, per_class=1)
    assert since_last(pool.store, pool.plan) != pool.plan
    said = genset("scrape", "--since-last", "--no-search", cwd=pool.workspace.root, code=2)
    assert "--since-last cannot be combined with --posted-before or --no-search" in said
