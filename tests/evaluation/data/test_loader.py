"""Photos that are read ahead, as for a GPU: nothing but the time is another."""

import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from genset.errors import GensetError
from genset.evaluation.data import loader as reading
from genset.evaluation.data.cache import PixelCache
from genset.evaluation.data.loader import Reading
from genset.evaluation.data.photos import open_set
from genset.evaluation.models.load import load_model
from genset.evaluation.run.score import Contender, Job, Stream
from genset.evaluation.run.shards import Answers, load_shard, merged, shard_file
from genset.evaluation.run.worker_pool import Task, score_here
from tests.evaluation.colours import Colours, colours, hundred_photos

SHARDS = 7


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return hundred_photos(tmp_path / "photos")


def job(photos: Path, specs: Sequence[str], shards: Path, ahead: int, split_off: bool) -> Job:
    """Small batches, so that there are several in a shard; three readers or none."""
    contenders = [
        Contender(load_model(spec), "torch", None, shards / str(n), np.empty(0, np.uint8))
        for n, spec in enumerate(specs)
    ]
    read = Reading(open_set(str(photos)).photos, "exact", {}, 3, ahead, split_off)
    return Job(read, contenders, "float32", 5, False)


def kept(shards: Path, number: int = 0) -> Answers:
    """All that was kept of a model's answers."""
    files = [shard_file(shards / str(number), shard) for shard in range(SHARDS)]
    return merged([load_shard(file) for file in files], 100)


def assert_same(one: Answers, other: Answers) -> None:
    assert np.array_equal(one.places, other.places)
    assert np.array_equal(one.classes, other.classes)
    assert np.array_equal(one.probabilities, other.probabilities)
    assert one.unreadable == other.unreadable


@pytest.mark.parametrize("split_off", [True, False], ids=["processes", "threads"])
def test_what_is_read_ahead_gets_the_same_answers(photos: Path, split_off: bool) -> None:
    spec = colours(photos.parent)
    specs = [spec, spec.replace("resize=32&crop=32", "resize=40&crop=24")]
    todo = [(shard, [0, 1]) for shard in range(SHARDS)]
    for ahead in (0, 3):
        work = job(photos, specs, photos.parent / f"ahead{ahead}", ahead, split_off)
        assert [report.failed for report in score_here(work, todo)] == [{}] * SHARDS
    for number in (0, 1):
        asked, found = (kept(photos.parent / f"ahead{ahead}", number) for ahead in (0, 3))
        assert len(found.places) == 99
        assert_same(asked, found)


@pytest.mark.parametrize("told_before", [True, False])
def test_what_was_read_for_a_model_that_failed_does_not_get_to_another(
    photos: Path, told_before: bool
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
    todo: list[Task] = [(0, [1]), (1, [0]), (2, [1]), (3, [1]), (4, [0, 1]), (5, [1]), (6, [0])]
    stream = Stream(job(photos, specs, photos.parent / "shards", 3, split_off=False))
    for task in todo if told_before else ():
        stream.expect(*task)
    reports = [stream.score(*task) for task in todo]
    stream.reader.close()
    assert [bool(report.failed) for report in reports] == [True] + [False] * 6
    whole = job(photos, specs[:1], photos.parent / "whole", 0, False)
    list(score_here(whole, [(shard, [0]) for shard in range(SHARDS)]))
    for shard in (1, 4, 6):
        assert_same(
            *(load_shard(shard_file(photos.parent / of / "0", shard)) for of in ("shards", "whole"))
        )


def test_a_cache_is_filled_by_what_reads_ahead(photos: Path) -> None:
    work = job(photos, [colours(photos.parent)], photos.parent / "first", 3, True)
    geometry = work.contenders[0].model.preprocessing.geometry
    todo = [(shard, [0]) for shard in range(SHARDS)]
    photo_set = open_set(str(photos))
    work.reading.caches[geometry] = PixelCache(photos.parent / "cache", photo_set, geometry)
    list(score_here(work, todo))
    shutil.rmtree(photos)
    again = PixelCache(photos.parent / "cache", photo_set, geometry)
    there = {place: found for place in range(100) if (found := again.get(place)) is not None}
    assert [*there] == kept(photos.parent / "first").places.tolist()
    for found in there.values():  # each of one colour
        assert len(np.unique(found.reshape(-1, 3), axis=0)) == 1


def test_what_was_read_before_a_model_failed_is_cached(photos: Path) -> None:
    spec = colours(photos.parent)
    torch.save(
        {name: weight * torch.nan for name, weight in Colours().state_dict().items()},
        photos.parent / "colours.pth",
    )
    work = job(photos, [spec], photos.parent / "shards", 0, False)
    geometry = work.contenders[0].model.preprocessing.geometry
    photo_set = open_set(str(photos))
    work.reading.caches[geometry] = PixelCache(photos.parent / "cache", photo_set, geometry)
    (report,) = score_here(work, [(0, [0])])
    assert report.failed
    again = PixelCache(photos.parent / "cache", photo_set, geometry)
    assert [place for place in range(16) if again.get(place) is not None] == [0, 1, 2]


def test_a_reader_that_is_killed_is_told(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deadly(path: Path, *_: object) -> object:
        os.kill(os.getpid(), signal.SIGKILL)
        return path

    monkeypatch.setattr(reading, "crops", deadly)
    work = job(photos, [colours(photos.parent)], photos.parent / "shards", 3, True)
    with pytest.raises(GensetError, match="reads photos was killed; if memory is short") as told:
        list(score_here(work, [(0, [0])]))
    assert "\n" not in str(told.value)


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
    work = job(photos, [spec], photos.parent / "shards", 3, True)
    for _ in score_here(work, [(shard, [0]) for shard in range(SHARDS)]):
        time.sleep(3600)
