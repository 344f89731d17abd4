"""Models held against each other on a task, from what was kept of their runs: without any model.

**Which interval.** A task's classes are given: Birds-200 is about these birds, and nobody asks how
a model would do on other species. What could have come out otherwise are the test photos. So
photos, and not whole classes as for a release, are the sample here, and what is paired is a photo:
both models see each one. The interval of a difference is Tango's score interval (see
`genset.statistics.paired`), which turns on the photos that one model alone has right, as
McNemar's test does. Photos are taken as one sample, not class by class: that is never too narrow,
and holds where a class has a single test photo, of which resampling within the class knows nothing
(Agresti, "Categorical data analysis", 3rd edition, 2013, sections 11.1 and 11.2).

**Seeds** see the same photos. Several of them make means steadier, and no interval narrower: an
interval is one training's, with counts that are means over the seeds. How far seeds differ is told
beside it, as `spread`.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from genset.errors import BadInput
from genset.evaluation.results.runs import Accuracy
from genset.finetune.results import (
    Attempt,
    Finetuned,
    Kept,
    Said,
    load_said,
    mean_accuracy,
    spread_of,
)
from genset.statistics.intervals import Interval
from genset.statistics.mcnemar import exact_mcnemar
from genset.statistics.multiple_testing import holm
from genset.statistics.paired import paired_interval


@dataclass(frozen=True, slots=True)
class Difference:
    """A model held against the baseline on the same test photos.

    Attributes:
        task: its name in tables.
        model, baseline: as tables show them.
        photos: how many test photos both answered.
        difference: the model's accuracy less the baseline's, -1 to 1, as the mean over the seeds
            that both have.
        interval: its 95 % interval, paired by photo.
        only_model, only_baseline: photos that the first seed's head of one alone has right.
        p_value: of McNemar's exact test on these.
        holm: the same, adjusted for all differences of a table; `p_value` itself outside of one.
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


