"""The scoring plan: which models are scored on a set, by which engine, on which shards."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from genset.core.errors import GensetError, MissingExtra, PhotoRejected
from genset.core.files import one_at_a_time
from genset.core.numbers import count
from genset.core.progress import say
from genset.models.load import LoadedModel
from genset.models.preprocessing import Geometry, Pixels
from genset.models.processes import call_in_fork
from genset.score.engines import ENGINES
from genset.score.engines.onnx import onnx_file
from genset.score.engines.select import SelectedEngine, candidates, select
from genset.score.job import Job, MissingShard, ModelTask
from genset.score.options import ScoringOptions
from genset.score.pixels import crops
from genset.score.results.runs import LOGITS, Run, load_run, run_folder, run_key
from genset.score.shards import SHARDS, BadShard, shard_file
from genset.score.workers.executor import Executor, not_written
from genset.sets.formats import may_come_back
from genset.sets.photos import PhotoSet


def engine_of(folder: Path) -> str:
    """The engine that made the run in this folder, or began it; "" where that is open.

    Raises:
        GensetError: the run's record is not one of ours.
    """
    if run := load_run(folder):
        return run.engine
    begun = (path.name.removeprefix(SHARDS).split("-")[0] for path in folder.glob(f"{SHARDS}*/"))
    return next((name for name in begun if name in ENGINES), "")


# Photos on which engines are tried, and those of them with which every worker checks its engine.
_SAMPLES, _CHECKED = 8, 4

# To write a model as ONNX and try engines takes seconds, which fewer photos do not win back: 420 of
# EfficientNet-Lite0, 635 of ResNet-50 (benchmarks/trial.py).
WORTH_A_TRIAL = 500


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
        """The finished run of a model, if there is one: of the engine that is asked for, if one is.

        One during which photos of this set were gone is not finished: they are there again.

        Raises:
            GensetError: a run's record is not one of ours.
        """
        requested = self.options.engine
        for engine in ("", *ENGINES) if requested == "auto" else ("", requested):
            folder = self.new_task(model, engine).folder
            run = load_run(folder)
            if run is None or (requested != "auto" and run.engine not in ("", requested)):
                continue
            # Photos that could be read when the set was opened.
            gone = {image for image, why in run.excluded.items() if may_come_back(why)}
            if any(photo.sha256 and photo.id in gone for photo in self.photos.photos if gone):
                continue
            if not self.options.logits or (folder / LOGITS).is_file():
                return run
        return None

    def new_task(self, model: LoadedModel, engine: str = "") -> ModelTask:
        """The task of scoring a model; its shards are kept in the folder of its run.

        Args:
            model: what is scored.
            engine: "", or the engine of a run that stands beside one that another engine made.
        """
        options, spec = self.options, model.spec
        preprocessing = described(model, options)
        identity: dict[str, object] = {
            "set": self.photos.content_hash,
            "weights": model.weights_hash,
            "architecture": spec.architecture,
            "preprocessing": preprocessing,
            "precision": options.precision,
            "keep": options.keep,
            "outputs": model.order,
            "mapping": model.mapping.identity if model.mapping else None,
            "salt": model.salt,
            "engine": engine,
            **({"output": spec.output} if spec.output else {}),
        }
        key = run_key(**identity | model.identity)
        folder = run_folder(self.runs, self.photos.name, spec.name, key)
        return ModelTask(model, key, folder, preprocessing, options.logits, notes=[*model.notes])

    @contextmanager
    def alone(self, tasks: Mapping[Path, ModelTask]) -> Iterator[dict[Path, Run | ModelTask]]:
        """Wait until no other command scores one of these.

        For each it gives the run, if another command has finished it meanwhile; else the task,
        whose folder is another where another engine has the first one.

        Args:
            tasks: by their folders.
        """
        with ExitStack() as turns:
            # In the order of their names, so that no two commands wait for each other.
            for folder, task in sorted(tasks.items()):
                name = task.model.spec.name
                wait = f"another command scores {name} on {self.photos.name}: waiting"
                try:
                    turns.enter_context(one_at_a_time(folder, partial(say, wait)))
                except OSError as error:
                    raise not_written(error) from None
            found = {folder: self._decide(folder, task) for folder, task in tasks.items()}
            try:
                yield found
            finally:
                tasks_here = (task for task in found.values() if isinstance(task, ModelTask))
                for folder in (*tasks, *(task.folder for task in tasks_here)):
                    with suppress(OSError):  # of a run of which an answer is kept
                        folder.rmdir()

    def _decide(self, folder: Path, task: ModelTask) -> Run | ModelTask:
        """The finished run; or the task, in another folder where another engine has this one."""
        if (run := self.find_run(task.model)) is not None:
            return run
        requested, other = self.options.engine, engine_of(folder)
        if requested == "auto" or other in ("", requested):
            return task
        say(f"{task.model.spec.name}: {other} has a run; {requested} makes one beside it")
        return self.new_task(task.model, requested)

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
            except PhotoRejected as error:
                reason = reason or f": {photo.id} is {error}"
                continue
            if len(found) == _SAMPLES:
                break
        if not found:
            raise GensetError(f"not one photo of {self.photos.name} can be read{reason}")
        return {
            geometry: np.stack([pixels[number] for pixels in found])
            for number, geometry in enumerate(geometries)
        }

    def select_engine(self, task: ModelTask, samples: Pixels) -> None:
        """Set the engine of a task, for "auto" the one that its run began with, and load it.

        Raises:
            GensetError: no engine runs it.
        """
        task.probe = samples[:_CHECKED]
        begun = engine_of(task.folder)
        goes_on = self.options.engine == "auto" and begun and ENGINES[begun].is_installed
        task.engine = self._select(task, begun if goes_on else self.options.engine, samples)
        ENGINES[task.engine.name].load()  # once, and not in each of the processes that are forked
        task.notes += task.engine.notes

    def missing(self, job: Job) -> list[MissingShard]:
        """The shards that are not stored yet; damaged ones are discarded."""
        stored, bad = set(), 0
        for number, task in enumerate(job.tasks):
            for shard in range(len(job.shards)):
                try:
                    job.stored(number, shard)
                    stored.add((number, shard))
                except BadShard:
                    file = shard_file(task.shards, shard)
                    bad += file.is_file()
                    file.unlink(missing_ok=True)
        if bad:
            shards = count(bad, "kept shard")
            say(f"{shards} damaged, or of another run: scored again")
        found = []
        for shard in range(len(job.shards)):
            if lacking := [n for n in range(len(job.tasks)) if (n, shard) not in stored]:
                found.append(MissingShard(shard, lacking))
        return found

    def _select(self, task: ModelTask, requested: str, samples: Pixels) -> SelectedEngine:
        model, precision = task.model, self.options.precision
        on_gpu = self.executor.has_gpus and model.onnx is None
        worth = len(self.photos.photos) >= WORTH_A_TRIAL and not on_gpu
        names = candidates(model, requested, worth, precision)
        if not names:
            raise MissingExtra(f"model {model.spec.text!r} in {precision}", "engines")
        if missing := [name for name in names if not ENGINES[name].is_installed]:
            raise MissingExtra(f"the engine {missing[0]}", "engines")
        if names == ["torch"]:
            return SelectedEngine("torch")
        onnx = onnx_file(model, self.runs / ".engines")
        if len(names) == 1 and onnx.is_file():
            return SelectedEngine(names[0], onnx)
        for name in names:  # once, and not again for the run
            with suppress(ImportError):  # which the trial says
                ENGINES[name].load()
        # PyTorch's exporter and the engines leave threads behind, which cannot be split off.
        return call_in_fork(select, model, names, precision, samples, onnx)


def described(model: LoadedModel, options: ScoringOptions) -> dict[str, object]:
    """A model's preprocessing as plain values, as it is kept with every result."""
    other = {} if options.decoding == "exact" else {"decoding": options.decoding}
    return model.preprocessing.described() | other
