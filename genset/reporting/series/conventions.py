"""What conventions are called in a series."""

from genset.core.numbers import count
from genset.reporting.series.data import Among, Series, SetInSeries, SetPair

_AMONG = {
    "all": "all outputs compete (all)",
    "subset": "only outputs of the set’s classes compete (subset)",
}


def how(convention: str) -> str:
    """What competes, in words and by its name, and how outputs are pooled where it is not a sum."""
    among, _, pool = convention.partition(", ")
    return _AMONG[among] + (", the largest output of a class counts (max)" if pool else "")


def on_set(each: SetInSeries) -> str:
    """The convention of a set's column; all of them where rows have different ones."""
    said = "; ".join(map(how, each.conventions))
    return said if len(each.conventions) == 1 else f"by the convention beside each name: {said}"


def all_of(series: Series) -> tuple[Among, ...]:
    """All conventions of the series, each once."""
    return tuple(dict.fromkeys(name for each in series.sets for name in each.conventions))


def is_own(series: Series, pair: SetPair) -> bool:
    """Whether `pair.among` is a convention of runs, and not a way to count the same runs."""
    return any(series.set(name).conventions for name in (pair.first, pair.second))


def mixed(series: Series) -> list[str]:
    """That there are several conventions, if there are."""
    there = all_of(series)
    if len(there) < 2:
        return []
    return [
        f"Runs of {count(len(there), 'convention')} are here: {'; '.join(map(how, there))}. They "
        "give different numbers: each has rows of its own, and no mean has runs of two."
    ]
