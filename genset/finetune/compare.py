"""Compare models on a task, from their stored runs. No model is loaded.

**Which interval.** A task's classes are fixed: Birds-200 is about these birds, and nobody asks how
a model would do on other species. Only the test photos could have been others. So the sample is
photos here, not whole classes as for a release, and they are paired, since both models see each
one. The interval of a difference is Tango's score interval (see `genset.statistics.paired`). Like
McNemar's test it depends on the photos that only one model has right. Photos are one sample, not
stratified by class: this is never too narrow, and works with a single test photo in a class, where
resampling within the class cannot (Agresti, "Categorical data analysis", 3rd edition, 2013,
sections 11.1 and 11.2). Where classes are resampled (`genset compare` and the report on a set), the
same function takes the wider of both intervals at either end.

**Seeds** see the same photos. More seeds make means more stable, but intervals no narrower: an
interval is that of one training, with counts averaged over the seeds. How much seeds differ is
reported separately, as `spread`.

**A learning curve's** seeds draw other training photos, the same for both models. Those could have
been others too. So a difference there has at either end the wider of Tango's interval and of
Student's over the seeds' differences, and the larger p-value of McNemar's and Student's test.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from genset.finetune.runs import (
    FinetuneRun,
    Predictions,
    StoredRun,
    load_predictions,
    mean_accuracy,
    spread_of,
)
from genset.score.results.runs import Accuracy
from genset.statistics.contrasts import contrast
from genset.statistics.intervals import Interval
from genset.statistics.multiple_testing import holm
from genset.statistics.paired import exact_mcnemar, paired_interval
from genset.statistics.power import fewest_discordant


@dataclass(frozen=True, slots=True)
class Difference:
    """A model compared with the baseline on the same test photos.

    Attributes:
        task: its name in tables.
        model, baseline: their names in tables.
        photos: the number of test photos.
        difference: the model's accuracy minus the baseline's, -1 to 1, as the mean over the seeds
            that both have.
        interval: its 95 % interval, paired by photo.
        only_model, only_baseline: photos that only one of the two has right, by the first seed's
            heads.
        p_value: of McNemar's exact test on these.
        holm: `p_value`, adjusted for all differences of a table on all photos, or for all of its
            learning curves; outside a table, `p_value` itself.
        shots: training photos of each class; None: all.
    """

    task: str
    model: str
    baseline: str
    photos: int
    difference: float
    interval: Interval
    only_model: int
    only_baseline: int
    p_value: float
    holm: float
    shots: int | None = None

    @property
    def too_few(self) -> bool:
        """Whether too few photos differ for any claim on which of the two is better."""
        return self.only_model + self.only_baseline < fewest_discordant()


@dataclass(frozen=True, slots=True)
class Row:
    """A task's row of the paper's table: the baseline, and the other models compared with it.

    `models` has the baseline first; `differences` are those of the other models, in order. `others`
    are the differences between any two of the other models, if these were asked for. `shots` are
    the training photos of each class, None for all; `curve` are the same rows for fewer photos, of
    the models that have them.
    """

    task: str
    models: tuple[StoredRun, ...]
    differences: tuple[Difference, ...]
    others: tuple[Difference, ...] = ()
    shots: int | None = None
    curve: "tuple[Row, ...]" = ()


@dataclass(frozen=True, slots=True)
class ClassAccuracy:
    """A class's accuracy on its test photos: the mean over seeds, with Wilson's interval."""

    name: str
    accuracy: Accuracy


@dataclass(frozen=True, slots=True)
class Confusion:
    """`photos` of a class's `of` test photos are taken for `other`, as the mean over seeds."""

    name: str
    other: str
    photos: float
    of: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The accuracy of heads fitted on `shots` photos of each class, or on all (None).

    `accuracy` is the mean over `seeds`, each of which draws other photos. `spread` is their
    standard deviation, 0 to 1, or None for a single seed. `difference` is that from the baseline.
    """

    shots: int | None
    accuracy: Accuracy
    spread: float | None
    seeds: int
    difference: Difference | None = None


def _difference(
    of_baseline: tuple[StoredRun, Predictions],
    of_other: tuple[StoredRun, Predictions],
    shots: int | None = None,
) -> Difference:
    (baseline, two), (other, one) = of_baseline, of_other
    photos = len(one.images)
    # Seed by seed. Seeds that only one of the models has are ignored.
    seeds = min(len(one.predicted), len(two.predicted))
    first, second = one.right[:seeds], two.right[:seeds]
    only_model, only_baseline = (first & ~second).sum(axis=1), (second & ~first).sum(axis=1)
    means = float(only_model.mean()), float(only_baseline.mean())
    p_value = exact_mcnemar(int(only_model[0]), int(only_baseline[0]))
    interval = paired_interval(*means, photos)
    if shots is not None:
        drawn = contrast([((only_model - only_baseline) / photos).tolist()], [1.0])
        p_value = max(p_value, drawn.p or 0.0)
        low, high = drawn.interval or interval
        interval = Interval(min(interval.low, low), max(interval.high, high))
    return Difference(
        task=other.record.name,
        model=other.record.model,
        baseline=baseline.record.model,
        photos=photos,
        difference=(means[0] - means[1]) / photos,
        interval=interval,
        only_model=int(only_model[0]),
        only_baseline=int(only_baseline[0]),
        p_value=p_value,
        holm=p_value,
        shots=shots,
    )


def table(
    found: Sequence[StoredRun], baseline: str = "", all_pairs: bool = False
) -> tuple[Row, ...]:
    """The paper's table: a row for each task, with the models whose heads can be compared.

    Runs are compared if photos, split and the way of fitting are the same. A task with several
    such kinds of runs has a row for each kind. If a model has several runs of one kind (with more
    seeds, say), the last one counts. Models with equal names get their key appended.

    Args:
        found: runs, in the order in which rows and models appear.
        baseline: the model (by its name in tables) with which the others are compared; "": the
            first one of each row. Rows without this model use their first one too.
        all_pairs: also compare the others, any two of them. Holm's p-values are then adjusted for
            all pairs of all rows.

    Raises:
        GensetError: the files of a run cannot be read.
    """
    kinds: dict[str, dict[str, StoredRun]] = {}
    for run in found:
        kinds.setdefault(_kind(run.record), {})[_identity(run.record)] = run
    rows = []
    for runs in kinds.values():
        models = _with_unique_names(list(runs.values()))
        first = next((run for run in models if run.record.model == baseline), models[0])
        ordered = (first, *(run for run in models if run is not first))
        attempts = [attempt for run in ordered for attempt in run.record.attempts]
        numbers = sorted({attempt.shots for attempt in attempts if attempt.shots})
        curve = tuple(_row(ordered, number, all_pairs) for number in numbers)
        rows.append(replace(_row(ordered, None, all_pairs), curve=curve))
    curves = iter(_adjusted([fewer for row in rows for fewer in row.curve]))
    return tuple(
        replace(row, curve=tuple(next(curves) for _ in row.curve)) for row in _adjusted(rows)
    )


def _row(models: Sequence[StoredRun], shots: int | None, all_pairs: bool) -> Row:
    """The row of the models that have heads fitted on so many photos."""
    having = tuple(run for run in models if run.record.of_shots(shots))
    first, *others = [(run, load_predictions(run, shots)) for run in having]
    return Row(
        task=models[0].record.name,
        models=having,
        differences=tuple(_difference(first, other, shots) for other in others),
        others=tuple(_difference(*pair, shots) for pair in combinations(others, 2))
        if all_pairs
        else (),
        shots=shots,
    )


def _adjusted(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The same rows, with p-values adjusted for all of their differences."""
    adjusted = iter(
        holm([difference.p_value for row in rows for difference in (*row.differences, *row.others)])
    )

    def with_holm(differences: tuple[Difference, ...]) -> tuple[Difference, ...]:
        return tuple(replace(difference, holm=next(adjusted)) for difference in differences)

    return tuple(
        replace(row, differences=with_holm(row.differences), others=with_holm(row.others))
        for row in rows
    )


