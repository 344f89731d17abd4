"""What `genset tta scaling --trace` prints: communication by the number of workers."""

from genset.core.numbers import NONE
from genset.core.tables import Grid
from genset.tta.analysis.profile.by_workers import ByWorkers, Spread
from genset.tta.show.profile.numbers import percent, short_time


def by_workers_grids(found: ByWorkers) -> list[Grid]:
    """A line for each number of workers."""
    head = ["workers", "ranks' traces", "communication", "not hidden", "idle", "step"]
    rows = [
        [
            str(row.workers),
            str(row.ranks),
            _spread_text(row.total),
            _spread_text(row.exposed),
            _spread_text(row.idle),
            NONE if row.step_seconds is None else short_time(row.step_seconds),
        ]
        for row in found.rows
    ]
    whole = {
        "steps": "the time of the marked steps, to the end of the last or of what they launched",
        "device": "the time from the first event on the device to the last",
    }[found.span_of]
    notes = [
        *found.remarks,
        f"shares of {whole}; not hidden: communication while nothing computes",
    ]
    if any(row.ranks > 1 for row in found.rows):
        notes.append("of several ranks the mean, and the least and the most")
    return [Grid("Communication by number of workers", head, rows, notes)]


def _spread_text(found: Spread) -> str:
    if found.least == found.most:
        return percent(found.mean)
    return f"{percent(found.mean)} ({100 * found.least:.1f} to {100 * found.most:.1f})"
