"""A Ray cluster of two machines: one that has other files or no genset is named, by its address."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest

from genset.score.results.runs import find_runs
from tests.conftest import ROOT
from tests.score.colours import WNIDS, colours, hundred_photos, paint

FIRST, SECOND = "198.51.100.1", "198.51.100.2"  # addresses for documentation: nobody's

# The first machine's process, which ends the cluster with itself.
HEAD = """
import sys, ray
quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "CRITICAL"}
found = ray.init("local", num_cpus=int(sys.argv[1]), _node_ip_address=sys.argv[2], **quiet)
print(found.address_info["gcs_address"], flush=True)
sys.stdin.read()
"""

# Put first on a machine's path, it hides genset there.
WITHOUT_GENSET = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "genset":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""


@dataclass
class Machine:
    """A network namespace; `over` is a file there and the one that covers it there."""

    name: str
    address: str
    over: tuple[Path, Path] | None = None
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, command: Sequence[str]) -> "subprocess.Popen[str]":
        """Start a command on it, in a process group of its own."""
        covered = f"mount --bind '{self.over[1]}' '{self.over[0]}' && " if self.over else ""
        script = f'{covered}exec "$@"'  # of a mount namespace: ip makes one
        return subprocess.Popen(
            ["ip", "netns", "exec", self.name, "sh", "-c", script, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **self.environment},
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


@pytest.fixture
def machines() -> Iterator[tuple[Machine, Machine]]:
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid4().hex}
    with two_machines() as both:
        for machine in both:
            machine.environment |= {**secret, "RAY_USAGE_STATS_ENABLED": "0"}
        yield both
        for machine in both:
            leave(machine)


def leave(machine: Machine) -> None:
    """End whatever runs on a machine."""
    for process in processes_of(machine):
        os.kill(process, signal.SIGKILL)


def processes_of(machine: Machine) -> list[int]:
    command = ["ip", "netns", "pids", machine.name]
    return [int(pid) for pid in subprocess.check_output(command, text=True).split()]


@contextmanager
def cluster(first: Machine, cores: int) -> Iterator[None]:
    """A cluster that begins on this machine, with so many of its cores."""
    head = first.start([sys.executable, "-c", HEAD, str(cores), first.address])
    assert head.stdin is not None
    assert head.stdout is not None
    try:
        first.environment["RAY_ADDRESS"] = head.stdout.readline().strip()
        yield
    finally:
        head.stdin.close()
        head.wait()


def join(second: Machine, first: Machine) -> None:
    """Have a machine join the cluster that begins on another."""
    address = first.environment["RAY_ADDRESS"]
    start = ["start", "--address", address, "--node-ip-address", second.address]
    done = second.start([sys.executable, "-m", "ray.scripts.scripts", *start, "--num-cpus=1"])
    said, problem = done.communicate(timeout=120)
    assert done.returncode == 0, said + problem


def command(first: Machine, folder: Path, spec: str) -> "subprocess.Popen[str]":
    words = [str(folder / "photos"), "--model", spec, "--runs", str(folder / "runs")]
    genset = [sys.executable, "-m", "genset", "evaluate", *words, "--engine-cluster", "ray"]
    return first.start(genset)


def ended(process: "subprocess.Popen[str]", folder: Path) -> str:
    """The line that a command ended with, having kept nothing; whatever happens, it is over."""
    try:
        _, errors = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    (line,) = errors.strip().splitlines()
    assert process.returncode == 1
    assert find_runs(folder / "runs", "photos") == []
    return line


@pytest.mark.soak
def test_an_unlike_machine_is_named(machines: tuple[Machine, Machine], tmp_path: Path) -> None:
    first, second = machines
    photo = hundred_photos(tmp_path / "photos") / WNIDS[0] / "000.png"
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(WITHOUT_GENSET)
    with cluster(first, cores=0):
        second.environment["PYTHONPATH"] = f"{tmp_path / 'hidden'}:{ROOT}"
        join(second, first)
        line = ended(command(first, tmp_path, colours(tmp_path)), tmp_path)
        assert f"({SECOND}) of the Ray cluster: No module named 'genset'" in line
        leave(second)
        del second.environment["PYTHONPATH"]
        other = paint(tmp_path / "other", 0, "000.png", "lime")
        other.write_bytes(other.read_bytes().ljust(photo.stat().st_size, b"\0"))
        second.over = photo, other
        join(second, first)
        line = ended(command(first, tmp_path, colours(tmp_path)), tmp_path)
        assert f"({SECOND}) of the Ray cluster: {photo} is not there, or another photo" in line


@pytest.mark.soak
def test_where_ray_is_killed_one_line_says_so(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    first, _ = machines
    hundred_photos(tmp_path / "photos")
    spec = colours(tmp_path, network="tests.score.colours:Slow")
    with cluster(first, cores=1):
        scoring = command(first, tmp_path, spec)
        while not list((tmp_path / "runs").rglob("*.npz")):
            assert scoring.poll() is None
            time.sleep(0.02)
        for process in processes_of(first):
            if Path(f"/proc/{process}/comm").read_text().strip() == "raylet":
                os.kill(process, signal.SIGKILL)
        line = ended(scoring, tmp_path)
    assert "the Ray cluster is out of reach" in line
    assert "run the same command again" in line
