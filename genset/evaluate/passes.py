"""One pass over a set for all models: choose engines, score what is not kept yet."""

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from genset.errors import GensetError, MissingExtra
from genset.evaluate.cache import PixelCache
from genset.evaluate.choice import (
    WORTH_A_TRIAL,
    Choice,
    candidates,
    choose,
    exported_file,
    installed,
)
from genset.evaluate.models import LoadedModel
from genset.evaluate.options import ENGINES, Options
from genset.evaluate.photos import PhotoSet
from genset.evaluate.pixels import Pixels
from genset.evaluate.preprocessing import Geometry
from genset.evaluate.runs import LOGITS, Run, load_run, run_folder, run_key
from genset.evaluate.score import Contender, Job, ShardReport
from genset.evaluate.shards import shard_file, shards_of
from genset.evaluate.streams import (
    CAN_FORK,
    Task,
    cores,
    in_another_process,
    score_here,
    score_in_streams,
)
from genset.evaluate.world import World
from genset.files import written_whole
from genset.progress import progress

# Folders of shards begin so.
SHARDS = "shards-"

_BATCH, _BATCH_OF_GPU = 16, 128

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
        notes: what to say beside its numbers.
    """

    model: LoadedModel
    key: str
    folder: Path
    preprocessing: dict[str, object]
    choice: Choice = field(default_factory=lambda: Choice("torch"))
    notes: list[str] = field(default_factory=list)

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
        entry.choice = self.world.agreed(lambda: self._chosen(entry, self._asked(entry), probe))
        # Once, and not in each of the processes that are split off.
        importlib.import_module(entry.choice.engine)
        if entry.choice.exported and not entry.choice.exported.is_file():  # another machine's disk
            entry.choice = self._chosen(entry, entry.choice.engine, probe)

    def _asked(self, entry: Entry) -> str:
        """The engine that is asked for; for "auto", the one that began this run, if any did."""
        if self.options.engine == "auto":
            for engine in ENGINES:
                if any(entry.folder.glob(f"{SHARDS}{engine}*/*.npz")) and installed(engine):
                    return engine
        return self.options.engine

    def _chosen(self, entry: Entry, asked: str, probe: Pixels) -> Choice:
        worth = len(self.photos.photos) >= WORTH_A_TRIAL
        names = candidates(entry.model, asked, worth)
        if names == ["torch"]:
            return Choice("torch")
        if missing := [name for name in names if not installed(name)]:
            raise MissingExtra(f"the engine {missing[0]}", "engines")
        file = exported_file(entry.model, self.runs / ".engines")
        if len(names) == 1 and file.is_file():
            return Choice(names[0], file)
        # PyTorch's exporter and the engines leave threads behind, which cannot be split off.
        return in_another_process(choose, entry.model, names, self.options.precision, probe, file)

    def score(self, entries: Sequence[Entry]) -> dict[int, str]:
        """Score this process's shards that are not kept yet, and bring all to the first process.

        Returns why models failed, by their place in `entries`.

        Raises:
            GensetError: the answers cannot be written, or a process was killed.
        """
        failed: dict[int, str] = {}
        problem = None
        try:
            for report in self._reports(entries):
                failed |= report.failed
                for number, note in report.notes.items():
                    if note not in entries[number].notes:
                        entries[number].notes.append(note)
        except GensetError as error:
            problem = error
        for of_process, theirs in self.world.gathered((failed, problem)):
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
        on_gpu = torch.cuda.is_available() and any(e.choice.engine == "torch" for e in entries)
        mine = max(1, cores() // self.world.beside)
        photos = sum(len(shards[shard]) for shard, _ in todo)
        streams = self.options.streams or (1 if on_gpu or photos < _STREAMS_FROM else mine)
        streams = min(streams, len(todo)) if CAN_FORK and not on_gpu else 1
        job = self._job(entries, decoders=mine if on_gpu else 0)
        reports = score_here(job, todo) if streams == 1 else score_in_streams(job, todo, streams)
        names = ", ".join(entry.model.spec.name for entry in entries)
        # Once for each of its photos, which are what is counted.
        each = (report for report in reports for _ in shards[report.shard])
        yield from progress(each, total=photos, what=names, unit="photo")

    def _job(self, entries: Sequence[Entry], decoders: int) -> Job:
        folder, decoding = self.options.cache, self.options.decoding
        geometries = {entry.geometry for entry in entries}
        return Job(
            photos=self.photos.photos,
            contenders=[
                Contender(e.model, e.choice.engine, e.choice.exported, e.shards(self.options))
                for e in entries
            ],
            precision=self.options.precision,
            decoding=decoding,
            keep=self.options.keep,
            logits=self.options.logits,
            batch=_BATCH_OF_GPU if decoders else _BATCH,
            decoders=decoders,
            caches={
                geometry: PixelCache(folder, self.photos, geometry, decoding)
                for geometry in geometries
                if folder is not None
            },
        )

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