@dataclass(frozen=True, slots=True)
class Row:
    """A task's line of the paper's table: the baseline, and each other model against it.

    `models` has the baseline first; `differences` are those of the models after it, in order.
    """

    task: str
    models: tuple[Kept, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class ClassAccuracy:
    """A class's accuracy on its test photos, as the mean over seeds, with Wilson's interval."""

    name: str
    accuracy: Accuracy


@dataclass(frozen=True, slots=True)
class Mistaken:
    """A class whose photos are taken for another: `photos` of its `of`, as the mean over seeds."""

    name: str
    other: str
    photos: float
    of: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The accuracy of heads fitted on so many photos of each class; `shots` None: on all.

    `accuracy` is the mean over `seeds`, each of which draws other photos; `spread` is the standard
    deviation over them, 0 to 1, or None of one.
    """

    shots: int | None
    accuracy: Accuracy
    spread: float | None
    seeds: int


def against(baseline: Kept, other: Kept) -> Difference:
    """Hold a model against the baseline.

    Raises:
        BadInput: they were not tested on the same photos.
        GensetError: what was kept of a run cannot be read.
    """
    one, two = load_said(other), load_said(baseline)
    name, names = other.record.name, (other.record.model, baseline.record.model)
    if one.images != two.images or other.record.data_hash != baseline.record.data_hash:
        raise BadInput(f"{name}: {names[0]} and {names[1]} were not tested on the same photos")
    photos = len(one.images)
    # Seed by seed; where one model has more seeds, these are held against no partner.
    seeds = min(len(one.said), len(two.said))
    first, second = one.right[:seeds], two.right[:seeds]
    only_model, only_baseline = (first & ~second).sum(axis=1), (second & ~first).sum(axis=1)
    means = float(only_model.mean()), float(only_baseline.mean())
    p_value = exact_mcnemar(int(only_model[0]), int(only_baseline[0]))
    return Difference(
        task=name,
        model=names[0],
        baseline=names[1],
        photos=photos,
        difference=(means[0] - means[1]) / photos,
        interval=paired_interval(*means, photos),
        only_model=int(only_model[0]),
        only_baseline=int(only_baseline[0]),
        p_value=p_value,
        holm=p_value,
    )


def table(found: Sequence[Kept], baseline: str = "") -> tuple[Row, ...]:
    """The paper's table: a row for each task, and in it the models whose heads can be compared.

    Runs are compared where photos, split and the way of fitting are the same; of a task with
    several such kinds of runs, each kind has its row. Of a model that was run twice in one kind
    (with more seeds, say), the later run counts. Models of one name get their key beside it.

    Args:
        found: runs, in the order in which rows and models appear.
        baseline: the model (by its name in tables) that others are held against; "", or in a row
            that does not have it: the row's first one.

    Raises:
        GensetError: what was kept of a run cannot be read.
    """
    kinds: dict[str, dict[str, Kept]] = {}
    for kept in found:
        kinds.setdefault(_kind(kept.record), {})[_identity(kept.record)] = kept
    rows = []
    for runs in kinds.values():
        models = _told_apart(list(runs.values()))
        first = next((kept for kept in models if kept.record.model == baseline), models[0])
        others = [kept for kept in models if kept is not first]
        held = tuple(against(first, kept) for kept in others)
        rows.append(Row(first.record.name, (first, *others), held))
    adjusted = iter(holm([each.p_value for row in rows for each in row.differences]))
    return tuple(
        replace(
            row,
            differences=tuple(replace(each, holm=next(adjusted)) for each in row.differences),
        )
        for row in rows
    )


def per_class(record: Finetuned, said: Said) -> tuple[ClassAccuracy, ...]:
    """Every class that has test photos, in the order of the task's classes."""
    found = []
    for label, name in enumerate(record.classes):
        own = said.truth == label
        if own.any():
            hits = said.right[:, own].sum(axis=1).tolist()
            found.append(ClassAccuracy(name, mean_accuracy(hits, int(own.sum()))))
    return tuple(found)


def worst_pairs(record: Finetuned, said: Said, most: int = 10) -> tuple[Mistaken, ...]:
    """The `most` frequent pairs of classes of which one's test photos are taken for the other."""
    of = Counter(said.truth.tolist())
    taken: Counter[tuple[int, int]] = Counter()
    for answers, right in zip(said.said, said.right, strict=True):
        taken.update(zip(said.truth[~right].tolist(), answers[~right].tolist(), strict=True))
    ranked = sorted(taken.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        Mistaken(record.classes[true], record.classes[other], count / len(said.said), of[true])
        for (true, other), count in ranked[:most]
    )


def learning_curve(attempts: Sequence[Attempt]) -> tuple[CurvePoint, ...]:
    """The accuracy by photos of each class, the fewest first, all of them last."""
    shots = sorted({each.shots for each in attempts}, key=lambda n: np.inf if n is None else n)
    found = []
    for number in shots:
        own = [each for each in attempts if each.shots == number]
        mean = mean_accuracy([each.correct for each in own], own[0].photos)
        found.append(CurvePoint(number, mean, spread_of(own), len(own)))
    return tuple(found)


def _kind(record: Finetuned) -> str:
    """What two runs must share to be compared; they may have other seeds and shots."""
    fitted = {k: v for k, v in record.settings.items() if k not in ("seeds", "shots")}
    photos = [record.task, record.name, record.data_hash, record.split_hash]
    return json.dumps([photos, record.probe, fitted], sort_keys=True)


def _identity(record: Finetuned) -> str:
    """What makes it this model's run."""
    model = [record.model, record.weights_hash, record.preprocessing, record.precision]
    return json.dumps(model, sort_keys=True)


def _told_apart(models: Sequence[Kept]) -> list[Kept]:
    """Each with a name that no other has."""
    named_so = Counter(kept.record.model for kept in models)
    return [
        kept
        if named_so[kept.record.model] == 1
        else Kept(
            kept.folder,
            replace(kept.record, model=f"{kept.record.model} [{kept.record.key[:8]}]"),
        )
        for kept in models
    ]