def per_class(record: FinetuneRun, predictions: Predictions) -> tuple[ClassAccuracy, ...]:
    """The accuracy of each class that has test photos, in the order of the task's classes."""
    found = []
    for label, name in enumerate(record.classes):
        of_class = predictions.truth == label
        if of_class.any():
            hits = predictions.right[:, of_class].sum(axis=1).tolist()
            found.append(ClassAccuracy(name, mean_accuracy(hits, int(of_class.sum()))))
    return tuple(found)


def worst_pairs(
    record: FinetuneRun, predictions: Predictions, most: int = 10
) -> tuple[Confusion, ...]:
    """The pairs of classes that are confused most often, the most frequent first.

    Args:
        record: the run.
        predictions: of the run's heads.
        most: how many pairs at most.
    """
    truth, seeds = predictions.truth, len(predictions.predicted)
    photos = Counter(truth.tolist())
    places = np.nonzero(~predictions.right)
    confused = Counter(
        zip(truth[places[1]].tolist(), predictions.predicted[places].tolist(), strict=True)
    )
    ranked = sorted(confused.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        Confusion(record.classes[true], record.classes[other], count / seeds, photos[true])
        for (true, other), count in ranked[:most]
    )


def learning_curve(row: Row, run: StoredRun) -> tuple[CurvePoint, ...]:
    """A model's accuracy by training photos of each class: the fewest first, all of them last."""
    found = []
    for fewer in (*row.curve, row):
        if heads := run.record.of_shots(fewer.shots):
            mean = mean_accuracy([head.correct for head in heads], run.record.test)
            pairs = zip(fewer.models[1:], fewer.differences, strict=True)
            difference = next((gap for other, gap in pairs if other.folder == run.folder), None)
            found.append(CurvePoint(fewer.shots, mean, spread_of(heads), len(heads), difference))
    return tuple(found)


def _kind(record: FinetuneRun) -> str:
    """What must be equal for two runs to be compared. Seeds and shots may differ."""
    fitted = {k: v for k, v in record.settings.items() if k not in ("seeds", "shots")}
    photos = [record.task, record.name, record.data_hash, record.split_hash]
    return json.dumps([photos, fitted], sort_keys=True)


def _identity(record: FinetuneRun) -> str:
    """What identifies the model of a run."""
    model = [record.model, record.weights_hash, record.preprocessing, record.precision]
    return json.dumps(model, sort_keys=True)


def _with_unique_names(models: Sequence[StoredRun]) -> list[StoredRun]:
    """The same runs; models with equal names get their key appended."""
    counts = Counter(run.record.model for run in models)
    found = []
    for run in models:
        name, key = run.record.model, run.record.key[:8]
        named = replace(run.record, model=f"{name} [{key}]") if counts[name] > 1 else run.record
        found.append(StoredRun(run.folder, named))
    return found
