"""How long a report on many models takes.

    python -m benchmarks.report --models 67 --photos 10000 --runs 5

The models' answers are made up. Each time is that of a whole process, `genset report`, start-up
included: seconds of the processors, which other work on the machine changes less than those of the
clock.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.reporting.many import many_made_up

FORMS = {
    "page": ["-o", "page.html"],
    "--json": ["--json"],
    "--format markdown": ["--format", "markdown"],
}


class Cost(NamedTuple):
    """What a process took: seconds of the processors, of the clock, and its most memory in MB."""

    processors: float
    clock: float
    megabytes: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", type=int, default=67)
    parser.add_argument("--photos", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        many_made_up(folder, asked.models, asked.photos, classes=1000)
        for form, words in FORMS.items():
            _tell(form, [_cost(folder, words) for _ in range(asked.runs)])
            if form == "page":
                print(f"page: {(folder / 'page.html').stat().st_size / 1e6:.2f} MB")


def _cost(folder: Path, words: list[str]) -> Cost:
    started = time.perf_counter()
    command = [sys.executable, "-m", "genset", "report", "photos.csv", *words]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return Cost(_processors(used), time.perf_counter() - started, used.ru_maxrss / 1024)


def _processors(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def _tell(what: str, costs: list[Cost]) -> None:
    spent = [each.processors for each in costs]
    print(
        f"{what:24} {statistics.median(spent):6.2f} s of processors ({min(spent):.2f} to "
        f"{max(spent):.2f}; {len(costs)} runs), "
        f"{statistics.median(each.clock for each in costs):.2f} s, "
        f"{max(each.megabytes for each in costs):.0f} MB",
        flush=True,
    )


if __name__ == "__main__":
    main()
