"""One rate for everybody who uses a quota."""

from collections.abc import Iterator
from itertools import pairwise
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.db import Store
from genset.net.pace import RateLimit


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    store = Store.open(store_url)
    yield store
    store.close()


@pytest.fixture(scope="module")
def some_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{tmp_path_factory.mktemp('store') / 'genset.db'}")
    yield store
    store.close()


def test_callers_of_one_quota_share_its_turns(store: Store, store_url: str) -> None:
    other, limit = Store.open(store_url), RateLimit(store, "host", 10)
    assert [limit.reserve(1000) for _ in range(2)] == [1000, 1010]
    assert RateLimit(other, "host", 10).reserve(1000) == 1020
    assert RateLimit(other, "another", 10).reserve(1000) == 1000
    assert limit.waiting(1000) == 30
    assert limit.reserve(2000) == 2000
    unlimited = RateLimit(store, "all", 0)
    assert [unlimited.reserve(1000) for _ in range(3)] == [1000] * 3
    assert unlimited.waiting(1000) == 0
    other.close()


@given(st.lists(st.floats(0, 100), min_size=2, max_size=20))
def test_no_two_calls_are_closer_than_the_interval(some_store: Store, pauses: list[float]) -> None:
    limit, now, turns = RateLimit(some_store, uuid4().hex, 7), 1000.0, []
    for pause in pauses:
        now += pause
        turns.append(limit.reserve(now))
        assert turns[-1] >= now
    assert all(later - earlier > 6.999 for earlier, later in pairwise(turns))
