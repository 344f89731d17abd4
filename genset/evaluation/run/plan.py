"""The scoring plan: which models are scored on a set, by which engine, on which shards."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from genset.errors import GensetError, MissingExtra, PhotoRefused
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.data.transforms import Pixels, crops
from genset.evaluation.engines import ENGINES
from genset.evaluation.engines.export import onnx_file
from genset.evaluation.engines.select import SelectedEngine, candidates, select
from genset.evaluation.models.load import LoadedModel
from genset.evaluation.models.preprocessing import Geometry
from genset.evaluation.results.runs import LOGITS, Run, load_run, run_folder, run_key
from genset.evaluation.run.executors.executor import Executor, not_written
from genset.evaluation.run.job import Job, MissingShard, ModelTask
from genset.evaluation.run.options import ScoringOptions
from genset.evaluation.run.shards import SHARDS, shard_file
from genset.files import one_at_a_time, write_text

# Photos on which engines are tried, and those of them with which every worker checks its engine.
_SAMPLES, _CHECKED = 8, 4

# To write a model as ONNX and try engines takes seconds, which fewer photos do not win back.
WORTH_A_TRIAL = 500

# Beside the shards: what is to say of the selection of their engine.
_NOTES = "notes.json"


@dataclass(frozen=True, slots=True)
class ScoringPlan:
    """A set, where its runs are kept, how models are scored, and the executor that does it.

    Attributes:
        photos: the set.
        runs: the folder of runs.
        options: how models are scored.
        executor: has the shards scored.
        started: when the work began, by the monotonic clock, in seconds.
    """

    photos: PhotoSet
    runs: Path
    options: ScoringOptions
    executor: Executor
    started: float = field(default_factory=time.monotonic)

    def find_run(self, model: LoadedModel) -> Run | None:
        """The run of a model, if it is finished.

        Raises:
            GensetError: the run's record is not one of ours.
        """
        folder = self.new_task(model).folder
        finished = load_run(folder)
        has_logits = not self.options.logits or (folder / LOGITS).is_file()
        return finished if has_logits else None

    def new_task(self, model: LoadedModel) -> ModelTask:
        """The task of scoring a model; its shards are kept in the folder of its run."""
        options, spec = self.options, model.spec
        preprocessing = described(model, options)
        identity: dict[str, object] = {
            "set": self.photos.content_hash,
            "weights": model.weights_hash,
            "architecture": spec.architecture,
            "preprocessing": preprocessing,
            "precision": options.precision,
        }
        if options.keep != 5:
            identity["keep"] = options.keep
        if spec.classes or spec.background is not None:
            identity["outputs"] = model.order
        identity |= model.identity
        if model.salt:
            identity["salt"] = model.salt
        key = run_key(**identity)
        folder = run_folder(self.runs, self.photos.name, spec.name, key)
        return ModelTask(model, key, folder, preprocessing, options.logits, notes=[*model.notes])

    @contextmanager
    def alone(self, tasks: Mapping[Path, ModelTask]) -> Iterator[dict[Path, Run]]:
        """Wait until no other command scores one of these; the runs that are finished then.

        Args:
            tasks: by their folders.
        """
        with ExitStack() as turns:
            # In the order of their names, so that no two commands wait for each other.
            for folder in sorted(tasks) if self.executor.is_first else ():
                try:
                    turns.enter_context(one_at_a_time(folder))
                except OSError as error:
                    raise not_written(error) from None
            runs = {folder: self.find_run(task.model) for folder, task in tasks.items()}
            finished = {folder: run for folder, run in runs.items() if run is not None}
            try:
                yield self.executor.on_first(lambda: finished)
            finally:
                for folder in tasks:  # of a model that failed nothing stays, not even that
                    with suppress(OSError):
                        folder.rmdir()

    def sample_pixels(self, tasks: Sequence[ModelTask]) -> dict[Geometry, Pixels]:
        """The first photos that can be read, to try engines on: N x S x S x 3 by geometry.

        Raises:
            GensetError: no photo can be read.
        """
        geometries = list(dict.fromkeys(task.geometry for task in tasks))
        found: list[list[Pixels]] = []
        reason = ""
        for photo in self.photos.photos:
            try:
                found.append(crops(photo, geometries))
            except PhotoRefused as error:
                reason = reason or f": {photo.id} is {error}"
                continue
            if len(found) == _SAMPLES:
                break
        if not found:
            raise GensetError(f"not one photo of {self.photos.name} can be read{reason}")
        return {
            geometry: np.stack([each[number] for each in found])
            for number, geometry in enumerate(geometries)
        }

    def select_engine(self, task: ModelTask, samples: Pixels) -> None:
        """Set the engine of a task: the first process selects it, for all.

        Raises:
            GensetError: no engine runs it.
        """
        task.probe = samples[:_CHECKED]
        task.engine = self.executor.on_first(lambda: self._select(task, self._asked(task), samples))
        engine, onnx = task.engine.name, task.engine.onnx
        ENGINES[engine].load()  # once, and not in each of the processes that are split off
        if onnx and not onnx.is_file():  # it lies on another machine's disk
            task.engine = self._select(task, engine, samples)
        if self.executor.is_first:
            task.notes += _kept_notes(task.shards / _NOTES, task.engine.notes)

    def missing(self, job: Job) -> list[MissingShard]:
        """The shards that are not kept yet."""
        found = []
        for shard in range(len(job.shards)):
            files = [shard_file(task.shards, shard) for task in job.tasks]
            if lacking := [number for number, file in enumerate(files) if not file.is_file()]:
                found.append(MissingShard(shard, lacking))
        return found

    def _asked(self, task: ModelTask) -> str:
        """The engine that is asked for; for "auto", the one that began this run, if any did."""
        if self.options.engine == "auto":
            for kind in ENGINES.values():
                begun = [f"{SHARDS}{kind.name}/*.npz", f"{SHARDS}{kind.name}-logits/*.npz"]
                if kind.is_installed and any(any(task.folder.glob(each)) for each in begun):
                    return kind.name
        return self.options.engine

    def _select(self, task: ModelTask, asked: str, samples: Pixels) -> SelectedEngine:
        model, precision = task.model, self.options.precision
        on_gpu = self.executor.has_gpus and model.onnx is None
        worth = len(self.photos.photos) >= WORTH_A_TRIAL and not on_gpu
        names = candidates(model, asked, worth, precision)
        if not names:
            raise MissingExtra(f"model {model.spec.text!r} in {precision}", "engines")
        if missing := [name for name in names if not ENGINES[name].is_installed]:
            raise MissingExtra(f"the engine {missing[0]}", "engines")
        if names == ["torch"]:
            return SelectedEngine("torch")
        onnx = onnx_file(model, self.runs / ".engines")
        if len(names) == 1 and onnx.is_file():
            return SelectedEngine(names[0], onnx)
        # PyTorch's exporter and the engines leave threads behind, which cannot be split off.
        return self.executor.isolated(select, model, names, precision, samples, onnx)


def described(model: LoadedModel, options: ScoringOptions) -> dict[str, object]:
    """A model's preprocessing as plain values, as it is kept with every result."""
    other = {} if options.decoding == "exact" else {"decoding": options.decoding}
    return model.preprocessing.described() | other


def _kept_notes(path: Path, notes: Sequence[str]) -> list[str]:
    """The notes on a selection, kept for a run that is resumed without another selection."""
    if notes:
        write_text(path, json.dumps(notes))
        return list(notes)
    return json.loads(path.read_text("utf-8")) if path.is_file() else []
