"""The runs over one set, side by side: what was kept, as arrays, without any model."""

import csv
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count
from genset.score.results.arrays import Answers, Names, Numbers, answers_of, in_utf8, read_answers
from genset.score.results.checks import flags_of
from genset.score.results.count import on_shared_photos
from genset.score.results.names import meant, names_of, the_one
from genset.score.results.runs import (
    Accuracy,
    Run,
    find_runs,
    load_predictions,
    run_folder,
    runs_of_release,
)
from genset.sets.photos import PhotoSet, Sampling, sample_by_class
from genset.sets.truths.store import with_truth

_MEND = "delete the folder and run genset evaluate again"


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """One model's answers to a set of N photos, in the set's order.

    Attributes:
        label: the model's name, with the convention where it has runs by several, and with the
            run's key where two runs would share a name.
        answered: N: whether the photo is counted for this model.
        answers: N x k numbers of classes (places in `names`), the best first; 0 where there is no
            answer.
        confidence: N: the first answer's probability; NaN where it is not known.
        folder: where the run is kept; None where it is not.
        names: the wnid of each number, the same array for all models of one `Results`; "" for 0.
        flags: why its answers as a whole cannot be right, and what to do; mostly empty.
    """

    label: str
    run: Run
    answered: NDArray[np.bool_]
    answers: Numbers
    confidence: NDArray[np.float64]
    folder: Path | None
    names: NDArray[np.str_]
    flags: tuple[str, ...] = ()

    @property
    def ranked(self) -> NDArray[np.str_]:
        """N x k wnids, the best first; "" where there is no answer. Made anew each time."""
        return self.names[self.answers]

    @property
    def first(self) -> NDArray[np.str_]:
        """N wnids: the first answers. Made anew each time."""
        return self.names[self.answers[:, 0]]

    def ranked_at(self, place: int) -> list[str]:
        """The answers to one photo: k wnids."""
        found: list[str] = self.names[self.answers[place]].tolist()
        return found


@dataclass(frozen=True, slots=True)
class Results:
    """Runs over one set, the best top-1 first.

    Attributes:
        photos: the set, of N photos.
        truth: N wnids.
        classes: N class numbers: places in `wnids`, the sorted classes that the set has.
        models: what was run.
        other_runs: runs left out, because they scored another set that had the same name.
        names: the wnid of each number of a class, for all models; "" for 0.
        numbers: N numbers: the truth, as places in `names`.
        flagged: models left out, because their answers cannot be right.
        fixed: whether the classes are all that there are, as one's own are; else they are a sample
            of classes, as ImageNet's are.
    """

    photos: PhotoSet
    truth: NDArray[np.str_]
    classes: NDArray[np.int64]
    wnids: tuple[str, ...]
    models: tuple[ModelAnswers, ...]
    other_runs: int
    names: NDArray[np.str_]
    numbers: Numbers
    flagged: tuple[ModelAnswers, ...] = ()
    fixed: bool = False
    # What is worked out once for all models (`marks`). Another set, another one.
    cache: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def is_of_imagenet(self) -> bool:
        """Whether each class of the set is one of ImageNet's, and holds no other."""
        custom = self.photos.custom_taxonomy
        if custom is None:
            return all(wnid in imagenet1k() for wnid in self.wnids)
        return all(wnid in custom and custom[wnid].imagenet == (wnid,) for wnid in self.wnids)

    @property
    def clusters(self) -> NDArray[np.int64]:
        """N numbers, equal for photos drawn together: the classes, unless these are fixed."""
        return np.arange(len(self.classes)) if self.fixed else self.classes

    def right(self, model: ModelAnswers, k: int = 1) -> NDArray[np.bool_]:
        """N: whether the true class is among the model's first `k` answers."""
        found: NDArray[np.bool_] = (model.answers[:, :k] == self.numbers[:, None]).any(axis=1)
        return found & model.answered

    def without_flagged(self) -> "Results":
        """The same with flagged models apart, so that no other model's numbers hang on them."""
        rest = tuple(model for model in self.models if not model.flags)
        flagged = tuple(model for model in self.models if model.flags)
        return replace(self, models=rest, flagged=(*self.flagged, *flagged))

    def with_classes(self, classes: Sampling | None) -> "Results":
        """The same with the classes taken as a "sample", or as "fixed"; None: unchanged."""
        return replace(self, fixed=classes == "fixed") if classes else self

    def measured(self) -> list[Run]:
        """The runs, in order, with intervals for the classes as they are taken."""
        return [
            replace(
                model.run,
                top1=self.accuracy(model, 1),
                top5=self.accuracy(model, 5) if model.run.top5 else None,
            )
            for model in self.models
        ]

    def accuracy(self, model: ModelAnswers, k: int) -> Accuracy:
        """How often the true class is among a model's first `k` answers."""
        return Accuracy.measured(self.right(model, k), model.answered, self.clusters)

    def find_run(self, run: Run) -> ModelAnswers:
        """The model whose run this is."""
        return next(model for model in self.models if model.run is run)

    def find(self, name: str) -> ModelAnswers:
        """The model that is called so: by its label, its name, or the start of its run's key.

        Raises:
            BadInput: there is none, or several.
        """
        runs, labels = [model.run for model in self.models], [model.label for model in self.models]
        for model in self.flagged if not meant(name, runs, labels) else ():
            if meant(name, [model.run], [model.label]):
                raise BadInput(
                    f"{model.label} is left out: {model.flags[0]} --include-flagged brings it in"
                )
        return self.models[the_one(name, runs, labels, self.photos.name)]


