"""One stream: decode each photo once, run every model on it, keep the answers shard by shard."""

import gc
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from genset.errors import GensetError, ModelError, PhotoRefused, first_line
from genset.evaluate.cache import PixelCache
from genset.evaluate.choice import check
from genset.evaluate.engines import Engine, Logits, open_engine
from genset.evaluate.models import LoadedModel
from genset.evaluate.options import Options
from genset.evaluate.photos import PhotoSet, ScoredPhoto
from genset.evaluate.pixels import Pixels, crops
from genset.evaluate.preprocessing import Geometry
from genset.evaluate.shards import Answers, save_shard, shard_file, shards_of

# What PyTorch, ONNX Runtime and OpenVINO say of it.
_NO_MEMORY = ("can't allocate memory", "out of memory", "bad_alloc", "bad allocation")

# Photos that are decoded together.
_BATCH, _BATCH_OF_GPU = 16, 128

_AHEAD = 2  # batches that are decoded while the GPU works on one


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
        photos: the whole set.
        contenders: the models.
        precision: of the networks' arithmetic.
        decoding: "exact" or "fast".
        keep: how many classes of each photo are kept.
        logits: whether all logits are kept too.
        batch: how many photos are decoded together; an engine gets as many or fewer.
        decoders: threads that decode; 0 to decode in between.
        caches: pixels kept from earlier runs, by geometry.
    """

    photos: Sequence[ScoredPhoto]
    contenders: Sequence[Contender]
    precision: str
    decoding: str
    keep: int
    logits: bool
    batch: int
    decoders: int
    caches: dict[Geometry, PixelCache]


def job_of(
    photos: PhotoSet, contenders: Sequence[Contender], options: Options, decoders: int
) -> Job:
    """The job of scoring a set; on a GPU if there are `decoders`, threads that decode for it.

    Raises:
        GensetError: there is no room for the cache.
    """
    geometries = {contender.model.preprocessing.geometry for contender in contenders}
    return Job(
        photos=photos.photos,
        contenders=contenders,
        precision=options.precision,
        decoding=options.decoding,
        keep=options.keep,
        logits=options.logits,
        batch=_BATCH_OF_GPU if decoders else _BATCH,
        decoders=decoders,
        caches={
            geometry: PixelCache(options.cache, photos, geometry, options.decoding)
            for geometry in geometries
            if options.cache is not None
        },
    )


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
        self.shards = shards_of(len(job.photos))
        self.engines: dict[int, Engine] = {}
        self.batch: dict[int, int] = {}
        self.failed: set[int] = set()
        self.pool = ThreadPoolExecutor(job.decoders) if job.decoders else None

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
        geometries = list(
            dict.fromkeys(self.job.contenders[n].model.preprocessing.geometry for n in live)
        )
        places: list[int] = []
        unreadable: dict[int, str] = {}
        logits: dict[int, list[Logits]] = {n: [] for n in live}
        for readable, refused in self._batches(self.shards[shard], geometries):
            unreadable |= refused
            if not readable:
                continue
            places += [place for place, _ in readable]
            stacked = {
                geometry: np.stack([found[number] for _, found in readable])
                for number, geometry in enumerate(geometries)
            }
            for n in live[:]:
                try:
                    logits[n].append(self._run(n, stacked, report))
                except ModelError as error:
                    report.failed[n] = str(error)
                    self.failed.add(n)
                    live.remove(n)
            if not live:
                break
        for cache in self.job.caches.values():
            cache.flush()
        at = np.array(places, np.int64)
        return report, {n: self._answers(n, at, logits[n], unreadable) for n in live}

    def _batches(
        self, places: range, geometries: Sequence[Geometry]
    ) -> Iterator[tuple[list[tuple[int, list[Pixels]]], dict[int, str]]]:
        """Batch by batch, the pixels of photos that can be read, and why others cannot."""
        size = self.job.batch
        groups = [places[start : start + size] for start in range(0, len(places), size)]
        if self.pool is None:
            for group in groups:
                yield _sorted_out(group, [self._read(place, geometries) for place in group])
            return
        ahead: deque[tuple[range, list[Future[list[Pixels] | str]]]] = deque()
        for group in groups:
            ahead.append((group, [self.pool.submit(self._read, n, geometries) for n in group]))
            if len(ahead) > _AHEAD:
                first, futures = ahead.popleft()
                yield _sorted_out(first, [future.result() for future in futures])
        for first, futures in ahead:
            yield _sorted_out(first, [future.result() for future in futures])

    def _read(self, place: int, geometries: Sequence[Geometry]) -> list[Pixels] | str:
        caches = [self.job.caches.get(geometry) for geometry in geometries]
        kept = [None if cache is None else cache.get(place) for cache in caches]
        known = [pixels for pixels in kept if pixels is not None]
        if len(known) == len(geometries):
            return known
        try:
            found = crops(self.job.photos[place].path, geometries, self.job.decoding)
        except PhotoRefused as error:
            return str(error).removeprefix("unreadable: ")
        for cache, pixels in zip(caches, found, strict=True):
            if cache is not None:
                cache.put(place, pixels)
        return found

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
            self.engines[number], self.batch[number] = engine, engine.size or job.batch
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

    def _run(self, number: int, stacked: dict[Geometry, Pixels], report: ShardReport) -> Logits:
        model = self.job.contenders[number].model
        pixels = stacked[model.preprocessing.geometry]
        try:
            logits = self._in_batches(number, pixels, report)
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


def _sorted_out(
    places: Sequence[int], found: Sequence[list[Pixels] | str]
) -> tuple[list[tuple[int, list[Pixels]]], dict[int, str]]:
    pairs = list(zip(places, found, strict=True))
    return (
        [(place, pixels) for place, pixels in pairs if not isinstance(pixels, str)],
        {place: reason for place, reason in pairs if isinstance(reason, str)},
    )


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
