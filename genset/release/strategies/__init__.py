"""The strategies that choose a release's photos, one per file. `contract` has their interface."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from genset.core.errors import BadInput
from genset.release.strategies.majority import Majority
from genset.release.strategies.matched import Matched, Reference
from genset.release.strategies.strategy import RULE, Draws, Pick, Reason, Strategy
from genset.release.strategies.threshold import Threshold
from genset.release.strategies.top import Top

__all__ = [
    "RULE",
    "Draws",
    "Majority",
    "Matched",
    "Pick",
    "Reason",
    "Reference",
    "Strategy",
    "Threshold",
    "Top",
    "strategy",
]

_KINDS: dict[str, type[Strategy]] = {
    kind.name: kind for kind in (Majority, Threshold, Top, Matched)
}


def strategy(name: str, options: Mapping[str, Any]) -> Strategy:
    """The strategy of this name, with the options that the user gave.

    Raises:
        BadInput: it has no such option, an option is missing, or a number is out of range.
    """
    kind = _KINDS[name]
    known = {field.name for field in fields(kind)}
    for option in options:
        if option not in known:
            raise BadInput(f"--{option.replace('_', '-')} does not apply to --strategy {name}")
    if kind is Matched and "reference" not in options:
        raise BadInput("--strategy matched needs the labels to match: --reference labels.csv")
    for option, value in options.items():
        if option in ("per_class", "min_labels") and value < 1:
            raise BadInput(f"--{option.replace('_', '-')} must be at least 1")
        if option == "threshold" and not 0 <= value <= 1:
            raise BadInput("--threshold must be from 0 to 1")
    return kind(**options)
