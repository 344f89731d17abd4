"""iNaturalist's limits, which must hold in any stretch of time however it is called."""

import heapq
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from genset.db import Store
from genset.net.pace import AllOf, ByteLimit, Limit, RateLimit
from genset.sources import inaturalist
from genset.sources.inaturalist import calls, media
from tests.sources.inaturalists import inaturalist as source_at

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
START = 1e9
LONGEST = 600.0  # seconds that a picture may take


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


def fetched(
    limit: Limit, draw: random.Random, pictures: int, most: int, threads: int
) -> list[tuple[float, int]]:
    """When pictures of up to `most` bytes came to threads that ask as fast as they may."""
    free = [0.0] * threads
    under_way: list[tuple[float, int]] = []
    came = []
    while len(came) < pictures:
        now = heapq.heappop(free)
        while under_way and under_way[0][0] <= now:
            time, size = heapq.heappop(under_way)
            limit.spend(START + time, size)
            came.append((time, size))
        turn = limit.reserve(START + now) - START
        done = turn + draw.choice((0.1, 1.0, draw.uniform(0, LONGEST - 1)))
        heapq.heappush(under_way, (done, draw.choice((most, draw.randint(1, most)))))
        heapq.heappush(free, done)
    return sorted(came)


def test_calls_stay_within_the_minute(store: Store) -> None:
    limit, turns, now = calls(store, "host"), [], START
    for _ in range(200):  # as fast as it lets
        now = limit.reserve(now)
        turns.append((now, 1))
    assert most_within(MINUTE, turns) <= 60


@pytest.mark.parametrize("seed", range(5))
def test_calls_stay_within_a_longer_time_by_its_burst_what_refills_and_one(
    store: Store, seed: int
) -> None:
    draw, now, turns = random.Random(seed), START, []
    limit = AllOf([RateLimit(store, "second", 1), RateLimit(store, "day", 12, burst=27)])
    for _ in range(150):
        now = limit.reserve(now + draw.choice((0.0, 0.0, 0.0, draw.uniform(0, 300))))
        turns.append((now, 1))
    for seconds in (MINUTE, 300.0, HOUR):
        assert most_within(seconds, turns) <= 27 + seconds / 12 + 1


@pytest.mark.parametrize("seed", range(4))
def test_bytes_stay_within_a_time_by_burst_refill_and_what_is_under_way(
    store: Store, seed: int
) -> None:
    draw = random.Random(seed)
    threads, most, rate, burst = 1 + 5 * seed, 100, 5.0, 2000.0
    limit = ByteLimit(store, "bytes", rate, burst, most)
    came = fetched(limit, draw, 300, most, threads)
    for seconds in (MINUTE, HOUR, 2 * HOUR):
        allowed = burst + rate * (seconds + LONGEST) + (threads + 1) * most
        assert most_within(seconds, came) <= allowed


@pytest.mark.soak
def test_media_stay_within_the_hour(store: Store) -> None:
    limit = media(store, "images")
    came = fetched(limit, random.Random(1), 430, inaturalist.IMAGE_BYTES, threads=48)
    assert came[-1][0] > HOUR
    assert 3e9 < most_within(HOUR, came) < 5e9


def test_calls_that_fail_are_counted_as_if_they_had_brought_much(store: Store) -> None:
    limit, now, turns = media(store, "images"), START, []
    while now < START + 1.05 * HOUR:
        now = limit.reserve(now)
        turns.append((now, inaturalist.IMAGE_BYTES))
    assert most_within(HOUR, turns) < 5e9


def test_the_sums_beside_the_numbers_are_right() -> None:
    assert inaturalist.DAYS_BURST + DAY / inaturalist.DAYS_SECONDS_A_CALL + 1 == 9_901
    under_way = 49 * inaturalist.IMAGE_BYTES
    hour = inaturalist.HOURS_BURST + inaturalist.HOURS_BYTES_A_SECOND * (HOUR + LONGEST)
    day = inaturalist.DAYS_BYTES_BURST + inaturalist.DAYS_BYTES_A_SECOND * (DAY + LONGEST)
    assert round((hour + under_way) / 1e9, 2) == 4.88
    assert round((day + under_way) / 1e9, 2) == 23.22


def test_loopback_has_no_pace() -> None:
    near, far = source_at("http://127.0.0.1:9/v1"), source_at("http://example.org/v1")
    for source, waits in ((near, False), (far, True)):
        for host in (source.api, source.images):
            host.wait_for_turn(0)
            assert (host._quotas._limits[0].waiting(host.hosts.now()) > 0) is waits
