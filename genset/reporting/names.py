"""Names of models where there is no room for the whole of them.

What tells variants of a model apart stands at the end of their names as often as at the start. So
a long name loses letters in its middle, where the names beside it do not differ.
"""

from collections import Counter
from collections.abc import Iterable

from genset.core.safe import clean

LINE = 42  # letters of a model's name in a line: those of most of timm's own weights
_WHOLE = 1000  # letters: as long as a name is ever shown
_LEAST = 3  # letters that are left on either side
_STEP = 4  # letters more, where names would look the same


def short_names(labels: Iterable[str], longest: int) -> dict[str, str]:
    """Each label as it is shown: no longer than `longest`, and no two the same.

    Only where labels of that length cannot differ are they longer.

    Args:
        labels: of the models that stand beside each other.
        longest: in letters, 8 or more.

    Returns:
        The names by label, cleaned (:func:`genset.core.safe.clean`).
    """
    whole = {label: clean(label, _WHOLE) for label in labels}
    middle = (longest - 1) // 2
    found = {label: _cut(name, longest, middle) for label, name in whole.items()}
    while alike := _alike(found):
        for labels_alike in alike:
            found.update(_apart({label: whole[label] for label in labels_alike}, longest, found))
        longest += _STEP
        if longest > _WHOLE:  # they differ in letters that are not shown
            break
    return found


def _alike(names: dict[str, str]) -> list[list[str]]:
    """Labels whose names are the same, together."""
    times = Counter(names.values())
    return [
        [label for label in names if names[label] == name]
        for name, number in times.items()
        if number > 1
    ]


def _apart(whole: dict[str, str], longest: int, taken: dict[str, str]) -> dict[str, str]:
    """These names cut where they differ; as near the middle as can be."""
    others = {name for label, name in taken.items() if label not in whole}
    middle = (longest - 1) // 2
    places = sorted(range(_LEAST, longest - _LEAST), key=lambda place: abs(place - middle))
    for place in places:
        found = {label: _cut(name, longest, place) for label, name in whole.items()}
        if len(set(found.values())) == len(found) and not others & set(found.values()):
            return found
    return {label: _cut(name, longest, middle) for label, name in whole.items()}


def _cut(name: str, longest: int, start: int) -> str:
    """The name without its middle: `start` letters of it, an ellipsis, and its end."""
    if len(name) <= longest:
        return name
    end = name[len(name) - (longest - 1 - start) :]
    return clean(f"{name[:start].rstrip()}…{end.lstrip()}", longest)


def run_anchor(key: str) -> str:
    """Where a model stands on a report's page, by its run's key."""
    return f"model-{key[:12]}"
