"""One stream: decode each photo once, run every model on it, keep the answers shard by shard."""

import gc
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from genset.errors import GensetError, ModelError, first_line
from genset.evaluation.data.cache import PixelCache
from genset.evaluation.data.loader import CAN_FORK, Reading, open_reader
from genset.evaluation.data.photos import PhotoSet
from genset.evaluation.data.transforms import Pixels
from genset.evaluation.engines.engines import Engine, Logits, open_engine
from genset.evaluation.engines.select import check
from genset.evaluation.models.load import LoadedModel
from genset.evaluation.models.preprocessing import Geometry
from genset.evaluation.run.options import Options
from genset.evaluation.run.shards import Answers, save_shard, shard_file, shards_of

# What PyTorch, ONNX Runtime and OpenVINO say of it.
_NO_MEMORY = ("can't allocate memory", "out of memory", "bad_alloc", "bad allocation")

# Photos that are read together.
_BATCH, _BATCH_OF_GPU = 16, 128


@dataclass(frozen=True, slots=True)
class Contender:
    """A model, how it is run, and the folder where its shards are kept.

    `probe` is some photos' pixels, to which its engine must give PyTorch's answers.
    """

    model: LoadedModel
    engine: str
    exported: Path | None
    shards: Path
    probe: Pixels


@dataclass(frozen=True, slots=True)
class Job:
    """What all streams work on.

    Attributes:
        reading: of the photos; an engine gets as many at once as are read together, or fewer.
        contenders: the models.
        precision: of the networks' arithmetic.
        keep: how many classes of each photo are kept.
        logits: whether all logits are kept too.
    """

    reading: Reading
    contenders: Sequence[Contender]
    precision: str
    keep: int
    logits: bool

    def geometries(self, contenders: Sequence[int]) -> list[Geometry]:
        """What contenders, by number, want done to photos: each once."""
        found = (self.contenders[n].model.preprocessing.geometry for n in contenders)
        return list(dict.fromkeys(found))


def job_of(
    photos: PhotoSet,
    contenders: Sequence[Contender],
    options: Options,
    ahead: int,
    split_off: bool = CAN_FORK,
) -> Job:
    """The job of scoring a set; on a GPU if so many read `ahead` of it.

    Raises:
        GensetError: there is no room for the cache.
    """
    geometries = {contender.model.preprocessing.geometry for contender in contenders}
    reading = Reading(
        photos=photos.photos,
        decoding=options.decoding,
        caches={
            geometry: PixelCache(options.cache, photos, geometry, options.decoding)
            for geometry in geometries
            if options.cache is not None
        },
        batch=_BATCH_OF_GPU if ahead else _BATCH,
        ahead=ahead,
        split_off=split_off,
    )
    return Job(reading, contenders, options.precision, options.keep, options.logits)


@dataclass(slots=True)
class ShardReport:
    """What became of a shard: for contenders by number, why one failed, or what to note.

    `untrusted` are those whose engine does not give PyTorch's answers: no shard of theirs counts.
    """

    shard: int
    failed: dict[int, str] = field(default_factory=dict)
    untrusted: set[int] = field(default_factory=set)
    notes: dict[int, str] = field(default_factory=dict)
    device: str = ""


