"""Processes that are split off from this one, with the models in its memory."""

import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import torch

from genset.core.errors import GensetError

Result = TypeVar("Result")

# Elsewhere (on macOS), the system's own libraries may fail in a process that was forked.
CAN_FORK = sys.platform == "linux"


def can_fork() -> bool:
    """Whether processes can be split off here: those of multiprocessing's pools may have none."""
    return CAN_FORK and not multiprocessing.current_process().daemon


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def call_in_fork(work: Callable[..., Result], *arguments: Any) -> Result:
    """What `work` returns, from a process of its own: what it opens and starts ends with it.

    Raises:
        GensetError: it raised that, or was killed.
    """
    if not can_fork():
        return work(*arguments)
    process, end = start_fork(_call, work, arguments)
    try:
        answer = receive(end, process)
    finally:
        process.join()
    if isinstance(answer, Exception):
        raise answer
    return answer  # type: ignore[no-any-return]


def start_fork(work: Callable[..., None], *arguments: Any) -> tuple[Any, Connection]:
    """Split off a process that does `work(end, *arguments)`; give it, and our end of its pipe."""
    context = multiprocessing.get_context("fork")
    parent_end, child_end = context.Pipe()
    process = context.Process(
        target=_forked, args=(work, parent_end, child_end, arguments), daemon=True
    )
    process.start()
    child_end.close()  # so that we see when the process ends
    return process, parent_end


def receive(end: Connection, process: Any) -> Any:
    """What a process that was split off sends next.

    Raises:
        GensetError: it was killed.
    """
    try:
        return end.recv()
    except (EOFError, ConnectionResetError):
        process.join()
        how = f"by signal {-process.exitcode}" if process.exitcode < 0 else "by an error"
        raise GensetError(
            f"a process that scores was ended {how}; if memory is short, use --workers 1. What is "
            "finished is kept: run the same command again"
        ) from None


def become_worker() -> None:
    """Leave to the process that this one was split off from what concerns them both."""
    # Its garbage too: engines wait for threads of theirs that are not here. And memory in which
    # nobody looks for garbage stays shared.
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for it, who then ends us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    torch.set_num_threads(1)


def _forked(
    work: Callable[..., None],
    parent_end: Connection,
    child_end: Connection,
    arguments: tuple[Any, ...],
) -> None:
    parent_end.close()  # so that it sees when we end
    become_worker()
    try:
        work(child_end, *arguments)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # nobody is there any more to work for


def _call(end: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        answer = work(*arguments)
    except GensetError as error:
        answer = error
    end.send(answer)
