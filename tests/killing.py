"""Kill a call at each moment at which it changes a file: what is left then is what a user finds."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

_CHANGES = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.truncate"}

_processes = multiprocessing.get_context("forkserver")


def killed_at_each_change(
    work: Callable[..., object], *folders: Path, needs: Sequence[str] = ()
) -> Iterator[int]:
    """Call ``work(moment, *folders)`` for moment 1, 2, ... and yield after each kill.

    The process gets SIGKILL when it is about to make its `moment`-th change to a file under the
    last of `folders`. The first call that ends by itself is the last; it must succeed.

    The server that splits off these processes imports once what all need: the module of `work`,
    and the modules that it `needs` when it runs. (It has started where a test came before.)
    """
    preloaded = [work.__module__, *needs]
    assert all(map(find_spec, preloaded))  # one that is not there it would pass over
    _processes.set_forkserver_preload(preloaded)
    for moment in count(1):
        process = _processes.Process(target=_work_until, args=(moment, work, folders))
        process.start()
        process.join()
        if process.exitcode == 0:
            return
        assert process.exitcode == -signal.SIGKILL
        yield moment


def _work_until(moment: int, work: Callable[..., object], folders: tuple[Path, ...]) -> None:
    changes = count(1)

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event not in _CHANGES or not str(args[0]).startswith(str(folders[-1])):
            return
        if event == "open" and not args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
        if next(changes) == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    work(moment, *folders)
