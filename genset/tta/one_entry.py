"""Whether runs are of one entry, the same recipe trained several times, and which of them count.

Runs of different models, machines, frameworks or schedules are refused: numbers of stability or
scaling would describe a mixture. What a log does not say is no difference.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.files import packaged_rows
from genset.core.safe import clean
from genset.tta.logs.common import number
from genset.tta.runs import Training

# Runs of one schedule end within this factor of each other.
_ALIKE = 1.5

_MOST = 4  # values that a message names

# A type of machine or accelerator: "V100", "p3.16xlarge", "TPUv2", "RTX 4090".
_TYPE = re.compile(
    r"\b(?:[a-z]+|(?:rtx|gtx|dgx|epyc|gold|platinum|tpu)[ -]v?)\d[\w.]*", re.IGNORECASE
)

# Settings that go with the number of workers.
_BY_SIZE = re.compile(
    r"batch|\blr|learning.?rate|warm|worker|gpu|node|device|world|rank|process|accum", re.IGNORECASE
)


def check_one_entry(
    runs: Sequence[Training], threshold: float, mixed: bool = False, sizes: bool = False
) -> list[str]:
    """Refuse runs of different entries.

    Args:
        runs: all for one task.
        threshold: in the score's unit: a run that ends where it reaches it was stopped for that.
        mixed: accept differences, and return them.
        sizes: the runs are of one entry at several sizes: the number of machines and what goes
            with it (batch size, learning rate) may differ, and so may the framework's version.

    Returns:
        In what the runs differ, one line each; none if they do not.

    Raises:
        BadInput: they differ, and `mixed` is false; or they do not, and it is true.
    """
    found = differences(runs, threshold, sizes)
    check_mixed(mixed, found)
    if found and not mixed:
        more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
        raise BadInput(
            f"the runs are not of one entry: {'; '.join(found[:3])}{more}. Give the runs of "
            "one entry, or use --mixed"
        )
    return found


def check_mixed(mixed: bool, found: Sequence[str]) -> None:
    """Refuse to accept differences where there are none."""
    if mixed and not found:
        raise BadInput("--mixed would change nothing: the runs do not differ")


def differences(runs: Sequence[Training], threshold: float, sizes: bool = False) -> list[str]:
    """In what runs differ: "model ResNet-18 and ResNet-50". See `check_one_entry`."""
    abouts = [run.about for run in runs]
    # Where logs say how and on what they were trained, that decides, not what they are called.
    by_name = not sizes and not all(about.settings and about.hardware for about in abouts)
    found = [
        _differ("entry", (about.entry for about in abouts if by_name), _same_words),
        *machinery(runs, sizes),
    ]
    keys = {key for about in abouts for key in about.settings}
    for key in sorted(keys, key=lambda key: ("epoch" not in key.lower(), key)):
        if not (sizes and _BY_SIZE.search(key)):
            values = (about.settings.get(key, "") for about in abouts)
            found.append(_differ(key, values, _same_words))
    return [line for line in [*found, _lengths(runs, threshold)] if line]


def machinery(runs: Sequence[Training], sizes: bool = False) -> list[str]:
    """In which models, machines and frameworks runs differ. See `check_one_entry`."""
    same = {"hardware": _same_machines, "framework": _same_framework} if sizes else {}
    lines = [
        _differ(name, (getattr(run.about, name) for run in runs), same.get(name, _same_words))
        for name in ("model", "hardware", "framework")
    ]
    return [line for line in lines if line]


def _differ(what: str, values: Iterable[str], same: Callable[[str, str], bool]) -> str:
    """A line that names the values that are not the same; empty if all are, or say nothing."""
    distinct: list[str] = []
    for value in values:
        if value and not any(same(value, other) for other in distinct):
            distinct.append(value)
    if len(distinct) < 2:
        return ""
    if None not in (numbers := [number(value) for value in distinct]):
        distinct = [text for _, text in sorted(zip(numbers, distinct, strict=True))]
    return f"{clean(what, 40)} {_listed([clean(value, 50) for value in distinct])}"


def _listed(values: Sequence[str]) -> str:
    if len(values) > _MOST:
        values = [*values[: _MOST - 1], f"{len(values) - _MOST + 1} more"]
    return " and ".join(filter(None, [", ".join(values[:-1]), values[-1]]))


def _lengths(runs: Sequence[Training], threshold: float) -> str:
    """Where logs do not name the epochs planned: that they end far from each other.

    A run that was interrupted, or stopped where it reached the threshold, does not tell how long it
    was to be.
    """
    runs = [run for run in runs if not run.about.ending]
    if all(any("epoch" in key.lower() for key in run.about.settings) for run in runs):
        return ""
    ends = {max(run.epochs[-1].epoch, 1.0) for run in runs if not _stopped(run, threshold)}
    if ends and max(ends) > _ALIKE * min(ends):
        return f"last epoch {_listed([f'{end:g}' for end in sorted(ends)])}"
    return ""


def _stopped(run: Training, threshold: float) -> bool:
    """Whether a run may be shorter than planned since it got there."""
    task = run.about.task
    scores = run.scores()
    return run.stop is not None or (
        task.reaches(scores[-1], threshold)
        and not any(task.reaches(score, threshold) for score in scores[:-1])
    )


def _same_words(one: str, other: str) -> bool:
    """Whether two texts have the same words and numbers: "PyTorch 2.4" and "pytorch-2.4" do."""
    numbers = number(one.strip()), number(other.strip())
    if None not in numbers:
        return numbers[0] == numbers[1]
    return _words(one) == _words(other)


def _words(text: str) -> list[str]:
    found = re.findall(r"[^\W\d_]+|\d+(?:\.\d+)*", text.casefold())
    return found or [text.strip().casefold()]


def _same_machines(one: str, other: str) -> bool:
    """Whether two texts name a type of machine or accelerator in common, however many of them."""
    types = [{re.sub("[ -]", "", t.lower()) for t in _TYPE.findall(text)} for text in (one, other)]
    if all(types):
        return bool(types[0] & types[1])
    return kind_of(one, "hardware") == kind_of(other, "hardware")


def _same_framework(one: str, other: str) -> bool:
    kind = kind_of(one, "framework")
    if kind == "other":
        return [w for w in _words(one) if w.isalpha()] == [w for w in _words(other) if w.isalpha()]
    return kind == kind_of(other, "framework")


# Which runs count


def counted(runs: Sequence[Training], threshold: float) -> list[Training]:
    """The runs of which one can tell whether they reach the threshold (`Training.doubt`).

    The others are neither a success nor a failure.
    """
    return [run for run in runs if not run.doubt(threshold)]


def together(runs: Sequence[Training], threshold: float) -> list[str]:
    """Remarks on all runs of an entry: which do not count, and where their origins differ."""
    counting = counted(runs, threshold)
    remarks = []
    reasons = {run.about.name: reason for run in runs if (reason := run.doubt(threshold))}
    for reason in dict.fromkeys(reasons.values()):
        names = [name for name, other in reasons.items() if other == reason]
        remarks.append(f"cannot tell, not counted: {_listed(names)}: {reason}")
    for key in sorted({key for run in counting for key in run.about.origin}):
        values = sorted({run.about.origin.get(key, "") for run in counting} - {""})
        if len(values) > 1:
            remarks.append(f"the runs are of {len(values)} {key}s: {_listed(values)}")
    return remarks


# Kinds of hardware and frameworks, guessed from well-known words

# By what they are of. The first kind with a word in the text is its kind: a machine with GPUs names
# its CPUs too.
_KINDS = packaged_rows(Path(__file__).with_name("kinds.csv"))


def kind_of(text: str, of: str) -> str:
    """Of "hardware": TPU, NPU, GPU or CPU; of a "framework": PyTorch, JAX, and so on.

    Else other, or not given.
    """
    if not text.strip():
        return "not given"
    named = (row for row in _KINDS if row["of"] == of and re.search(row["words"], text, re.I))
    return next((row["kind"] for row in named), "other")
