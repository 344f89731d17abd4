"""A Ray cluster gives the counts of one process, whatever happens to its processes."""

import importlib.util
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from torch import Tensor

from genset.core.errors import BadInput, GensetError, MissingExtra
from genset.score.evaluate import SomeModelsFailed
from genset.score.job import Job
from genset.score.options import ScoringOptions
from genset.score.results.runs import Run, find_runs
from genset.score.workers import CLUSTERS, remote
from genset.score.workers.remote import ClusterWork
from genset.sets.open import open_set
from tests.conftest import ROOT
from tests.score.colours import Colours, colours, hundred_photos
from tests.score.scoring import counts, evaluate, kept_of

# The first machine's process, which ends the cluster with itself.
HEAD = """
import sys, ray
quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "CRITICAL"}
found = ray.init("local", num_cpus=2, _node_ip_address="127.0.0.1", **quiet)
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


@contextmanager
def head(**more: str) -> Iterator[tuple["subprocess.Popen[str]", dict[str, str]]]:
    """A cluster of two processes on this machine, and the settings that lead to it."""
    if importlib.util.find_spec("ray") is None:  # not imported: it reads the settings only then
        pytest.skip("Ray is not installed")
    secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid4().hex}
    process = subprocess.Popen(
        [sys.executable, "-c", HEAD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **secret, "RAY_USAGE_STATS_ENABLED": "0", **more},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process, {"RAY_ADDRESS": process.stdout.readline().strip(), **secret}
    finally:
        process.stdin.close()
        process.wait()


@pytest.fixture(scope="module")
def address() -> Iterator[dict[str, str]]:
    with head() as (_, settings):
        yield settings


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


# A machine that has other files or no genset is named, and so is a Ray that was ended.


def without_genset(folder: Path) -> str:
    """A path that hides genset from the processes that Ray starts."""
    (folder / "hidden").mkdir()
    (folder / "hidden" / "sitecustomize.py").write_text(WITHOUT_GENSET)
    return f"{folder / 'hidden'}:{ROOT}"


@pytest.mark.soak
def test_an_unlike_machine_is_named(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = colours(tmp_path)
    with head(PYTHONPATH=without_genset(tmp_path)) as (_, settings):
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(GensetError, match=r"\([0-9.]+\) of the Ray cluster: No module"):
            on_ray(photos, tmp_path / "runs", spec)

    def of_other_photos(job: Job, readers: int) -> ClusterWork:
        work = remote.pack(job, readers)
        others = tuple(replace(each, sha256=64 * "0") for each in work.photos.photos)
        return replace(work, photos=replace(work.photos, photos=others))

    with head() as (_, settings):
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("genset.score.workers.ray.pack", of_other_photos)
        with pytest.raises(GensetError, match=r"png is not there, or another photo"):
            on_ray(photos, tmp_path / "runs", spec)
    assert find_runs(tmp_path / "runs", "photos") == []


@pytest.mark.soak
def test_where_ray_is_killed_one_line_says_so(photos: Path, tmp_path: Path) -> None:
    spec = colours(tmp_path, network="tests.score.colours:Slow")
    words = [str(photos), "--model", spec, "--runs", str(tmp_path / "runs")]
    with head() as (process, settings):
        scoring = subprocess.Popen(
            [sys.executable, "-m", "genset", "evaluate", *words, "--engine-cluster", "ray"],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **settings},
        )
        while not list((tmp_path / "runs").rglob("*.npz")):
            assert scoring.poll() is None
            time.sleep(0.02)
        children = ["-P", str(process.pid), "raylet"]
        subprocess.run(["pkill", "-KILL", *children], check=True)
        _, errors = scoring.communicate(timeout=120)
    (line,) = errors.strip().splitlines()
    assert scoring.returncode == 1
    assert "the Ray cluster is out of reach" in line
    assert "run the same command again" in line
