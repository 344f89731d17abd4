"""Ask several sources at once: none waits for another's hosts, and none ends with another's."""

import threading
from collections.abc import Callable, Mapping
from typing import TypeVar

from genset.core.errors import GensetError
from genset.net.hosts import Hosts

_LOOK_AGAIN = 0.2  # seconds

T = TypeVar("T")


def side_by_side(work: Mapping[str, tuple[Hosts, Callable[[], T]]]) -> dict[str, T | GensetError]:
    """Do each work in a thread of its own; return what came of each, by its name.

    What ends one of them is in its place, and the others go on. An interrupt ends them all.

    Args:
        work: by a source's name, the hosts that it calls, which no other does, and what to do. It
            ends with KeyboardInterrupt soon after its hosts are ending (`Hosts.is_ending`).
    """
    if len(work) == 1:
        [(name, (_, do))] = work.items()
        return {name: _outcome(do)}
    came: dict[str, T | GensetError] = {}
    broken: list[BaseException] = []

    def run(name: str, do: Callable[[], T]) -> None:
        try:
            came[name] = _outcome(do)
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            broken.append(error)

    threads = [
        threading.Thread(target=run, args=(name, do), daemon=True) for name, (_, do) in work.items()
    ]
    for thread in threads:
        thread.start()
    try:
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(_LOOK_AGAIN)
            if broken:
                raise broken[0]
    except BaseException:  # the user may have had enough
        for hosts, _ in work.values():
            hosts.end()
        for thread in threads:
            thread.join()
        raise
    return {name: came[name] for name in work}


def _outcome(do: Callable[[], T]) -> T | GensetError:
    try:
        return do()
    except GensetError as error:
        return error
