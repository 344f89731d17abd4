"""Photos that are read ahead, as for a GPU: nothing but the time is another."""

import multiprocessing
import os
import signal
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from genset.core.errors import GensetError
from genset.score import loader
from genset.score.engines.select import SelectedEngine
from genset.score.job import Job, MissingShard, ModelTask, ShardReport
from genset.score.options import ScoringOptions
from genset.score.shards import Answers, merged
from genset.score.workers import worker
from genset.score.workers.executor import score_shards
from genset.score.workers.worker import ScoredShard, Worker
from genset.sets.open import open_set
from tests.score.colours import colours, hundred_photos
from tests.score.scoring import load_model

SHARDS = 7


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hundred, read in small batches, so that there are several in a shard."""
    monkeypatch.setattr(worker, "_BATCH_SIZE", 3)
    monkeypatch.setattr(worker, "BATCH_OF_GPU", 3)
    return hundred_photos(tmp_path / "photos")


def job(photos: Path, specs: Sequence[str], runs: Path) -> Job:
    tasks = [
        ModelTask(load_model(spec), "", runs / str(number), {}, engine=SelectedEngine("torch"))
        for number, spec in enumerate(specs)
    ]
    return Job(open_set(str(photos)), tasks, ScoringOptions())


def keep(work: Job, found: Iterable[ScoredShard]) -> list[ShardReport]:
    """The reports, once the answers are kept."""
    reports = []
    for report, answers in found:
        work.keep(report, answers)
        reports.append(report)
    return reports


def kept(work: Job, number: int = 0) -> Answers:
    """All that was kept of a model's answers."""
    return merged([work.stored(number, shard) for shard in range(SHARDS)], 100)


def assert_same(one: Answers, other: Answers) -> None:
    assert np.array_equal(one.indices, other.indices)
    assert np.array_equal(one.classes, other.classes)
    assert np.array_equal(one.probabilities, other.probabilities)
    assert one.unreadable == other.unreadable


@pytest.mark.parametrize("fork", [True, False], ids=["processes", "threads"])
def test_what_is_read_ahead_gets_the_same_answers(photos: Path, fork: bool) -> None:
    spec = colours(photos.parent)
    specs = [spec, spec.replace("resize=32&crop=32", "resize=40&crop=24")]
    todo = [MissingShard(shard, [0, 1]) for shard in range(SHARDS)]
    works = {readers: job(photos, specs, photos.parent / f"ahead{readers}") for readers in (0, 3)}
    for readers, work in works.items():
        found = score_shards(Worker(work, work.dataset(), readers, fork=fork), todo)
        assert [report.failed for report in keep(work, found)] == [{}] * SHARDS
    for number in (0, 1):
        asked, ahead = (kept(work, number) for work in works.values())
        assert len(ahead.indices) == 99
        assert_same(asked, ahead)


@pytest.mark.parametrize("expected", [True, False])
def test_what_was_read_for_a_model_that_failed_does_not_get_to_another(
    photos: Path, expected: bool
) -> None:
    """As where a killed run goes on, and some shards lack the answers of one model alone."""
    good = colours(photos.parent)
    torch.save(
        {
            name: weight * torch.nan
            for name, weight in torch.load(photos.parent / "colours.pth").items()
        },
        photos.parent / "nan.pth",
    )
    specs = [good, good.replace("colours.pth", "nan.pth").replace("crop=32", "crop=24")]
    lacking = [(0, [1]), (1, [0]), (2, [1]), (3, [1]), (4, [0, 1]), (5, [1]), (6, [0])]
    todo = [MissingShard(*each) for each in lacking]
    some = job(photos, specs, photos.parent / "some")
    worker = Worker(some, some.dataset(), 3, fork=False)
    for missing in todo if expected else ():
        worker.expect(missing)
    reports = keep(some, (worker.score(missing) for missing in todo))
    worker.close()
    assert [bool(report.failed) for report in reports] == [True] + [False] * 6
    whole = job(photos, specs[:1], photos.parent / "whole")
    all_shards = [MissingShard(shard, [0]) for shard in range(SHARDS)]
    keep(whole, score_shards(Worker(whole, whole.dataset()), all_shards))
    for shard in (1, 4, 6):
        assert_same(*(each.stored(0, shard) for each in (some, whole)))


def test_a_reader_that_is_killed_is_reported(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deadly(path: Path, *_: object) -> object:
        os.kill(os.getpid(), signal.SIGKILL)
        return path

    monkeypatch.setattr(loader, "crops", deadly)
    work = job(photos, [colours(photos.parent)], photos.parent / "runs")
    with pytest.raises(GensetError, match="reads photos was killed; if memory is short") as refused:
        list(score_shards(Worker(work, work.dataset(), 3), [MissingShard(0, [0])]))
    assert "\n" not in str(refused.value)


def test_readers_end_with_the_process_that_is_killed(photos: Path) -> None:
    spec = colours(photos.parent)
    process = multiprocessing.get_context("fork").Process(
        target=score_for_ever, args=(photos, spec)
    )
    process.start()
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    readers: list[str] = []
    while len(readers) < 3:
        assert process.is_alive()
        time.sleep(0.01)
        readers = children.read_text().split()
    process.kill()
    process.join()
    waited_until = time.monotonic() + 60
    while any(Path(f"/proc/{reader}").exists() for reader in readers):
        assert time.monotonic() < waited_until
        time.sleep(0.01)


def score_for_ever(photos: Path, spec: str) -> None:
    work = job(photos, [spec], photos.parent / "runs")
    todo = [MissingShard(shard, [0]) for shard in range(SHARDS)]
    for _ in score_shards(Worker(work, work.dataset(), 3), todo):
        time.sleep(3600)
