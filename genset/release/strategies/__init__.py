"""The strategies that choose a release's photos."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from genset.core.errors import BadInput
from genset.release.strategies.matched import Matched as Matched
from genset.release.strategies.matched import Reference as Reference
from genset.release.strategies.strategy import RULE as RULE
from genset.release.strategies.strategy import Draws as Draws
from genset.release.strategies.strategy import Majority as Majority
from genset.release.strategies.strategy import Pick as Pick
from genset.release.strategies.strategy import Reason as Reason
from genset.release.strategies.strategy import Strategy as Strategy
from genset.release.strategies.strategy import Threshold as Threshold
from genset.release.strategies.strategy import Top as Top

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
