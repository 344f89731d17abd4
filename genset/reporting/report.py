"""What a report says, and what a section of it is.

Each form of a report is made from `ReportData` and nothing else. A section is one module in
`genset.reporting.sections`: how its numbers are found, what it shows, what JSON has of it. It ends
with a `SECTION`, which `genset.reporting.sections.order` puts in its place::

    SECTION = Section("by_training", gather, show)
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from genset.classes import Taxonomy
from genset.comparison.pairs import Pair, Rank
from genset.comparison.truths import MultiLabel
from genset.core.to_json import to_json
from genset.release.reader import Release, ReleasePhoto
from genset.reporting.blocks import Part
from genset.reporting.options import ReportOptions
from genset.reporting.summary import SetSummary
from genset.score.results.results import Results
from genset.score.results.runs import Accuracy, Run
from genset.statistics.calibration import Calibration

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TopK:
    """How often the true class is among a model's first `k` answers."""

    k: int
    accuracy: Accuracy


@dataclass(frozen=True, slots=True)
class ScoredModel:
    """One model of a report.

    Attributes:
        label: its name, with the run's key where two runs share the name.
        rank: among the report's models; None of one that is left out, or that answered a part of
            the photos.
        tops: accuracies for k = 1, 5 where known, and what was asked for besides.
        real: first answers among all classes that a photo shows, where these are known (ReaL).
        multilabel: all that is measured by these classes.
        calibration: of its first answers, where their probabilities are kept.
        flags: why its answers as a whole cannot be right, and what to do; mostly empty.
    """

    label: str
    rank: Rank | None
    run: Run
    tops: tuple[TopK, ...]
    real: Accuracy | None
    multilabel: MultiLabel | None
    calibration: Calibration | None
    flags: tuple[str, ...] = ()

    @property
    def top1(self) -> TopK:
        """Its top-1 accuracy."""
        return self.tops[0]


@dataclass(frozen=True, slots=True)
class Power:
    """What the set can show: medians over the pairs of models.

    Attributes:
        difference: of `Pair.detectable`; None where most pairs show none.
        discordant: of `Pair.discordant`, the share of photos that one model alone has right.
    """

    difference: float | None
    discordant: float


@dataclass(frozen=True, slots=True)
class ReportData:
    """What a report says.

    Attributes:
        options: what was asked for; `options.resampling` is what intervals were drawn with.
        set: what was scored on.
        models: the best top-1 first; behind them those that answered a part of the photos.
        flagged: models that are left out of all else, because their answers cannot be right.
        pairs: every two models, the better one first.
        power: None for fewer than two models that answered nearly all photos.
        copies: which models' answers are equal, in words.
        other_runs: runs left out, because they scored another set that had the same name.
        fixed: whether the classes are all that there are, and not a sample of classes.
        taxonomy: whose classes the set has; None for ImageNet's.
        found: what each section found, by its name: see `of`.
    """

    options: ReportOptions
    set: SetSummary
    models: tuple[ScoredModel, ...]
    flagged: tuple[ScoredModel, ...]
    pairs: tuple[Pair, ...]
    power: Power | None
    copies: tuple[str, ...]
    other_runs: int
    fixed: bool
    taxonomy: Taxonomy | None
    found: dict[str, Any]

    def of(self, section: "Section[T]") -> T:
        """What a section found."""
        found: T = self.found[section.name]
        return found

    @property
    def ranked(self) -> tuple[ScoredModel, ...]:
        """The models that answered nearly all photos: an order is one of these."""
        return tuple(model for model in self.models if model.rank)

    @property
    def in_part(self) -> tuple[ScoredModel, ...]:
        """The other ones, of which an accuracy is one of other photos."""
        return tuple(model for model in self.models if not model.rank)

    def near(self) -> dict[str, list[str]]:
        """By model, those that it cannot be told apart from, in the report's order."""
        near: dict[str, list[str]] = {model.label: [] for model in self.models}
        for pair in self.pairs:
            if not pair.apart:
                near[pair.first].append(pair.second)
                near[pair.second].append(pair.first)
        place = {model.label: number for number, model in enumerate(self.models)}
        return {label: sorted(others, key=place.__getitem__) for label, others in near.items()}

    def model(self, label: str) -> ScoredModel:
        """The model that is called so."""
        return next(model for model in self.models if model.label == label)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the numbers of a report are found from.

    Attributes:
        results: the models, side by side on one set; flagged ones only where they were asked for.
        runs: the folder of runs.
        release: the set, if it is a release.
        records: what a release knows of its photos, by their files; empty for other sets.
        others: names of further sets, to compare with, each with the models on it.
    """

    results: Results
    runs: Path
    release: Release | None
    records: Mapping[str, ReleasePhoto]
    others: Sequence[tuple[str, Results]]


@dataclass(frozen=True, slots=True)
class Section(Generic[T]):
    """A section of the report.

    Attributes:
        name: of its numbers, among those of the report and in JSON.
        gather: finds the numbers, from the inputs and what the sections before it found.
        show: its parts; none where there is nothing to show.
        json: its numbers by their keys in JSON; None: what was found, if anything, by `name`.
    """

    name: str
    gather: Callable[[Inputs, ReportData], T]
    show: Callable[[T, ReportData], Iterable[Part]]
    json: Callable[[T, ReportData], Mapping[str, Any]] | None = None

    def as_json(self, data: ReportData) -> Mapping[str, Any]:
        """Its numbers by their keys; none leave them out."""
        found = data.of(self)
        if self.json is None:
            return {self.name: to_json(found)} if found else {}
        return self.json(found, data)


def no_numbers(_: Inputs, __: ReportData) -> None:
    """The `gather` of a section that shows the report's own numbers."""
