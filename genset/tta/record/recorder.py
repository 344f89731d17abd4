"""For training loops in Python: three lines, and `genset tta record` knows each epoch."""

import os
import sys
import time
from typing import SupportsFloat

from genset.tta.logs.tasks import F1, TOP1, TOP5
from genset.tta.record.lines import Line, write_line

# Frameworks that a program has loaded by the time of its first epoch.
_FRAMEWORKS = {"torch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX", "mxnet": "MXNet"}

# What else a result may depend on, where a program has loaded it.
_PACKAGES = (
    *_FRAMEWORKS,
    *("torchvision", "timm", "transformers", "lightning", "keras", "flax", "numpy", "sklearn"),
)


class Recorder:
    """Tells `genset tta record` of each epoch, by a line on the standard output.

        from genset.tta import Recorder
        recorder = Recorder()                      # time runs from here
        ...
            recorder.epoch(top1=71.2, top5=90.3)   # at the end of each epoch

    It works the same without `genset tta record`: the lines are printed, and no more. In a
    distributed run, only the first process (``RANK`` 0) prints.
    """

    def __init__(self) -> None:
        """Begin to count time."""
        self._began = time.monotonic()
        self._last = 0.0
        self._told = False
        self._silent = os.environ.get("RANK", "0") != "0"

    def epoch(
        self,
        epoch: float | None = None,
        *,
        top1: SupportsFloat | None = None,
        top5: SupportsFloat | None = None,
        f1: SupportsFloat | None = None,
        communication: float | None = None,
    ) -> None:
        """Say that an epoch has ended.

        Args:
            epoch: its number; by default one more than the last, from 1. A program that goes on
                from a checkpoint must say it.
            top1, top5, f1: what was measured after it, in per cent (0 to 100); at least one.
                One-element tensors and arrays will do.
            communication: seconds so far that workers waited for each other, if that is measured.

        Raises:
            ValueError: there is no score.
        """
        given = {TOP1: top1, TOP5: top5, F1: f1}
        scores = {name: float(score) for name, score in given.items() if score is not None}
        if not scores:
            raise ValueError("an epoch needs a score: top1=, top5= or f1=, in per cent")
        self._last = self._last + 1 if epoch is None else epoch
        if self._silent:
            return
        seconds = time.monotonic() - self._began
        versions = "" if self._told else _versions()
        line = Line(self._last, scores, seconds, communication, _framework(), versions)
        self._told = True
        # On a line of its own, whatever a progress bar has left there.
        print(f"\n{write_line(line)}", flush=True)  # noqa: T201 - its output


def _framework() -> str:
    """The framework in use and its version, as "PyTorch 2.4.0"; empty if none is known."""
    for module, name in _FRAMEWORKS.items():
        if module in sys.modules:
            return f"{name} {_version(module)}".strip()
    return ""


def _versions() -> str:
    """The versions of what the program runs on, as "python 3.11.2, torch 2.4.0, cuda 12.4"."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    found |= {name: _version(name) for name in _PACKAGES if name in sys.modules}
    if cuda := getattr(getattr(sys.modules.get("torch"), "version", None), "cuda", None):
        found["cuda"] = str(cuda)
    return ", ".join(f"{name} {version}" for name, version in found.items() if version)


def _version(module: str) -> str:
    return str(getattr(sys.modules[module], "__version__", ""))