def load_results(photos: PhotoSet, runs: Path) -> Results:
    """Every finished run over exactly these photos, and the set's truth if it has one.

    Of a release, or a part of one, also the runs of other models on other parts of it, or on all:
    their answers to these photos.

    Raises:
        GensetError: a run's files, or the truth's, are not what `genset evaluate` wrote.
    """
    named_so = find_runs(runs, photos.name)
    same = {photos.content_hash, photos.list_hash}
    found = [(folder, run) for folder, run in named_so if run.set_hash in same]
    sources = [RunSource.of(run, folder) for folder, run in found]
    models = {(run.model, run.weights_hash) for _, run in found}
    other_runs = {run.key for _, run in named_so} - {run.key for _, run in found}
    for folder, run in _on_other_parts(photos, runs):
        if (run.model, run.weights_hash) in models:
            continue
        other_runs.discard(run.key)
        try:
            counted, shared = on_shared_photos(run, load_predictions(folder), photos)
        except (OSError, ValueError, csv.Error) as error:
            raise _unreadable(folder, error) from None
        if shared:
            sources.append(RunSource(counted, partial(answers_of, shared), str(folder)))
    sources.sort(key=lambda source: (-source.run.top1.share, source.run.model))
    return results_of(with_truth(photos, runs), sources, len(other_runs))


def scored_part(photos: PhotoSet, runs: Path) -> PhotoSet:
    """The set, or, where no model was scored on all of it, the largest sample of it that has runs.

    A sample is what ``genset evaluate --limit`` makes.
    """
    of = f" of {count(len(photos), 'photo')} of {photos.name}"
    parts = [photos]
    for _, run in [] if find_runs(runs, photos.name) else runs_of_release(runs, photos.name, ""):
        number = run.set_name.removesuffix(of).replace(",", "")
        if number.isdecimal() and run.set_name.endswith(of):
            part = sample_by_class(photos, number)
            parts += [part] * (part.content_hash == run.set_hash)
    return max(parts[1:], key=len, default=photos)


def _on_other_parts(photos: PhotoSet, runs: Path) -> list[tuple[Path, Run]]:
    if not photos.whole:
        return []
    # Of a part, as in "307 of 320 photos of v1 (05d7ba70)".
    release = re.sub(r".* of (\S+) \(\w{8}\)", r"\1", photos.name)
    pairs = runs_of_release(runs, release, photos.whole)
    return [(path, run) for path, run in pairs if run.set_hash != photos.content_hash]


def load_some(photos: PhotoSet, runs: Path, selected: Sequence[Run]) -> Results:
    """These finished runs alone, in their order.

    Args:
        photos: the set that they are over.
        runs: the folder of runs.
        selected: the runs; one that is named twice counts once.

    Raises:
        GensetError: a run's files are not what `genset evaluate` wrote.
    """
    once = {run.key: run for run in selected}.values()
    return results_of(
        photos,
        [RunSource.of(run, run_folder(runs, photos.name, run.model, run.key)) for run in once],
    )


class RunSource(NamedTuple):
    """A run, how its answers are loaded, where they are for errors, and its folder, if any."""

    run: Run
    load: Callable[[Names], Answers]
    where: str
    folder: Path | None = None

    @classmethod
    def of(cls, run: Run, folder: Path) -> "RunSource":
        """A finished run in its folder."""
        return cls(run, partial(read_answers, folder), str(folder), folder)


