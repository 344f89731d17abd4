"""Commands that open a new workspace at the same moment all open it."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PROCESSES, ROUNDS = 8, 20

# Once all is imported (another user may not read it), splits off processes of one user each, which
# open one new database after the other, all at the same moment.
OPENING = """
import os, sys
from multiprocessing import get_context
from genset.db import Store

def open_each(folder, user, rounds, together):
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    for number in range(rounds):
        together.wait()
        try:
            Store.open(f"sqlite:///{folder}/{number}.db").close()
            print("opened\\n", end="", flush=True)
        except Exception as error:
            print(f"{error}\\n", end="", flush=True)

folder, user, processes, rounds = sys.argv[1], *map(int, sys.argv[2:])
Store.open(f"sqlite:///{folder}/first.db").close()
fork = get_context("fork")
together = fork.Barrier(processes)
work = [
    fork.Process(target=open_each, args=(folder, user, rounds, together)) for _ in range(processes)
]
for each in work:
    each.start()
for each in work:
    each.join()
"""


@pytest.mark.parametrize("user", ["myself", "an ordinary user"])
@pytest.mark.soak
def test_nobody_finds_the_database_locked(open_to_all: Path, user: str) -> None:
    """Where the switch to write-ahead logging did not wait, one process in 50 did."""
    number = 0 if user == "myself" else 65534
    if number and os.getuid() != 0:
        pytest.skip("you are an ordinary user already")
    done = subprocess.run(
        [sys.executable, "-c", OPENING, str(open_to_all), *map(str, (number, PROCESSES, ROUNDS))],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert Counter(done.stdout.splitlines()) == {"opened": PROCESSES * ROUNDS}
