"""How seldom a process that is our own looks for garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW_OBJECTS = 50_000


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look through Python's objects seldom, and not at all at the end.

    Packages make hundreds of thousands that stay. To look through them whenever 700 are new, as
    Python does, takes a tenth of a second at each start, and as long again as the process ends.
    """
    gc.set_threshold(_NEW_OBJECTS)
    try:
        yield
    finally:
        gc.freeze()
