"""A terminal: each command is a process of its own, as a user's is, and starts in a moment.

What takes seconds to import is imported once, in a process (this module, run as a program) that
splits one off for each command: so no command sees what another one left in memory.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent

# What genset imports where it needs it, and many commands do.
LATER = ("alembic.command", "alembic.config", "scipy.special", "torchvision")


class Answer(NamedTuple):
    """What a command answered: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


def environment(home: Path, **more: str) -> dict[str, str]:
    """The same on every machine: no GPU, no key, a name of its own; the time zone is the user's."""
    found = {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(ROOT),
        "HOME": str(home),
        "TMPDIR": str(home),
        "LOGNAME": "ann",
        "LANG": "C.UTF-8",
        "CUDA_VISIBLE_DEVICES": "",
    }
    if "TZ" in os.environ:
        found["TZ"] = os.environ["TZ"]
    return found | more


_ONE_AT_A_TIME = Lock()


@cache
def started() -> "subprocess.Popen[str]":
    """The process that splits off commands: one for all terminals, to the end of this process."""
    home = Path(tempfile.mkdtemp(prefix="genset-terminal-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.terminal"],
        cwd=ROOT,
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.communicate)
    return process


class Terminal:
    """Runs commands; `home` is a folder for what they keep outside of a workspace."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *words: str, cwd: Path, **more: str) -> Answer:
        """Run ``genset WORDS`` in a folder; `more` is added to its environment."""
        return self.run(words, cwd, environment(self.home, **more))

    def run(self, words: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Answer:
        """Run ``genset WORDS`` in a folder with this environment alone."""
        out, err = self.home / "out.txt", self.home / "err.txt"
        job = {
            "words": words,
            "cwd": str(cwd),
            "environment": dict(env),
            "out": str(out),
            "err": str(err),
        }
        with _ONE_AT_A_TIME:
            process = started()
            assert process.stdin and process.stdout
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
            code = process.stdout.readline()
            assert code, "the process that starts commands has ended"
            return Answer(int(code), out.read_text("utf-8"), err.read_text("utf-8"))


def next_job() -> dict[str, Any]:
    """Wait for commands and split a process off for each; returns in those processes alone."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return dict(json.loads(line))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
    os._exit(0)


def become(job: dict[str, Any]) -> None:
    """Be as ``python -m genset`` is when it starts."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for number, name in ((1, "out"), (2, "err")):
        file = os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["environment"])
    time.tzset()
    sys.path[0] = job["cwd"]
    sys.argv = ["genset", *job["words"]]


def import_all() -> None:
    """Import what commands use, whatever the parts of genset are called."""
    import genset

    for name in LATER:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(genset.__path__, "genset."):
        if "migrations" not in module.name:  # these run when they are imported
            importlib.import_module(module.name)
    gc.freeze()  # nobody looks through these, so that processes share their memory


def run_command() -> None:
    """Be the command, and leave its memory to the system: freeing it all takes seconds.

    What was registered for the end is still done.
    """
    from genset.__main__ import main

    code = 1

    def leave() -> None:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)

    atexit.register(leave)  # what is registered first is called last
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise


if __name__ == "__main__":
    import_all()
    become(next_job())
    run_command()
