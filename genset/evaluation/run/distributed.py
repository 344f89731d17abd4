"""The processes that score one set together, on one machine or several.

``torchrun`` starts them and says by environment variables who is who; without it there is one.
They talk by gloo, on the CPU: answers are few.
"""

import atexit
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
from torch import distributed

from genset.errors import GensetError

T = TypeVar("T")

# One waits for the others as long as these score.
_PATIENCE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class World:
    """This process among `size`: its number, and how many of them are on this machine."""

    rank: int = 0
    size: int = 1
    beside: int = 1

    def agreed(self, work: Callable[[], T]) -> T:
        """What the work gives, done in the first process alone, in all of them.

        Raises:
            GensetError: the work raised it; in all processes.
        """
        said: list[T | GensetError | None] = [None]
        if self.rank == 0:
            try:
                said = [work()]
            except GensetError as error:
                said = [error]
        if self.size > 1:
            distributed.broadcast_object_list(said, src=0)
        if isinstance(said[0], GensetError):
            raise said[0]
        return said[0]  # type: ignore[return-value]

    def gathered(self, value: T) -> list[T]:
        """What each process says, in the order of their numbers, in all of them."""
        if self.size == 1:
            return [value]
        said: list[T | None] = [None] * self.size
        distributed.all_gather_object(said, value)
        return said  # type: ignore[return-value]


def join_world() -> World:
    """Join the processes that torchrun started, if it did."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1 or "RANK" not in os.environ:
        return World()
    if not distributed.is_initialized():
        distributed.init_process_group("gloo", timeout=_PATIENCE)
        # Its threads, if they still run when Python is gone, abort the process.
        atexit.register(distributed.destroy_process_group)
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
    return World(distributed.get_rank(), size, int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
