"""Killing a scrape anywhere loses nothing, doubles nothing, and leaves nothing to clean up."""

import re
import subprocess
import threading
from random import Random

import pytest

from genset.sandbox import Faults, Request
from tests.scrape.pools import Faulty, NewPool, Pool, Serve, answer_of, crowded_classes

KILLS = 20
FAULTS = Faults(
    seed=11,
    too_many=0.1,
    server_error=0.1,
    unavailable=0.1,
    wrong_format=0.1,
    truncated=0.1,
    gone=0.06,
    foreign_redirect=0.06,
    not_image=0.06,
    broken_photos=0.06,
    retry_after=0,
)


def kill_after(
    sandbox: Faulty, process: "subprocess.Popen[str]", requests: int, delay: float
) -> int:
    """Kill a process so many seconds after its so-manieth request; return how it ended.

    After request 0 means never.
    """
    left = [requests]

    def count(request: Request) -> None:
        left[0] -= 1
        if left[0] == 0:
            threading.Timer(delay, process.kill).start()

    sandbox.fault = count
    process.communicate(timeout=60)
    sandbox.fault = lambda request: None
    return process.returncode


def stored(pool: Pool) -> set[str]:
    """The ids of the photos that the database says are there."""
    return {photo["source_id"] for photo in pool.rows()["photo"] if photo["sha256"]}


def downloads(sandbox: Faulty) -> list[str]:
    """The ids of the photos whose pictures were asked for since the log was cleared."""
    return [re.sub(r".*/(\d+)_.*", r"\1", path) for path in sandbox.asked_images]


@pytest.mark.soak
def test_killed_at_any_moment_it_ends_with_the_pool_of_an_undisturbed_run(
    serve: Serve, new_pool: NewPool
) -> None:
    wnids, rows, contents = crowded_classes(count=20, photos=8)
    sandbox = serve(*rows, contents=contents, faults=FAULTS)
    words = ["--classes", ",".join(wnids), "--per-class", "4", "--json"]
    undisturbed = new_pool()
    expected = answer_of(undisturbed.command(sandbox.endpoint, *words))
    # Everything that may go wrong for good did.
    wrong = {"gone", "broken image", "not available"}
    assert set(expected["rejected"]) == wrong
    assert expected["full"] > 10
    assert expected["contested"]

    random = Random(7)
    pool, kills, ended = new_pool(), 0, -9
    while kills < KILLS or ended != 0:
        had = stored(pool)
        sandbox.requests.clear()
        process = pool.command(sandbox.endpoint, *words)
        requests = random.randrange(1, 75) if kills < KILLS else 0
        ended = kill_after(sandbox, process, requests, random.uniform(0, 0.03))
        assert had <= stored(pool)
        assert not had & set(downloads(sandbox))
        kills += ended == -9
        if ended == 0:
            assert pool.rows() == undisturbed.rows()
            assert pool.files() == undisturbed.files()
            if kills < KILLS:  # the run was faster than its killer
                pool = new_pool()
        else:
            assert ended == -9
