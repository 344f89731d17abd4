"""Two machines in one: network namespaces, each with an address and with files of its own."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import ROOT

FIRST, SECOND = "198.51.100.1", "198.51.100.2"  # addresses for documentation: nobody's


@dataclass
class Machine:
    """A network namespace; `over` lists folders and files that others of this machine cover."""

    name: str
    address: str
    over: dict[Path, Path] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def start(
        self, command: Sequence[str], environment: Mapping[str, str]
    ) -> "subprocess.Popen[str]":
        """Start a command on it, in a process group of its own."""
        covered = [f"mount --bind '{its}' '{path}'" for path, its in self.over.items()]
        script = " && ".join([*covered, 'exec "$@"'])  # of a mount namespace: ip makes one
        return subprocess.Popen(
            ["ip", "netns", "exec", self.name, "sh", "-c", script, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment, **self.environment},
            start_new_session=True,
        )


@contextmanager
def two_machines() -> Iterator[tuple[Machine, Machine]]:
    """Make them, joined by a cable; skip the test where that is not possible."""
    names = [f"genset-{os.getpid()}-{number}" for number in (1, 2)]
    try:
        try:
            for name in names:
                _ip("netns", "add", name)
            _ip("link", "add", "cable", "netns", names[0], "type", "veth", "peer", "name", "cable", "netns", names[1])  # fmt: skip # noqa: E501
            for name, address in zip(names, (FIRST, SECOND), strict=True):
                _ip("-n", name, "address", "add", f"{address}/24", "dev", "cable")
                for device in ("lo", "cable"):
                    _ip("-n", name, "link", "set", device, "up")
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"two machines need root and the command ip, to make networks: {error}")
        yield Machine(names[0], FIRST), Machine(names[1], SECOND)
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], capture_output=True, check=True)


@dataclass(frozen=True)
class Ended:
    """What a command said, and its exit code."""

    code: int
    output: str
    errors: str


def ended(processes: "Sequence[subprocess.Popen[str]]") -> list[Ended]:
    """Wait for commands; whatever happens, none of them stays."""
    found = []
    try:
        for process in processes:
            output, errors = process.communicate(timeout=120)
            found.append(Ended(process.returncode, output, errors))
    finally:
        for process in processes:
            kill(process)
    return found


def kill(process: "subprocess.Popen[str]") -> None:
    """End a command and all that it started, as a power cut does."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()
