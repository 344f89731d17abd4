"""How a process that is our own starts PyTorch: quickly, and with its memory tuned.

Eager PyTorch frees and takes large blocks at each layer. By default the C library returns such
blocks to the system and asks for them anew, and the system fills each with zeros, page by page:
on a CPU that is most of a network's time.
"""

import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeVar

from genset.models.spec import ModelSpec

T = TypeVar("T")

# PyTorch's compiler, which takes as long to import as the rest, and which scoring never asks for.
_COMPILER = ("torch._dynamo", "torch._dynamo.utils")

# The names of glibc's mallopt(3).
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD = -1, -2, -3
_MOST = 2**31 - 1


def start_pytorch(specs: Sequence[ModelSpec]) -> None:
    """Import what scoring these models needs, in a process that does nothing else."""
    tune_allocator()
    with _without_collecting(), _without_compiler():
        import_module("genset.score.executors.open")
        if any(spec.is_of_timm for spec in specs) and find_spec("timm"):
            import_module("timm")


def under_torchrun() -> bool:
    """Whether torchrun started this process, with others."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1 and "RANK" in os.environ


def on_all_machines(work: Callable[[], T], specs: Sequence[ModelSpec]) -> T:
    """What work gives that each of torchrun's processes does for itself; if one fails, all do.

    Without torchrun, or networks to score, each is on its own.

    Args:
        work: what is done.
        specs: of the networks.

    Raises:
        GensetError: the work raised it, in any of the processes.
    """
    if not (specs and under_torchrun()):
        return work()
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # it warns of addresses without names
    start_pytorch(specs)
    joined = import_module("genset.score.executors.distributed").Distributed()
    found: T = joined.on_all(work)
    return found


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


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Look for no garbage while packages are imported, nor ever after among what they made."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def _without_compiler() -> Iterator[None]:
    """Do not import PyTorch's compiler where torchvision and timm only mark functions with it.

    Whatever else they, or anybody later, want of it is the real one's.
    """
    if not any(name in sys.modules for name in _COMPILER):
        sys.modules.update({name: _Instead(name) for name in _COMPILER})
    try:
        yield
    finally:
        _put_back()


class _Instead(ModuleType):
    """In the place of a module of the compiler."""

    def __getattr__(self, name: str) -> Any:
        if name in _MARKS:
            return _MARKS[name]
        if name.startswith("__"):
            raise AttributeError(name)
        _put_back()
        return getattr(import_module(self.__name__), name)


def _put_back() -> None:
    for name in _COMPILER:
        if isinstance(sys.modules.get(name), _Instead):
            del sys.modules[name]


def _disable(function: Callable[..., Any] | None = None, *_: Any, **__: Any) -> Any:
    """Nothing is compiled here, so that there is nothing to keep from it."""
    return function if function is not None else _disable


def _is_compile_supported(device: str) -> Any:
    """The real one's answer, once somebody asks."""
    return import_module("torch._dynamo.utils").is_compile_supported(device)


_MARKS = {"disable": _disable, "is_compile_supported": _is_compile_supported}
