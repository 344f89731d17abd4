"""Memory of a process that scores: freed blocks stay in it.

Eager PyTorch frees and takes large blocks at each layer. By default the C library returns such
blocks to the system and asks for them again, and the system fills each with zeros, page by page:
on a CPU that is most of a network's time.
"""

import ctypes
import os
import sys

# The names of glibc's mallopt(3).
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3
_MOST = 2**31 - 1


def tune_allocator() -> None:
    """Keep freed memory in this process, and ask for huge pages; call it before torch is imported.

    It does nothing where the C library is not glibc.
    """
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "gnu_get_libc_version"):
        library.mallopt(_M_MMAP_THRESHOLD, 2**30)
        library.mallopt(_M_TRIM_THRESHOLD, _MOST)
        library.mallopt(_M_TOP_PAD, 256 * 2**20)
