"""Streams: processes that share nothing but the list of what is to do.

Each is split off from this process with the models in its memory, decodes and scores on one core,
and writes what it finished. This process only hands out shards, so a stream that is killed takes
nothing with it but the shard in its hands.
"""

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from genset.errors import GensetError, first_line
from genset.evaluation.data.loader import CAN_FORK, become_helper
from genset.evaluation.run.score import Job, ShardReport, Stream

Result = TypeVar("Result")
Task = tuple[int, list[int]]


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def score_here(job: Job, todo: Sequence[Task]) -> Iterator[ShardReport]:
    """Score the shards one after the other in this process.

    Raises:
        GensetError: the answers cannot be written, or a process that reads photos was killed.
    """
    stream = Stream(job)
    try:
        for task in todo:
            stream.expect(*task)
        for task in todo:
            report = _score(stream, task)
            if isinstance(report, str):
                raise GensetError(report)
            yield report
    except BrokenExecutor:
        raise GensetError(
            "a process that reads photos was killed; if memory is short, have fewer by --streams. "
            "What is finished is kept: run the same command again"
        ) from None
    finally:
        stream.reader.close()


def score_in_streams(job: Job, todo: Sequence[Task], streams: int) -> Iterator[ShardReport]:
    """Score the shards in so many processes, in no particular order.

    Raises:
        GensetError: the answers cannot be written, or a stream was killed.
    """
    waiting = deque(todo)
    failed: set[int] = set()
    processes = [_start(_work, job, number == 0) for number in range(streams)]
    open_ends: dict[Any, Any] = {end: process for process, end in processes}
    busy: set[Any] = set()

    def hand_out(end: Connection) -> None:
        """A shard at a time: with the next one in hand, one stream would be left with two."""
        while waiting and end not in busy:
            shard, wanted = waiting.popleft()
            if live := [number for number in wanted if number not in failed]:
                busy.add(end)
                end.send((shard, live))

    try:
        for end in open_ends:
            hand_out(end)
        while busy:
            ready: list[Any] = wait(busy)
            for end in ready:
                report = _received(end, open_ends[end])
                busy.remove(end)
                if isinstance(report, str):
                    raise GensetError(report)
                failed |= report.failed.keys()
                hand_out(end)
                yield report
        for end in open_ends:
            end.send(None)
    finally:
        for process, _ in processes:
            process.join(timeout=5 if sys.exc_info()[0] is None else 0)
            process.terminate()
            process.join()


def in_another_process(work: Callable[..., Result], *arguments: Any) -> Result:
    """What `work` returns, from a process of its own: what it opens and starts ends with it.

    Raises:
        GensetError: it raised that, or was killed.
    """
    if not CAN_FORK:
        return work(*arguments)
    process, end = _start(_call, work, arguments)
    try:
        answer = _received(end, process)
    finally:
        process.join()
    if isinstance(answer, Exception):
        raise answer
    return answer  # type: ignore[no-any-return]


def _start(work: Callable[..., None], *arguments: Any) -> tuple[Any, Connection]:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_split_off, args=(work, ours, theirs, arguments), daemon=True)
    process.start()
    theirs.close()  # so that we see when the process ends
    return process, ours


def _split_off(
    work: Callable[..., None], ours: Connection, theirs: Connection, arguments: tuple[Any, ...]
) -> None:
    ours.close()  # so that it sees when we end
    become_helper()
    try:
        work(theirs, *arguments)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # nobody is there any more to work for


def _work(end: Connection, job: Job, checks: bool) -> None:
    stream = Stream(job, checks)
    while (task := end.recv()) is not None:
        end.send(_score(stream, task))


def _call(end: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        answer = work(*arguments)
    except GensetError as error:
        answer = error
    end.send(answer)


def _score(stream: Stream, task: Task) -> ShardReport | str:
    try:
        return stream.score(*task)
    except OSError as error:
        return not_written(error)


def not_written(error: OSError) -> str:
    """What to say where the answers cannot be written."""
    return (
        f"the answers cannot be written: {error.strerror or first_line(error)}. What is "
        "finished is kept: make room and run the same command again"
    )


def _received(end: Connection, process: Any) -> Any:
    try:
        return end.recv()
    except (EOFError, ConnectionResetError):
        process.join()
        how = f"by signal {-process.exitcode}" if process.exitcode < 0 else "by an error"
        raise GensetError(
            f"a process that scores was ended {how}; if memory is short, use --streams 1. What is "
            "finished is kept: run the same command again"
        ) from None
