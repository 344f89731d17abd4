"""Threads that do a scrape's calls."""

import threading

from genset.scrape.work import ThreadPool


def test_calls_are_made_side_by_side_and_those_that_have_not_begun_are_dropped() -> None:
    pool, finish = ThreadPool(3), threading.Event()
    begun, ended = threading.Semaphore(0), list[int]()

    def call() -> None:
        begun.release()
        assert finish.wait(30)
        ended.append(1)

    for _ in range(10):
        pool.submit(call)
    assert all(begun.acquire(timeout=30) for _ in range(3))
    assert not begun.acquire(timeout=0.1)
    threading.Timer(0.1, finish.set).start()
    pool.close()
    assert len(ended) == 3
