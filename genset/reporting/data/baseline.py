"""What a report says of accuracies elsewhere: the models' own, and those of published weights."""

from dataclasses import dataclass

from genset.statistics.intervals import Interval
from genset.statistics.trend import Scale


@dataclass(frozen=True, slots=True)
class Against:
    """A model's accuracy elsewhere and here.

    `gap` is what it loses. `above` is its effective robustness, what it has here beyond the line
    (the first of `Baseline.fits`), with its interval; None where there is no line.
    `higher` is the share of published weights that are farther above it; None where the line is not
    theirs.
    """

    label: str
    elsewhere: float
    source: str
    here: float
    gap: float
    above: float | None
    interval: Interval | None
    higher: float | None


@dataclass(frozen=True, slots=True)
class PublishedRange:
    """What is published of a model's architecture, where its own weights are not: in no fit.

    Attributes:
        label: the model's.
        low, high: the lowest and the highest accuracy elsewhere, 0 to 1.
        weights: how many are published.
        of: what they share: an architecture ("timm:resnet50"), or the weights' name where they are
            published for other image sizes only.
        why: why none of them is the model's own, in a few words.
    """

    label: str
    low: float
    high: float
    weights: int
    of: str
    why: str


@dataclass(frozen=True, slots=True)
class PlaceAmong:
    """A model's place by accuracy here among published weights: 1 is the best.

    `best` and `worst` are its places at the ends of Wilson's 95 % interval of its accuracy.
    `of` is how many are ranked, with the model itself. `published` is its own weights' accuracy
    here as published, 0 to 1; None where they are not.
    """

    label: str
    accuracy: float
    place: int
    best: int
    worst: int
    of: int
    published: float | None


@dataclass(frozen=True, slots=True)
class LinePoint:
    """A fitted line at one accuracy elsewhere: the accuracy here, all from 0 to 1.

    `band` is the line's 95 % interval, `prediction` where 95 % of further models lie.
    """

    elsewhere: float
    here: float
    band: Interval
    prediction: Interval


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted line.

    Attributes:
        scale: "logit" or "linear": what is straight.
        intercept, slope: of f(here) over f(elsewhere).
        slope_interval: 95 %; None where too few architectures tell.
        scatter: the standard deviation of models about the line, in accuracy, 0 to 1.
        inside: the share of the fitted models that lie inside the prediction band.
        models: how many it was fitted to.
        architectures: how many different ones these have.
        line: the line where the models are.
    """

    scale: Scale
    intercept: float
    slope: float
    slope_interval: Interval | None
    scatter: float
    inside: float
    models: int
    architectures: int
    line: tuple[LinePoint, ...]


@dataclass(frozen=True, slots=True)
class KnownModel:
    """Published weights, drawn beside the models: their accuracies elsewhere and here."""

    name: str
    elsewhere: float
    here: float


@dataclass(frozen=True, slots=True)
class KnownSet:
    """Which well-known set the photos are, and how that is known.

    Attributes:
        name: "imagenet-val" or "imagenetv2".
        title: as people call it.
        how: how it was recognized, in a few words.
        labels: "ReaL" where models are also measured by its labels; else "".
    """

    name: str
    title: str
    how: str
    labels: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """Accuracy here against accuracy elsewhere, and the place among known models.

    Attributes:
        name: of the reference.
        elsewhere, here: what the two accuracies of `models` are, as a figure's axes say it.
        models: those whose accuracy elsewhere is known.
        unknown: labels of those whose accuracy elsewhere is not.
        ranges: of these, the ones of whose architecture something is published.
        set: which well-known set this is; None for any other.
        places: the models among the published weights, on a well-known set.
        source: where the published accuracies are from, with licence and date; "" where none is
            used.
        fits: the lines, the one by which robustness is told first; empty where there is none.
        from_known: whether the lines are those of published weights, not of `models`.
        known: the published weights that the line was fitted to.
        intercept, slope, line: of the first fit; None and empty where there is none.
        partial: labels of models that did not answer nearly all photos: they have no part in this.
        ladder: specs of well-known models, the weakest first, that would make a line here; empty
            where there is one.
    """

    name: str
    elsewhere: str
    here: str
    models: tuple[Against, ...]
    unknown: tuple[str, ...]
    ranges: tuple[PublishedRange, ...]
    set: KnownSet | None = None
    places: tuple[PlaceAmong, ...] = ()
    source: str = ""
    fits: tuple[Fit, ...] = ()
    from_known: bool = False
    known: tuple[KnownModel, ...] = ()
    intercept: float | None = None
    slope: float | None = None
    line: tuple[LinePoint, ...] = ()
    ladder: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()

    def robustness(self, label: str) -> tuple[float, Interval] | None:
        """A model's effective robustness and its 95 % interval, -1 to 1, where there is a line."""
        for row in self.models:
            if row.label == label and row.above is not None and row.interval is not None:
                return row.above, row.interval
        return None

    def place(self, label: str) -> PlaceAmong | None:
        """A model's place among published weights, where there is one."""
        return next((place for place in self.places if place.label == label), None)
