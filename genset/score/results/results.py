"""The runs over one set, side by side: what was kept, as arrays, without any model."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genset.classes import imagenet1k
from genset.core.errors import BadInput, GensetError
from genset.score.results.arrays import Answers, Names, Numbers, read_answers
from genset.score.results.flags import flags_of
from genset.score.results.names import meant, names_of, several
from genset.score.results.runs import Run, find_runs, run_folder
from genset.sets.photos import PhotoSet
from genset.sets.truths.keep import with_truth

_MEND = "delete the folder and run genset evaluate again"


@dataclass(frozen=True, slots=True)
class Scored:
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
    """

    photos: PhotoSet
    truth: NDArray[np.str_]
    classes: NDArray[np.int64]
    wnids: tuple[str, ...]
    models: tuple[Scored, ...]
    other_runs: int
    names: NDArray[np.str_]
    numbers: Numbers
    flagged: tuple[Scored, ...] = ()
    # What is worked out once for all models (`marks`). Another set, another one.
    kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def is_of_imagenet(self) -> bool:
        """Whether each class of the set is one of ImageNet's, and holds no other."""
        own = self.photos.own_taxonomy
        if own is None:
            return all(wnid in imagenet1k() for wnid in self.wnids)
        return all(wnid in own and own[wnid].imagenet == (wnid,) for wnid in self.wnids)

    def right(self, model: Scored, k: int = 1) -> NDArray[np.bool_]:
        """N: whether the true class is among the model's first `k` answers."""
        found: NDArray[np.bool_] = (model.answers[:, :k] == self.numbers[:, None]).any(axis=1)
        return found & model.answered

    def without_flagged(self) -> "Results":
        """The same with flagged models apart, so that no other model's numbers hang on them."""
        kept = tuple(model for model in self.models if not model.flags)
        flagged = tuple(model for model in self.models if model.flags)
        return replace(self, models=kept, flagged=(*self.flagged, *flagged))

    def find_run(self, run: Run) -> Scored:
        """The model whose run this is."""
        return next(model for model in self.models if model.run is run)

    def find(self, name: str) -> Scored:
        """The model that is called so: by its label, its name, or the start of its run's key.

        Raises:
            BadInput: there is none, or several.
        """
        runs = [model.run for model in self.models]
        named = [self.models[n] for n in meant(name, runs, [model.label for model in self.models])]
        labels = [model.label for model in named or self.models]
        if not named:
            self._refuse_flagged(name)
            known = ", ".join(labels) or "none"
            raise BadInput(f"no model {name!r} was scored on {self.photos.name}; known: {known}")
        if len(named) > 1:
            raise BadInput(several(name, [model.run for model in named], labels))
        return named[0]

    def _refuse_flagged(self, name: str) -> None:
        for model in self.flagged:
            if meant(name, [model.run], [model.label]):
                raise BadInput(
                    f"{model.label} is left out: {model.flags[0]} --include-flagged brings it in"
                )


def load_results(photos: PhotoSet, runs: Path) -> Results:
    """Every finished run over exactly these photos, and the set's truth if it has one.

    Raises:
        GensetError: a run's files, or the truth's, are not what `genset evaluate` wrote.
    """
    named_so = find_runs(runs, photos.name)
    same = {photos.content_hash, photos.list_hash}
    found = [(folder, run) for folder, run in named_so if run.set_hash in same]
    kept = [
        KeptRun(run, partial(read_answers, folder), str(folder), folder) for folder, run in found
    ]
    return results_of(with_truth(photos, runs), kept, len(named_so) - len(found))


def load_some(photos: PhotoSet, runs: Path, wanted: Sequence[Run]) -> Results:
    """These finished runs alone, in their order.

    Args:
        photos: the set that they are over.
        runs: the folder of runs.
        wanted: the runs; one that is named twice counts once.

    Raises:
        GensetError: a run's files are not what `genset evaluate` wrote.
    """
    kept = []
    for run in {run.key: run for run in wanted}.values():
        folder = run_folder(runs, photos.name, run.model, run.key)
        kept.append(KeptRun(run, partial(read_answers, folder), str(folder), folder))
    return results_of(photos, kept)


class KeptRun(NamedTuple):
    """A run, how its answers are loaded, where they are for errors, and its folder, if any."""

    run: Run
    load: Callable[[Names], Answers]
    where: str
    folder: Path | None = None


def results_of(photos: PhotoSet, runs: Sequence[KeptRun], other_runs: int = 0) -> Results:
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
    numbers = names.numbers(truth.tolist())
    loaded = [_loaded(kept, names, place, numbers) for kept in runs]
    by_number = names.all()  # once all models have said theirs
    labels = names_of([kept.run for kept in runs])
    return Results(
        photos=photos,
        truth=truth,
        classes=classes.astype(np.int64),
        wnids=tuple(map(str, wnids)),
        models=tuple(
            Scored(
                label,
                kept.run,
                each.answered,
                each.answers,
                each.confidence,
                kept.folder,
                by_number,
                each.flags,
            )
            for label, kept, each in zip(labels, runs, loaded, strict=True)
        ),
        other_runs=other_runs,
        names=by_number,
        numbers=numbers,
    )


class _Loaded(NamedTuple):
    """What `Scored` has of a run's answers."""

    answered: NDArray[np.bool_]
    answers: Numbers
    confidence: NDArray[np.float64]
    flags: tuple[str, ...]


def _loaded(kept: KeptRun, names: Names, place: dict[str, int], truth: Numbers) -> _Loaded:
    """A run's answers in the set's order, checked against its counts."""
    run = kept.run
    try:
        found = kept.load(names)
        places = np.array([place[image] for image in found.images])
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise GensetError(f"{kept.where}: predictions cannot be read ({error}); {_MEND}") from None
    if found.counts() != (run.top1.photos, run.top1.correct, run.top5 and run.top5.correct):
        raise GensetError(f"{kept.where}: predictions do not give the run's counts; {_MEND}")
    answered = np.zeros(len(place), bool)
    answered[places] = True
    answers = np.zeros((len(place), found.ranked.shape[1]), dtype=np.int32)
    answers[places] = found.ranked
    confidence = np.full(len(place), np.nan)
    if found.confidence is not None:
        confidence[places] = found.confidence
    known = None if found.confidence is None else confidence[answered]
    flags = flags_of(truth[answered], answers[answered], names, run.classes, known)
    return _Loaded(answered, answers, confidence, flags)
