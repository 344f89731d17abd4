"""What a factor brings: two configurations compared, which differ in it alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from genset.statistics.contrasts import Contrast, contrast
from genset.statistics.multiple_testing import holm
from genset.tta.analysis.factors.configurations import Configuration, Measured, as_ratio

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