class Stream:
    """One process's work: shards of a job, one after the other.

    One that `checks` sees first that every engine gives PyTorch's answers. Of streams that run
    the same files on the same machine, one does so for all.
    """

    def __init__(self, job: Job, checks: bool = True) -> None:
        self.job = job
        self.unchecked = list(range(len(job.contenders))) if checks else []
        self.shards = shards_of(len(job.reading.photos))
        self.engines: dict[int, Engine] = {}
        self.batch: dict[int, int] = {}
        self.failed: set[int] = set()
        self.reader = open_reader(job.reading, job.geometries(range(len(job.contenders))))

    def expect(self, shard: int, wanted: Sequence[int]) -> None:
        """Say which shards are to be scored, in this order, so that they can be read ahead."""
        self.reader.expect(self.shards[shard], self.job.geometries(wanted))

    def score(self, shard: int, wanted: Sequence[int]) -> ShardReport:
        """Score a shard's photos with the contenders that are named by number, and keep it.

        A contender that fails is reported, and the others go on.

        Raises:
            OSError: the answers cannot be written.
        """
        report, answers = self.answers(shard, wanted)
        for n, answer in answers.items():
            save_shard(shard_file(self.job.contenders[n].shards, shard), answer)
        return report

    def answers(self, shard: int, wanted: Sequence[int]) -> tuple[ShardReport, dict[int, Answers]]:
        """The same, and the answers of each contender that did not fail, not kept yet.

        One that failed before is passed over.
        """
        report = ShardReport(shard, device=this_device())
        while self.unchecked:
            self._check(self.unchecked.pop(), report)
        live = [number for number in wanted if number not in self.failed]
        if not live:
            return report, {}
        places: list[int] = []
        unreadable: dict[int, str] = {}
        logits: dict[int, list[Logits]] = {n: [] for n in live}
        for batch in self.reader.batches(self.shards[shard], self.job.geometries(live)):
            places += batch.places
            unreadable |= batch.unreadable
            for n in live[:] if batch.places else ():
                try:
                    logits[n].append(self._run(n, batch.pixels, report))
                except ModelError as error:
                    report.failed[n] = str(error)
                    self.failed.add(n)
                    live.remove(n)
            if not live:
                break
        at = np.array(places, np.int64)
        return report, {n: self._answers(n, at, logits[n], unreadable) for n in live}

    def _check(self, number: int, report: ShardReport) -> None:
        contender, precision = self.job.contenders[number], self.job.precision
        name, model, probe = contender.engine, contender.model, contender.probe
        try:
            engine = self._engine(number)
            try:
                check(name, engine, model, precision, probe)
            except ModelError as error:
                if model.batch or not engine.size or engine.size < 2 or not _no_memory(error):
                    raise
                engine = self._take_fewer(number, engine.size // 2, report)
                check(name, engine, model, precision, probe)
        except Exception as error:  # noqa: BLE001 - each engine raises what it likes
            report.failed[number] = self._problem(number, error)
            report.untrusted.add(number)
            self.failed.add(number)

    def _engine(self, number: int) -> Engine:
        """A contender's engine, opened where it is first used."""
        if number not in self.engines:
            of, job = self.job.contenders[number], self.job
            engine = open_engine(of.engine, of.model, job.precision, of.exported)
            self.engines[number], self.batch[number] = engine, engine.size or job.reading.batch
        return self.engines[number]

    def _take_fewer(self, number: int, photos: int, report: ShardReport) -> Engine:
        """The engine of a contender for which memory ran out, for so many photos at once."""
        of, job = self.job.contenders[number], self.job
        self.batch[number] = photos
        told = f"{photos} photo{'s' * (photos > 1)}"
        report.notes[number] = f"Memory ran out: scored {told} at a time."
        if self.engines[number].size:  # opened for a number of photos
            self.engines[number] = open_engine(
                of.engine, of.model, job.precision, of.exported, at_once=photos
            )
        gc.collect()
        torch.cuda.empty_cache()
        return self.engines[number]

    def _problem(self, number: int, error: Exception) -> str:
        """Why a contender fails, in one line."""
        model = self.job.contenders[number].model
        what = f"model {model.spec.text!r}"
        if isinstance(error, GensetError):
            return _explained(what, str(error), len(model.order))
        if _no_memory(error):
            return f"{what}: there is no memory for one photo"
        return f"{what} cannot be run: {first_line(error)}"

    def _run(self, number: int, pixels: dict[Geometry, Pixels], report: ShardReport) -> Logits:
        model = self.job.contenders[number].model
        try:
            logits = self._in_batches(number, pixels[model.preprocessing.geometry], report)
        except Exception as error:  # noqa: BLE001 - the network may be the user's own code
            raise ModelError(self._problem(number, error)) from None
        if not np.isfinite(logits).all():
            raise ModelError(f"model {model.spec.text!r} answers NaN or infinity: broken weights?")
        return logits

    def _in_batches(self, number: int, pixels: Pixels, report: ShardReport) -> Logits:
        """Run the network on all photos, with half as many at once where memory runs out."""
        engine, model = self._engine(number), self.job.contenders[number].model
        outputs = len(model.order)
        parts: list[Logits] = []
        done = 0
        while done < len(pixels):
            part = pixels[done : done + self.batch[number]]
            try:
                answer = engine(part)
            except Exception as error:
                if model.batch or len(part) == 1 or not _no_memory(error):
                    raise
                engine = self._take_fewer(number, len(part) // 2, report)
                continue
            if answer.shape != (len(part), outputs):
                raise ModelError(f"answers {list(answer.shape)} to a batch of {len(part)}")
            parts.append(answer)
            done += len(part)
        return np.concatenate(parts)

    def _answers(
        self,
        number: int,
        places: NDArray[np.int64],
        parts: Sequence[Logits],
        unreadable: dict[int, str],
    ) -> Answers:
        outputs = len(self.job.contenders[number].model.order)
        logits = np.concatenate([np.empty((0, outputs), np.float32), *parts])
        scores = torch.from_numpy(logits)
        best = scores.topk(min(self.job.keep, outputs), dim=1).indices
        return Answers(
            places=places,
            classes=best.numpy().astype(np.int32),
            probabilities=scores.softmax(dim=1).gather(1, best).numpy(),
            logits=logits if self.job.logits else None,
            unreadable=unreadable,
        )


def this_device() -> str:
    """The name of this process's GPU; "cpu" where there is none."""
    return torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"


def _explained(what: str, said: str, outputs: int) -> str:
    if not said.startswith("answers "):
        return said
    background = f", {outputs + 1}] " in said
    more = "; if output 0 is a background class, say &background=0" if background else ""
    whose = "ImageNet's 1000" if outputs == 1000 else f"{outputs}"
    return f"{what} {said}: it must give a score for each of {whose} classes{more}"


def _no_memory(error: Exception) -> bool:
    if isinstance(error, (MemoryError, torch.cuda.OutOfMemoryError)):
        return True
    said = str(error).lower()
    return any(words in said for words in _NO_MEMORY)
