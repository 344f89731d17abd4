"""A Ray cluster gives the counts of one process, whatever happens to its processes."""

import importlib.util
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from torch import Tensor

from genset.core.errors import BadInput, GensetError, MissingExtra
from genset.score.evaluate import SomeModelsFailed
from genset.score.options import ScoringOptions
from genset.score.results.runs import Run, find_runs
from genset.score.workers import CLUSTERS
from genset.sets.open import open_set
from tests.conftest import ROOT
from tests.score.colours import WNIDS, Colours, colours, hundred_photos, paint
from tests.score.scoring import counts, evaluate, kept_of


@pytest.fixture(scope="module")
def address() -> Iterator[dict[str, str]]:
    """The settings that lead to a cluster of two processes on this machine."""
    if importlib.util.find_spec("ray") is None:  # not imported: it reads the settings only then
        pytest.skip("Ray is not installed")
    secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid4().hex}
    process = subprocess.Popen(
        [sys.executable, "-c", HEAD, "2", "127.0.0.1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **secret, "RAY_USAGE_STATS_ENABLED": "0"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield {"RAY_ADDRESS": process.stdout.readline().strip(), **secret}
    finally:
        process.stdin.close()
        process.wait()


@pytest.fixture
def cluster(address: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in address.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return hundred_photos(tmp_path / "photos")


def scored(photos: Path, runs: Path, *specs: str, **how: Any) -> list[Run]:
    return evaluate(open_set(str(photos)), specs, runs, ScoringOptions(**how))


def on_ray(photos: Path, runs: Path, *specs: str) -> list[Run]:
    """The same on the cluster."""
    try:
        return scored(photos, runs, *specs, cluster="ray")
    except SomeModelsFailed as error:
        raise GensetError(str(error)) from None  # which can be sent to another process


@pytest.mark.usefixtures("cluster")
@pytest.mark.soak
def test_a_cluster_gives_the_same(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # paths may begin at the current folder
    spec = colours(Path())
    specs = [spec, f"{spec}&name=other".replace("mean=0.5", "mean=0.1")]
    scored(Path("photos"), Path("one"), *specs)
    bad = colours(Path(), network="tests.score.colours:Broken") + "&name=broken"
    with pytest.raises(GensetError, match="a bug of yours") as failed:
        on_ray(Path("photos"), Path("many"), bad, *specs)
    assert str(failed.value).count("a bug of yours") == 1
    assert kept_of(tmp_path / "many") == kept_of(tmp_path / "one")
    assert counts(kept_of(tmp_path / "many")["colours"][1]) == (33, 99)


class Mortal(Colours):
    """Kills the process that it is in, at its third batch, once."""

    batches = 0

    def forward(self, pixels: Tensor) -> Tensor:
        self.batches += 1
        if self.batches == 3 and not Path("died").exists():
            Path("died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().forward(pixels)


@pytest.mark.usefixtures("cluster")
@pytest.mark.soak
def test_processes_die(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scored(photos, tmp_path / "one", colours(tmp_path))
    mortal = colours(tmp_path, network=f"{__name__}:Mortal")
    on_ray(photos, tmp_path / "many", mortal)
    Path("died").unlink()
    assert kept_of(tmp_path / "many") == kept_of(tmp_path / "one")
    monkeypatch.setattr("genset.score.workers.ray._RETRIES", 0)
    with pytest.raises(GensetError, match=r"died 1 times .*--num-cpus.*run the same command"):
        on_ray(photos, tmp_path / "runs", mortal)


@pytest.mark.usefixtures("cluster")
@pytest.mark.soak
def test_a_run_whose_command_is_killed_goes_on(photos: Path, tmp_path: Path) -> None:
    spec = colours(tmp_path, network="tests.score.colours:Slow")
    scored(photos, tmp_path / "one", spec)
    runs = tmp_path / "many"
    killed = multiprocessing.get_context("fork").Process(target=on_ray, args=(photos, runs, spec))
    killed.start()
    while len(list(runs.rglob("*.npz"))) < 2:
        assert killed.is_alive()
        time.sleep(0.01)
    killed.kill()
    killed.join()
    assert find_runs(runs, "photos") == []
    before = {path.name: path.read_bytes() for path in runs.rglob("*.npz")}
    on_ray(photos, runs, spec)
    assert before
    assert kept_of(runs) == kept_of(tmp_path / "one")


def test_without_a_cluster(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(GensetError, match=r"no Ray cluster .*RAY_ADDRESS.*`ray start --head"):
        on_ray(photos, tmp_path / "runs", colours(tmp_path))


def test_without_ray(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'genset\[ray\]'"):
        scored(photos, tmp_path / "runs", colours(tmp_path), cluster="ray")


@pytest.mark.parametrize(
    ("how", "named"),
    [
        ({"cluster": "slurm"}, f"engine cluster is one of {', '.join(CLUSTERS)}, not slurm"),
        ({"cluster": "ray", "workers": 2}, "leave out --workers"),
    ],
)
def test_what_a_cluster_cannot_do_is_named(how: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        ScoringOptions(**how)


# A Ray cluster of two machines: one that has other files or no genset is named, by its address.


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
def cluster_of(first: Machine, cores: int) -> Iterator[None]:
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
    with cluster_of(first, cores=0):
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
    with cluster_of(first, cores=1):
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
