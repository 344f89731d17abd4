"""A command that ends quickly leaves nothing undone."""

import subprocess
import sys

import pytest

START = """
import atexit, sys, threading, time
from genset.own_process import own_process
with own_process():
    atexit.register(print, "registered")
    threading.Thread(target=lambda: (time.sleep(0.2), print("in a thread"))).start()
    print("in the block")
    {end}
"""


@pytest.mark.parametrize(
    ("end", "code", "error"),
    [
        ("pass", 0, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit(2)", 2, ""),
        ("sys.exit('it went wrong')", 1, "it went wrong\n"),
        ("raise ValueError('a mistake')", 1, "ValueError: a mistake\n"),
    ],
)
def test_what_is_left_to_do_is_done_and_the_exit_code_is_kept(
    end: str, code: int, error: str
) -> None:
    script = START.format(end=end)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == code
    assert done.stderr.endswith(error)
    assert done.stdout == "in the block\nin a thread\nregistered\n"


def test_one_that_nobody_listens_to_ends_too() -> None:
    script = START.format(end="print('x' * 1_000_000)")
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(20) == 1
