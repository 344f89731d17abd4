"""However many processes score a set, and whatever happens to them: the same run."""

import errno
import fcntl
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from genset.core.errors import GensetError, ModelError
from genset.models.processes import call_in_fork
from genset.score import job, loader, pixels, shards
from genset.score.evaluate import SomeModelsFailed
from genset.score.job import Job
from genset.score.options import ScoringOptions
from genset.score.results.runs import Run, find_runs
from genset.score.workers import executor, remote
from genset.score.workers.remote import ClusterWork
from genset.sets.open import open_set
from tests.conftest import ROOT
from tests.score.colours import WNIDS, Colours, colours, formed, hundred_photos
from tests.score.scoring import counts, evaluate, kept_of

# Commands find this folder's networks wherever the tests are started.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return hundred_photos(tmp_path / "photos")


def scored(photos: Path, runs: str, *specs: str, **how: Any) -> list[Run]:
    return evaluate(open_set(str(photos)), specs, photos.parent / runs, ScoringOptions(**how))


def alike(photos: Path, *runs: str) -> bool:
    """Whether the same files are kept in all these folders of runs."""
    first, *others = (kept_of(photos.parent / name) for name in runs)
    return all(each == first for each in others)


def test_any_number_of_workers_gives_the_same_files(photos: Path) -> None:
    spec = colours(photos.parent)
    for workers in (1, 3):
        (run,) = scored(photos, f"runs{workers}", spec, workers=workers)
        assert counts(run.top1) == (33, 99)
        assert list(run.excluded) == [f"{WNIDS[1]}/text.jpg"]
    assert alike(photos, "runs1", "runs3")


