"""The pixels of a set's photos, batch by batch: read when asked for, or ahead, by workers.

A GPU must not wait for photos: as many workers as there are cores read ahead of it, from one shard
to the next without a pause. They are processes, because what decoding a photo does in Python lets
no two threads run at once, and a dozen threads would be slower than the GPU. They write the pixels
where this process finds them: into memory that both share.
"""

import ctypes
import hashlib
import mmap
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from genset.core.errors import GensetError, PhotoRejected
from genset.models.preprocessing import Geometry, Pixels
from genset.models.processes import become_worker
from genset.score.pixels import PixelCache, crops
from genset.sets.photos import ScoredPhoto

_PREFETCHED = 4  # batches that are read while another is worked on

_KILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl


@dataclass(frozen=True, slots=True)
class PixelDataset:
    """The photos of a set, as the pixels that networks take.

    Attributes:
        photos: the whole set; a photo's index is its place in it.
        decoding: "exact" or "fast".
        caches: pixels kept from earlier runs, by geometry.
        elsewhere: whether the set was opened on another machine, where all photos are the same.
    """

    photos: Sequence[ScoredPhoto]
    decoding: str = "exact"
    caches: Mapping[Geometry, PixelCache] = field(default_factory=dict)
    elsewhere: bool = False

    def read(self, index: int, geometries: Sequence[Geometry]) -> list[Pixels] | str:
        """A photo's pixels for each geometry; or why it cannot be read.

        Raises:
            GensetError: it is not the photo of the machine where the set was opened.
        """
        caches = [self.caches.get(geometry) for geometry in geometries]
        cached = [None if cache is None else cache.get(index) for cache in caches]
        found = [pixels for pixels in cached if pixels is not None]
        if len(found) == len(geometries):
            return found
        try:
            return crops(_AsOpened(self.photos[index], self.elsewhere), geometries, self.decoding)
        except PhotoRejected as error:
            return str(error).removeprefix("unreadable: ")


@dataclass(frozen=True, slots=True)
class _AsOpened:
    """A photo whose bytes are still those that it had when the set was opened."""

    photo: ScoredPhoto
    elsewhere: bool

    def __str__(self) -> str:
        return str(self.photo)

    def read_bytes(self) -> bytes:
        """Its bytes.

        Raises:
            OSError: it cannot be read, or was changed.
            GensetError: the set was opened elsewhere, and the photo is not there, or another one.
        """
        photo = self.photo
        try:
            content = photo.read_bytes()
            if photo.sha256 and hashlib.sha256(content).hexdigest() != photo.sha256:
                raise OSError("changed after the set was opened")
        except OSError:
            if self.elsewhere and photo.sha256:
                raise GensetError(
                    f"{photo.path} is not there, or another photo: all machines must see the same "
                    "files under the same paths"
                ) from None
            raise
        return content


@dataclass(frozen=True, slots=True)
class Batch:
    """Photos that were read together.

    Attributes:
        indices: of those that can be read, ascending.
        pixels: theirs, N x crop x crop x 3 uint8 by geometry; only good until the next batch is
            asked for.
        unreadable: why, for each other one, by its index.
    """

    indices: list[int]
    pixels: dict[Geometry, Pixels]
    unreadable: dict[int, str]


class Loader:
    """Reads photos when they are asked for."""

    def __init__(self, dataset: PixelDataset, batch_size: int) -> None:
        self.dataset = dataset
        self.batch_size = batch_size

    def expect(self, indices: range, geometries: Sequence[Geometry]) -> None:
        """Say what `batches` will be asked for, in this order; some may be left out then."""

    def batches(self, indices: range, geometries: Sequence[Geometry]) -> Iterator[Batch]:
        """The photos with these indices, for these geometries at least.

        Raises:
            BrokenExecutor: a worker was killed; `expect` may say so too.
        """
        try:
            for batch in self._batches(indices, geometries):
                for geometry, pixels in batch.pixels.items():
                    if (cache := self.dataset.caches.get(geometry)) is not None:
                        for index, photo_pixels in zip(batch.indices, pixels, strict=True):
                            cache.put(index, photo_pixels)
                yield batch
        finally:  # also where nobody wants the rest
            for cache in self.dataset.caches.values():
                cache.flush()

    def close(self) -> None:
        """End the workers."""

    def _groups(self, indices: range) -> list[range]:
        """The indices of each batch."""
        size = self.batch_size
        return [indices[start : start + size] for start in range(0, len(indices), size)]

    def _batches(self, indices: range, geometries: Sequence[Geometry]) -> Iterator[Batch]:
        for group in self._groups(indices):
            found = {index: self.dataset.read(index, geometries) for index in group}
            good = {index: pixels for index, pixels in found.items() if not isinstance(pixels, str)}
            yield Batch(
                indices=[*good],
                pixels={
                    geometry: np.stack([pixels[number] for pixels in good.values()])
                    for number, geometry in enumerate(geometries if good else ())
                },
                unreadable={index: why for index, why in found.items() if isinstance(why, str)},
            )


