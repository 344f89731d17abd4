"""A random order for what an iNaturalist search finds, which has no order of relevance.

What is drawn is a place: the observations that a search finds stand in the order of their ids, and
the n-th place of a draw is a number that follows from the seed, the search's text and n alone. So
the same seed gives the same draw, and a scrape that goes on later goes on with it.

A page of results is asked for at each place. Its observations are neighbours, and as likely to be
found as their page is large, so among the first that come each observation has the same chance; of
two places in one block of a page's size, the second is left out, so that no page comes twice until
all have come.

A query shows its first 10,000 results. Where there are more, the ids are halved (``id_above``,
``id_below``) until the half that holds the place has few enough, by asking how many there are in
the lower half. This is no approximation: a place is found in whatever halves it lies, however
unevenly the observations are spread over the ids. The counts are kept for the next draws.

Between two calls observations are added and lose their grade. New ones are kept out (only ids up to
the newest one that there was in the beginning are asked for); the others move a place by a few, and
a place that fell off the end brings no photos, and is passed over.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from math import ceil
from typing import Self, TypeVar

from genset.errors import SourceRefused

MOST_RESULTS = 10_000  # that a query shows
MOST_PLACES = 2_500  # that are drawn for a query

_MOST_COUNTS = 80  # that a bookmark has room for: 2,000 characters

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Window:
    """The observations with ids above `above` and below `below`, and a place among them, from 0."""

    above: int
    below: int
    place: int


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
        """The draw that `bookmark` describes.

        Raises:
            SourceRefused: it describes none.
        """
        try:
            seed, total, newest, counts = json.loads(bookmark)
            known = {int(half): int(count) for half, count in counts.items()}
            draw = cls(int(seed), int(total), int(newest), known)
            if draw.total < 1:
                raise ValueError("nothing to draw from")
            return draw
        except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError):
            raise SourceRefused(
                f"the draw of a search cannot be gone on with: its bookmark is {bookmark[:80]!r}"
            ) from None

    def bookmark(self) -> str:
        """What `read` makes this draw of, in at most 2,000 characters."""
        kept = dict(islice(self.counts.items(), _MOST_COUNTS))
        return json.dumps([self.seed, self.total, self.newest, kept], separators=(",", ":"))

    def length(self, per_page: int) -> int:
        """How many places are drawn, for pages of this size."""
        return min(ceil(self.total / per_page), MOST_PLACES)

    def place(self, text: str, number: int, per_page: int) -> int:
        """The place that is drawn as this number, from 0 and below `length`."""
        return next(islice(self._places(text, per_page), number, None))

    def _places(self, text: str, per_page: int) -> Iterator[int]:
        drawn = set[int]()
        number = 0
        while True:
            place = _by_chance(f"{self.seed} {text} place {number}") % self.total
            number += 1
            if place // per_page not in drawn:
                drawn.add(place // per_page)
                yield place

    def window(self, place: int, most: int, count: Callable[[int, int], int]) -> Window:
        """The ids among which a place is to be found, at most `most` observations.

        `count` says how many observations have ids between two; what it says is remembered.
        """
        half, above, below, held = 1, 0, self.newest + 1, self.total
        while held > most and below - above > 2:
            middle = (above + below) // 2
            half *= 2
            if half not in self.counts:
                self.counts[half] = count(above, middle + 1)
            lower = min(self.counts[half], held)
            if place < lower:
                below, held = middle + 1, lower
            else:
                half, above, held, place = half + 1, middle, held - lower, place - lower
        return Window(above, below, place)

    def shuffled(self, text: str, found: Sequence[T], key: Callable[[T], str]) -> tuple[T, ...]:
        """What was found, in an order that follows from the seed."""
        return tuple(sorted(found, key=lambda each: _by_chance(f"{self.seed} {text} {key(each)}")))


def _by_chance(words: str) -> int:
    """A number below 2**64 that is as good as drawn by chance, the same in every Python."""
    return int.from_bytes(sha256(words.encode(errors="replace")).digest()[:8])
