"""Studies as tests write them: logs of real form, and the RUNS.toml that names them."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from tests.tta import answers
from tests.tta.dawnbench_entries import write_entry

# By so much repeats are slower: their geometric mean is that of the middle one.
SCATTER = (0.98, 1.0, 1 / 0.98)


factors = partial(answers.tta, "factors")
answer = partial(answers.answer, "factors")
refusal = partial(answers.refusal, "factors")


def write_repeats(
    folder: Path,
    hours: float,
    epochs: int = 4,
    final: float = 93.5,
    scatter: Sequence[float] = SCATTER,
    **changed: Any,
) -> None:
    """Runs that reach 93 % in the last epoch, after `hours`, if `final` is so much.

    The model's final score differs from run to run by a tenth of a point.
    """
    for at, slower in enumerate(scatter):
        scores = [*range(80, 80 + epochs - 1), final + 0.1 * at]
        write_entry(folder / f"run-{at}", scores, hours * slower / epochs, **changed)


def write_study(folder: Path, runs: Sequence[Mapping[str, Any]], top: str = "") -> Path:
    """A RUNS.toml of these runs: `log`, `on`, `set`."""
    parts = [top]
    for run in runs:
        part = [f"log = {json.dumps(run['log'])}", f"on = {json.dumps(list(run.get('on', [])))}"]
        if "set" in run:
            settings = ", ".join(f"{key} = {value}" for key, value in run["set"].items())
            part.append(f"set = {{{settings}}}")
        parts.append("\n".join(["[[run]]", *part]))
    path = folder / "RUNS.toml"
    path.write_text("\n\n".join(parts) + "\n")
    return path


def write_design(
    folder: Path,
    brings: Mapping[str, float],
    together: Mapping[frozenset[str], float] | None = None,
    without: Sequence[Sequence[str]] = (),
    top: str = "",
    **repeats: Any,
) -> Path:
    """All combinations of factors, of which each makes runs `brings` times as fast.

    Those of `together` make runs so many times as fast besides. Combinations in `without` have no
    runs.
    """
    left_out = {frozenset(on) for on in without}
    runs = []
    for size in range(len(brings) + 1):
        for on in combinations(brings, size):
            if frozenset(on) in left_out:
                continue
            hours = 8.0 * (1 + 1e-9 * len(runs))  # no two logs are the same
            for factor in on:
                hours /= brings[factor]
            for both, times in (together or {}).items():
                hours /= times if both <= set(on) else 1
            log = "-".join(on) or "none"
            write_repeats(folder / log, hours, **repeats)
            runs.append({"log": log, "on": on})
    return write_study(folder, runs, top)
