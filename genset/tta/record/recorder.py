"""For training loops in Python: three lines, and `genset tta record` knows each epoch."""

import os
import re
import shlex
import sys
import time
from dataclasses import dataclass
from typing import SupportsFloat

from genset.tta.logs.common import number
from genset.tta.runs import F1, TOP1, TOP5

WORD = "tta"
SCORE_WORDS = {"top1": TOP1, "top5": TOP5, "f1": F1}
_NUMBERS = ("epoch", "seconds", *SCORE_WORDS)
_TEXTS = ("framework", "versions")
_LONGEST = 500  # letters of a text


@dataclass(frozen=True, slots=True)
class Line:
    """One epoch as logged. Scores in per cent by column; times in seconds, None if not known."""

    epoch: float
    scores: dict[str, float]
    seconds: float | None = None
    framework: str = ""
    versions: str = ""


# What a program prints for a terminal, which it is given.
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def read_line(text: str) -> Line | None:
    """Read a line of a program's output; None if it is not meant as an epoch's.

    Raises:
        ValueError: it is meant as one, and wrong; the message says how.
    """
    first, _, rest = _COLOURS.sub("", text).strip().partition(" ")
    if first != WORD or "=" not in rest:
        return None
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    for part in shlex.split(rest):
        name, equals, value = part.partition("=")
        if name in _TEXTS:
            texts[name] = value[:_LONGEST]
            continue
        if name not in _NUMBERS or not equals:
            raise ValueError(f"{part[:40]!r} is none of {', '.join([*_NUMBERS, *_TEXTS])}")
        found = number(value)
        if found is None or found < 0:
            raise ValueError(f"{name} is no number from 0 up: {value[:40]!r}")
        numbers[name] = found
    scores = {SCORE_WORDS[name]: value for name, value in numbers.items() if name in SCORE_WORDS}
    if "epoch" not in numbers or not scores:
        raise ValueError(f"it needs epoch= and one of {', '.join(SCORE_WORDS)}")
    for name, score in scores.items():
        if score > 100:
            raise ValueError(f"{name} is over 100 per cent: {score:g}")
    if scores.get(TOP5, 100.0) < scores.get(TOP1, 0.0):
        raise ValueError("top-5 is below top-1")
    return Line(numbers["epoch"], scores, numbers.get("seconds"), **texts)


def write_line(line: Line) -> str:
    """The line as `read_line` reads it, without an end of line."""
    words = [WORD, f"epoch={line.epoch:.10g}"]
    words += [f"{w}={line.scores[c]:.10g}" for w, c in SCORE_WORDS.items() if c in line.scores]
    if line.seconds is not None:
        words.append(f"seconds={line.seconds:.3f}")
    for name, text in (("framework", line.framework), ("versions", line.versions)):
        if text:
            words.append(f"{name}={shlex.quote(text)}")
    return " ".join(words)


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
        self._versions_printed = False
        self._silent = os.environ.get("RANK", "0") != "0"

    def epoch(
        self,
        epoch: float | None = None,
        *,
        top1: SupportsFloat | None = None,
        top5: SupportsFloat | None = None,
        f1: SupportsFloat | None = None,
    ) -> None:
        """Say that an epoch has ended.

        Args:
            epoch: its number; by default one more than the last, from 1. A program that goes on
                from a checkpoint must say it.
            top1, top5, f1: what was measured after it, in per cent (0 to 100); at least one.
                One-element tensors and arrays will do.

        Raises:
            ValueError: there is no score.
        """
        measured = {TOP1: top1, TOP5: top5, F1: f1}
        scores = {name: float(score) for name, score in measured.items() if score is not None}
        if not scores:
            raise ValueError("an epoch needs a score: top1=, top5= or f1=, in per cent")
        self._last = self._last + 1 if epoch is None else epoch
        if self._silent:
            return
        seconds = time.monotonic() - self._began
        versions = "" if self._versions_printed else _versions()
        line = Line(self._last, scores, seconds, _framework(), versions)
        self._versions_printed = True
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
