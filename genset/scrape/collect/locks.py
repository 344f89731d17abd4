"""Who does what: several scrapers on one workspace share the work out."""

import errno
import fcntl
import os
from pathlib import Path


class Locks:
    """Locks on things that have a number: each thing is one process's at a time.

    Each is one byte of a file, the one at its number, and a claim is a lock on that byte: it ends
    with the process, however that ends, so nobody waits for one that was killed.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def claim(self, number: int) -> bool:
        """Take it, unless another process has it."""
        try:
            fcntl.lockf(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                return False
            raise
        return True

    def release(self, number: int) -> None:
        """Give it back."""
        fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, number)

    def close(self) -> None:
        """Give everything back."""
        os.close(self._handle)
