"""Scores and thresholds as people say them."""

from typing import Protocol

from genset.core.safe import clean
from genset.tta.logs.tasks import F1, TOP1, TOP5

_METRICS = {TOP1: "top-1", TOP5: "top-5", F1: "F1"}


class Judged(Protocol):
    """What is held against a threshold."""

    @property
    def score(self) -> str: ...
    @property
    def threshold(self) -> float: ...
    @property
    def percent(self) -> bool: ...


def metric(column: str) -> str:
    """A score's name: "top-5" for DAWNBench's column, another log's column as it is."""
    return _METRICS.get(column, clean(column, 40))


def amount(score: float, percent: bool) -> str:
    """A score: "92.80 %", or "2.314" where it is not in per cent."""
    return f"{score:.2f} %" if percent else f"{score:.4g}"


def level(threshold: float, percent: bool) -> str:
    """A threshold: "93 %", or "2.3" where it is not in per cent."""
    return f"{threshold:g} %" if percent else f"{threshold:g}"


def goal(found: Judged) -> str:
    """What is to be reached: "93 % top-5", "val_loss 2.3"."""
    said = level(found.threshold, found.percent)
    return f"{said} {metric(found.score)}" if found.percent else f"{metric(found.score)} {said}"
