"""What factors bring: steps of two studies, interactions, and curves by a number.

The factor analysis adds one factor after another; the lesion study leaves one out of all. If all
combinations were run, interactions say how factors work together. On the logarithm of time, two
factors that do not influence each other add up: together they are as many times as fast as the
product of what each brings. Their interaction is what is left: how many times as much. Of three it
is how much the third changes that of the other two.

Where some combinations were not run, or some runs never reach the threshold, a line is fitted to
the logarithms of all times at once: each factor then brings the same to all others. A run that
never reaches it counts as one that takes longer than it lasted.

Source: Box, Hunter and Hunter, "Statistics for experimenters", 2nd edition, 2005, chapter 5.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations, islice

import numpy as np

from genset.statistics.contrasts import Contrast, contrast, regression
from genset.statistics.intervals import Interval
from genset.statistics.multiple_testing import holm
from genset.tta.factors.study import Configuration, Estimate, as_ratio, log_hours, log_throughputs

_LEVEL = 0.05
_MOST_TOGETHER = 3
_LISTED = 8  # of the combinations that no run had

Cells = Mapping[frozenset[str], Configuration]


class Verdict(StrEnum):
    """What the repeats show of a time, at 5 % for all comparisons of a table together."""

    FASTER = "faster"
    SLOWER = "slower"
    CANNOT_TELL = "not significant"
    ONE_RUN = "no repeats"
    EQUAL = "equal times"
    FAILURES = "some runs fail"


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
    speedup: Estimate | None
    p: float | None
    adjusted: float | None
    verdict: Verdict
    final: Estimate | None = None
    throughput: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a study.

    Attributes:
        factor: what is added, or left out; empty on the first line.
        on: what is on.
        found: None if no run had just this.
        brings: what the factor brings; None on the first line, and if a run is missing.
    """

    factor: str
    on: tuple[str, ...]
    found: Configuration | None
    brings: Effect | None


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


@dataclass(frozen=True, slots=True)
class Curve:
    """Configurations that differ in one setting alone, by its rising value; at least two.

    `on` and `settings` are what they have in common.
    """

    setting: str
    on: tuple[str, ...]
    settings: Mapping[str, float]
    points: list[tuple[float, Configuration]]


def addition(order: Sequence[str], cells: Cells) -> list[Step]:
    """From none of the factors to all, in `order`; each step is compared with the one before."""
    sets = [tuple(order[:count]) for count in range(len(order) + 1)]
    found = [cells.get(frozenset(on)) for on in sets]
    return _steps(order, sets, found, list(zip(found, [None, *found[:-1]], strict=True)))


def lesion(order: Sequence[str], cells: Cells) -> list[Step]:
    """All of the factors, and all but each; each is compared with all."""
    sets = [tuple(order), *(tuple(o for o in order if o != factor) for factor in order)]
    found = [cells.get(frozenset(on)) for on in sets]
    return _steps(order, sets, found, [(None, None), *((found[0], other) for other in found[1:])])


def interactions(order: Sequence[str], cells: Cells) -> Interactions:
    """How at least two factors work together."""
    possible = 2 ** len(order)
    fewest = 1 if len(cells) == possible else 2
    found = [
        (effect, count, 2 ** (len(order) - size))
        for size in range(fewest, min(len(order), _MOST_TOGETHER) + 1)
        for together in combinations(order, size)
        for effect, count in _over_backgrounds(together, cells)
    ]
    effects = _judge([effect for effect, _, _ in found])
    lines = [Interaction(e, n, of) for e, (_, n, of) in zip(effects, found, strict=True)]
    missing = (
        on
        for size in range(len(order) + 1)
        for on in combinations(order, size)
        if frozenset(on) not in cells
    )
    return Interactions(lines, len(cells), possible, list(islice(missing, _LISTED)))


def fitted(order: Sequence[str], cells: Cells) -> list[Effect]:
    """What each factor brings, if it brings the same to all others: fitted to all runs.

    None where the runs do not tell the factors apart; nor where `interactions` has it without that
    assumption, as all combinations were run and reach the threshold.
    """
    runs = [(on, run) for on, cell in cells.items() for run in cell.runs]
    never = np.array([run.hours is None for _, run in runs])
    if not order or (len(cells) == 2 ** len(order) and not never.any()):
        return []
    design = np.array([[1.0, *(factor in on for factor in order)] for on, _ in runs])
    hours = np.log([run.hours or run.lasted for _, run in runs])
    found = regression(design, hours, never)
    if found is None:
        return []
    return _judge(
        [
            Effect((factor,), as_ratio(_negative(brings)), brings.p, None, Verdict.CANNOT_TELL)
            for factor, brings in zip(order, found[1:], strict=True)
        ]
    )


