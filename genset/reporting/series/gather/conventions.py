"""By which convention runs on sets of a user's own classes were scored.

A run keeps its convention and cannot be counted again by another one. So each is a model of its own
in the series, and no mean has runs of two.
"""

from collections.abc import Iterable

from genset.reporting.series.data import AMONG, Among
from genset.score.results.results import ModelAnswers, Results


def convention_of(results: Results, model: ModelAnswers) -> Among | None:
    """What competed in a run, and how outputs were pooled; None where it had no such choice.

    It had none on a set of ImageNet's classes, nor where the model's classes are the set's own.
    """
    if model.run.mapping is None or results.is_of_imagenet:
        return None
    return next(each for each in AMONG if each == model.run.convention)


def conventions_on(results: Results) -> tuple[Among, ...]:
    """The conventions of the runs on a set, in the order of `AMONG`."""
    return in_order(convention_of(results, model) for model in results.models)


def in_order(found: Iterable[Among | None]) -> tuple[Among, ...]:
    """Each convention once, in the order of `AMONG`."""
    there = set(found)
    return tuple(each for each in AMONG if each in there)
