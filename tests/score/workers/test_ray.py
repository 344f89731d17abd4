"""A Ray cluster gives the counts of one process, whatever happens to its processes."""

import importlib.util
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
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
from tests.score.colours import Colours, colours, hundred_photos
from tests.score.scoring import counts, evaluate, kept_of

CLUSTER = """
import sys, ray
quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "CRITICAL"}
found = ray.init("local", num_cpus=2, **quiet)
print(found.address_info["gcs_address"], flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def address() -> Iterator[dict[str, str]]:
    """The settings that lead to a cluster of two processes on this machine."""
    if importlib.util.find_spec("ray") is None:  # not imported: it reads the settings only then
        pytest.skip("Ray is not installed")
    secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid4().hex}
    process = subprocess.Popen(
        [sys.executable, "-c", CLUSTER],
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
    return _on_ray(photos, runs, *specs)


def _on_ray(photos: Path, runs: Path, *specs: str) -> list[Run]:
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
def test_a_process_dies(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = colours(tmp_path)
    scored(photos, tmp_path / "one", spec)
    on_ray(photos, tmp_path / "many", colours(tmp_path, network=f"{__name__}:Mortal"))
    assert (tmp_path / "died").exists()
    assert kept_of(tmp_path / "many") == kept_of(tmp_path / "one")


@pytest.mark.usefixtures("cluster")
@pytest.mark.soak
def test_processes_die_again(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("genset.score.workers.ray._RETRIES", 0)
    with pytest.raises(GensetError, match=r"died 1 times .*--num-cpus.*run the same command"):
        on_ray(photos, tmp_path / "runs", colours(tmp_path, network=f"{__name__}:Mortal"))


@pytest.mark.usefixtures("cluster")
@pytest.mark.soak
def test_a_run_whose_command_is_killed_goes_on(photos: Path, tmp_path: Path) -> None:
    spec = colours(tmp_path, network="tests.score.colours:Slow")
    scored(photos, tmp_path / "one", spec)
    runs = tmp_path / "many"
    killed = multiprocessing.get_context("fork").Process(target=_on_ray, args=(photos, runs, spec))
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
