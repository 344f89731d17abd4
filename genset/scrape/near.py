"""Find 64-bit hashes that differ in few bits, in a set of millions."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

BITS = 8  # hashes that differ in no more are near

Hashes = NDArray[np.uint64]
_Places = NDArray[np.int64]

_ONE_BIT = [1 << bit for bit in range(16)]
_TWO_BITS = [one | other for one in _ONE_BIT for other in _ONE_BIT if one < other]
_MASKS = ([0, *_ONE_BIT, *_TWO_BITS], *[[0, *_ONE_BIT]] * 3)  # of each 16-bit part
_AT_ONCE = 2**18  # pairs to compare, which so stay in a core's cache


def near(queries: Hashes, known: Hashes) -> list[tuple[int, int, int]]:
    """Every (query, known, distance) of places in the two arrays that are within `BITS` bits.

    Exact. Of the four 16-bit parts of two hashes that differ in 8 bits at most, the first differs
    in 2 at most or another one in 1 (else they differed in 3 + 2 + 2 + 2), so only hashes that
    share such a part are compared. Source: Norouzi, Punjani and Fleet, "Fast Search in Hamming
    Space with Multi-Index Hashing", 2012.
    """
    found: set[tuple[int, int, int]] = set()
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for part, masks in enumerate(_MASKS):
            for pairs in threads.map(_Part(queries, known, part).near, masks):
                found.update(pairs)
    return sorted(found)


class _Part:
    """The known hashes in the order of one of their parts, to be found by it."""

    def __init__(self, queries: Hashes, known: Hashes, number: int) -> None:
        self._queries, self._known = queries, known
        self._asked, values = (_cut(hashes, number) for hashes in (queries, known))
        self._order = np.argsort(values, kind="stable")
        self._begins = np.concatenate(([0], np.cumsum(np.bincount(values, minlength=2**16))))

    def near(self, mask: int) -> list[tuple[int, int, int]]:
        """The pairs within `BITS` bits whose parts differ in the bits of `mask`."""
        values = self._asked.astype(np.int64) ^ mask
        first = self._begins[values]
        count = self._begins[values + 1] - first
        pairs = []
        for rows in _slices(count):
            query = np.repeat(np.arange(len(count))[rows], count[rows])
            before = np.cumsum(count[rows]) - count[rows]
            at = self._order[np.arange(len(query)) + np.repeat(first[rows] - before, count[rows])]
            distance = np.bitwise_count(self._queries[query] ^ self._known[at])
            for hit in np.flatnonzero(distance <= BITS):
                pairs.append((int(query[hit]), int(at[hit]), int(distance[hit])))
        return pairs


def _cut(hashes: Hashes, part: int) -> NDArray[np.uint16]:
    return (hashes >> np.uint64(16 * part)).astype(np.uint16)


def _slices(counts: _Places) -> Iterator[slice]:
    """Cut rows so that the counts of each slice add up to `_AT_ONCE` or so."""
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + _AT_ONCE, side="right")))
        yield slice(start, stop)
        start = stop
