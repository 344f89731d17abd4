"""One pass over a set for all models: choose engines, score what is not kept yet."""

import importlib
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from genset.errors import GensetError, MissingExtra
from genset.evaluation.data.loader import CAN_FORK
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.data.transforms import Pixels
from genset.evaluation.engines.select import (
    WORTH_A_TRIAL,
    Choice,
    candidates,
    choose,
    exported_file,
    installed,
)
from genset.evaluation.models.load import LoadedModel
from genset.evaluation.models.preprocessing import Geometry
from genset.evaluation.results.runs import LOGITS, Run, load_run, run_folder, run_key
from genset.evaluation.run.distributed import World
from genset.evaluation.run.options import ENGINES, Options
from genset.evaluation.run.score import Contender, ShardReport, job_of
from genset.evaluation.run.shards import save_shard, shard_file, shards_of
from genset.evaluation.run.worker_pool import (
    Task,
    cores,
    in_another_process,
    not_written,
    score_here,
    score_in_streams,
)
from genset.files import write_text, written_whole
from genset.progress import progress

if TYPE_CHECKING:
    from genset.evaluation.run.ray import Cluster

# Folders of shards begin so.
SHARDS = "shards-"

# Beside the shards: what is to say of the choice of their engine.
_NOTES = "notes.json"

# Photos that show whether an engine gives PyTorch's answers, where it was chosen before.
_PROBE = 4

# Fewer photos are scored before other processes would have begun.
_STREAMS_FROM = 64


@dataclass(slots=True)
class Entry:
    """A model in the pass.

    Attributes:
        model: what is scored.
        key, folder: of its run.
        preprocessing: in words.
        choice: the engine that runs it.
        probe: pixels of a few photos, to try engines on.
        notes: what to say beside its numbers.
        devices: what scored it in this pass.
    """

    model: LoadedModel
    key: str
    folder: Path
    preprocessing: dict[str, object]
    choice: Choice = field(default_factory=lambda: Choice("torch"))
    probe: Pixels = field(default_factory=lambda: np.empty(0, np.uint8))
    notes: list[str] = field(default_factory=list)
    devices: set[str] = field(default_factory=set)

    @property
    def geometry(self) -> Geometry:
        """What it wants done to photos."""
        return self.model.preprocessing.geometry

    def shards(self, options: Options) -> Path:
        """Where its shards lie; those of another engine are not mixed with them."""
        return self.folder / f"{SHARDS}{self.choice.engine}{'-logits' * options.logits}"


