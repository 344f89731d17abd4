"""Fit new heads on tasks: check the data, compute features, fit, test once, store."""

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count
from genset.finetune.checkpoint import save_head
from genset.finetune.features import Features, compute_features
from genset.finetune.fitting import FinetuneOptions, fit_heads
from genset.finetune.heads import Head, find_head
from genset.finetune.runs import FinetuneRun, StoredRun, load_finetuned, load_head, save_finetuned
from genset.finetune.tasks import TaskData, described, open_task
from genset.models.load import LoadedModel, Loading, load_model
from genset.models.spec import ModelSpec
from genset.score.engines.engine import device_of, versions
from genset.score.plan import described as described_preprocessing
from genset.score.results.runs import run_folder, run_key
from genset.sets.open import HASHES

Say = Callable[[str], None]
Model = tuple[LoadedModel, Head]


@dataclass(slots=True)
class FinetuneResults:
    """The results of `finetune`.

    Attributes:
        tasks: the tasks whose data are valid, in order.
        runs: ordered by task, then by model.
        saved: the specs of checkpoints with new heads, if these were asked for.
    """

    tasks: list[TaskData] = field(default_factory=list)
    runs: list[StoredRun] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)


class SomeFailed(GensetError):
    """Some tasks or models failed. `finished` has the others."""

    def __init__(self, failures: Sequence[GensetError], finished: FinetuneResults) -> None:
        self._lines = list(dict.fromkeys(map(str, failures)))
        super().__init__("; ".join(self._lines))
        self.finished = finished


def finetune(
    tasks: Sequence[tuple[str, Path]],
    specs: Sequence[ModelSpec],
    runs: Path,
    options: FinetuneOptions | None = None,
    save_heads: Path | None = None,
    say: Say = lambda line: None,
) -> FinetuneResults:
    """Fit each model's new head on each task, test it once, and store its answers in `runs`.

    Stored runs and features are used again. Missing features of all models are computed in one
    pass over a task's photos.

    Args:
        tasks: names of tasks, each with the folder of its data.
        specs: the models.
        runs: the folder of runs.
        options: how heads are fitted; None: the defaults.
        save_heads: a folder for checkpoints with the first seed's heads; None: none are saved.
        say: called with each line of progress.

    Raises:
        BadInput: there is no such task, or a spec names predictions.
        SomeFailed: some tasks or models failed; the others are finished.
        GensetError: a single error prevented everything.
    """
    options = options or FinetuneOptions()
    for name, _ in tasks:
        described(name)
    for spec in specs:
        if spec.is_predictions:
            raise BadInput(f"model {spec.text!r}: predictions have no layers that could be trained")
    failures: list[GensetError] = []
    opened = _tried(partial(_opened, runs, options, say), dict.fromkeys(tasks), failures)
    chosen = dict.fromkeys(specs if opened else ())
    models = _tried(partial(_loaded, options.scoring.allow_code), chosen, failures)
    finished = FinetuneResults(opened)
    for failure in failures if models else ():
        say(f"left out: {failure}")
    for task in opened if models else ():
        made = _Work(task, runs, options, say).runs_of(models, failures)
        finished.runs += [run for _, run in made]
        if save_heads is not None:
            finished.saved += _tried(partial(_saved, save_heads, task), made, failures)
    if failures and not finished.runs and len(failures) == 1:
        raise failures[0]
    if failures:
        raise SomeFailed(failures, finished)
    return finished


def _opened(runs: Path, options: FinetuneOptions, say: Say, task: tuple[str, Path]) -> TaskData:
    data = open_task(*task, options.split_seed, options.test_share, runs / "finetune" / HASHES)
    say(in_one_line(data))
    return data


def _loaded(allow_code: bool, spec: ModelSpec) -> Model:
    model = load_model(spec, Loading(allow_code))
    return model, find_head(model)


def _tried(
    make: Callable[[Any], Any], items: Iterable[Any], failures: list[GensetError]
) -> list[Any]:
    """What is made of each item; errors go to `failures`."""
    found = []
    for item in items:
        try:
            found.append(make(item))
        except GensetError as error:
            failures.append(error)
    return found


