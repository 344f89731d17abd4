"""A model on its engine: any number of photos in, all their logits out."""

import gc
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from genset.core.errors import GensetError, ModelError
from genset.core.numbers import count
from genset.models.load import LoadedModel
from genset.models.preprocessing import Pixels
from genset.score.engines.engine import (
    Engine,
    EngineOptions,
    Logits,
    PendingLogits,
    open_engine,
    why_it_fails,
)
from genset.score.engines.select import SelectedEngine, check_engine
from genset.score.outputs import NOTES, as_logits, kind_of

# What PyTorch, ONNX Runtime and OpenVINO say of it.
_NO_MEMORY = ("can't allocate memory", "out of memory", "bad_alloc", "bad allocation")


def _without_bf16() -> bool:
    """Whether PyTorch computes bf16 on a processor that is known not to (of x86, on Linux)."""
    cpu = Path("/proc/cpuinfo")
    flags = "" if torch.cuda.is_available() or not cpu.is_file() else cpu.read_text("utf-8")
    return "\nflags" in flags and not re.search("avx512_bf16|amx_bf16", flags)


class Runner:
    """Runs a model, with half as many photos at once wherever memory runs out.

    Its engine is opened where it is first used: in the process that uses it.

    Attributes:
        model: what is run.
    """

    def __init__(
        self, model: LoadedModel, engine: SelectedEngine, precision: str, batch_size: int
    ) -> None:
        """Take a model and its engine.

        Args:
            model: what is run.
            engine: what runs it.
            precision: of the arithmetic.
            batch_size: how many photos an engine gets at once that takes any number.
        """
        self.model = model
        self._notes: dict[str, str] = {}
        if precision == "bf16" and engine.name == "torch" and _without_bf16():
            self._notes["precision"] = "This processor has no bf16: float32 is faster."
        self._selected = engine
        self._precision = precision
        self._batch_size = batch_size
        self._opened: Engine | None = None

    @property
    def note(self) -> str:
        """What to say beside the model's results; "" for nothing."""
        engine = self._opened.note if self._opened else ""
        return " ".join(filter(None, (engine, *self._notes.values())))

    def check(self, probe: Pixels) -> None:
        """See that the engine gives PyTorch's own answers to a few photos.

        Raises:
            ModelError: it does not, or does not run.
        """
        name = self._selected.name
        try:
            engine = self._engine()
            try:
                check_engine(name, engine, self.model, self._precision, probe)
            except ModelError as error:
                if self.model.batch or not engine.size or engine.size < 2 or not _no_memory(error):
                    raise
                engine = self._take_fewer(engine.size // 2)
                check_engine(name, engine, self.model, self._precision, probe)
        except Exception as error:  # noqa: BLE001 - each engine raises what it likes
            raise ModelError(self._problem(error, probe)) from None

    def launch(self, pixels: Pixels, photos: Sequence[str] = ()) -> PendingLogits:
        """Begin on N photos: what is returned waits for their N x outputs float32 logits.

        Args:
            pixels: of N photos.
            photos: their ids, for errors.

        Raises:
            ModelError: the network fails, or answers something else than numbers of that shape,
                here or in what is returned.
        """
        try:
            batches = self._launch_batches(pixels)
        except Exception as error:  # noqa: BLE001 - the network may be the user's own code
            raise ModelError(self._problem(error, pixels)) from None
        return lambda: self._collect(batches, pixels, photos)

    def _collect(
        self,
        batches: Sequence[tuple[int, PendingLogits]],
        pixels: Pixels,
        photos: Sequence[str],
    ) -> Logits:
        """Wait for the logits of batches, each with its number of photos."""
        outputs = len(self.model.order)
        parts: list[Logits] = []
        try:
            for size, pending in batches:
                answer = pending()
                if answer.shape != (size, outputs):
                    raise ModelError(f"answers {list(answer.shape)} to a batch of {size}")
                parts.append(answer)
        except Exception as error:  # noqa: BLE001 - the network may be the user's own code
            raise ModelError(self._problem(error, pixels)) from None
        logits = np.concatenate(parts)
        finite = np.isfinite(logits).all(axis=1)
        if not finite.all():
            is_named = photos and (finite.any() or len(photos) == 1)
            some = f" to {photos[int(finite.argmin())]}" if is_named else ""
            why = "a broken photo, or an overflow?" if finite.any() else "broken weights?"
            raise ModelError(f"model {self.model.spec.text!r} answers NaN or infinity{some}: {why}")
        kind = kind_of(logits) if any(self.model.order) else "logits"  # features are no scores
        if kind in NOTES:
            self._notes["outputs"] = NOTES[kind]
        return as_logits(logits, kind)

    def _launch_batches(self, pixels: Pixels) -> list[tuple[int, PendingLogits]]:
        engine = self._engine()
        batches: list[tuple[int, PendingLogits]] = []
        done = 0
        while done < len(pixels):
            part = pixels[done : done + self._batch_size]
            try:
                pending = engine.launch(part)
            except Exception as error:
                if self.model.batch or len(part) == 1 or not _no_memory(error):
                    raise
                engine = self._take_fewer(len(part) // 2)
                continue
            batches.append((len(part), pending))
            done += len(part)
        return batches

    def _engine(self) -> Engine:
        if self._opened is None:
            options = EngineOptions(self._precision, self._selected.onnx)
            self._opened = open_engine(self._selected.name, self.model, options)
            self._batch_size = self._opened.size or self._batch_size
        return self._opened

    def _take_fewer(self, photos: int) -> Engine:
        """The engine for so many photos at once, after memory ran out."""
        engine = self._engine()
        self._batch_size = photos
        some = count(photos, "photo")
        self._notes["memory"] = f"Memory ran out: scored {some} at a time."
        if engine.size:  # opened for a number of photos
            options = EngineOptions(self._precision, self._selected.onnx, at_once=photos)
            self._opened = open_engine(self._selected.name, self.model, options)
        gc.collect()
        torch.cuda.empty_cache()
        return self._engine()

    def _problem(self, error: Exception, pixels: Pixels) -> str:
        """Why the model fails, in one line."""
        what = f"model {self.model.spec.text!r}"
        if isinstance(error, GensetError):
            return _explained(what, str(error), self.model)
        if _no_memory(error):
            return f"{what}: there is no memory for one photo"
        return f"{what} cannot be run: {why_it_fails(error, self.model, pixels)}"


def _explained(what: str, problem: str, model: LoadedModel) -> str:
    """Of a wrong shape, what was expected, and what may be the reason."""
    if not problem.startswith("answers "):
        return problem
    outputs = len(model.order)
    background = f", {outputs + 1}] " in problem and model.spec.kind != "memory"
    more = "; if output 0 is a background class, say &background=0" if background else ""
    if model.spec.kind == "memory":
        more = "; if its outputs stand for others, name them with classes="
    classes = "ImageNet's 1000" if outputs == 1000 else f"{outputs}"
    return f"{what} {problem}: it must give a score for each of {classes} classes{more}"


def _no_memory(error: Exception) -> bool:
    if isinstance(error, (MemoryError, torch.cuda.OutOfMemoryError)):
        return True
    message = str(error).lower()
    return any(words in message for words in _NO_MEMORY)
