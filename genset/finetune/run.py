"""Fit new heads on tasks: check the data, compute features, fit, test once, store."""

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count
from genset.finetune.checkpoint import save_head
from genset.finetune.features import Features, compute_features
from genset.finetune.fitting import FinetuneOptions, fit_heads
from genset.finetune.heads import find_head
from genset.finetune.runs import (
    FinetuneRun,
    StoredRun,
    finetuned_folder,
    load_finetuned,
    load_head,
    save_finetuned,
)
from genset.finetune.tasks import TaskData, described, open_task
from genset.models.load import LoadedModel, load_model
from genset.models.spec import ModelSpec
from genset.score.engines.engine import device_of, versions
from genset.score.plan import described as described_preprocessing
from genset.score.results.runs import run_key
from genset.sets.open import HASHES

Say = Callable[[str], None]


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
    finished = FinetuneResults(tasks=_opened(tasks, runs, options, failures, say))
    models = _loaded(specs, options, failures) if finished.tasks else []
    for failure in failures if models else ():
        say(f"left out: {failure}")
    for task in finished.tasks if models else ():
        made = _Work(task, runs, options, say).runs_of(models, failures)
        finished.runs += [run for _, run in made]
        if save_heads is not None:
            finished.saved += _saved(save_heads, task, made, failures)
    if failures and not finished.runs and len(failures) == 1:
        raise failures[0]
    if failures:
        raise SomeFailed(failures, finished)
    return finished


def in_one_line(data: TaskData) -> str:
    """A task's photos, classes and split, in one line."""
    train, test = len(data.indices("train")), len(data.indices("test"))
    excluded = f"; {len(data.excluded):,} left out" if data.excluded else ""
    return (
        f"{data.name}: {count(len(data.photos), 'photo')} of "
        f"{count(len(data.classes), 'class', 'classes')}, {train:,} to train on and {test:,} to "
        f"test on ({data.split}){excluded}"
    )


def _opened(
    tasks: Iterable[tuple[str, Path]],
    runs: Path,
    options: FinetuneOptions,
    failures: list[GensetError],
    say: Say,
) -> list[TaskData]:
    """The tasks whose data are valid."""
    found = []
    for name, folder in dict.fromkeys(tasks):
        try:
            how = options.split_seed, options.test_share, runs / "finetune" / HASHES
            found.append(open_task(name, folder, *how))
        except GensetError as error:
            failures.append(error)
        else:
            say(in_one_line(found[-1]))
    return found


def _loaded(
    specs: Iterable[ModelSpec], options: FinetuneOptions, failures: list[GensetError]
) -> list[LoadedModel]:
    """The models that can be loaded and whose last layer is linear."""
    models = []
    for spec in dict.fromkeys(specs):
        try:
            model = load_model(spec, options.scoring.allow_code)
            find_head(model)
        except GensetError as error:
            failures.append(error)
        else:
            models.append(model)
    return models


@dataclass(frozen=True, slots=True)
class _Work:
    """One task, and how models are fitted on it."""

    data: TaskData
    runs: Path
    options: FinetuneOptions
    say: Say

    def runs_of(
        self, models: Sequence[LoadedModel], failures: list[GensetError]
    ) -> list[tuple[LoadedModel, StoredRun]]:
        """Each model's run, stored or new, in order. Errors go to `failures`."""
        found: dict[int, StoredRun] = {}
        missing: list[int] = []
        for number, model in enumerate(models):
            _, folder = self._key_and_folder(model)
            try:
                stored = load_finetuned(folder)
            except GensetError as error:
                failures.append(error)
                continue
            if stored is None:
                missing.append(number)
            else:
                found[number] = StoredRun(folder, stored)
                self.say(f"{self.data.name}, {model.spec.name}: is there already")
        for number, features in zip(missing, self._features(models, missing), strict=True):
            try:
                if isinstance(features, GensetError):
                    raise features
                found[number] = self._fitted(models[number], features)
            except GensetError as error:
                failures.append(error)
        return [(models[number], found[number]) for number in sorted(found)]

    def _features(
        self, models: Sequence[LoadedModel], missing: Sequence[int]
    ) -> Sequence[Features | GensetError]:
        if not missing:
            return []
        chosen = [models[number] for number in missing]
        folder = self.runs / "finetune" / ".features"
        try:
            return compute_features(self.data.photo_set(), chosen, folder, self.options.scoring)
        except GensetError as error:
            return [error] * len(chosen)

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
        return key, finetuned_folder(self.runs, self.data.name, model.spec.name, key)

    def _fitted(self, model: LoadedModel, features: Features) -> StoredRun:
        """Fit a model's heads, test them, and store the run.

        Raises:
            GensetError: a head cannot be fitted, or a class has no readable photo to train on.
        """
        data, options = self.data, self.options
        started = time.monotonic()
        fitted = fit_heads(data, model.spec.name, features, options, self.say)
        key, folder = self._key_and_folder(model)
        split = [(p.id, data.classes[p.label], p.part) for p in fitted.photos(data)]
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


def _saved(
    folder: Path,
    data: TaskData,
    made: Sequence[tuple[LoadedModel, StoredRun]],
    failures: list[GensetError],
) -> list[str]:
    """Save checkpoints with the new heads of these runs, and return their specs."""
    specs = []
    for model, run in made:
        name = f"{data.name}-{model.spec.name}"
        try:
            found = find_head(model)
            weights, bias = load_head(run.folder)
            specs.append(save_head(folder, model, found, weights, bias, data.classes, name))
        except GensetError as error:
            failures.append(error)
    return specs
