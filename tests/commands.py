"""Commands as a user runs them: processes of their own, of which each pytest's terminal knows."""

import atexit
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from genset.cli import cli
from genset.core.errors import GensetError
from tests.terminal import Terminal


def run(
    *words: object, cwd: str | Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What ``genset WORDS`` answers; `env` is its whole environment, this process's where None."""
    line = [str(word) for word in words]
    code, out, err = _terminal().run(line, Path(cwd), os.environ if env is None else env)
    return subprocess.CompletedProcess(["genset", *line], code, out, err)


def as_json(*words: object) -> Any:
    """What ``genset WORDS --json`` prints, run in this process; it raises what the command does."""
    done = CliRunner().invoke(cli, [*map(str, words), "--json"])
    if done.exception is not None:
        raise done.exception
    return json.loads(done.stdout)


def says(*words: str, code: int = 0) -> str:
    """What ``genset WORDS`` prints, run in this process, or the error that it ends with."""
    result = CliRunner().invoke(cli, words)
    if isinstance(error := result.exception, GensetError):
        assert error.exit_code == code, str(error)
        return str(error)
    assert result.exit_code == code, result.output
    return result.stdout


@cache
def _terminal() -> Terminal:
    home = Path(tempfile.mkdtemp(prefix="genset-terminal-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return Terminal(home)
