"""Photos known by their 64-bit hashes alone: the file of them, and which ones are near."""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genset.core.errors import BadInput
from genset.core.numbers import count

HEAD = "# genset hashes 1: a 64-bit fingerprint in hexadecimal digits, a blank, the photo's name\n"
_END = "# photos: "  # the last line, with their number: a file that was cut lacks it
BITS = 8  # hashes that differ in no more are near

Hashes = NDArray[np.uint64]
_Places = NDArray[np.int64]

_ONE_BIT = [1 << bit for bit in range(16)]
_TWO_BITS = [one | other for one in _ONE_BIT for other in _ONE_BIT if one < other]
_MASKS = ([0, *_ONE_BIT, *_TWO_BITS], *[[0, *_ONE_BIT]] * 3)  # of each 16-bit part
_AT_ONCE = 2**18  # pairs to compare, which so stay in a core's cache


@dataclass(frozen=True, slots=True)
class HashFile:
    """Photos known by their hashes alone: n fingerprints and their names."""

    name: str
    hashes: Hashes
    photos: tuple[str, ...]


def hash_lines(photos: Iterable[tuple[int, str]]) -> Iterator[str]:
    """The lines of a file of hashes, by the fingerprints and names of its photos."""
    yield HEAD
    number = 0
    for fingerprint, name in photos:
        yield f"{fingerprint:016x} {name}\n"
        number += 1
    yield f"{_END}{number}\n"


def read_hashes(path: Path) -> HashFile:
    """Read a file that ``genset hash`` wrote.

    Raises:
        BadInput: it is not one, and its line is named; or it is not whole.
    """
    try:
        text = path.read_text("utf-8", errors="surrogateescape")
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    if not text.startswith(HEAD):
        raise BadInput(f"{path} is no file of hashes: make one with genset hash DIR -o FILE")
    lines = text.removeprefix(HEAD).split("\n")
    end = lines[-2] if len(lines) > 1 else ""
    hashes = np.empty(max(0, len(lines) - 2), np.uint64)
    if not text.endswith(f"\n{_END}{len(hashes)}\n"):
        wrong = f'but its last line is "{end[:40]}"' if end.startswith(_END) else "and has no end"
        raise BadInput(
            f"{path} is not whole: it lists {count(len(hashes), 'photo')}, {wrong} "
            f'("{_END}NUMBER"): copy it again, or make it again with genset hash DIR -o FILE'
        )
    photos = []
    for place in range(len(hashes)):
        number, _, name = lines[place].partition(" ")
        try:
            hashes[place] = int(number, 16)
        except (ValueError, OverflowError):
            raise BadInput(
                f"{path}, line {place + 2}: no fingerprint: {lines[place][:40]!r}"
            ) from None
        photos.append(name)
    return HashFile(path.name, hashes, tuple(photos))


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
    """Both sides in the order of one of their parts: those with equal parts lie side by side."""

    def __init__(self, queries: Hashes, known: Hashes, number: int) -> None:
        self._asked, self._queries, self._query_at = _in_order(queries, number)
        values, self._known, self._known_at = _in_order(known, number)
        self._begins = np.concatenate(([0], np.cumsum(np.bincount(values, minlength=2**16))))

    def near(self, mask: int) -> list[tuple[int, int, int]]:
        """The pairs within `BITS` bits whose parts differ in the bits of `mask`."""
        values = self._asked.astype(np.int64) ^ mask
        first = self._begins[values]
        count = self._begins[values + 1] - first
        pairs = []
        for rows in _slices(count):
            query = np.repeat(np.arange(rows.start, min(rows.stop, len(count))), count[rows])
            before = np.cumsum(count[rows]) - count[rows]
            at = np.arange(len(query)) + np.repeat(first[rows] - before, count[rows])
            distance = np.bitwise_count(self._queries[query] ^ self._known[at])
            for hit in np.flatnonzero(distance <= BITS):
                found = self._query_at[query[hit]], self._known_at[at[hit]], distance[hit]
                pairs.append((int(found[0]), int(found[1]), int(found[2])))
        return pairs


def _in_order(hashes: Hashes, part: int) -> tuple[NDArray[np.uint16], Hashes, _Places]:
    """Hashes in the order of one of their parts: that part, they, and where they stood."""
    values = (hashes >> np.uint64(16 * part)).astype(np.uint16)
    order = np.argsort(values, kind="stable")
    return values[order], hashes[order], order


def _slices(counts: _Places) -> Iterator[slice]:
    """Cut rows so that the counts of each slice add up to `_AT_ONCE` or so."""
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + _AT_ONCE, side="right")))
        yield slice(start, stop)
        start = stop
