"""A training log beside the model that it gave."""

from dataclasses import dataclass
from typing import Literal

from genset.comparison.margin import MarginTest
from genset.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class WeightsJoin:
    """What says that a log's training gave the model.

    Attributes:
        kind: "same": the model was scored from a checkpoint that the training left, by its sha256;
            "other": it was scored from another file; "unknown": from which file is not known;
            "word": the log knows of no checkpoint, and whoever asked for the report says so.
        run: of several runs, the one that left it; else "".
        left, scored: where these differ, how the two files' hashes begin; else "".
    """

    kind: Literal["same", "other", "unknown", "word"]
    run: str = ""
    left: str = ""
    scored: str = ""


@dataclass(frozen=True, slots=True)
class JoinedEntry:
    """What an entry's runs did, beside the model that is scored here.

    Attributes:
        name: of the log, or of the folder of runs.
        model: the label of the report's model.
        task: what it was trained for.
        score: the column that counts, as DAWNBench calls it.
        threshold: in the score's unit.
        percent: whether that is per cent.
        hardware, framework: as the log says, or empty.
        to_stop: whether its logs count time to the stop of a run, as MLPerf's do.
        runs: how many.
        reached: how many of them reach the threshold.
        share: the 95 % interval of that share (Clopper-Pearson); None of one run.
        hours: to the threshold: the mean over the runs that reach it, None if there are none.
        cost: US dollars to the threshold, likewise; None also where no price is known.
        epochs: the lowest and the highest epoch that reached it.
        best: the best score of any run, in its unit.
        variation: the coefficient of variation of the times; None where fewer than two have one.
        variation_interval: its 95 % interval (modified McKay), where there is one.
        weights: what says that its training gave the model.
        margins: the model held against its pretrained counterpart, in top-1 and top-5; none where
            no counterpart was named.
        remarks: what a reader must know of the logs, and of how they fit the model.
    """

    name: str
    model: str
    task: str
    score: str
    threshold: float
    percent: bool
    hardware: str
    framework: str
    to_stop: bool
    runs: int
    reached: int
    share: Interval | None
    hours: float | None
    cost: float | None
    epochs: tuple[float, float] | None
    best: float
    variation: float | None
    variation_interval: Interval | None
    weights: WeightsJoin
    margins: tuple[MarginTest, ...]
    remarks: tuple[str, ...]
