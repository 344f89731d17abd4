"""What a report says: each form of it is made from this and nothing else."""

from dataclasses import dataclass
from typing import Any

from genset.classes import Taxonomy
from genset.comparison.classes import Breakdown, Confusion, Group
from genset.comparison.pairs import Bounds, Pair, Rank
from genset.comparison.truths import MultiLabel
from genset.reporting.data.again import Again
from genset.reporting.data.baseline import Baseline
from genset.reporting.data.finetuning import FinetunedTask
from genset.reporting.data.gallery import Gallery
from genset.reporting.data.kinds import KindOfClasses
from genset.reporting.data.missed import MissedTogether
from genset.reporting.data.multilabel import ByTruth
from genset.reporting.data.options import ReportOptions
from genset.reporting.data.sources import BySource, LicenseCount
from genset.reporting.data.training import ByTraining
from genset.reporting.data.tta import JoinedEntry
from genset.score.results.runs import Accuracy, Run
from genset.statistics.calibration import Calibration
from genset.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """How a release was made.

    Attributes:
        created_at: when it was frozen, ISO 8601.
        strategy: the rule by which photos were chosen, and its parameters.
        labelers: people who labeled, whether or not their candidates are in it.
        labels: labels on its photos, by verdict.
        left_out: candidates that are not in it, by reason.
        licenses: the commonest first.
        sources: photos by source.
        posted_from, posted_to: when its first and last photo were posted, ISO 8601.
    """

    created_at: str
    strategy: dict[str, Any]
    labelers: int
    labels: dict[str, int]
    left_out: dict[str, int]
    licenses: tuple[LicenseCount, ...]
    sources: dict[str, int]
    posted_from: str
    posted_to: str


@dataclass(frozen=True, slots=True)
class SetSummary:
    """What models were scored on.

    `named` is what a command calls it: a release's name, or that of a file. `photos_per_class` says
    how many classes have that many photos. `release` is None for a plain folder and for a list
    (`listed`) of photos that are not here, of which nothing more is known.
    """

    name: str
    named: str
    content_hash: str
    classes: int
    photos: int
    photos_per_class: dict[int, int]
    listed: bool
    release: ReleaseSummary | None


@dataclass(frozen=True, slots=True)
class TopK:
    """How often the true class is among a model's first `k` answers.

    `accuracy` has Wilson's interval, which takes photos for independent; `clustered` is the
    bootstrap interval that resamples whole classes, nowhere narrower than Wilson's.
    """

    k: int
    accuracy: Accuracy
    clustered: Interval


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
        reference: accuracies elsewhere; None where none was asked for, and where none could help.
        bounds: None where none were asked for.
        top5_bounds: the same in top-5; None where there are no entries, where fewer than five
            answers are kept, and where the upper one is not surely better in top-5.
        by_truth: how models rank by all classes that photos show; None where these are not known.
        by_source: where photos are from; None for a plain folder, and for a release of the time
            when Flickr was the only source.
        by_training: photos that models could have seen, and later ones; None where of no model it
            was said until when it was trained.
        entries: training logs, in the order asked for.
        finetuning: tasks on which models of this report have a new last layer.
        classes: each class, the hardest first.
        confusions: pairs of classes, the most confused first.
        breakdowns: accuracies by what a release records of its photos.
        missed: photos that every leading model gets wrong; None for fewer than two models.
        galleries: further photos to show.
        other_runs: runs left out, because they scored another set that had the same name.
        kinds: the classes in groups, the hardest first, where they are a user's own and many.
        taxonomy: whose classes the set has; None for ImageNet's.
        again: by which commands the models were scored.
    """

    options: ReportOptions
    set: SetSummary
    models: tuple[ScoredModel, ...]
    flagged: tuple[ScoredModel, ...]
    pairs: tuple[Pair, ...]
    power: Power | None
    reference: Baseline | None
    bounds: Bounds | None
    top5_bounds: Bounds | None
    by_truth: ByTruth | None
    by_source: BySource | None
    by_training: ByTraining | None
    entries: tuple[JoinedEntry, ...]
    finetuning: tuple[FinetunedTask, ...]
    classes: tuple[Group, ...]
    confusions: tuple[Confusion, ...]
    breakdowns: tuple[Breakdown, ...]
    missed: MissedTogether | None
    galleries: tuple[Gallery, ...]
    other_runs: int
    again: Again
    taxonomy: Taxonomy | None = None
    kinds: tuple[KindOfClasses, ...] = ()

    @property
    def ranked(self) -> tuple[ScoredModel, ...]:
        """The models that answered nearly all photos: an order is one of these."""
        return tuple(model for model in self.models if model.rank)

    @property
    def in_part(self) -> tuple[ScoredModel, ...]:
        """The other ones, of which an accuracy is one of other photos."""
        return tuple(model for model in self.models if not model.rank)

    def model(self, label: str) -> ScoredModel:
        """The model that is called so."""
        return next(model for model in self.models if model.label == label)
