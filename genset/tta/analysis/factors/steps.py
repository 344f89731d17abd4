"""The factor analysis adds one factor after another; the lesion study leaves one out of all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genset.tta.analysis.factors.configurations import Configuration
from genset.tta.analysis.factors.effects import Effect, effect_of, judged

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
