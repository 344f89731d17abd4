"""What a series says: each form of it is made from this and nothing else."""

from dataclasses import dataclass
from typing import Literal, get_args

from genset.reporting.data.options import ReportOptions
from genset.reporting.data.report import SetSummary
from genset.score.results.runs import Accuracy
from genset.statistics.intervals import Interval
from genset.statistics.matched import Matched, Mean
from genset.statistics.trend import Scale

Among = Literal["all", "subset", "all, max", "subset, max"]
"""What a model chooses among: all its classes (1,000), or those that are asked about alone.

On classes of a user's own, with "max" where a class gets the largest of its outputs' probabilities.
"""

AMONG: tuple[Among, ...] = get_args(Among)


@dataclass(frozen=True, slots=True)
class SetInSeries:
    """One of the sets.

    Attributes:
        name: what it is called in the series; no two sets share one.
        page: the file of its full report, beside the index.
        summary: its photos and classes.
        is_of_imagenet: whether its classes are ImageNet's, all or some.
        is_subset: whether they are some of ImageNet's 1,000, and not all.
        models: how many were scored on it.
        evaluate: the set, as `genset evaluate` takes it.
        conventions: of the runs on it, where it has classes of a user's own; else empty.
    """

    name: str
    page: str
    summary: SetSummary
    is_of_imagenet: bool
    is_subset: bool
    models: int
    evaluate: str
    conventions: tuple[Among, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A top-1 accuracy.

    `interval` has the lower of the lower ends and the higher of the higher ends of two 95 %
    intervals: Wilson's, and that of whole classes resampled.
    """

    accuracy: Accuracy
    interval: Interval


@dataclass(frozen=True, slots=True)
class Between:
    """A top-1 accuracy that the kept answers do not settle: it is from `low` to `high`, 0 to 1.

    Of `unknown` photos no kept answer is of a class that counts; `photos` are all.
    """

    low: float
    high: float
    unknown: int
    photos: int


@dataclass(frozen=True, slots=True)
class OnSet:
    """One model on one set.

    Attributes:
        key: the run's.
        spec: the model spec of this run.
        all: its first answers among all 1,000 classes (of a set of other classes: among those that
            it knows); None where it chooses among others.
        subset: its best answers among the set's own classes, on a set that has not all; else None.
        change: from the first set to this one, over the classes that both have; None on the first
            set, where `all` is None on either, where a run is flagged, and where one has answers to
            a part of the photos alone.
        flags: why the run is left out of fits and means; empty where it is not.
        remarks: what must stand beside the numbers.
        partial: how many photos it answered, and how many any model did; None where it answered
            nearly all, so that its accuracy stands beside others'.
    """

    key: str
    spec: str
    all: Score | None
    subset: Score | Between | None
    change: Matched | None
    flags: tuple[str, ...]
    remarks: tuple[str, ...]
    partial: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ModelInSeries:
    """One model, and what it does on each set, in the sets' order; None where it was not scored.

    `by_name` says that its sets are joined by its name alone: its answers were computed elsewhere,
    and there are no weights to know it by.
    """

    label: str
    by_name: bool
    on: tuple[OnSet | None, ...]


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A fitted line at one accuracy on the first set: that on the second, and two 95 % intervals.

    `band` is where the line is, `prediction` where a further model is expected.
    """

    first: float
    second: float
    band: Interval
    prediction: Interval


@dataclass(frozen=True, slots=True)
class Fit:
    """A line through models: ``f(second) = intercept + slope * f(first)``.

    Attributes:
        scale: what f is: the log odds, or the accuracy itself.
        intercept, slope: of the line.
        slope_interval: the slope's 95 % interval.
        line: the line where the models are.
    """

    scale: Scale
    intercept: float
    slope: float
    slope_interval: Interval
    line: tuple[LinePoint, ...]


@dataclass(frozen=True, slots=True)
class AtPair:
    """One model on two sets, over the classes that both have, each counted once.

    Attributes:
        label: the model's.
        first, second: its accuracies, 0 to 1.
        matched: the same with intervals, and their difference (the second less the first).
        above: how far it is above the fitted line of each scale on the second set, -1 to 1, with
            the 95 % interval; empty where there is no line.
    """

    label: str
    first: float
    second: float
    matched: Matched
    above: dict[Scale, Mean]


@dataclass(frozen=True, slots=True)
class SetPair:
    """Two sets, over the classes that both have.

    Attributes:
        first, second: their names.
        among: what models choose among: all classes, or those that both sets have; on classes of a
            user's own, the convention of these runs.
        classes: how many both have.
        photos: of these classes, in the first and in the second.
        models: those that are known on both, the best on the first set first.
        mean: of these models, None for fewer than two.
        fits: by log odds and plainly; none for fewer than four models.
        flagged: labels of models that are left out because a run of theirs is flagged.
        unknown: labels of models whose kept answers do not settle it.
        partial: labels of models that did not answer nearly all of these photos.
        apart: labels of models that answered photos of no class on both sets.
    """

    first: str
    second: str
    among: Among
    classes: int
    photos: tuple[int, int]
    models: tuple[AtPair, ...]
    mean: Matched | None
    fits: tuple[Fit, ...]
    flagged: tuple[str, ...]
    unknown: tuple[str, ...]
    partial: tuple[str, ...]
    apart: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroupOnSet:
    """Photos of one set that share something.

    `mean` is the mean top-1 accuracy of the models with its 95 % interval, as `Score` has it; None
    where so few photos cannot tell.
    """

    photos: int
    mean: Mean | None


@dataclass(frozen=True, slots=True)
class Grouping:
    """Photos by what releases record of them.

    Attributes:
        by: "source" or "year posted".
        models: labels of those whose mean is taken: scored on every set, and not flagged.
        partial: labels of those that did not answer nearly all photos of every set.
        rows: by name, what each set has of it, in the sets' order; None where it has none.
        convention: of the models' runs on classes of a user's own; None where there is none.
    """

    by: str
    models: tuple[str, ...]
    partial: tuple[str, ...]
    rows: dict[str, tuple[GroupOnSet | None, ...]]
    convention: Among | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Models that were not scored on a set, and the command that does it.

    Attributes:
        set: the set's name.
        models: their labels.
        command: for a terminal; "" where none can.
        by_hand: labels of those that no command can score: their answers were computed elsewhere.
    """

    set: str
    models: tuple[str, ...]
    command: str
    by_hand: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Several sets as one study.

    Attributes:
        options: what was asked for.
        sets: in the order asked for. Changes are from the first one.
        models: the best on the first set first; those that it does not have follow.
        pairs: every two sets that share a class, by each convention that applies to them.
        groupings: by source and by year posted, where releases say so.
        gaps: what was not scored.
        older: runs left out, because a later one has the same model and settings.
    """

    options: ReportOptions
    sets: tuple[SetInSeries, ...]
    models: tuple[ModelInSeries, ...]
    pairs: tuple[SetPair, ...]
    groupings: tuple[Grouping, ...]
    gaps: tuple[Gap, ...]
    older: int

    def set(self, name: str) -> SetInSeries:
        """The set that is called so."""
        return next(each for each in self.sets if each.name == name)
