"""Run a command as a user does, in a process of its own."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from tests.commands import run


def genset(
    *words: str,
    cwd: Path,
    code: int = 0,
    endpoint: str = "",
    key: str = "key",
    more: Mapping[str, str] | None = None,
) -> str:
    """What it printed; where it must end with `code`, its one line on standard error.

    `more` are further environment variables. How to use the command may stand before that line.
    """
    done = run(
        *words,
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if "FLICKR" not in name}
        | {
            "GENSET_PAUSE_FACTOR": "0.001",
            "GENSET_FLICKR_ENDPOINT": endpoint,
            "FLICKR_API_KEY": key,
        }
        | dict(more or {}),
    )
    assert done.returncode == code, done.stderr
    if code:
        said = re.sub(r"\AUsage: .*\nTry .*\n\n", "", done.stderr)
        assert said.count("\n") == 1, done.stderr
        return said
    return done.stdout
