"""How long a model takes to answer one photo at a time, on photos of a set that it was scored on.

Two spans are timed, each by itself. The network's, which DAWNBench's entries report: from a
photo's pixels in memory to its scores there, so with the normalization and the copies to a GPU and
back. And the whole: from the photo's file, which the system has in memory by then, to the names of
the best classes, so with decoding and resizing too.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean, median

import numpy as np
import torch

from genset.core.errors import GensetError, ModelError, PhotoRejected, first_line
from genset.models.load import LoadedModel
from genset.models.preprocessing import Pixels
from genset.models.processes import call_in_fork, cores
from genset.models.spec import ModelSpec
from genset.score.engines import ENGINES
from genset.score.engines.engine import Engine, EngineOptions, Logits, open_engine
from genset.score.engines.onnx import onnx_file, write_onnx
from genset.score.engines.select import candidates, check_engine
from genset.score.job import load_for
from genset.score.options import ScoringOptions
from genset.score.outputs import as_logits, best_places, kind_of
from genset.score.pixels import crops
from genset.score.results.runs import Run, load_predictions, run_folder
from genset.sets.photos import PhotoSet, ScoredPhoto

_PHOTOS = 100

WARM_UP = 10

# A round is so many timings. There are 2 to 10: until the medians of two in a row are so near each
# other; or until so many seconds are over, and so many timings made.
_ROUND, _ROUNDS = 100, 10
_NEAR = 0.01
_PATIENCE, _LEAST = 60.0, 20

_TRIALS = 5  # of each number of threads

_PROBE = 8


@dataclass(frozen=True, slots=True)
class Times:
    """Of one photo, or of one batch, in milliseconds.

    Attributes:
        mean: what DAWNBench counts, and what many photos cost.
        median, p90, p99: what half, 90 and 99 % of the timings stay below.
        timings: how many there were.
        steady: whether the last two rounds of them had the same median within 1 %.
    """

    mean: float
    median: float
    p90: float
    p99: float
    timings: int
    steady: bool


@dataclass(frozen=True, slots=True)
class Latency:
    """What one photo at a time takes a model.

    Attributes:
        model: its name in tables.
        network: from pixels in memory to scores in memory.
        from_file: from a file to the best classes.
        engine, engine_version, precision: what ran it, and how exactly.
        form: how PyTorch's engine ran it, if not as the network is written: "channels last",
            "TF32 off".
        device: "cpu", or the GPU's name.
        threads: of the CPU; of 1, 2, 4, ... and all cores, the number that is fastest.
        batch: how many photos the network takes at once where that is fixed and the time is that
            of so many; else 1.
        many: from pixels to scores of a batch, of `many_photos`; None if no batch was asked for.
        photos: how many different ones were timed, spread over the set.
        same: of these, how many got the very classes that the run keeps as its five best;
            `compared`, of how many the run keeps any.
    """

    model: str
    network: Times
    from_file: Times
    engine: str
    engine_version: str
    precision: str
    device: str
    threads: int
    batch: int
    photos: int
    same: int
    compared: int
    form: str = ""
    many: Times | None = None
    many_photos: int = 0

    @property
    def photos_a_second(self) -> float | None:
        """In batches."""
        return 1000 * self.many_photos / self.many.mean if self.many else None


def measure(
    photos: PhotoSet,
    spec: ModelSpec,
    run: Run,
    runs: Path,
    options: ScoringOptions,
    batch: int | None = None,
    channels_last: bool = False,
) -> Latency:
    """Time a model on photos of the set that it was scored on.

    The engine is the run's, or that which `options` name; it must give PyTorch's own answers.

    Args:
        photos: the set.
        spec: what names the model.
        run: its run on this set, in the folder `runs`.
        runs: where runs are kept.
        options: how the run was made.
        batch: of how many photos a batch is timed too.
        channels_last: whether PyTorch keeps numbers so, and not as the network is written.

    Raises:
        BadInput: the engine cannot run such a model, or is not installed.
        ModelError: the model cannot be loaded or run.
        GensetError: no photo can be read any more.
    """
    model = load_for(photos, spec, options, runs)
    requested = run.engine or "auto" if options.engine == "auto" else options.engine
    (name,) = candidates(model, requested, False, options.precision)
    onnx = onnx_file(model, runs / ".engines") if ENGINES[name].reads else None
    if onnx:
        call_in_fork(write_onnx, model, onnx)
    sample = _sample(photos, run, model, options.decoding)
    folder = run_folder(runs, run.set_name, run.model, run.key)
    stored = {found.image: found.top for found in load_predictions(folder)}
    before = torch.get_num_threads()
    try:
        engine_options = EngineOptions(options.precision, onnx, channels_last=channels_last)
        runner = _fastest(model, name, engine_options, sample[0][1])
        probe = np.stack([pixels for _, pixels in sample[:_PROBE]])
        check_engine(name, runner.engine, model, options.precision, probe)
        found = _measured(runner, sample, options, stored)
        return _with_batches(found, runner, engine_options, sample, batch)
    except GensetError:
        raise
    except Exception as error:  # noqa: BLE001 - the network may be the user's own code
        raise ModelError(f"model {spec.text!r} cannot be timed: {first_line(error)}") from None
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True, slots=True)
class _OnThreads:
    """A model on an engine, with so many of the CPU's threads."""

    model: LoadedModel
    name: str
    engine: Engine
    threads: int

    def scores(self, pixels: Pixels) -> Logits:
        """Of each output, for one photo's S x S x 3 pixels."""
        outputs = self.engine(np.stack([pixels]))
        scores: Logits = as_logits(outputs, kind_of(outputs))[0]
        return scores

    def best(self, scores: Logits) -> tuple[str, ...]:
        """The five best classes, as runs keep them."""
        number, mapping = min(5, len(scores)), self.model.mapping
        if mapping is not None:
            scores, number = mapping.shares(scores[None])[0], mapping.answer_count(5)
        (places,) = best_places(torch.from_numpy(scores[None]), number)
        return tuple(self.model.columns[place] for place in places.tolist())

    def answer(self, photo: ScoredPhoto, decoding: str) -> tuple[str, ...]:
        """The five best classes for a photo."""
        (pixels,) = crops(photo, [self.model.preprocessing.geometry], decoding)
        return self.best(self.scores(pixels))


