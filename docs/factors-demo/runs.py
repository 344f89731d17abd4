"""Trains with all combinations of the four switches, and with other batches: python runs.py SEEDS.

Two runs at a time, of one thread each, which take the same time of the processor whatever else the
machine does, or nearly: others' work takes some of its caches. So all combinations run with one
seed before the next, and repeats of one do not suffer together. Runs that are recorded already are
not run again.
"""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

SWITCHES = ("momentum", "normalize", "1cycle", "preload")
BATCHES = (8, 128)
RECORD = ["genset", "tta", "record", "--model", "one hidden layer", "--task", "digits"]
RECORD += ["--threshold", "94"]
TRAIN = [sys.executable, str(Path(__file__).with_name("train.py")), "--seed", "{seed}"]


def configurations() -> Iterator[tuple[str, list[str]]]:
    """The name of each and its options."""
    for chosen in product((False, True), repeat=len(SWITCHES)):
        on = [switch for switch, is_on in zip(SWITCHES, chosen, strict=True) if is_on]
        yield "+".join(on) or "none", [f"--{switch}" for switch in on]
    for batch in BATCHES:
        yield f"batch-{batch}", [*(f"--{switch}" for switch in SWITCHES), "--batch", str(batch)]


def run(name: str, options: list[str], seed: int) -> str:
    """Record one run; returns what to print."""
    command = [*RECORD, "-o", f"runs/{name}", "--seeds", f"{seed}..{seed}", "--", *TRAIN, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}, seed {seed}: {done.stdout}{done.stderr}")
    return f"{name}, seed {seed}"


def main(seeds: int) -> None:
    """Run all, and say how far it is."""
    jobs = [(*each, seed) for seed in range(seeds) for each in configurations()]
    with ThreadPoolExecutor(2) as pool:
        for at, said in enumerate(pool.map(lambda job: run(*job), jobs), 1):
            print(f"{at} of {len(jobs)}: {said}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
