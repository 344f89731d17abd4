"""How a process that is all our own starts and ends quickly."""

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_NEW_OBJECTS = 50_000


@contextmanager
def own_process() -> Iterator[None]:
    """Do in the block all that this process is for: it ends soon after.

    Packages make hundreds of thousands of objects that stay. Python looks through them for garbage
    whenever 700 are new, and frees one after the other as it ends: with PyTorch, a tenth of a
    second and a third of one. Here the first is done seldom, and the second is left to the system,
    which frees all memory at once. What was registered for the end is still done.
    """
    gc.set_threshold(_NEW_OBJECTS)
    code = 1

    def leave() -> None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # nobody listens, or it is closed
                stream.flush()
        os._exit(code)

    atexit.register(leave)  # what is registered first is called last
    try:
        yield
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise
