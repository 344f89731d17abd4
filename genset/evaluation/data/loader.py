"""The pixels of a set's photos, batch by batch: read when asked for, or ahead by others.

A GPU must not wait for photos: as many processes as there are cores read ahead of it, from one
shard to the next without a pause. Processes, because what decoding a photo does in Python lets no
two threads run at once, and a dozen threads would be slower than the GPU. They write the pixels
where this process finds them: into memory that both share.
"""

import ctypes
import gc
import mmap
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch

from genset.errors import PhotoRefused
from genset.evaluation.data.cache import PixelCache
from genset.evaluation.data.photos import ScoredPhoto
from genset.evaluation.data.transforms import Pixels, crops
from genset.evaluation.models.preprocessing import Geometry

# Split off elsewhere, frameworks of the system may not work.
CAN_FORK = sys.platform == "linux"

_AHEAD = 2  # batches that are read while another is worked on

_KILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl


@dataclass(frozen=True, slots=True)
class Reading:
    """How the photos of a set are read.

    Attributes:
        photos: the whole set.
        decoding: "exact" or "fast".
        caches: pixels kept from earlier runs, by geometry.
        batch: how many photos are read together.
        ahead: how many read ahead of who asks; 0 to read when asked.
        split_off: whether these are processes; else threads.
    """

    photos: Sequence[ScoredPhoto]
    decoding: str
    caches: dict[Geometry, PixelCache]
    batch: int
    ahead: int
    split_off: bool

    def groups(self, places: range) -> list[range]:
        """The places that are read together."""
        return [places[start : start + self.batch] for start in range(0, len(places), self.batch)]

    def read(self, place: int, geometries: Sequence[Geometry]) -> list[Pixels] | str:
        """A photo's pixels for each geometry; or why it cannot be read."""
        caches = [self.caches.get(geometry) for geometry in geometries]
        kept = [None if cache is None else cache.get(place) for cache in caches]
        known = [pixels for pixels in kept if pixels is not None]
        if len(known) == len(geometries):
            return known
        try:
            return crops(self.photos[place].path, geometries, self.decoding)
        except PhotoRefused as error:
            return str(error).removeprefix("unreadable: ")


@dataclass(frozen=True, slots=True)
class Batch:
    """Photos that were read together.

    Attributes:
        places: of those that can be read, ascending.
        pixels: theirs, N x crop x crop x 3 by geometry; only good until the next batch is asked
            for.
        unreadable: why, for each other one, by its place.
    """

    places: list[int]
    pixels: dict[Geometry, Pixels]
    unreadable: dict[int, str]


class Reader:
    """Reads photos when they are asked for."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def expect(self, places: range, geometries: Sequence[Geometry]) -> None:
        """Say what `batches` will be asked for, in this order; some may be left out then."""

    def batches(self, places: range, geometries: Sequence[Geometry]) -> Iterator[Batch]:
        """The photos at these places, for these geometries at least.

        Raises:
            BrokenExecutor: a process that reads was killed; `expect` may say so too.
        """
        try:
            for batch in self._batches(places, geometries):
                for geometry, pixels in batch.pixels.items():
                    if (cache := self.reading.caches.get(geometry)) is not None:
                        for place, photo in zip(batch.places, pixels, strict=True):
                            cache.put(place, photo)
                yield batch
        finally:  # also where nobody wants the rest
            for cache in self.reading.caches.values():
                cache.flush()

    def close(self) -> None:
        """End what reads ahead."""

    def _batches(self, places: range, geometries: Sequence[Geometry]) -> Iterator[Batch]:
        for group in self.reading.groups(places):
            found = {place: self.reading.read(place, geometries) for place in group}
            good = {place: each for place, each in found.items() if not isinstance(each, str)}
            yield Batch(
                places=[*good],
                pixels={
                    geometry: np.stack([each[number] for each in good.values()])
                    for number, geometry in enumerate(geometries if good else ())
                },
                unreadable={place: each for place, each in found.items() if isinstance(each, str)},
            )


@dataclass(frozen=True, slots=True)
class _Begun:
    """A batch that is being read: its places, into which slot of the memory, and by whom."""

    group: range
    geometries: Sequence[Geometry]
    slot: int
    parts: list[Future[dict[int, str]]]


class ReaderAhead(Reader):
    """Has photos read by others, some batches ahead of who asks for them."""

    def __init__(self, reading: Reading, geometries: Sequence[Geometry]) -> None:
        super().__init__(reading)
        self._memory = [
            {geometry: _shared(reading.batch, geometry.crop) for geometry in geometries}
            for _ in range(_AHEAD + 1)
        ]
        self._free = deque(range(len(self._memory)))
        self._expected: deque[tuple[range, Sequence[Geometry]]] = deque()
        self._begun: deque[_Begun] = deque()
        self._pool: Executor
        if reading.split_off:
            self._pool = ProcessPoolExecutor(
                reading.ahead,
                multiprocessing.get_context("fork"),
                _begin_process,
                (self, os.getpid()),
            )
        else:
            self._pool = ThreadPoolExecutor(reading.ahead, "reader", _begin, (self,))

    def expect(self, places: range, geometries: Sequence[Geometry]) -> None:
        self._expected += [(group, geometries) for group in self.reading.groups(places)]
        self._go_on()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def fill(
        self, slot: int, places: range, first: int, geometries: Sequence[Geometry]
    ) -> dict[int, str]:
        """Read photos into rows from `first`; why, for each that cannot be read, by its place."""
        refused = {}
        for row, place in enumerate(places, first):
            found = self.reading.read(place, geometries)
            if isinstance(found, str):
                refused[place] = found
                continue
            for geometry, pixels in zip(geometries, found, strict=True):
                self._memory[slot][geometry][row] = pixels
        return refused

    def _batches(self, places: range, geometries: Sequence[Geometry]) -> Iterator[Batch]:
        known = [begun.group for begun in self._begun] + [group for group, _ in self._expected]
        if places.start not in (group.start for group in known):
            self.expect(places, geometries)
        for group in self.reading.groups(places):
            begun = self._taken(group)
            try:
                yield self._read(begun)
            finally:
                self._give_back(begun)

    def _taken(self, group: range) -> _Begun:
        """What was begun for this group; whatever comes before it nobody wants any more."""
        while (begun := self._begun.popleft()).group != group:
            self._read(begun)  # its memory is free only then
            self._give_back(begun)
        return begun

    def _give_back(self, begun: _Begun) -> None:
        self._free.append(begun.slot)
        self._go_on()

    def _go_on(self) -> None:
        """Have as many batches begun as there is memory for."""
        while self._free and self._expected:
            group, geometries = self._expected.popleft()
            slot = self._free.popleft()
            size = -(-len(group) // self.reading.ahead)
            starts = range(0, len(group), size)
            parts = [
                self._pool.submit(_fill, slot, group[start : start + size], start, geometries)
                for start in starts
            ]
            self._begun.append(_Begun(group, geometries, slot, parts))

    def _read(self, begun: _Begun) -> Batch:
        """A batch that was begun, once it is there."""
        refused: dict[int, str] = {}
        for part in begun.parts:
            refused |= part.result()
        memory = self._memory[begun.slot]
        rows = [row for row, place in enumerate(begun.group) if place not in refused]
        which = rows if refused else slice(len(rows))
        return Batch(
            places=[begun.group[row] for row in rows],
            pixels={geometry: memory[geometry][which] for geometry in begun.geometries},
            unreadable=refused,
        )


def open_reader(reading: Reading, geometries: Sequence[Geometry]) -> Reader:
    """Who reads photos for these geometries."""
    return ReaderAhead(reading, geometries) if reading.ahead else Reader(reading)


def become_helper() -> None:
    """Leave to the process that this one was split off from what concerns them both."""
    # Its garbage too: engines wait for threads of theirs that are not here. And memory in which
    # nobody looks for garbage stays shared.
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for it, who then ends us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    torch.set_num_threads(1)


# Of a thread, or of the only thread of a process: for whom it reads.
_mine = threading.local()


def _begin(reader: ReaderAhead) -> None:
    _mine.reader = reader


def _begin_process(reader: ReaderAhead, parent: int) -> None:
    become_helper()
    # Once that one is killed, nobody else would end this one, which waits for work.
    ctypes.CDLL(None).prctl(_KILL_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it is dead already
    _begin(reader)


def _fill(slot: int, places: range, first: int, geometries: Sequence[Geometry]) -> dict[int, str]:
    reader: ReaderAhead = _mine.reader
    return reader.fill(slot, places, first, geometries)


def _shared(photos: int, side: int) -> Pixels:
    """Memory for pixels that processes which are split off later share."""
    shape = photos, side, side, 3
    return np.frombuffer(mmap.mmap(-1, int(np.prod(shape))), np.uint8).reshape(shape)
