"""What a factor brings: two configurations compared, which differ in it alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations, islice

from genset.statistics.contrasts import Contrast, contrast
from genset.statistics.multiple_testing import holm
from genset.tta.factors.configurations import Configuration, Measured, as_ratio

_LEVEL = 0.05


class Verdict(StrEnum):
    """What the repeats can show of a time, at 5 % for all comparisons of a table together."""

    FASTER = "faster"
    SLOWER = "slower"
    CANNOT_TELL = "cannot tell"
    ONE_RUN = "no repeats"
    EQUAL = "equal times"
    FAILURES = "some runs never reach"


@dataclass(frozen=True, slots=True)
class Effect:
    """What factors bring.

    Attributes:
        factors: one, or several for how they work together.
        speedup: how many times as fast the threshold is reached with them: over 1 is faster. Of
            several factors: how many times as much they bring together as each would alone.
        p: of the test that `speedup` is 1, by itself; `adjusted` after Holm, for all of its table.
        final: what they add to the last score, in its unit.
        throughput: how many times as many epochs, or photos, are trained in the same time.
    """

    factors: tuple[str, ...]
    speedup: Measured | None
    p: float | None
    adjusted: float | None
    verdict: Verdict
    final: Measured | None = None
    throughput: Measured | None = None


def effect_of(factor: str, having: Configuration, lacking: Configuration) -> Effect:
    """Compare the configuration that has a factor with the one that lacks it."""
    final = contrast([having.finals(), lacking.finals()], [1, -1])
    rates = having.log_throughputs(), lacking.log_throughputs()
    throughput = as_ratio(contrast(rates, [1, -1])) if all(rates) else None
    found = timed((factor,), [having, lacking], [1, -1])
    return replace(found, final=Measured(final.estimate, final.interval), throughput=throughput)


def timed(
    factors: tuple[str, ...], cells: Sequence[Configuration], signs: Sequence[float]
) -> Effect:
    """The effect on the time, from configurations with a weight each: above 0 for what has it."""
    if not all(cell.reached for cell in cells):
        return Effect(factors, None, None, None, Verdict.FAILURES)
    hours = contrast([cell.log_hours() for cell in cells], [-sign for sign in signs])
    return Effect(factors, as_ratio(hours), hours.p, None, _before_holm(hours, cells))


def _before_holm(found: Contrast, cells: Sequence[Configuration]) -> Verdict:
    # The runs that reach the threshold are the lucky ones: their times prove nothing for all.
    if any(cell.reached < len(cell.runs) for cell in cells):
        return Verdict.FAILURES
    if any(len(cell.runs) == 1 for cell in cells):
        return Verdict.ONE_RUN
    return Verdict.EQUAL if found.p is None else Verdict.CANNOT_TELL


def judged(effects: Sequence[Effect]) -> list[Effect]:
    """The effects of one table, with what can be said of each among so many."""
    tested = [effect for effect in effects if effect.verdict is Verdict.CANNOT_TELL]
    adjusted = dict(zip(map(id, tested), holm([each.p or 0.0 for each in tested]), strict=True))
    return [
        replace(
            effect, adjusted=adjusted[id(effect)], verdict=_verdict(effect, adjusted[id(effect)])
        )
        if id(effect) in adjusted
        else effect
        for effect in effects
    ]


def _verdict(effect: Effect, adjusted: float) -> Verdict:
    assert effect.speedup is not None
    if adjusted > _LEVEL:
        return Verdict.CANNOT_TELL
    return Verdict.FASTER if effect.speedup.mean > 1 else Verdict.SLOWER


Cells = Mapping[frozenset[str], Configuration]


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a study.

    Attributes:
        factor: what is added, or left out; empty on the first line.
        on: what is on.
        found: None where no run had just this.
        brings: what the factor brings; None on the first line, and where a run is missing.
    """

    factor: str
    on: tuple[str, ...]
    found: Configuration | None
    brings: Effect | None


def addition(order: Sequence[str], cells: Cells) -> list[Step]:
    """From none of the factors to all, in `order`; each step is compared with the one before."""
    names = ["", *order]
    sets = [tuple(order[:count]) for count in range(len(order) + 1)]
    found = [cells.get(frozenset(on)) for on in sets]
    return _steps(names, sets, found, list(zip(found, [None, *found[:-1]], strict=True)))


def lesion(order: Sequence[str], cells: Cells) -> list[Step]:
    """All of the factors, and all but each; each is compared with all."""
    names = ["", *order]
    sets = [tuple(order), *(tuple(o for o in order if o != factor) for factor in order)]
    found = [cells.get(frozenset(on)) for on in sets]
    return _steps(names, sets, found, [(None, None), *((found[0], each) for each in found[1:])])


def missing(steps: Sequence[Step]) -> list[tuple[str, ...]]:
    """What would have to be on in a further run, for each line without one."""
    return [step.on for step in steps if step.found is None]


def _steps(
    names: Sequence[str],
    sets: Sequence[tuple[str, ...]],
    found: Sequence[Configuration | None],
    compared: Sequence[tuple[Configuration | None, Configuration | None]],
) -> list[Step]:
    """`compared` are the configurations that have the factor of a line, and that lack it."""
    effects = {
        name: effect_of(name, having, lacking)
        for name, (having, lacking) in zip(names, compared, strict=True)
        if having and lacking
    }
    told = dict(zip(effects, judged(list(effects.values())), strict=True))
    return [
        Step(name, on, cell, told.get(name))
        for name, on, cell in zip(names, sets, found, strict=True)
    ]


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


@dataclass(frozen=True, slots=True)
class Curve:
    """Configurations that differ in one setting alone, by its rising value; at least two.

    `on` and `settings` are what they have in common.
    """

    setting: str
    on: tuple[str, ...]
    settings: Mapping[str, float]
    points: list[tuple[float, Configuration]]


def curves(found: Sequence[Configuration]) -> tuple[list[Curve], list[str]]:
    """All curves, and the settings that have several values and no curve."""
    names = {name: None for each in found for name in each.settings}
    drawn, missing = [], []
    for name in names:
        alike: dict[object, list[Configuration]] = {}
        for each in found:
            others = tuple((key, value) for key, value in each.settings.items() if key != name)
            alike.setdefault((each.on, others), []).append(each)
        several = [group for group in alike.values() if len(group) > 1]
        drawn += [_curve(name, group) for group in several]
        if not several and len({each.settings[name] for each in found}) > 1:
            missing.append(name)
    return drawn, missing


def _curve(name: str, group: Sequence[Configuration]) -> Curve:
    points = sorted(((each.settings[name], each) for each in group), key=lambda point: point[0])
    others = {key: value for key, value in group[0].settings.items() if key != name}
    return Curve(name, group[0].on, others, points)
