"""What `genset tta scaling` prints."""

from genset.core.numbers import NONE, count, duration
from genset.core.tables import Grid
from genset.tta.analysis.scaling import Scaling
from genset.tta.analysis.units import level
from genset.tta.show.words import differing_grids, short_name


def scaling_grids(found: Scaling) -> list[Grid]:
    """What `genset tta scaling` prints."""
    several = any(row.runs > 1 for row in found.rows)
    levels = [level(threshold, found.percent) for threshold in found.thresholds]
    head = ["workers", f"log{'s' * several}", "time per epoch"]
    head += [f"time to {level}" for level in levels]
    head += ["ideal", "speed-up per epoch"]
    more = len(levels) > 1
    head += [f"speed-up to {level}" for level in levels] if more else ["speed-up to accuracy"]
    head += ["communication"]
    rows = [
        [
            str(row.workers),
            f"{row.runs} runs" if row.runs > 1 else short_name(row.name),
            duration(row.epoch_hours),
            *(duration(each.hours) for each in row.at),
            f"{row.ideal:.3g}×",
            _speedup(row.epoch_speedup),
            *(_speedup(each.speedup) for each in row.at),
            NONE if row.communication is None else f"{100 * row.communication:.0f} %",
        ]
        for row in found.rows
    ]
    notes = [*found.remarks]
    if several:
        notes.append("numbers of several runs are means, times to accuracy of those that get there")
    if all(row.communication is None for row in found.rows):
        notes.append("no log says how long communication took (column communicationHours)")
    title = f"{short_name(found.task)}: speed-up over {count(found.rows[0].workers, 'worker')}"
    return [Grid(title, head, rows, notes), *differing_grids(found.differences)]


def _speedup(ratio: float | None) -> str:
    return NONE if ratio is None else f"{ratio:.2f}×"
