"""Progress of long work, on standard error."""

import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def progress(items: Iterable[T], *, total: int, what: str, unit: str) -> Iterator[T]:
    """Yield the items and show how far it is: a bar on a terminal, else one line a minute.

    Of a distributed run, only the first process (``RANK`` 0) shows anything.
    """
    if os.environ.get("RANK", "0") != "0":
        yield from items
        return
    if sys.stderr.isatty():
        yield from tqdm(items, total=total, desc=what, unit=unit, leave=False)
        return
    started = last = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if now - last >= 60:
            last = now
            line = tqdm.format_meter(
                done, total, now - started, prefix=what, unit=unit, bar_format=_LINE
            )
            print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is the output


def say(line: str) -> None:
    """Print a line on standard error, above a bar if there is one."""
    tqdm.write(line, file=sys.stderr)
    sys.stderr.flush()


_LINE = "{desc}: {n_fmt}/{total_fmt} {unit} [{elapsed}<{remaining}, {rate_fmt}]"
