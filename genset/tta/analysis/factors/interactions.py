"""How factors work together, where all combinations of them were run.

On the logarithm of time, two factors that do not care for each other add up: together they are as
many times as fast as the product of what each brings. Their interaction is what is left: how many
times as much. Of three it is how much the third changes that of the other two.

Source: Box, Hunter and Hunter, "Statistics for experimenters", 2nd edition, 2005, chapter 5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from genset.tta.analysis.factors.configurations import Configuration
from genset.tta.analysis.factors.effects import Effect, judged, timed
from genset.tta.analysis.factors.steps import Cells

_MOST_TOGETHER = 3
_NAMED = 8  # of the combinations that no run had


@dataclass(frozen=True, slots=True)
class Interaction:
    """An effect over all combinations of the other factors for which there are runs.

    `combinations` is how many those are, of `possible`.
    """

    effect: Effect
    combinations: int
    possible: int


@dataclass(frozen=True, slots=True)
class Interactions:
    """Main effects and interactions of up to three factors.

    Attributes:
        effects: all, if there are runs of all combinations; else only those of several factors
            that some runs show.
        runs, possible: how many combinations have runs, of how many.
        missing: the first few that have none, as what would have to be on.
    """

    effects: list[Interaction]
    runs: int
    possible: int
    missing: list[tuple[str, ...]]


def interactions(order: Sequence[str], cells: Cells) -> Interactions:
    """Find how at least two factors work together."""
    possible = 2 ** len(order)
    fewest = 1 if len(cells) == possible else 2
    found = [
        (effect, count, 2 ** (len(order) - size))
        for size in range(fewest, min(len(order), _MOST_TOGETHER) + 1)
        for together in combinations(order, size)
        for effect, count in _over_backgrounds(together, cells)
    ]
    told = judged([effect for effect, _, _ in found])
    lines = [Interaction(e, n, of) for e, (_, n, of) in zip(told, found, strict=True)]
    return Interactions(lines, len(cells), possible, list(islice(_without(order, cells), _NAMED)))


def _over_backgrounds(together: tuple[str, ...], cells: Cells) -> Iterator[tuple[Effect, int]]:
    """The mean effect over the sets of other factors on which there are all runs for it, if any."""
    parts = [frozenset(p) for n in range(len(together) + 1) for p in combinations(together, n)]
    backgrounds = [
        on for on in cells if on.isdisjoint(together) and all(on | part in cells for part in parts)
    ]
    if not backgrounds:
        return
    used: list[Configuration] = []
    signs: list[float] = []
    for on in backgrounds:
        for part in parts:
            used.append(cells[on | part])
            signs.append((-1) ** (len(together) - len(part)) / len(backgrounds))
    yield timed(together, used, signs), len(backgrounds)


def _without(order: Sequence[str], cells: Cells) -> Iterator[tuple[str, ...]]:
    for size in range(len(order) + 1):
        for on in combinations(order, size):
            if frozenset(on) not in cells:
                yield on
