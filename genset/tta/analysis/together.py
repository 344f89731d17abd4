"""What the runs of one entry say together: which of them count, and whether one code gave all."""

from collections.abc import Sequence

from genset.tta.logs.entries import STOPPED, Training

_MOST_NAMED = 3  # values that a remark names


def counted(runs: Sequence[Training], threshold: float) -> list[Training]:
    """The runs without those that were asked to end before they got there.

    They do not tell whether they would have: they are neither a success nor a failure.
    """
    return [run for run in runs if run.about.ending != STOPPED or run.first_at(threshold)]


def together(runs: Sequence[Training], threshold: float) -> list[str]:
    """What is to be remarked on all runs: which do not count, and where their origins differ.

    A log that does not say a thing differs from none in it.
    """
    kept = counted(runs, threshold)
    said = []
    if out := [run.about.name for run in runs if run not in kept]:
        said.append(f"stopped before the threshold, and not counted: {_first_of(out)}")
    for what in sorted({what for run in kept for what in run.about.origin}):
        values = sorted({run.about.origin.get(what, "") for run in kept} - {""})
        if len(values) > 1:
            said.append(f"the runs are of {len(values)} {what}s: {_first_of(values)}")
    return said


def _first_of(values: Sequence[str]) -> str:
    return ", ".join([*values[:_MOST_NAMED], *(["..."] if len(values) > _MOST_NAMED else [])])
