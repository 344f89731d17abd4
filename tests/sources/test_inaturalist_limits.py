"""iNaturalist's limits, which must hold in any stretch of time however it is called."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from genset.db import Store
from genset.net.host_state import Quotas
from genset.net.pace import RateLimit
from genset.sources import inaturalist
from genset.sources.inaturalist import calls

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
START = 1e9


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{tmp_path / 'genset.db'}")
    yield store
    store.close()


def most_within(seconds: float, came: list[tuple[float, int]]) -> int:
    """The largest sum of what came within so many seconds of each other."""
    most = held = begin = 0
    for time, size in came:
        held += size
        while came[begin][0] <= time - seconds:
            held -= came[begin][1]
            begin += 1
        most = max(most, held)
    return most


def test_calls_stay_within_the_minute(store: Store) -> None:
    quotas = Quotas(store, "host", "Host", [calls(store, "host")], lambda: START, print)
    turns, now = [], START
    for _ in range(200):  # as fast as it lets
        now = quotas.reserve(0, now, 0)
        turns.append((now, 1))
    assert most_within(MINUTE, turns) <= 60


@pytest.mark.parametrize("seed", range(3))
def test_calls_stay_within_a_longer_time_by_its_burst_what_refills_and_one(
    store: Store, seed: int
) -> None:
    draw, now, turns = random.Random(seed), START, []
    limit = RateLimit(store, "day", 12, burst=27)
    for _ in range(150):
        now = limit.reserve(now + draw.choice((0.0, 0.0, 0.0, draw.uniform(0, 300))))
        turns.append((now, 1))
    for seconds in (MINUTE, 300.0, HOUR):
        assert most_within(seconds, turns) <= 27 + seconds / 12 + 1
    assert inaturalist.DAYS_BURST + DAY / inaturalist.DAYS_SECONDS_A_CALL + 1 == 9_901
