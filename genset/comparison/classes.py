"""Where models are right and where they are wrong: by class, and by what is known of photos."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from genset.comparison.marks import Bools, Marks
from genset.release.reader import ReleasePhoto
from genset.score.results.results import Results
from genset.score.results.runs import Accuracy
from genset.statistics.bootstrap import Resampling
from genset.statistics.intervals import wilson
from genset.statistics.matched import Matched, match


@dataclass(frozen=True, slots=True)
class Group:
    """Photos that share something, and each model's top-1 accuracy on them, in the models' order.

    An accuracy is over the photos that count for the model.
    """

    name: str
    photos: int
    top1: tuple[Accuracy, ...]

    @property
    def mean(self) -> float:
        """The models' mean accuracy, 0 to 1; NaN where no model was counted on a photo."""
        shares = [accuracy.share for accuracy in self.top1 if accuracy.photos]
        return sum(shares) / len(shares) if shares else float("nan")

    @property
    def ease(self) -> float:
        """The upper end of Wilson's interval of the mean: lowest where a group is surely hard.

        The mean itself would put groups of a single photo first, which are hard by chance.
        """
        return wilson(self.mean * self.photos, self.photos).high if self.counted else 1.0

    @property
    def counted(self) -> bool:
        """Whether a model was counted on a photo of it."""
        return any(accuracy.photos for accuracy in self.top1)


@dataclass(frozen=True, slots=True)
class Breakdown:
    """All photos in groups, by what `by` names."""

    by: str
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Confusion:
    """A class whose photos are taken for another.

    `answers` first answers, of all `models` models that give one, name the other class; `of` is
    how many first answers the class's photos have.
    """

    wnid: str
    other: str
    answers: int
    of: int
    models: int


@dataclass(frozen=True, slots=True)
class TwoGroups:
    """Models on two groups of photos; a difference is the accuracy on the second less the first.

    Attributes:
        first, second: the groups' names.
        models: by label, over the classes in which photos of both groups count for the model.
    """

    first: str
    second: str
    models: dict[str, Matched]

    @property
    def largest(self) -> Matched:
        """That of a model for which the most classes and photos count: mostly one of all."""
        return max(self.models.values(), key=lambda found: (found.classes, found.photos))


def by_class(results: Results) -> tuple[Group, ...]:
    """Every class, the hardest first: that of the lowest `Group.ease`."""
    groups = grouped(results, [results.wnids[number] for number in results.classes])
    return tuple(sorted(groups, key=lambda group: (group.ease, group.mean, group.name)))


def by_record(results: Results, records: Sequence[ReleasePhoto]) -> tuple[Breakdown, ...]:
    """By each thing that a release records of its photos: N records, in the set's order.

    What is the same for all photos makes no breakdown.
    """
    kinds: dict[str, Callable[[ReleasePhoto], str]] = {
        "selection frequency": lambda record: _fifth(record.selection_frequency),
        "licence": lambda record: record.license,
        "year posted": lambda record: f"{record.posted_at:%Y}",
        "keyword": lambda record: f"{record.keyword} ({record.wnid})",
    }
    found = []
    for by, value in kinds.items():
        groups = grouped(results, [value(record) for record in records])
        if len(groups) > 1:
            found.append(Breakdown(by, tuple(groups)))
    return tuple(found)


def confusions(results: Results, most: int = 100) -> tuple[Confusion, ...]:
    """The `most` frequent pairs of classes of which one's photos are taken for the other."""
    if not results.models:
        return ()
    names = len(results.names)
    answers = np.zeros(names, np.int64)
    wrong = []  # of each model: the class's number times the number of names, plus the other's
    for model in results.models:
        truth, first = results.numbers[model.answered], model.answers[model.answered, 0]
        answers += np.bincount(truth, minlength=names)
        wrong.append((truth * np.int64(names) + first)[truth != first])
    taken, counts = np.unique(np.concatenate(wrong), return_counts=True)
    _, models = np.unique(np.concatenate(list(map(np.unique, wrong))), return_counts=True)
    if not len(counts):
        return ()
    often = np.flatnonzero(counts >= np.sort(counts)[-most:][0])
    found = [
        Confusion(
            wnid=str(results.names[label := taken[place] // names]),
            other=str(results.names[taken[place] % names]),
            answers=int(counts[place]),
            of=int(answers[label]),
            models=int(models[place]),
        )
        for place in often.tolist()
    ]
    found.sort(key=lambda confusion: (-confusion.answers, confusion.wnid, confusion.other))
    return tuple(found[:most])


def two_groups(
    classes: NDArray[np.int64],
    marks: Mapping[str, Marks],
    groups: Mapping[str, Bools],
    resampling: Resampling,
) -> TwoGroups:
    """Compare models on two groups of a set's photos (`genset.statistics.matched`).

    Args:
        classes: N: the class of each photo of the set, from 0.
        marks: how right each of one model or more is, by its label.
        groups: the two, by their names: N: whether a photo is in it.
        resampling: how classes are drawn.
    """
    first, second = groups
    places = np.flatnonzero(groups[first] | groups[second])
    right, counted = (
        np.stack([values[places] for values in part], axis=1)
        for part in zip(*marks.values(), strict=True)
    )
    found = match(classes[places], right, counted, groups[second][places], resampling)
    return TwoGroups(first, second, dict(zip(marks, found, strict=True)))


def grouped(results: Results, names: Sequence[str]) -> list[Group]:
    """Photos in groups, in the order of their names.

    Args:
        results: the models, side by side on a set of N photos.
        names: N: the group of each photo.
    """
    values = sorted(set(names))
    number_of = {value: number for number, value in enumerate(values)}
    places = np.array([number_of[name] for name in names], dtype=np.int64)

    def count(which: NDArray[np.bool_]) -> list[int]:
        counted: list[int] = np.bincount(places[which], minlength=len(values)).tolist()
        return counted

    photos = count(np.ones(len(places), bool))
    of_models = []
    for model in results.models:
        counts = zip(count(results.right(model)), count(model.answered), strict=True)
        of_models.append([_accuracy(*count) for count in counts])
    return [
        Group(value, photos[number], tuple(model[number] for model in of_models))
        for number, value in enumerate(values)
    ]


# Small groups have few accuracies: hundreds of models share them.
_accuracy = lru_cache(maxsize=100_000)(Accuracy.of)


def _fifth(share: float | None) -> str:
    """The fifth of 0 to 100 % that a share is in; each has its upper end."""
    if share is None:
        return "not known"
    upper = max(1, min(5, int(np.ceil(round(5 * share, 6)))))
    return f"{20 * (upper - 1)}–{20 * upper} %"
