"""What must be said beside a run's numbers, in sentences."""

from collections import Counter

from genset.core.numbers import count
from genset.core.safe import clean
from genset.models.mapping.record import explained
from genset.score.results.runs import Run


def remarks(run: Run) -> list[str]:
    """What must stand beside a run's numbers."""
    found = [f"{unreadable(run)}; not counted"] if run.unreadable else []
    if run.mapping is not None:
        found += explained(run.mapping)
    elif run.masked:
        found.append(
            f"chooses among {count(run.classes, 'class', 'classes')} only; "
            f"{count(run.masked, 'photo')} of other classes not counted"
        )
    if run.precision not in ("float32", "unknown"):
        found.append(f"scored in {run.precision}")
    return [clean(each, 300) for each in (*found, *run.notes)]


def unreadable(run: Run) -> str:
    """What must stand beside a run's numbers where photos were left out; else nothing."""
    reasons = Counter(run.unreadable.values())
    without = reasons.pop("no prediction", 0)
    unread = sum(reasons.values())
    said = [f"{count(unread, 'photo')} could not be read"] if unread else []
    said += [f"{count(without, 'photo')} without a prediction"] if without else []
    return "; ".join(said)
