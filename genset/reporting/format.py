"""An accuracy, an answer, a class and a run's settings, as people read them."""

from collections.abc import Mapping
from typing import Any

from genset.classes import Taxonomy, imagenet1k
from genset.comparison.missed import WrongAnswer
from genset.core.numbers import ends
from genset.reporting.data.gallery import Answer
from genset.score.results.runs import Accuracy


def interval(accuracy: Accuracy) -> str:
    """Its 95 % interval in per cent."""
    return ends((accuracy.low, accuracy.high), accuracy.photos)


def probability(answer: Answer | WrongAnswer) -> str:
    """A model's probability in per cent, never rounded to certainty; "" where it is not known."""
    if answer.probability is None:
        return ""
    if answer.probability < 0.01:
        return "< 1 %"
    return "> 99 %" if answer.probability > 0.99 else f"{100 * answer.probability:.0f} %"


def class_name(wnid: str, own: Taxonomy | None = None) -> str:
    """The class's name for people to read; a word that is no class's id is its own.

    `own` is the set's taxonomy, where it is not ImageNet's: its names come first.
    """
    for taxonomy in (own, imagenet1k()):
        if taxonomy is not None and (found := taxonomy.get(wnid)) is not None:
            return found.name
    return wnid or "no class"


def settings(values: Mapping[str, Any]) -> str:
    """Named values in words: "resize 256, crop 224, mean 0.485 0.456 0.406"."""
    return ", ".join(
        f"{name} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in values.items()
    )