def results_of(photos: PhotoSet, runs: Sequence[RunSource], other_runs: int = 0) -> Results:
    """Runs with their predictions side by side.

    Args:
        photos: the set of all of them.
        runs: the best top-1 first.
        other_runs: how many were left out.

    Raises:
        GensetError: a run's predictions are not of these photos, or do not give its counts.
    """
    truth = np.array([photo.wnid for photo in photos.photos])
    wnids, classes = np.unique(truth, return_inverse=True)
    place = {photo.id: number for number, photo in enumerate(photos.photos)}
    names = Names()
    numbers = names.numbers(in_utf8(truth.tolist()))
    labels = names_of([source.run for source in runs])
    loaded = [
        _loaded(source, label, names, place, numbers)
        for source, label in zip(runs, labels, strict=True)
    ]
    by_number = names.all()  # once all models have said theirs
    found = Results(
        photos=photos,
        truth=truth,
        classes=classes.astype(np.int64),
        wnids=tuple(map(str, wnids)),
        models=tuple(replace(model, names=by_number) for model in loaded),
        other_runs=other_runs,
        names=by_number,
        numbers=numbers,
        fixed=photos.fixed_classes,
    )
    return found.with_classes(photos.sampling)


def _loaded(
    source: RunSource, label: str, names: Names, place: dict[str, int], truth: Numbers
) -> ModelAnswers:
    """A run's answers in the set's order, still without the names of all classes."""
    found = _checked(source, names)
    try:
        places = np.fromiter(map(place.__getitem__, found.images), int, len(found.images))
    except KeyError:
        raise GensetError(f"{source.where}: predictions are of other photos; {_MEND}") from None
    answered = np.zeros(len(place), bool)
    answered[places] = True
    answers = np.zeros((len(place), found.ranked.shape[1]), dtype=np.int32)
    answers[places] = found.ranked
    confidence = np.full(len(place), np.nan)
    if found.confidence is not None:
        # A photo that a table left out has no answer to be sure of.
        confidence[places] = np.where(found.ranked.any(axis=1), found.confidence, np.nan)
    checked = answered & answers.any(axis=1)  # a table may lack photos, which are wrong
    known = None if found.confidence is None else confidence[checked]
    flags = flags_of(truth[checked], answers[checked], names, source.run.classes, known)
    return ModelAnswers(
        label, source.run, answered, answers, confidence, source.folder, np.array([""]), flags
    )


def _checked(source: RunSource, names: Names) -> Answers:
    """A run's answers, which give the counts of its record: a file that was cut does not."""
    run = source.run
    try:
        found = source.load(names)
    except (OSError, ValueError, csv.Error) as error:
        raise _unreadable(source.where, error) from None
    if found.counts() != (run.top1.photos, run.top1.correct, run.top5 and run.top5.correct):
        raise GensetError(f"{source.where}: predictions do not give the run's counts; {_MEND}")
    return found


def _unreadable(where: object, error: Exception) -> GensetError:
    return GensetError(f"{where}: predictions cannot be read ({error}); {_MEND}")


class BestAnswers(NamedTuple):
    """One run's answers.

    Attributes:
        name: the model's in tables.
        key: of the run.
        by_photo: by photo id, wnids, best first; without those that are no class.
    """

    name: str
    key: str
    by_photo: Mapping[str, tuple[str, ...]]


def best_answers(
    runs: Path, set_name: str, content_hash: str, models: Collection[str] = ()
) -> list[BestAnswers]:
    """What the finished runs on exactly this set answered, by the models' names.

    Args:
        runs: the folder of all runs.
        set_name: of the set.
        content_hash: of the set.
        models: names in tables, or starts of runs' keys; none for all models.

    Raises:
        BadInput: no model was scored on the set, or none, or several, of a name.
        GensetError: a run's predictions cannot be read, or do not give its counts.
    """
    found = [run for run in find_runs(runs, set_name) if run[1].set_hash == content_hash]
    if not found:
        raise BadInput(
            f"{runs} has no model that was scored on {set_name} as it is now: genset evaluate "
            f"{set_name} --model SPEC"
        )
    records = [run for _, run in found]
    names = names_of(records)
    places = {the_one(model, records, names, set_name) for model in models} or range(len(found))
    return sorted(
        BestAnswers(names[place], records[place].key, _by_photo(*found[place])) for place in places
    )


def _by_photo(folder: Path, run: Run) -> dict[str, tuple[str, ...]]:
    _checked(RunSource.of(run, folder), Names())
    return {found.image: tuple(filter(None, found.top)) for found in load_predictions(folder)}
