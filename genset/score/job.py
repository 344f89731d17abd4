"""A job: the models and photos that workers are given."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from genset.models.load import LoadedModel, Loading, load_model
from genset.models.preprocessing import CustomTransform, Geometry, Pixels
from genset.models.spec import ModelSpec, errors_of
from genset.score.engines.select import SelectedEngine
from genset.score.loader import PixelDataset
from genset.score.options import ScoringOptions
from genset.score.pixels import PixelCache
from genset.score.predictions.mapped import mapping_on
from genset.score.shards import (
    SHARDS,
    Answers,
    ShardLabel,
    load_shard,
    save_shard,
    shard_file,
    shards_of,
)
from genset.sets.photos import PhotoSet


@dataclass(slots=True)
class ModelTask:
    """A model that is to be scored.

    Attributes:
        model: what is scored.
        key, folder: of its run.
        preprocessing: as it is kept with the run.
        logits: whether all its logits are kept.
        engine: what runs it.
        probe: N x S x S x 3 uint8, pixels of a few photos, to check the engine with.
        notes: what to say beside its numbers.
        devices: what scored it.
        settings: under which it was scored, as `RunRecord` has them.
        rate: its `photos_per_second`, where one command scored all photos.
    """

    model: LoadedModel
    key: str
    folder: Path
    preprocessing: dict[str, object]
    logits: bool = False
    engine: SelectedEngine = field(default_factory=lambda: SelectedEngine("torch"))
    probe: Pixels = field(default_factory=lambda: np.empty(0, np.uint8))
    notes: list[str] = field(default_factory=list)
    devices: set[str] = field(default_factory=set)
    settings: dict[str, object] = field(default_factory=dict)
    rate: float | None = None

    @property
    def geometry(self) -> Geometry:
        """What it wants done to photos."""
        return self.model.preprocessing.geometry

    @property
    def wants_gpu(self) -> bool:
        """Whether it runs on a GPU where there is one: PyTorch does, unless the model cannot."""
        return self.engine.name == "torch" and self.model.device != "cpu"

    @property
    def shards(self) -> Path:
        """Where its shards are kept; those of another engine are not mixed with them."""
        return self.folder / f"{SHARDS}{self.engine.name}{'-logits' * self.logits}"


class MissingShard(NamedTuple):
    """A shard, and the tasks, by number, whose answers to it are not kept yet."""

    shard: int
    tasks: list[int]


@dataclass(slots=True)
class ShardReport:
    """What became of a shard.

    Attributes:
        shard: its number.
        device: what scored it: "cpu", or a GPU's name.
        failed: why, for each task that failed, by its number.
        untrusted: tasks whose engine does not give PyTorch's answers: no shard of theirs counts.
        notes: what to say beside a task's numbers, by its number; "" for nothing.
        settings: under which each task was scored, by its number.
        seconds: that its process took for it.
        busy: those that each task's network took, by its number; none on a GPU, beside which
            photos are read.
    """

    shard: int
    device: str
    failed: dict[int, str] = field(default_factory=dict)
    untrusted: set[int] = field(default_factory=set)
    notes: dict[int, str] = field(default_factory=dict)
    settings: dict[int, dict[str, object]] = field(default_factory=dict)
    seconds: float = 0.0
    busy: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """Tasks on one set. Shards and tasks go by their numbers."""

    photos: PhotoSet
    tasks: Sequence[ModelTask]
    options: ScoringOptions

    @property
    def shards(self) -> list[range]:
        """The indices of each shard's photos."""
        return shards_of(len(self.photos.photos))

    @property
    def wants_gpu(self) -> bool:
        """Whether a task runs on a GPU where there is one."""
        return any(task.wants_gpu for task in self.tasks)

    def geometries(self, tasks: Iterable[int] | None = None) -> list[Geometry]:
        """What tasks, by number (all by default), want done to photos: each once."""
        numbers = range(len(self.tasks)) if tasks is None else tasks
        return list(dict.fromkeys(self.tasks[number].geometry for number in numbers))

    def dataset(self, remote: bool = False) -> PixelDataset:
        """The photos, with the caches of their pixels opened.

        Args:
            remote: whether the set was opened on another machine.

        Raises:
            GensetError: there is no room for a cache.
        """
        folder, decoding = self.options.cache, self.options.decoding
        caches = {
            geometry: PixelCache(folder, self.photos, geometry, decoding)
            for geometry in self.geometries()
            if folder is not None and not isinstance(geometry, CustomTransform)
        }
        return PixelDataset(self.photos.photos, decoding, caches, remote)

    def label(self, number: int, shard: int) -> ShardLabel:
        """What a task's answers to a shard are kept with; tasks and shards go by their numbers."""
        task, indices = self.tasks[number], self.shards[shard]
        digest = hashlib.sha256()
        for photo in self.photos.photos[indices.start : indices.stop]:
            digest.update(f"{photo.id} {photo.sha256}\n".encode())
        logits = len(task.model.order) if task.logits else 0
        return ShardLabel(task.key, digest.hexdigest(), indices, logits)

    def stored(self, number: int, shard: int) -> Answers:
        """A task's answers to a shard.

        Raises:
            BadShard: they are not kept, or damaged, or of another run.
        """
        return load_shard(shard_file(self.tasks[number].shards, shard), self.label(number, shard))

    def keep(self, report: ShardReport, answers: Mapping[int, Answers]) -> None:
        """Write the answers to a shard, by the tasks' numbers, and what is noted of the tasks.

        Raises:
            OSError: they cannot be written.
        """
        for task in self.tasks:
            task.devices.add(report.device if task.wants_gpu else "cpu")
        for number, note in report.notes.items():
            if note and note not in self.tasks[number].notes:
                self.tasks[number].notes.append(note)
        for number, settings in report.settings.items():
            self.tasks[number].settings |= settings
        for number, answer in answers.items():
            task, label = self.tasks[number], self.label(number, report.shard)
            noted = replace(answer, notes=tuple(task.notes))
            save_shard(shard_file(task.shards, report.shard), noted, label)


def load_for(
    photos: PhotoSet, spec: ModelSpec, options: ScoringOptions, runs: Path | None = None
) -> LoadedModel:
    """Load the model that a spec names, to be scored on a set.

    Args:
        photos: the set.
        spec: the model's.
        options: how it is scored.
        runs: the folder of runs; None: what is computed once for all of them is computed again.

    Raises:
        BadInput, ModelError: as `load_model` does.
        GensetError: as `map_outputs` does.
    """
    model = load_model(spec, Loading(options.allow_code, runs, photos.custom_taxonomy))
    return map_outputs(model, photos, options)


def map_outputs(model: LoadedModel, photos: PhotoSet, options: ScoringOptions) -> LoadedModel:
    """The model with its outputs mapped to the set's classes; as it is, where these are ImageNet's.

    Raises:
        BadInput: an output is below two classes of which neither is a kind of the other.
        GensetError: no class of a photo has an output.
    """
    with errors_of(model.spec.text):
        return replace(model, mapping=mapping_on(photos, model.order, options.convention))