@dataclass(frozen=True, slots=True)
class _PendingBatch:
    """A batch that is being read: its indices, into which slot of the memory, and by whom."""

    group: range
    geometries: Sequence[Geometry]
    slot: int
    parts: list[Future[dict[int, str]]]


class PrefetchLoader(Loader):
    """Has workers read photos some batches ahead of the caller."""

    def __init__(
        self,
        dataset: PixelDataset,
        batch_size: int,
        geometries: Sequence[Geometry],
        workers: int,
        fork: bool,
    ) -> None:
        """Start the workers.

        Args:
            dataset: what they read.
            batch_size: photos that are read together.
            geometries: all that `batches` may be asked for.
            workers: how many there are.
            fork: whether they are processes that are split off; else threads.
        """
        super().__init__(dataset, batch_size)
        self.workers = workers
        self._memory = [
            {geometry: _shared(batch_size, geometry) for geometry in geometries}
            for _ in range(_PREFETCHED + 1)
        ]
        self._free = deque(range(len(self._memory)))
        self._expected: deque[tuple[range, Sequence[Geometry]]] = deque()
        self._begun: deque[_PendingBatch] = deque()
        self._pool: Executor
        if fork:
            self._pool = ProcessPoolExecutor(
                workers, multiprocessing.get_context("fork"), _begin_process, (self, os.getpid())
            )
        else:
            self._pool = ThreadPoolExecutor(workers, "loader", _begin, (self,))

    def expect(self, indices: range, geometries: Sequence[Geometry]) -> None:
        self._expected += [(group, geometries) for group in self._groups(indices)]
        self._go_on()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def fill(
        self, slot: int, indices: range, first: int, geometries: Sequence[Geometry]
    ) -> dict[int, str]:
        """Read photos into memory: what a worker does.

        Args:
            slot: which batch's memory.
            indices: of the photos.
            first: the row of the first one.
            geometries: what is wanted of each.

        Returns:
            Why, for each photo that cannot be read, by its index.
        """
        refused = {}
        for row, index in enumerate(indices, first):
            found = self.dataset.read(index, geometries)
            if isinstance(found, str):
                refused[index] = found
                continue
            for geometry, pixels in zip(geometries, found, strict=True):
                self._memory[slot][geometry][row] = pixels
        return refused

    def _batches(self, indices: range, geometries: Sequence[Geometry]) -> Iterator[Batch]:
        known = [begun.group for begun in self._begun] + [group for group, _ in self._expected]
        if indices.start not in (group.start for group in known):
            self.expect(indices, geometries)
        for group in self._groups(indices):
            begun = self._taken(group)
            try:
                yield self._read(begun)
            finally:
                self._give_back(begun)

    def _taken(self, group: range) -> _PendingBatch:
        """What was begun for this group; what comes before it is not wanted any more."""
        while (begun := self._begun.popleft()).group != group:
            self._read(begun)  # its memory is free only then
            self._give_back(begun)
        return begun

    def _give_back(self, begun: _PendingBatch) -> None:
        self._free.append(begun.slot)
        self._go_on()

    def _go_on(self) -> None:
        """Have as many batches begun as there is memory for."""
        while self._free and self._expected:
            group, geometries = self._expected.popleft()
            slot = self._free.popleft()
            size = -(-len(group) // self.workers)
            starts = range(0, len(group), size)
            parts = [
                self._pool.submit(_fill, slot, group[start : start + size], start, geometries)
                for start in starts
            ]
            self._begun.append(_PendingBatch(group, geometries, slot, parts))

    def _read(self, begun: _PendingBatch) -> Batch:
        """A batch that was begun, once it is there."""
        refused: dict[int, str] = {}
        for part in begun.parts:
            refused |= part.result()
        memory = self._memory[begun.slot]
        rows = [row for row, index in enumerate(begun.group) if index not in refused]
        which = rows if refused else slice(len(rows))
        return Batch(
            indices=[begun.group[row] for row in rows],
            pixels={geometry: memory[geometry][which] for geometry in begun.geometries},
            unreadable=refused,
        )


# Of a thread, or of the only thread of a process: the loader that it reads for.
_of_thread = threading.local()


def _begin(loader: PrefetchLoader) -> None:
    _of_thread.loader = loader


def _begin_process(loader: PrefetchLoader, parent: int) -> None:
    become_worker()
    # Once that one is killed, nobody else would end this one, which waits for work.
    ctypes.CDLL(None).prctl(_KILL_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it is dead already
    _begin(loader)


def _fill(slot: int, indices: range, first: int, geometries: Sequence[Geometry]) -> dict[int, str]:
    loader: PrefetchLoader = _of_thread.loader
    return loader.fill(slot, indices, first, geometries)


def _shared(photos: int, geometry: Geometry) -> Any:
    """Memory for photos' pixels that processes which are split off later share."""
    shape = photos, *geometry.shape
    kind = np.dtype(geometry.dtype)
    size = int(np.prod(shape)) * kind.itemsize
    return np.frombuffer(mmap.mmap(-1, size), kind).reshape(shape)
