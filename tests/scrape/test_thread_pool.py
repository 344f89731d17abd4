"""Threads that do a scrape's calls: as many as keep a processor busy."""

import threading
import time
from collections.abc import Iterator

import pytest

from genset.scrape.work import ThreadPool

CALLS = 30


class Calls:
    """Calls that wait until they are let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self._begun = threading.Semaphore(0)

    def __call__(self) -> None:
        self._begun.release()
        assert self.let_go.wait(30)

    def begun(self) -> int:
        """How many have begun since this was last asked."""
        count = 0
        while self._begun.acquire(timeout=0.1):
            count += 1
        return count


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def pool(calls: Calls) -> Iterator[ThreadPool]:
    """A pool that was given more calls than it has threads for."""
    pool = ThreadPool()
    for _ in range(CALLS):
        pool.submit(calls)
    yield pool
    calls.let_go.set()
    pool.close()


def seconds_pass(monkeypatch: pytest.MonkeyPatch, of_the_processor: float) -> None:
    """Let each look at the clocks be a second after the last, so much of it computing."""
    looks = [0]

    def clock() -> float:
        looks[0] += 1
        return time.time() + 1000 * looks[0]

    monkeypatch.setattr(time, "monotonic", clock)
    monkeypatch.setattr(time, "process_time", lambda: of_the_processor * 1000 * looks[0])


def test_more_threads_come_while_calls_wait_and_the_processor_is_idle(
    pool: ThreadPool, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = calls.begun()
    assert 1 < few < 8
    seconds_pass(monkeypatch, of_the_processor=0.1)
    pool.look()
    assert calls.begun() == 1
    for _ in range(CALLS):
        pool.look()
    assert few + 1 + calls.begun() == 16
    calls.let_go.set()
    assert calls.begun() == CALLS - 16


def test_none_come_while_it_is_busy(
    pool: ThreadPool, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = calls.begun()
    seconds_pass(monkeypatch, of_the_processor=1.0)
    pool.look()  # from when the pool was made on
    for _ in range(CALLS):
        pool.look()
    assert calls.begun() <= 1
    calls.let_go.set()
    assert few + calls.begun() >= CALLS - 1


def test_what_has_not_begun_at_the_end_is_dropped(pool: ThreadPool, calls: Calls) -> None:
    few = calls.begun()
    closing = threading.Thread(target=pool.close)
    closing.start()
    assert calls.begun() == 0
    calls.let_go.set()
    closing.join(30)
    assert not closing.is_alive()
    assert few < CALLS
    assert calls.begun() == 0


def test_a_crew_without_calls_ends_at_once() -> None:
    ThreadPool().close()
