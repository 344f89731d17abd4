"""One pace for everybody who calls a host."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from genset.scrape.fetch.rate_limit import RateLimit


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What callers would sleep, without sleeping."""
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


def test_calls_take_turns(tmp_path: Path, waits: list[float]) -> None:
    pace = RateLimit(tmp_path, "host", 1000)
    for _ in range(3):
        pace.wait()
    assert waits == pytest.approx([1000, 2000], abs=100)


def test_callers_of_one_host_share_its_turns(tmp_path: Path, waits: list[float]) -> None:
    RateLimit(tmp_path, "host", 1000).wait()
    RateLimit(tmp_path, "host", 1000).wait()
    RateLimit(tmp_path, "another", 1000).wait()
    assert waits == pytest.approx([1000], abs=100)


def test_processes_share_them_too(tmp_path: Path, waits: list[float]) -> None:
    code = (
        f"from pathlib import Path; from genset.scrape.fetch.rate_limit import RateLimit; "
        f"RateLimit(Path({str(tmp_path)!r}), 'host', 1000).wait()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    RateLimit(tmp_path, "host", 1000).wait()
    assert waits == pytest.approx([1000], abs=100)


def test_a_host_that_wants_to_be_left_alone_is_left_alone_by_all(
    tmp_path: Path, waits: list[float]
) -> None:
    RateLimit(tmp_path, "host", 0).slow_down(500)
    other = RateLimit(tmp_path, "host", 0)
    assert other.waiting() == pytest.approx(500, abs=50)
    other.wait()
    assert waits == pytest.approx([500], abs=50)


def test_those_who_wait_for_their_turn_already_are_held_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:  # while the second call sleeps, the first one is told to slow down
            RateLimit(tmp_path, "host", 100).slow_down(500)

    monkeypatch.setattr(time, "sleep", sleep)
    pace = RateLimit(tmp_path, "host", 100)
    for _ in range(3):
        pace.wait()
    assert slept == pytest.approx([100, 500, 600], abs=50)


def test_a_file_that_a_power_failure_left_half_written_is_no_trouble(
    tmp_path: Path, waits: list[float]
) -> None:
    for content in (b"", bytes(64), b"17", b"1 2 3", "½ ½".encode()):
        (tmp_path / "host").write_bytes(content)
        RateLimit(tmp_path, "host", 1000).wait()
    assert waits == []


def test_a_clock_that_was_set_back_does_not_stop_the_work(
    tmp_path: Path, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    pace = RateLimit(tmp_path, "host", 1)
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    pace.wait()
    monkeypatch.setattr(time, "time", lambda: 1_000_000_000.0)
    pace.wait()
    assert waits[-1] <= 3600
