"""A random order for what an iNaturalist search finds, which has no order of relevance.

The observations that a search finds stand in the order of their ids, as if on a ring. The ring is
turned by chance and then cut into blocks of a page's size, and the blocks come in an order drawn by
chance, without one coming twice. What is drawn follows from the seed and the search's text alone,
so a scrape that goes on later goes on with the same order.

Each observation has the same chance of every rank: turned rings are alike, so nothing tells one
place of the ring from another. (Neighbours come together; pages are small, so that a class's photos
come from several places.) A tool that always cut the ring at one place would not be as fair: those
of the last block, which may be smaller, would come with fewer others.

A query shows its first 10,000 results. Where there are more, the ids are halved (``id_above``,
``id_below``) until the half that holds a block has few enough, by asking how many there are in the
lower half. This is no approximation: a place is found in whatever halves it lies, however
unevenly the observations are spread over the ids, and no draw is in vain. The counts are kept for
the next draws.

Between two calls observations are added and lose their grade. New ones are kept out (only ids up to
the newest one that there was in the beginning are asked for); the others move a place by a few, and
a block that fell off the end brings no photos, and is passed over.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import count, islice
from math import ceil
from typing import Self, TypeVar

MOST_RESULTS = 10_000  # that a query shows
MOST_BLOCKS = 2_500  # that are drawn for a search
MOST_PER_PAGE = 100

_LARGEST_PAGE = 200  # of results that iNaturalist gives
_MOST_IN_WINDOW = MOST_RESULTS - _LARGEST_PAGE  # a page is shown whole or not at all
_MOST_COUNTS = 80  # that a bookmark has room for: 2,000 characters

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Run:
    """Observations that follow each other: so many `length` from the place `start`, from 0."""

    start: int
    length: int

    @property
    def page(self) -> tuple[int, int]:
        """The size and the number, from 1, of a page of results that holds the whole run.

        There is one for each run of at most `MOST_PER_PAGE` among the first 10,000 results.
        """
        return next(
            (size, self.start // size + 1)
            for size in range(self.length, _LARGEST_PAGE + 1)
            if self.start // size == (self.start + self.length - 1) // size
        )

    def of(self, results: Sequence[T]) -> Sequence[T]:
        """The run's own of the results of its `page`."""
        size, number = self.page
        first = self.start - (number - 1) * size
        return results[first : first + self.length]


@dataclass(frozen=True, slots=True)
class Window:
    """A run among the observations with ids above `above` and below `below`."""

    above: int
    below: int
    run: Run


@dataclass(frozen=True, slots=True)
class Draw:
    """What a search's draw needs to know from page to page.

    Attributes:
        seed: of the draw.
        total: observations that the search found when it was begun.
        newest: the highest of their ids.
        counts: how many there are in those lower halves that were asked for; a half's number is
            twice that of the whole, which is 1, and the upper half's is one more.
    """

    seed: int
    total: int
    newest: int
    counts: dict[int, int] = field(default_factory=dict)

    @classmethod
    def read(cls, bookmark: str) -> Self:
        """The draw of which `bookmark` was made."""
        seed, total, newest, counts = json.loads(bookmark)
        return cls(seed, total, newest, {int(half): number for half, number in counts.items()})

    def bookmark(self) -> str:
        """What `read` makes this draw of, in at most 2,000 characters."""
        counts = dict(islice(self.counts.items(), _MOST_COUNTS))
        return json.dumps([self.seed, self.total, self.newest, counts], separators=(",", ":"))

    def length(self, per_page: int) -> int:
        """How many blocks are drawn, of this size."""
        return min(ceil(self.total / per_page), MOST_BLOCKS)

    def block(self, text: str, number: int, per_page: int) -> list[Run]:
        """The block that is drawn as this number, from 0 and below `length`: one run, or two."""
        block = next(islice(self._blocks(text, per_page), number, None)) * per_page
        turned = _by_chance(f"{self.seed} {text} turn") % self.total
        start, length = (block + turned) % self.total, min(per_page, self.total - block)
        before = min(length, self.total - start)
        runs = [Run(start, before), Run(0, length - before)]
        return [run for run in runs if run.length]

    def _blocks(self, text: str, per_page: int) -> Iterator[int]:
        """The numbers of the blocks along the ring, in the order in which they are drawn."""
        drawn = set[int]()
        for number in count():
            block = _by_chance(f"{self.seed} {text} block {number}") % ceil(self.total / per_page)
            if block not in drawn:
                drawn.add(block)
                yield block

    def windows(self, run: Run, counted: Callable[[int, int], int]) -> Iterator[Window]:
        """The ids among which a run is to be found, each with no more than a query shows.

        `counted` says how many observations have ids between two; what it says is remembered.
        """
        done = 0
        while done < run.length:
            window, size = self._window(run.start + done, counted)
            length = max(1, min(run.length - done, size - window.run.start))
            yield replace(window, run=Run(window.run.start, length))
            done += length

    def _window(self, place: int, counted: Callable[[int, int], int]) -> tuple[Window, int]:
        """The ids among which a place is, and how many observations have those."""
        half, above, below, size = 1, 0, self.newest + 1, self.total
        while size > _MOST_IN_WINDOW and below - above > 2:
            middle = (above + below) // 2
            half *= 2
            if half not in self.counts:
                self.counts[half] = counted(above, middle + 1)
            lower = min(self.counts[half], size)
            if place < lower:
                below, size = middle + 1, lower
            else:
                half, above, size, place = half + 1, middle, size - lower, place - lower
        return Window(above, below, Run(min(place, _MOST_IN_WINDOW - 1), 1)), size

    def shuffled(self, text: str, found: Sequence[T], key: Callable[[T], str]) -> tuple[T, ...]:
        """What was found, in an order that follows from the seed."""
        return tuple(sorted(found, key=lambda item: _by_chance(f"{self.seed} {text} {key(item)}")))


def _by_chance(words: str) -> int:
    """A number below 2**64 that is as good as drawn by chance, the same in every Python."""
    return int.from_bytes(sha256(words.encode(errors="replace")).digest()[:8])
