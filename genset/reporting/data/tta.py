"""A training log beside the model that it gave."""

from dataclasses import dataclass

from genset.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class JoinedEntry:
    """What an entry's runs did, beside the model that is scored here.

    Attributes:
        name: of the log, or of the folder of runs.
        model: the label of the report's model.
        task: what it was trained for.
        score: the column that counts, as DAWNBench calls it.
        threshold: in per cent.
        hardware, framework: as the log says, or empty.
        runs: how many.
        reached: how many of them reach the threshold.
        share: the 95 % interval of that share (Clopper-Pearson); None of one run.
        hours: to the threshold: the mean over the runs that reach it, None if there are none.
        cost: US dollars to the threshold, likewise; None also where no price is known.
        epochs: the lowest and the highest epoch that reached it.
        best: the best score of any run, in per cent.
        variation: the coefficient of variation of the times; None where fewer than two have one.
        variation_interval: its 95 % interval (modified McKay), where there is one.
        remarks: what a reader must know of the logs.
    """

    name: str
    model: str
    task: str
    score: str
    threshold: float
    hardware: str
    framework: str
    runs: int
    reached: int
    share: Interval | None
    hours: float | None
    cost: float | None
    epochs: tuple[float, float] | None
    best: float
    variation: float | None
    variation_interval: Interval | None
    remarks: tuple[str, ...]
