"""How far people agree who label the same things."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any


def nominal_alpha(votes: Iterable[Mapping[Any, int]]) -> float | None:
    """Krippendorff's alpha for nominal labels, from each task's count of votes for each label.

    It is None if no two labels differ, or no task has two.

    Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, section C.
    """
    totals: Counter[Any] = Counter()
    differing = 0.0  # pairs of labels of one task that differ
    for counts in votes:
        if (count := sum(counts.values())) > 1:
            totals.update(counts)
            differing += (count**2 - sum(n**2 for n in counts.values())) / (count - 1)
    count = totals.total()
    by_chance = count**2 - sum(n**2 for n in totals.values())
    return 1 - (count - 1) * differing / by_chance if by_chance else None