def in_one_line(data: TaskData) -> str:
    """A task's photos, classes and split, in one line."""
    train, test = len(data.indices("train")), len(data.indices("test"))
    more = f"; {len(data.excluded):,} left out" if data.excluded else ""
    if data.overlap:
        more += f"; {count(data.overlap, 'test photo is', 'test photos are')} also trained on"
    return (
        f"{data.name}: {count(len(data.photos), 'photo')} of "
        f"{count(len(data.classes), 'class', 'classes')}, {train:,} to train on and {test:,} to "
        f"test on ({data.split}){more}"
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """One task, and how models are fitted on it."""

    data: TaskData
    runs: Path
    options: FinetuneOptions
    say: Say

    def runs_of(
        self, models: Sequence[Model], failures: list[GensetError]
    ) -> list[tuple[Model, StoredRun]]:
        """Each model's run, stored or new, in order. Errors go to `failures`."""
        found: dict[int, StoredRun] = {}
        missing: list[int] = []

        def look(number: int) -> None:
            _, folder = self._key_and_folder(models[number][0])
            if (stored := load_finetuned(folder)) is None:
                missing.append(number)
            else:
                found[number] = StoredRun(folder, stored)
                self.say(f"{self.data.name}, {stored.model}: is there already")

        def fit(model: tuple[int, Features | GensetError]) -> None:
            number, features = model
            found[number] = self._fitted(models[number][0], features)

        _tried(look, range(len(models)), failures)
        chosen = [models[number] for number in missing]
        features = _tried(self._features, [chosen] if missing else [], failures)
        _tried(fit, zip(missing, *features, strict=True) if features else (), failures)
        return [(models[number], found[number]) for number in sorted(found)]

    def _features(self, models: Sequence[Model]) -> Sequence[Features | GensetError]:
        folder = self.runs / "finetune" / ".features"
        return compute_features(self.data.photo_set(), models, folder, self.options.scoring)

    def _key_and_folder(self, model: LoadedModel) -> tuple[str, Path]:
        """The key and the folder of a model's run."""
        key = run_key(
            data=self.data.content_hash,
            parts=_parts_hash((photo.id, photo.part) for photo in self.data.photos),
            weights=model.weights_hash,
            architecture=model.spec.architecture,
            preprocessing=described_preprocessing(model, self.options.scoring),
            precision=self.options.scoring.precision,
            settings=self.options.settings,
        )
        return key, run_folder(self.runs / "finetune", self.data.name, model.spec.name, key)

    def _fitted(self, model: LoadedModel, features: Features | GensetError) -> StoredRun:
        """Fit a model's heads, test them, and store the run.

        Raises:
            GensetError: it has no features, a head cannot be fitted, or a class has no readable
                photo to train on.
        """
        if isinstance(features, GensetError):
            raise features
        data, options = self.data, self.options
        started = time.monotonic()
        fitted = fit_heads(data, model.spec.name, features, options)
        key, folder = self._key_and_folder(model)
        used = [data.photos[index] for index in sorted([*fitted.train, *fitted.test])]
        split = [(photo.id, data.classes[photo.label], photo.part) for photo in used]
        record = FinetuneRun(
            key=key,
            task=data.task,
            name=data.name,
            model=model.spec.name,
            spec=model.spec.text,
            weights_hash=model.weights_hash,
            preprocessing=described_preprocessing(model, options.scoring),
            precision=options.scoring.precision,
            engine=features.engine,
            versions=versions(features.engine),
            device=device_of(features.engine),
            seconds=round(features.seconds + time.monotonic() - started, 3),
            data_hash=data.content_hash,
            split=data.split,
            split_hash=_parts_hash((image, part) for image, _, part in split),
            classes=data.classes,
            train=len(fitted.train),
            test=len(fitted.test),
            excluded=data.excluded | features.unreadable,
            overlap=data.overlap,
            settings=options.settings,
            attempts=tuple(fitted.attempts),
            notes=[*data.notes, *model.notes, *features.notes, *fitted.notes],
        )
        save_finetuned(folder, record, fitted.predictions, split, fitted.head)
        found = record.accuracy
        self.say(f"{data.name}, {record.model}: {100 * found.share:.1f} % of {found.photos:,}")
        return StoredRun(folder, record)


def _parts_hash(parts: Iterable[tuple[str, str]]) -> str:
    """A hash over photos and their parts."""
    digest = hashlib.sha256()
    for image, part in sorted(parts):
        digest.update(f"{image} {part}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def _saved(folder: Path, data: TaskData, made: tuple[Model, StoredRun]) -> str:
    """Save a checkpoint with a run's new head, and return its spec."""
    (model, head), run = made
    name = f"{data.name}-{model.spec.name}"
    return save_head(folder, model, head, *load_head(run.folder), data.classes, name)