@dataclass(frozen=True, slots=True)
class Pass:
    """A set, where runs on it are kept, how they are made, and by whom."""

    photos: PhotoSet
    runs: Path
    options: Options
    world: World
    cluster: "Cluster | None" = None

    def open(self, model: LoadedModel) -> Entry | Run:
        """A model's place in the pass; or its run, if that is finished.

        Raises:
            GensetError: the run's record is not one of ours.
        """
        spec = model.spec
        preprocessing = model.preprocessing.described()
        if self.options.decoding != "exact":
            preprocessing["decoding"] = self.options.decoding
        says: dict[str, object] = {
            "set": self.photos.content_hash,
            "weights": model.weights_hash,
            "architecture": f"{spec.kind}:{spec.arch or spec.target}",
            "preprocessing": preprocessing,
            "precision": self.options.precision,
        }
        if self.options.keep != 5:
            says["keep"] = self.options.keep
        if spec.classes or spec.background is not None:
            says["outputs"] = model.order
        key = run_key(**says)
        folder = run_folder(self.runs, self.photos.name, spec.name, key)
        finished = load_run(folder)
        if finished and (not self.options.logits or (folder / LOGITS).is_file()):
            return finished
        return Entry(model, key, folder, preprocessing, notes=list(model.notes))

    def choose_engine(self, entry: Entry, probe: Pixels) -> None:
        """Choose the model's engine: the first process does, for all.

        Raises:
            GensetError: no engine runs it.
        """
        entry.probe = probe[:_PROBE]
        entry.choice = self.world.agreed(lambda: self._chosen(entry, self._asked(entry), probe))
        # Once, and not in each of the processes that are split off.
        importlib.import_module(entry.choice.engine)
        if entry.choice.exported and not entry.choice.exported.is_file():  # another machine's disk
            entry.choice = self._chosen(entry, entry.choice.engine, probe)
        if self.world.rank == 0:
            entry.notes += _kept_notes(entry.shards(self.options) / _NOTES, entry.choice.notes)

    def _asked(self, entry: Entry) -> str:
        """The engine that is asked for; for "auto", the one that began this run, if any did."""
        if self.options.engine == "auto":
            for engine in ENGINES:
                if any(entry.folder.glob(f"{SHARDS}{engine}*/*.npz")) and installed(engine):
                    return engine
        return self.options.engine

    def _chosen(self, entry: Entry, asked: str, probe: Pixels) -> Choice:
        on_gpus = self.cluster is not None and self.cluster.gpus > 0
        worth = len(self.photos.photos) >= WORTH_A_TRIAL and not on_gpus
        names = candidates(entry.model, asked, worth, self.options.precision)
        if names == ["torch"]:
            return Choice("torch")
        if missing := [name for name in names if not installed(name)]:
            raise MissingExtra(f"the engine {missing[0]}", "engines")
        file = exported_file(entry.model, self.runs / ".engines")
        if len(names) == 1 and file.is_file():
            return Choice(names[0], file)
        arguments = entry.model, names, self.options.precision, probe, file
        if self.cluster is not None:  # nothing is split off here: Ray's threads could not be
            return choose(*arguments)
        # PyTorch's exporter and the engines leave threads behind, which cannot be split off.
        return in_another_process(choose, *arguments)

    def score(self, entries: Sequence[Entry]) -> dict[int, str]:
        """Score this process's shards that are not kept yet, and bring all to the first process.

        Returns why models failed, by their place in `entries`.

        Raises:
            GensetError: the answers cannot be written, or a process was killed.
        """
        failed: dict[int, str] = {}
        untrusted: set[int] = set()
        problem = None
        try:
            for report in self._reports(entries):
                failed |= report.failed
                untrusted |= report.untrusted
                for entry in entries:
                    entry.devices.add(report.device if entry.choice.engine == "torch" else "cpu")
                for number, note in report.notes.items():
                    if note not in entries[number].notes:
                        entries[number].notes.append(note)
        except GensetError as error:
            problem = error
        found = self.world.gathered((failed, untrusted, problem))
        for number in set().union(*(wrong for _, wrong, _ in found)):
            shutil.rmtree(entries[number].shards(self.options), ignore_errors=True)
        for of_process, _, theirs in found:
            if theirs is not None:
                raise theirs
            failed |= of_process
        self._bring_together([e for n, e in enumerate(entries) if n not in failed])
        return failed

    def _reports(self, entries: Sequence[Entry]) -> Iterator[ShardReport]:
        shards = shards_of(len(self.photos.photos))
        todo: list[Task] = []
        for shard in range(self.world.rank, len(shards), self.world.size):
            files = [shard_file(entry.shards(self.options), shard) for entry in entries]
            if missing := [number for number, file in enumerate(files) if not file.is_file()]:
                todo.append((shard, missing))
        if not todo:
            return
        by_torch = any(entry.choice.engine == "torch" for entry in entries)
        on_gpu = torch.cuda.is_available() and by_torch
        mine = max(1, cores() // self.world.beside)
        photos = sum(len(shards[shard]) for shard, _ in todo)
        asked = self.options.streams
        ahead = (asked or mine) if on_gpu else 0
        streams = asked or (1 if photos < _STREAMS_FROM else mine)
        streams = min(streams, len(todo)) if CAN_FORK and not on_gpu else 1
        contenders = [
            Contender(e.model, e.choice.engine, e.choice.exported, e.shards(self.options), e.probe)
            for e in entries
        ]
        if self.cluster is not None:
            reports = self._from_cluster(self.cluster, contenders, todo)
        else:
            job = job_of(self.photos, contenders, self.options, ahead)
            several = streams > 1
            reports = score_in_streams(job, todo, streams) if several else score_here(job, todo)
        names = ", ".join(entry.model.spec.name for entry in entries)
        # Once for each of its photos, which are what is counted.
        each = (report for report in reports for _ in shards[report.shard])
        yield from progress(each, total=photos, what=names, unit="photo")

    def _from_cluster(
        self, cluster: "Cluster", contenders: Sequence[Contender], todo: Sequence[Task]
    ) -> Iterator[ShardReport]:
        for report, answers in cluster.score(self.photos, contenders, self.options, todo):
            try:
                for number, answer in answers.items():
                    save_shard(shard_file(contenders[number].shards, report.shard), answer)
            except OSError as error:
                raise GensetError(not_written(error)) from None
            yield report

    def _bring_together(self, entries: Sequence[Entry]) -> None:
        """Give the first process the files that lie on other machines' disks."""
        if self.world.size == 1:
            return
        shards = range(self.world.rank, len(shards_of(len(self.photos.photos))), self.world.size)
        for entry in entries:
            folder = entry.shards(self.options)
            mine = (
                {}
                if self.world.rank == 0
                else {shard: shard_file(folder, shard).read_bytes() for shard in shards}
            )
            for theirs in self.world.gathered(mine):
                for shard, content in theirs.items():
                    path = shard_file(folder, shard)
                    if self.world.rank == 0 and not path.is_file():
                        with written_whole(path) as file:
                            file.write(content)


def _kept_notes(path: Path, notes: Sequence[str]) -> list[str]:
    """The notes on a choice, kept for a run that goes on without choosing anew."""
    if notes:
        write_text(path, json.dumps(notes))
        return list(notes)
    return json.loads(path.read_text("utf-8")) if path.is_file() else []