def _negative(found: Contrast) -> Contrast:
    low, high = found.interval or (0.0, 0.0)
    return Contrast(-found.estimate, Interval(-high, -low), found.p)


def curves(found: Sequence[Configuration]) -> tuple[list[Curve], list[str]]:
    """All curves, and the settings that have several values and no curve."""
    names = {name: None for configuration in found for name in configuration.settings}
    drawn, missing = [], []
    for name in names:
        alike: dict[object, list[Configuration]] = {}
        for configuration in found:
            others = {k: v for k, v in configuration.settings.items() if k != name}
            alike.setdefault((configuration.on, *others.items()), []).append(configuration)
        several = [group for group in alike.values() if len(group) > 1]
        for group in several:
            points = [(cell.settings[name], cell) for cell in group]
            points.sort(key=lambda point: point[0])
            others = {k: v for k, v in group[0].settings.items() if k != name}
            drawn.append(Curve(name, group[0].on, others, points))
        if not several and len({configuration.settings[name] for configuration in found}) > 1:
            missing.append(name)
    return drawn, missing


def _steps(
    order: Sequence[str],
    sets: Sequence[tuple[str, ...]],
    found: Sequence[Configuration | None],
    compared: Sequence[tuple[Configuration | None, Configuration | None]],
) -> list[Step]:
    """`compared` are the configurations with and without the factor of a line."""
    names = ["", *order]
    effects = {
        name: _effect_of(name, having, lacking)
        for name, (having, lacking) in zip(names, compared, strict=True)
        if having and lacking
    }
    brings = dict(zip(effects, _judge(list(effects.values())), strict=True))
    lines = zip(names, sets, found, strict=True)
    return [Step(name, on, cell, brings.get(name)) for name, on, cell in lines]


def _effect_of(factor: str, having: Configuration, lacking: Configuration) -> Effect:
    """Compare the configuration that has a factor with the one that lacks it."""
    final = contrast([[run.final for run in cell.runs] for cell in (having, lacking)], [1, -1])
    rates = log_throughputs(having.runs), log_throughputs(lacking.runs)
    throughput = as_ratio(contrast(rates, [1, -1])) if all(rates) else None
    found = _effect_on_time((factor,), [having, lacking], [1, -1])
    return replace(found, final=Estimate(final.estimate, final.interval), throughput=throughput)


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
    yield _effect_on_time(together, used, signs), len(backgrounds)


def _effect_on_time(
    factors: tuple[str, ...], cells: Sequence[Configuration], signs: Sequence[float]
) -> Effect:
    """The effect on the time, from configurations with a weight each: above 0 for what has it."""
    if not all(cell.reached for cell in cells):
        return Effect(factors, None, None, None, Verdict.FAILURES)
    hours = contrast([log_hours(cell.runs) for cell in cells], [-sign for sign in signs])
    return Effect(factors, as_ratio(hours), hours.p, None, _before_holm(hours, cells))


def _before_holm(found: Contrast, cells: Sequence[Configuration]) -> Verdict:
    # The runs that reach the threshold are the lucky ones: their times prove nothing for all.
    if any(cell.reached < len(cell.runs) for cell in cells):
        return Verdict.FAILURES
    if any(len(cell.runs) == 1 for cell in cells):
        return Verdict.ONE_RUN
    return Verdict.EQUAL if found.p is None else Verdict.CANNOT_TELL


def _judge(effects: Sequence[Effect]) -> list[Effect]:
    """The effects of one table, with their verdicts among so many."""
    tested = [at for at, effect in enumerate(effects) if effect.verdict is Verdict.CANNOT_TELL]
    judged = [*effects]
    for at, p in zip(tested, holm([effects[at].p or 0.0 for at in tested]), strict=True):
        speedup = effects[at].speedup
        verdict = Verdict.FASTER if speedup and speedup.mean > 1 else Verdict.SLOWER
        verdict = Verdict.CANNOT_TELL if p > _LEVEL else verdict
        judged[at] = replace(effects[at], adjusted=p, verdict=verdict)
    return judged
