"""The reason for each candidate that is not taken."""

from collections.abc import Iterable

from genset.release.table import CandidateRow

Reasons = dict[str, str]
"""By the candidates' tasks."""


def is_refused(entry: CandidateRow, reason: str | None, left_out: Reasons) -> bool:
    """Whether there is a `reason` against a candidate, which is then noted."""
    if reason is not None:
        left_out[entry.task] = reason
    return reason is not None


def record_rest(
    entries: Iterable[CandidateRow], kept: Iterable[CandidateRow], reason: str, left_out: Reasons
) -> None:
    """Note the reason for all candidates that were not kept."""
    tasks = {entry.task for entry in kept}
    left_out.update((entry.task, reason) for entry in entries if entry.task not in tasks)
