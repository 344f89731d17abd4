"""Several scrapes of one workspace at once share the work, and leave the pool of a single one."""

import subprocess
import sys
import time

import pytest
from sqlalchemy import select

from genset.db import ScrapeLock, Store
from genset.scrape.locks import Locks

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
