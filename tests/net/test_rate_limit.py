"""One rate for everybody who uses a quota."""

from collections.abc import Iterator

import pytest

from genset.db import Store
from genset.net.pace import RateLimit


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    store = Store.open(store_url)
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
