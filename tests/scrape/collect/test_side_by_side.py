"""Several scrapes of one workspace at once share the work, and leave the pool of a single one."""

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from genset.sandbox import Request
from genset.scrape.collect.locks import Locks
from tests.scrape.pools import Faulty, Pool, Serve, answer_of, crowded_classes


def wait_for(sandbox: Faulty, count: int) -> None:
    """Let nobody have an answer before so many scrapes, each with a key of its own, have asked."""
    keys: set[str] = set()
    all_here = threading.Event()

    def hold(request: Request) -> None:
        if request.is_call:
            keys.add(request.params["api_key"])
        if len(keys) == count:
            all_here.set()
        assert all_here.wait(30)

    sandbox.fault = hold


@pytest.mark.parametrize(("count", "classes"), [(2, 36), (3, 68)])
def test_scrapes_at_once_share_the_work(
    serve: Serve, new_pool: Callable[..., Pool], store_url: str, count: int, classes: int
) -> None:
    # A scrape works on 32 classes at a time: with one more, there is something left to share.
    wnids, rows, contents = crowded_classes(classes, photos=4)
    sandbox = serve(*rows, contents=contents)
    words = ["--classes", ",".join(wnids), "--per-class", "2", "--json"]
    alone, pool = new_pool(), new_pool(store_url=store_url)
    expected = answer_of(alone.command(sandbox.endpoint, *words))
    searches, images = sandbox.searches, Counter(sandbox.asked_images)

    sandbox.requests.clear()
    wait_for(sandbox, count)
    scrapes = [pool.command(sandbox.endpoint, *words, key=f"key{turn}") for turn in range(count)]
    done = [answer_of(each) for each in scrapes]

    assert sandbox.searches == searches
    assert Counter(sandbox.asked_images) == images
    assert set(images.values()) == {1}
    assert pool.rows() == alone.rows()
    assert pool.files() == alone.files()
    assert all(each["searches"] for each in done)
    for counted in ("stored", "searches"):
        assert sum(each[counted] for each in done) == expected[counted]
    for told in ("full", "short", "contested", "failed"):
        assert [each[told] for each in done] == [expected[told]] * count


# Locks


def claims_of_another_process(path: Path, number: int) -> bool:
    """Whether another process gets a claim."""
    code = (
        f"from pathlib import Path; from genset.scrape.collect.locks import Locks; "
        f"raise SystemExit(0 if Locks(Path({str(path)!r})).claim({number}) else 3)"
    )
    return subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_claim_is_one_processs_until_it_gives_it_back(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    claims = Locks(path)
    assert claims.claim(7)
    assert claims.claim(7)
    assert not claims_of_another_process(path, 7)
    assert claims_of_another_process(path, 8)
    claims.release(7)
    assert claims_of_another_process(path, 7)
    assert claims.claim(7)
    claims.close()
    assert claims_of_another_process(path, 7)


def test_nobody_waits_for_a_process_that_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "claims"
    code = (
        f"import time; from pathlib import Path; from genset.scrape.collect.locks import Locks; "
        f"claims = Locks(Path({str(path)!r})); print(claims.claim(7), flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        claims = Locks(path)
        assert not claims.claim(7)
        holder.kill()
        holder.wait()
        assert claims.claim(7)
