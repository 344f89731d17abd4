"""How a number, such as the minibatch size, bears on the time to accuracy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genset.tta.analysis.factors.configurations import Configuration


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
