"""The random order of an iNaturalist search: fair, and the same for the same seed."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from genset.sources.inaturalist import INaturalist
from genset.sources.inaturalist_draw import MOST_BLOCKS, Draw, Run
from genset.sources.source import Question, SearchPage
from tests.sources.inaturalists import CONTACT, found, inaturalist, observation

FIRST = Question("Tinca tinca", datetime(2014, 1, 1, tzinfo=UTC), None, (), per_page=4, page=1)
UNLIKELY = 1e-3  # a p-value below it is no chance, with seeds that stay


class Counted(INaturalist):
    """iNaturalist without a network, which finds observations with these ids, sorted."""

    ids: list[int]
    calls = 0

    def _ask(self, asked: Mapping[str, object]) -> tuple[int, list[dict[str, Any]]]:
        self.calls += 1
        total, page = found(self.ids, asked)
        return total, [observation(number) for number in page]


@pytest.fixture(scope="module")
def naturalists() -> Counted:
    near = "http://127.0.0.1:9/v1"
    return Counted(inaturalist(near).api.hosts, CONTACT, near)


def spread(size: int) -> list[int]:
    """Ids as they are spread over the years: few at first, and nine of ten in one rush."""
    early = [1 + 97 * place for place in range(size // 20)]
    rush = [50_000_000 + place for place in range(size * 9 // 10)]
    late = [90_000_000 + 1009 * place for place in range(size - len(early) - len(rush))]
    return early + rush + late


def begun(source: Counted, ids: list[int], seed: int = 0) -> SearchPage:
    source.ids, source._seed = ids, seed
    return source.search(FIRST, 0)


def drawn(source: Counted, ids: list[int], seed: int, pages: int) -> list[int]:
    """The ids of the first pages of a draw, in its order."""
    bookmark, order = begun(source, ids, seed).bookmark, list[int]()
    for page in range(2, 2 + pages):
        came = source.search(replace(FIRST, page=page, bookmark=bookmark), 0)
        order += [UUID(each.source_id[:36]).int for each in came.photos]
        bookmark = came.bookmark
        if came.last:
            break
    return order


# Each observation has the same chance


def test_in_a_search_of_more_than_a_query_shows_so_it_is(naturalists: Counted) -> None:
    ids = spread(43_210)
    parts = 30
    first, among = Counter[int](), Counter[int]()
    for seed in range(3000):
        order = drawn(naturalists, ids, seed, pages=2)
        first[bisect_left(ids, order[0]) * parts // len(ids)] += 1
        among.update(bisect_left(ids, each) * parts // len(ids) for each in order)
    assert chisquare([first[part] for part in range(parts)]).pvalue > UNLIKELY
    assert max(abs(among[part] * parts / among.total() - 1) for part in range(parts)) < 0.2


# All of it, once


@pytest.mark.parametrize("size", [1, 4, 5, 101])
def test_a_small_search_comes_whole_and_each_once(naturalists: Counted, size: int) -> None:
    ids = spread(size)
    assert sorted(drawn(naturalists, ids, 1, pages=1000)) == ids


def test_a_draw_ends(naturalists: Counted) -> None:
    ids = spread(20_000)
    bookmark = begun(naturalists, ids).bookmark
    for page, last in ((2, False), (MOST_BLOCKS, False), (MOST_BLOCKS + 1, True)):
        came = naturalists.search(replace(FIRST, page=page, bookmark=bookmark), 0)
        assert came.last is last
        assert not came.capped  # which would have the window of posting times halved
        assert came.photos
    assert naturalists.search(replace(FIRST, page=10**6, bookmark=bookmark), 0).last


def test_the_same_seed_draws_the_same_and_another_one_otherwise(naturalists: Counted) -> None:
    for size in (200, 30_000):
        ids = spread(size)
        one, again, other = (drawn(naturalists, ids, seed, pages=5) for seed in (1, 1, 2))
        assert one == again != other
    # What is new since it began does not move it.
    bookmark = begun(naturalists, ids, seed=1).bookmark
    before = naturalists.search(replace(FIRST, page=2, bookmark=bookmark), 0)
    naturalists.ids = [*ids, *range(ids[-1] + 1, ids[-1] + 9000)]
    assert naturalists.search(replace(FIRST, page=2, bookmark=bookmark), 0) == before


def test_each_of_a_pages_calls_waits_for_its_turn(
    naturalists: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    bookmark = begun(naturalists, spread(90_000), seed=1).bookmark
    turns, naturalists.calls = list[int](), 0
    monkeypatch.setattr(naturalists.api, "wait_for_turn", turns.append)
    naturalists.search(replace(FIRST, page=2, bookmark=bookmark), 0)
    assert len(turns) + 1 == naturalists.calls > 2  # whoever calls it waited for the first


@given(
    total=st.integers(1, 2**53),
    newest=st.integers(1, 2**53),
    start=st.integers(0, 2**53),
    said=st.integers(0, 2**53),
)
def test_whatever_a_host_counts_the_halves_have_an_end(
    total: int, newest: int, start: int, said: int
) -> None:
    calls = count()

    def counted(above: int, below: int) -> int:
        assert next(calls) < 60 * 100
        return said

    for window in Draw(0, total, newest).windows(Run(start % total, 100), counted):
        assert 0 <= window.above < window.below <= newest + 1
        assert window.run.start >= 0
        assert 1 <= window.run.length <= 100
        assert window.run.page