@pytest.mark.soak
def test_a_process_for_each_gpu_gives_the_same(
    photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processes find no GPU here, and score on the CPU: all else is as with two."""
    spec = colours(photos.parent)
    scored(photos, "one", spec)
    monkeypatch.setattr(executor, "gpus_here", lambda: ["0", "1"])
    scored(photos, "two", spec)
    assert alike(photos, "two", "one")

    def with_other_weights(job: Job, readers: int) -> ClusterWork:
        work = remote.pack(job, readers)
        return replace(work, models=[replace(m, weights_hash="sha256:0") for m in work.models])

    monkeypatch.setattr(executor, "pack", with_other_weights)
    with pytest.raises(GensetError, match="has other weights there"):
        scored(photos, "three", spec)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.soak
def test_a_killed_evaluate_goes_on_and_gives_the_same_files(photos: Path, workers: str) -> None:
    spec = colours(photos.parent, network="tests.score.colours:Slow")
    scored(photos, "undisturbed", spec)
    folder = photos.parent / "killed"
    command = [sys.executable, "-m", "genset", "evaluate", str(photos), "--model", spec]
    killed = subprocess.Popen(
        [*command, "--runs", str(folder), "--workers", workers], env=ENVIRONMENT
    )
    while len(list(folder.rglob("*.npz"))) < 2:
        assert killed.poll() is None
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.npz")}
    assert find_runs(folder, "photos") == []

    kept = []
    whole = shards.save_shard

    def told(path: Path, *rest: Any) -> None:
        kept.append(path)
        whole(path, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "save_shard", told)
        scored(photos, "killed", spec, workers=1)
    assert kept
    assert not set(kept) & set(before)  # what was finished is not made again
    assert alike(photos, "killed", "undisturbed")


def test_a_worker_that_is_killed_is_told_and_the_rest_is_kept(photos: Path) -> None:
    spec = colours(photos.parent, network=f"{__name__}:Deadly")
    with pytest.raises(GensetError, match=r"ended by signal 9; if memory is short, use --workers"):
        scored(photos, "runs", spec, workers=2)
    assert find_runs(photos.parent / "runs", "photos") == []


class Deadly(Colours):
    """Kills the process that it is in."""

    def forward(self, pixels: Tensor) -> Tensor:
        os.kill(os.getpid(), signal.SIGKILL)
        return super().forward(pixels)


@pytest.mark.soak
def test_on_a_full_disk_finished_shards_stay(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = colours(photos.parent)
    whole = shards.save_shard

    def full(path: Path, *rest: Any) -> None:
        if path.name > "00003":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        whole(path, *rest)

    for workers in (1, 2):
        with monkeypatch.context() as patch:
            patch.setattr(job, "save_shard", full)
            with pytest.raises(GensetError, match="No space left on device"):
                scored(photos, f"full{workers}", spec, workers=workers)
        assert len(list((photos.parent / f"full{workers}").rglob("*.npz"))) >= 1
        scored(photos, f"full{workers}", spec, workers=workers)
    scored(photos, "undisturbed", spec)
    assert alike(photos, "full1", "full2", "undisturbed")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_that_fails_leaves_the_others_scored(photos: Path, workers: int) -> None:
    good = colours(photos.parent)
    weights = torch.load(photos.parent / "colours.pth")
    weights["scores.weight"][7, 1] = float("nan")
    torch.save(weights, photos.parent / "nan.pth")
    nan = good.replace("colours.pth", "nan.pth")
    (photos.parent / "bad.pth").write_text("no weights")
    bad = good.replace("colours.pth", "bad.pth")
    with pytest.raises(SomeModelsFailed) as refused:
        scored(photos, "runs", nan, good, bad, workers=workers)
    assert [run.model for run in refused.value.runs] == ["colours"]
    assert [run.model for _, run in find_runs(photos.parent / "runs", "photos")] == ["colours"]
    assert counts(refused.value.runs[0].top1) == (33, 99)
    assert "answers NaN or infinity" in str(refused.value)
    assert "bad.pth is no file of weights alone" in str(refused.value)
    assert "\n" not in str(refused.value)


def hungry(most: int) -> Callable[[Tensor], Tensor]:
    """There is memory for so many photos at once."""

    def form(scores: Tensor) -> Tensor:
        if len(scores) > most:
            words = "can't allocate memory: you tried to" if most else "std::bad_alloc"
            raise RuntimeError(words)
        return scores

    return form


TakesThree, TakesNone = formed(hungry(3)), formed(hungry(0))


def test_the_batch_is_halved_where_memory_runs_out(photos: Path) -> None:
    spec = colours(photos.parent)
    scored(photos, "plenty", spec)
    (run,) = scored(photos, "little", colours(photos.parent, network=f"{__name__}:TakesThree"))
    assert run.notes == ["Memory ran out: scored 2 photos at a time."]
    assert alike(photos, "little", "plenty")
    with pytest.raises(ModelError, match="there is no memory for one photo"):
        scored(photos, "none", colours(photos.parent, network=f"{__name__}:TakesNone"))


def test_all_logits_are_kept_where_asked(photos: Path) -> None:
    spec = colours(photos.parent)
    scored(photos, "runs", spec)
    (run,) = scored(photos, "runs", spec, logits=True, workers=2)
    ((folder, again),) = find_runs(photos.parent / "runs", "photos")
    assert again == run
    logits = np.load(folder / "logits.npy")
    rows = (folder / "predictions.csv").read_text().splitlines()[1:]
    assert logits.shape == (99, 1000)
    assert [WNIDS[place] for place in logits.argmax(1)] == [row.split(",")[2] for row in rows]
    true = [WNIDS.index(row.split(",")[1]) for row in rows]
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert run.nll == pytest.approx(-np.log(chances[range(99), true]).mean(), rel=1e-5)


def test_a_photo_that_is_missing_or_there_twice_is_never_counted() -> None:
    one = shards.Answers(
        indices=np.array([0, 1]),
        classes=np.zeros((2, 5), np.int32),
        probabilities=np.zeros((2, 5), np.float32),
        losses=np.zeros(2, np.float32),
        logits=None,
        unreadable={2: "cut"},
    )
    assert shards.merged([one], 3).unreadable == {2: "cut"}
    for parts, photos_there in (([one], 4), ([one, one], 3)):
        with pytest.raises(GensetError, match="not scored exactly once"):
            shards.merged(parts, photos_there)


def test_a_cache_spares_runs_the_decoding(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = colours(photos.parent)
    cache = photos.parent / "cache"
    scored(photos, "first", spec, cache=cache, workers=2)
    decoded: list[Path] = []

    def told(opened: Any, *rest: Any) -> Any:
        decoded.append(opened.photo.path)
        return pixels.crops(opened, *rest)

    monkeypatch.setattr(loader, "crops", told)
    scored(photos, "second", spec, cache=cache, workers=1)
    assert [path.name for path in decoded] == ["text.jpg"]
    other = spec.replace("mean=0.5", "mean=0.4")
    scored(photos, "third", other, cache=cache, workers=1)
    scored(photos, "fourth", other)
    assert alike(photos, "first", "second")
    assert alike(photos, "third", "fourth")


class Undertaker:
    """What a network's engine is: on its way out it waits for threads of this very process."""

    def __init__(self, log: Path) -> None:
        self.log, self.itself = log, self

    def __del__(self) -> None:
        self.log.write_text(f"{os.getpid()}")


def test_a_process_that_is_split_off_leaves_this_ones_garbage_alone(tmp_path: Path) -> None:
    log = tmp_path / "collected-by"
    Undertaker(log)  # garbage at once, in a circle
    call_in_fork(gc.collect)
    assert not log.exists()
    gc.collect()
    assert log.read_text() == str(os.getpid())


def test_on_a_disk_without_locks_a_set_is_scored_all_the_same(
    photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (run,) = scored(photos, "runs", colours(photos.parent), workers=1)
    assert counts(run.top1) == (33, 99)


# Two commands on one run: the second waits, and goes on where the first is killed.


class Gated(Colours):
    """Stops at its third batch until the file is there that the environment names."""

    batches = 0

    def forward(self, pixels: Tensor) -> Tensor:
        self.batches += 1
        while self.batches > 2 and not Path(os.environ["GATE"]).exists():
            time.sleep(0.01)
        return super().forward(pixels)


@pytest.mark.soak
def test_the_second_waits_and_goes_on_where_the_first_is_killed(
    photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, runs = photos.parent / "gate", photos.parent / "runs"
    monkeypatch.setenv("GATE", str(gate))
    spec = colours(photos.parent, network=f"{__name__}:Gated")
    command = [sys.executable, "-m", "genset", "evaluate", str(photos), "--model", spec]
    command += ["--runs", str(runs), "--workers", "1"]
    first = subprocess.Popen(command, env={**ENVIRONMENT, "GATE": str(gate)})
    while len(before := set(runs.rglob("*.npz"))) < 2:
        assert first.poll() is None
        time.sleep(0.01)
    second = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**ENVIRONMENT, "GATE": str(gate)}
    )
    assert second.stderr is not None
    assert second.stderr.readline() == "another command scores colours on photos: waiting\n"
    first.kill()
    first.wait()
    while not set(runs.rglob("*.npz")) > before:  # what was finished is not made again
        assert second.poll() is None
        time.sleep(0.01)
    gate.touch()
    _, problem = second.communicate()
    assert second.returncode == 0, problem
    scored(photos, "alone", spec)
    assert alike(photos, "runs", "alone")
