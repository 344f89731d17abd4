"""Names of models where there is no room for the whole of them.

What tells variants of a model apart stands at the end of their names as often as at the start, so a
long name loses letters in its middle.
"""

from collections import Counter
from collections.abc import Iterable

from genset.core.safe import clean

LINE = 42  # letters of a model's name in a line: those of most of timm's own weights
_WHOLE = 1000  # letters: as long as a name is ever shown
_STEP = 4  # letters more, where names would look the same


def short_names(labels: Iterable[str], longest: int) -> dict[str, str]:
    """Each label as it is shown: no longer than `longest`, and no two the same.

    Only where labels of that length would look the same are they longer.

    Args:
        labels: of the models that stand beside each other.
        longest: in letters, 8 or more.

    Returns:
        The names by label, cleaned (:func:`genset.core.safe.clean`).
    """
    whole = {label: clean(label, _WHOLE) for label in labels}
    found = {label: _cut(name, longest) for label, name in whole.items()}
    while longest < _WHOLE:
        times = Counter(found.values())
        if not (alike := [label for label, name in found.items() if times[name] > 1]):
            break
        longest += _STEP
        found |= {label: _cut(whole[label], longest) for label in alike}
    return found


def _cut(name: str, longest: int) -> str:
    """The name without its middle: its start, an ellipsis, and its end."""
    if len(name) <= longest:
        return name
    start = (longest - 1) // 2
    end = name[len(name) - (longest - 1 - start) :]
    return clean(f"{name[:start].rstrip()}…{end.lstrip()}", longest)


def run_anchor(key: str) -> str:
    """Where a model stands on a report's page, by its run's key."""
    return f"model-{key[:12]}"
