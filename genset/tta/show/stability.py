"""What `genset tta stability` prints: a line a run, and a few lines of what they say together."""

from genset.core.numbers import agree, count, duration
from genset.core.tables import Grid
from genset.tta.analysis.stability import EpochTime, Stability
from genset.tta.analysis.units import level, metric
from genset.tta.show.words import (
    differing_grids,
    hours_interval,
    percent_interval,
    plain_number,
    remark_lines,
    score_text,
    short_name,
)

_MOST = 20  # runs, a line each


def stability_grids(found: Stability) -> list[Grid]:
    """What `genset tta stability` prints. The curve of the epochs is for the figure and JSON."""
    least = level(found.threshold, found.percent)
    rows = [
        [
            short_name(row.name),
            duration(row.hours),
            plain_number(row.epoch),
            score_text(row.final, found.percent),
            score_text(row.best, found.percent),
        ]
        for row in found.runs[:_MOST]
    ]
    runs, reach = len(found.runs), agree(found.reached, "reaches", "reach")
    more = [f"and {count(runs - _MOST, 'more run')}, which --json has"] if runs > _MOST else []
    notes = [
        *more,
        f"{found.reached} of {runs} runs {reach} {least} ({percent_interval(found.share, 0)}, Clopper-Pearson)",
        *_times(found),
        *_expected(found),
        *([_epochs(found.epoch_time)] if found.epoch_time else []),
        *found.remarks,
        *remark_lines(found.runs),
    ]
    head = ["run", f"time to {least}", "epoch", "final", "best"]
    of = f", {short_name(found.entry)}" if found.entry else ""
    by = "" if found.score == found.task else f", {metric(found.score)}"
    title = f"{short_name(found.task)}{of}: {runs} runs{by}"
    return [Grid(title, head, rows, notes), *differing_grids(found.differences)]


def _times(found: Stability) -> list[str]:
    notes = []
    if found.variation is not None:
        said = f"coefficient of variation {_percent(found.variation)}"
        if found.variation_interval:
            said += f" ({percent_interval(found.variation_interval, _digits(found.variation))}, modified McKay)"
        notes.append(f"mean time {duration(found.hours)}; {said}")
    if found.hours_without_ends is not None:
        mean = duration(found.hours_without_ends)
        notes.append(f"without the fastest and the slowest, as MLPerf counts: mean time {mean}")
    if found.variation == 0:
        notes.append("all times are equal, so they are logged too coarsely to say how they differ")
    if 0 < found.reached < len(found.runs) and found.variation is not None:
        notes.append("runs that never get there have no time: the variation is of the others")
    return notes


def _expected(found: Stability) -> list[str]:
    """Words for the expected time, failures included."""
    if found.expected_hours is None:
        return ["no run gets there, so how long it takes until one does cannot be told"]
    said = f"expected time until a run gets there: {duration(found.expected_hours)}"
    if found.expected_interval:
        said += f" ({hours_interval(found.expected_interval)})"
    else:
        said += " (two that get there are needed for an interval)"
    if found.reached < len(found.runs):
        return [f"{said}, where one that does not is begun again when it is over"]
    return [f"{said}; its upper end allows for runs that fail, of which these few show none"]


def _epochs(found: EpochTime) -> str:
    said = f"time per epoch {duration(found.hours)}"
    if found.variation is not None:
        said += f"; coefficient of variation from run to run {_percent(found.variation)}"
        if found.variation_interval:
            said += f" ({percent_interval(found.variation_interval, _digits(found.variation))})"
    return said + ("" if found.within is None else f", inside a run {_percent(found.within)}")


def _percent(variation: float) -> str:
    return f"{100 * variation:.{_digits(variation)}f} %"


def _digits(variation: float) -> int:
    """Two decimals of what is below 1 %: runs of a large machine differ by less."""
    return 1 if variation == 0 or variation >= 0.01 else 2
