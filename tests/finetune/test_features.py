"""Features: what the evaluator's own pipeline gives, computed once, whatever happens meanwhile."""

import errno
import multiprocessing
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from genset.core.errors import GensetError, ModelError
from genset.finetune.features import Features, compute_features
from genset.finetune.heads import Head, find_head
from genset.models.load import LoadedModel
from genset.score import job, loader, pixels, plan, shards
from genset.score.options import ScoringOptions
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from tests.score.colours import BLUE, GREEN, RED, WNIDS, Colours, colours, paint
from tests.score.scoring import load_model

# Mean 0.5 and deviation 0.5 take 0 to -1 and 255 to 1. Green is 128.
OF_COLOURS = {RED: (1, -1, -1), GREEN: (-1, 1 / 255, -1), BLUE: (-1, -1, 1)}


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    """100 photos, which are seven shards; the last in order cannot be read."""
    for number in range(99):
        colour = (RED, GREEN, BLUE)[number % 3]
        paint(tmp_path / "photos", number % 2, f"{number:03}.png", colour)
    (tmp_path / "photos" / WNIDS[1] / "text.jpg").write_text("I am no photo.")
    return open_set(str(tmp_path / "photos"))


def network(folder: Path, change: str = "") -> LoadedModel:
    return load_model(colours(folder) + change)


def headed(models: Iterable[LoadedModel]) -> list[tuple[LoadedModel, Head]]:
    return [(model, find_head(model)) for model in models]


def computed(photos: PhotoSet, folder: Path, *models: LoadedModel, **how: Any) -> list[Features]:
    found = compute_features(
        photos, headed(models), folder, ScoringOptions(**{"workers": 1, **how})
    )
    assert all(isinstance(each, Features) for each in found), found
    return [each for each in found if isinstance(each, Features)]


def values(features: Features) -> list[bytes]:
    return [row.tobytes() for row in features.values]


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The photos that are decoded from now on, in this process."""
    seen: list[Path] = []

    def told(photo: Any, *rest: Any) -> Any:
        seen.append(getattr(photo, "photo", photo).path)
        return pixels.crops(photo, *rest)

    monkeypatch.setattr(loader, "crops", told)
    monkeypatch.setattr(plan, "crops", told)
    return seen


@pytest.mark.parametrize("workers", [1, 2])
def test_features_are_what_the_head_is_given(
    photos: PhotoSet, tmp_path: Path, workers: int
) -> None:
    (found,) = computed(photos, tmp_path / "kept", network(tmp_path), workers=workers)
    assert found.values.shape == (100, 3)
    assert isinstance(found.values, np.memmap)
    for photo, row, there in zip(photos.photos, found.values, found.there, strict=True):
        assert there == (photo.path.suffix == ".png")
        colour = (RED, GREEN, BLUE)[int(photo.path.stem) % 3] if there else None
        np.testing.assert_allclose(row, OF_COLOURS.get(str(colour), (0, 0, 0)), atol=1e-6)
    assert found.there.sum() == 99
    assert list(found.unreadable) == [f"{WNIDS[1]}/text.jpg"]
    assert found.engine == "torch"
    assert found.seconds > 0


class NanOnBlue(Colours):
    """Works on noise and fails on some photos."""

    def forward(self, given: Tensor) -> Tensor:
        mean = given.mean(dim=(2, 3))
        scores: Tensor = self.scores(torch.where(mean[:, 2:] > 0.9, torch.nan, mean))
        return scores


def test_all_missing_models_share_one_pass_and_one_that_fails_costs_itself_alone(
    photos: PhotoSet, tmp_path: Path, decoded: list[Path]
) -> None:
    models = [network(tmp_path, change) for change in ("", "&crop=24", "&name=twin")]
    alone = [computed(photos, tmp_path / "alone", model)[0] for model in models]
    spec = colours(tmp_path).replace("tests.score.colours:Colours", f"{__name__}:NanOnBlue")
    kept, options = tmp_path / "together", ScoringOptions(workers=1)
    computed(photos, kept, models[0])
    decoded.clear()
    bad, *together = compute_features(photos, headed([load_model(spec), *models]), kept, options)
    assert isinstance(bad, ModelError) and "answers NaN or infinity" in str(bad)
    eight_to_try_engines_on = 8
    assert len(decoded) == 100 + eight_to_try_engines_on
    found = [each for each in together if isinstance(each, Features)]
    assert [values(each) for each in found] == [values(each) for each in alone]
    assert [bool(each.seconds) for each in found] == [False, True, False]
    # What changes features is another place to keep them.
    decoded.clear()
    computed(photos, kept, models[0], precision="bf16")
    computed(photos, kept, models[0], decoding="fast")
    assert decoded and len(list(kept.glob("*/features.npy"))) == 4


def test_a_full_disk_is_one_line_and_the_finished_shards_stay(
    photos: PhotoSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decoded: list[Path]
) -> None:
    whole = shards.save_shard

    def full(path: Path, *rest: Any) -> None:
        if path.name > "00002.npz":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        whole(path, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(job, "save_shard", full)
        with pytest.raises(GensetError, match="No space left on device"):
            computed(photos, tmp_path / "kept", network(tmp_path))
    assert not list((tmp_path / "kept").rglob("features.*"))
    decoded.clear()
    (after,) = computed(photos, tmp_path / "kept", network(tmp_path))
    assert len(decoded) == 8 + 100 - 3 * 16  # engines are tried; three shards are there
    (undisturbed,) = computed(photos, tmp_path / "other", network(tmp_path))
    assert values(after) == values(undisturbed)
    (record,) = (tmp_path / "kept").glob("*/features.json")
    assert sorted(file.name for file in record.parent.iterdir()) == [
        "features.json",
        "features.npy",
    ]
    record.write_text("{")
    (damaged,) = compute_features(
        photos, headed([network(tmp_path)]), tmp_path / "kept", ScoringOptions(workers=1)
    )
    assert str(damaged).startswith(f"{record.parent} does not hold features (")


def test_processes_that_want_the_same_at_once_compute_it_once(
    photos: PhotoSet, tmp_path: Path, decoded: list[Path]
) -> None:
    """Two models each, which one of them asks for the other way round."""
    models = [network(tmp_path), network(tmp_path, "&crop=24")]
    counts = tmp_path / "decoded"
    counts.mkdir()

    def one(number: int) -> None:
        torch.set_num_threads(1)  # this process's other threads are not there
        found = computed(photos, tmp_path / "kept", *(models[::-1] if number else models))
        assert [each.values.shape for each in found] == [(100, 3)] * 2
        (counts / str(number)).write_text(str(len(decoded)))

    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=one, args=[number]) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert sorted(int(file.read_text()) for file in counts.iterdir()) == [0, 0, 108]
