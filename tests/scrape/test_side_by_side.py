"""Several scrapes of one workspace at once share the work, and leave the pool of a single one."""

import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from sqlalchemy import select

from genset.db import ScrapeLock, Store
from genset.sandbox import Request
from genset.scrape.locks import Locks
from tests.scrape.pools import Faulty, NewPool, Serve, answer_of, crowded_classes


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
@pytest.mark.soak
def test_scrapes_at_once_share_the_work(
    serve: Serve, new_pool: NewPool, store_url: str, count: int, classes: int
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
    for told in ("full", "short", "contested", "failed"):
        assert [each[told] for each in done] == [expected[told]] * count


# Locks


def held(store: Store) -> set[int]:
    """The classes that somebody works on."""
    with store.session() as session:
        return set(session.scalars(select(ScrapeLock.number)))


def test_what_is_taken_is_nobody_elses_until_it_is_given_back(store_url: str) -> None:
    store, other = Store.open(store_url), Store.open(store_url)
    with Locks(store, time.time) as mine, Locks(other, time.time) as theirs:
        assert mine.take("class", {7, 8}) == {7, 8}
        assert theirs.take("class", {7, 8, 9}) == {9}
        assert theirs.take("photo", {7}) == {7}
        assert mine.take("class", {7}) == {7}  # it may ask again
        with store.begin() as session:
            mine.release(session, "class", {7, 9})
        assert theirs.take("class", {7, 8, 9}) == {7, 9}
    assert held(store) == set()
    other.close()
    store.close()


def test_nobody_waits_for_a_process_of_this_machine_that_was_killed(store_url: str) -> None:
    code = (
        "import time; from genset.db import Store; from genset.scrape.locks import Locks"
        f"\nwith Locks(Store.open({store_url!r}), time.time) as locks: "
        "print(locks.take('class', {7}), flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    store = Store.open(store_url)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "{7}\n"
        with Locks(store, time.time) as mine:
            assert mine.take("class", {7}) == set()
        holder.kill()
        holder.wait()
        with Locks(store, time.time) as mine:
            assert mine.take("class", {7}) == {7}
    store.close()


def test_another_machine_is_waited_for_for_less_than_a_minute(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(store_url)
    monkeypatch.setattr("socket.gethostname", lambda: "another")
    dead = Locks(store, time.time)
    dead.__enter__()  # and never left: its machine lost its power
    dead.take("class", {7})
    monkeypatch.setattr("socket.gethostname", lambda: "this one")
    for later, taken in ((40, set()), (60, {7})):
        with Locks(store, lambda later=later: time.time() + later) as mine:  # type: ignore[misc]
            assert mine.take("class", {7}) == taken
    dead.__exit__(None, None, None)
    store.close()
