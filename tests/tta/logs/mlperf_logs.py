"""MLPerf's logs as tests write them, in the form of each round."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROUNDS = ("v0.5", "v0.6", "v0.7")
# A day of round v2.1.
START = 1_660_000_000.0


def line(form: str, seconds: float, key: str, value: Any = None, **more: Any) -> str:
    """One line; `more` is what stands beside the value, as the epoch."""
    if form == "v0.5":
        told = json.dumps(({"value": value} if value is not None else {}) | more) if more else ""
        plain = "" if value is None else json.dumps(value)
        words = f": {told or plain}" if told or plain else ""
        return f":::MLPv0.5.0 resnet {START + seconds:.6f} (train.py:7) {key}{words}"
    told = {"value": value, "metadata": {"file": "train.py", "lineno": 7} | more}
    if form == "v0.6":
        return f":::MLL {START + seconds:.6f} {key}: {json.dumps(told)}"
    time = {"namespace": "", "time_ms": round(1000 * (START + seconds)), "key": key}
    return f":::MLLOG {json.dumps(time | told)}"


def lines(
    form: str,
    scores: Iterable[float],
    target: float | None = 0.749,
    benchmark: str = "resnet",
    status: str | None = "success",
    late: float = 0.0,
) -> list[str]:
    """A run that is evaluated once an hour, and stops a second after the last evaluation.

    `late` seconds are by how much this worker's clock is behind.
    """
    epoch = "epoch" if form == "v0.5" else "epoch_num"
    told = [line(form, late, "submission_benchmark", benchmark), line(form, late, "run_start")]
    if target is not None:
        told.append(line(form, late + 1, "eval_target", target))
    at = 0
    for at, score in enumerate(scores, 1):
        told.append(line(form, late + at * 3600, "eval_accuracy", score, **{epoch: at}))
    stop = late + at * 3600 + 1
    if status == "none":
        told.append(line(form, stop, "run_stop"))
    elif status:
        said = {"success": status == "success"} if form == "v0.5" else {"status": status}
        told.append(line(form, stop, "run_stop", **said))
    return told


def write(path: Path, told: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{each}\n" for each in told))
    return path


def write_power(result: Path, watts: Iterable[float], efficiency: float = 0.9) -> Path:
    """The log of a node's power beside a run's, with a reading once an hour.

    Returns:
        the run's log.
    """
    told = [line("v0.7", 0, "power_measurement_start")]
    told += [line("v0.7", 0, "conversion_eff", efficiency)]
    told += [line("v0.7", 3600 * at, "power_reading", w) for at, w in enumerate(watts, 1)]
    write(result.parent / "power" / result.stem / "node_0.txt", told)
    return result
