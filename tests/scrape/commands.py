"""Run a command as a user does, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path


def genset(*words: str, cwd: Path, code: int = 0, endpoint: str = "", key: str = "key") -> str:
    """What it printed; where it must end with `code`, its one line on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "genset", *words],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if "FLICKR" not in name}
        | {
            "GENSET_PAUSE_FACTOR": "0.001",
            "GENSET_FLICKR_ENDPOINT": endpoint,
            "FLICKR_API_KEY": key,
            "FLICKR_API_SECRET": key,
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    if code:
        assert done.stderr.count("\n") == 1, done.stderr
        return done.stderr
    return done.stdout
