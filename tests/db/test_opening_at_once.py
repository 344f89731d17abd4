"""Commands that open a new workspace at the same moment all open it."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PROCESSES, ROUNDS = 8, 20

# Splits off processes which open one new database after the other, all at the same moment.
OPENING = """
import sys
from multiprocessing import get_context
from genset.db import Store

def open_each(folder, rounds, together):
    for number in range(rounds):
        together.wait()
        try:
            Store.open(f"sqlite:///{folder}/{number}.db").close()
            print("opened\\n", end="", flush=True)
        except Exception as error:
            print(f"{error}\\n", end="", flush=True)

folder, processes, rounds = sys.argv[1], *map(int, sys.argv[2:])
Store.open(f"sqlite:///{folder}/first.db").close()
fork = get_context("fork")
together = fork.Barrier(processes)
work = [
    fork.Process(target=open_each, args=(folder, rounds, together)) for _ in range(processes)
]
for each in work:
    each.start()
for each in work:
    each.join()
"""


@pytest.mark.soak
def test_nobody_finds_the_database_locked(tmp_path: Path) -> None:
    """Where the switch to write-ahead logging did not wait, one process in 50 did."""
    done = subprocess.run(
        [sys.executable, "-c", OPENING, str(tmp_path), str(PROCESSES), str(ROUNDS)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert Counter(done.stdout.splitlines()) == {"opened": PROCESSES * ROUNDS}
