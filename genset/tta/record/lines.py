"""The lines by which a training program says how far it is, one an epoch.

    tta epoch=3 top1=71.25 top5=90.1 seconds=512.3

The first word is ``tta``; ``epoch`` and at least one of ``top1``, ``top5``, ``f1`` are needed, in
per cent. Of these may come besides: ``seconds`` of training so far (else the time since the command
began counts), ``communication``, the seconds of those that workers waited for each other, and, in
quotation marks if they have spaces, ``framework`` and ``versions`` ("python 3.11.2, numpy 2.1").
"""

import shlex
from dataclasses import dataclass

from genset.tta.logs.numbers import number
from genset.tta.logs.tasks import F1, TOP1, TOP5

WORD = "tta"
SCORE_WORDS = {"top1": TOP1, "top5": TOP5, "f1": F1}
_NUMBERS = ("epoch", "seconds", "communication", *SCORE_WORDS)
_TEXTS = ("framework", "versions")
_LONGEST = 500  # letters of a text


@dataclass(frozen=True, slots=True)
class Line:
    """One epoch as told. Scores in per cent by column; times in seconds, None if not told."""

    epoch: float
    scores: dict[str, float]
    seconds: float | None = None
    communication: float | None = None
    framework: str = ""
    versions: str = ""


def read_line(text: str) -> Line | None:
    """Read a line of a program's output; None if it is not meant as an epoch's.

    Raises:
        ValueError: it is meant as one, and wrong; the message says how.
    """
    first, _, rest = text.strip().partition(" ")
    if first != WORD or "=" not in rest:
        return None
    told: dict[str, float] = {}
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
        told[name] = found
    scores = {SCORE_WORDS[name]: value for name, value in told.items() if name in SCORE_WORDS}
    if "epoch" not in told or not scores:
        raise ValueError(f"it needs epoch= and one of {', '.join(SCORE_WORDS)}")
    for name, score in scores.items():
        if score > 100:
            raise ValueError(f"{name} is over 100 per cent: {score:g}")
    if scores.get(TOP5, 100.0) < scores.get(TOP1, 0.0):
        raise ValueError("top-5 is below top-1")
    return Line(told["epoch"], scores, told.get("seconds"), told.get("communication"), **texts)


def write_line(line: Line) -> str:
    """The line as `read_line` reads it, without an end of line."""
    words = [WORD, f"epoch={line.epoch:.10g}"]
    words += [f"{w}={line.scores[c]:.10g}" for w, c in SCORE_WORDS.items() if c in line.scores]
    if line.seconds is not None:
        words.append(f"seconds={line.seconds:.3f}")
    if line.communication is not None:
        words.append(f"communication={line.communication:.3f}")
    for name, text in (("framework", line.framework), ("versions", line.versions)):
        if text:
            words.append(f"{name}={shlex.quote(text)}")
    return " ".join(words)