def _sample(
    photos: PhotoSet, run: Run, model: LoadedModel, decoding: str
) -> list[tuple[ScoredPhoto, Pixels]]:
    """Photos spread over the set, with the model's pixels of each."""
    readable = [photo for photo in photos.photos if photo.id not in run.excluded]
    places = np.unique(np.linspace(0, len(readable) - 1, _PHOTOS).astype(int))
    found = []
    for photo in (readable[place] for place in places):
        try:
            (pixels,) = crops(photo, [model.preprocessing.geometry], decoding)
        except PhotoRejected:  # of a class that the model has not, and never counted
            continue
        found.append((photo, pixels))
    if not found:
        raise GensetError(f"not one photo of {photos.name} can be read")
    return found


def _fastest(model: LoadedModel, name: str, options: EngineOptions, pixels: Pixels) -> _OnThreads:
    """The model with the number of threads that is fastest for one photo."""
    numbers = sorted({*(2**power for power in range(cores().bit_length())), cores()})
    found: list[tuple[float, _OnThreads]] = []
    for threads in numbers:
        torch.set_num_threads(threads)
        engine = open_engine(name, model, replace(options, threads=threads, at_once=1))
        runner = _OnThreads(model, name, engine, threads)
        work = [partial(runner.scores, pixels)]
        list(_spans(work, WARM_UP))
        found.append((median(_spans(work, _TRIALS)), runner))
    _, fastest = min(found, key=lambda pair: pair[0])
    torch.set_num_threads(fastest.threads)
    return fastest


def _measured(
    runner: _OnThreads,
    sample: Sequence[tuple[ScoredPhoto, Pixels]],
    options: ScoringOptions,
    stored: Mapping[str, tuple[str, ...]],
) -> Latency:
    engine, model = runner.engine, runner.model
    on_gpu = engine.device == "cuda"
    pairs = [
        (runner.best(runner.scores(pixels)), stored[photo.id][:5])
        for photo, pixels in sample
        if photo.id in stored
    ]
    last = not getattr(engine, "is_contiguous", True) and not model.device
    exact = engine.device == "cuda" and options.precision == "float32"
    return Latency(
        model=model.spec.name,
        network=_timed([partial(runner.scores, pixels) for _, pixels in sample]),
        from_file=_timed([partial(runner.answer, photo, options.decoding) for photo, _ in sample]),
        engine=runner.name,
        engine_version=ENGINES[runner.name].version,
        precision=options.precision,
        device=torch.cuda.get_device_name() if on_gpu else "cpu",
        threads=runner.threads,
        form=", ".join(["channels last"] * last + ["TF32 off"] * exact),
        batch=model.batch or 1,
        photos=len(sample),
        same=sum(best == scored for best, scored in pairs),
        compared=len(pairs),
    )


def _with_batches(
    found: Latency,
    runner: _OnThreads,
    options: EngineOptions,
    sample: Sequence[tuple[ScoredPhoto, Pixels]],
    batch: int | None,
) -> Latency:
    """With the times of a batch, with all cores; of the model's own size if that is fixed."""
    if batch is None:
        return found
    batch = runner.model.batch or batch
    torch.set_num_threads(cores())
    options = replace(options, threads=cores(), at_once=batch)
    engine = open_engine(runner.name, runner.model, options)
    photos = np.stack([pixels for _, pixels in islice(cycle(sample), batch)])
    return replace(found, many=_timed([partial(engine, photos)]), many_photos=batch)


def _timed(works: Sequence[Callable[[], object]]) -> Times:
    list(_spans(works, WARM_UP))
    taken: list[float] = []
    steady = False
    began = time.monotonic()
    for span in _spans(works, _ROUND * _ROUNDS):
        taken.append(span)
        steady = len(taken) % _ROUND == 0 and _steady(taken)
        late = time.monotonic() - began > _PATIENCE
        if steady or (late and len(taken) >= _LEAST):
            break
    numbers = [fmean(taken), *np.percentile(taken, [50, 90, 99]).tolist()]
    mean, half, p90, p99 = (round(number, 4) for number in numbers)
    return Times(mean, half, p90, p99, len(taken), steady)


def _steady(taken: Sequence[float]) -> bool:
    if len(taken) < 2 * _ROUND:
        return False
    older, newer = median(taken[-2 * _ROUND : -_ROUND]), median(taken[-_ROUND:])
    return abs(newer - older) <= _NEAR * older


def _spans(works: Sequence[Callable[[], object]], count: int) -> Iterator[float]:
    """How many milliseconds each work takes, from the first again after the last."""
    for work in islice(cycle(works), count):
        started = _now()
        work()
        yield _now() - started


def _now() -> float:
    """The clock, in milliseconds, once a GPU has done all that it was given."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return 1000 * time.perf_counter()
