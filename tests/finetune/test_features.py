"""Features: what the evaluator's own pipeline gives, computed once, whatever happens meanwhile."""

import errno
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from genset.core.errors import GensetError, ModelError
from genset.finetune.features import Features, compute_features
from genset.finetune.heads import Head, find_head, trunk
from genset.models.load import LoadedModel
from genset.models.preprocessing import Pixels
from genset.score import job, loader, pixels, plan, shards
from genset.score.engines.engine import Logits
from genset.score.engines.pytorch import TorchEngine
from genset.score.engines.select import check_engine
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


@pytest.mark.soak
def test_all_missing_models_share_one_pass(
    photos: PhotoSet, tmp_path: Path, decoded: list[Path]
) -> None:
    models = [network(tmp_path, change) for change in ("", "&crop=24", "&resize=40", "&name=twin")]
    alone = [computed(photos, tmp_path / "alone", model)[0] for model in models]
    computed(photos, tmp_path / "together", models[0])
    decoded.clear()
    together = computed(photos, tmp_path / "together", *models)
    eight_to_try_engines_on = 8
    assert len(decoded) == 100 + eight_to_try_engines_on
    assert [values(each) for each in together] == [values(each) for each in alone]
    assert [bool(each.seconds) for each in together] == [False, True, True, False]


@pytest.mark.parametrize(
    "how", [{"precision": "bf16"}, {"decoding": "fast"}], ids=["precision", "decoding"]
)
def test_what_changes_features_is_another_place_to_keep_them(
    photos: PhotoSet, tmp_path: Path, decoded: list[Path], how: dict[str, Any]
) -> None:
    model = network(tmp_path)
    computed(photos, tmp_path / "kept", model)
    decoded.clear()
    computed(photos, tmp_path / "kept", model, **how)
    assert decoded
    assert len(list((tmp_path / "kept").glob("*/features.npy"))) == 2


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
    (kept,) = (tmp_path / "kept").glob("*/features.npy")
    assert sorted(file.name for file in kept.parent.iterdir()) == ["features.json", "features.npy"]


def slow() -> Colours:
    class Slow(Colours):
        def forward(self, given: Tensor) -> Tensor:
            time.sleep(0.05)
            return super().forward(given)

    return Slow()


def slowly(folder: Path) -> LoadedModel:
    spec = colours(folder)
    return load_model(spec.replace("tests.score.colours:Colours", f"{__name__}:slow"))


def split_off(work: Callable[[], object]) -> Any:
    def alone() -> None:
        torch.set_num_threads(1)  # this process's other threads are not there
        work()

    process = multiprocessing.get_context("fork").Process(target=alone)
    process.start()
    return process


def test_processes_that_want_the_same_at_once_compute_it_once(
    photos: PhotoSet, tmp_path: Path, decoded: list[Path]
) -> None:
    """Two models each, which one of them asks for the other way round."""
    models = [slowly(tmp_path), replace_preprocessing(slowly(tmp_path), 24)]
    told = tmp_path / "decoded"

    def one(number: int) -> None:
        found = computed(photos, tmp_path / "kept", *(models[::-1] if number else models))
        assert [each.values.shape for each in found] == [(100, 3)] * 2
        (told / str(number)).write_text(str(len(decoded)))

    told.mkdir()
    processes = [split_off(partial(one, number)) for number in range(3)]
    for process in processes:
        process.join()
        assert process.exitcode == 0
    counts = sorted(int(file.read_text()) for file in told.iterdir())
    assert counts == [0, 0, 108]


def replace_preprocessing(model: LoadedModel, crop: int) -> LoadedModel:
    return replace(model, preprocessing=model.preprocessing.changed({"crop": crop}))


class Liar(Colours):
    """Answers otherwise where it is traced."""

    def forward(self, given: Tensor) -> Tensor:
        traced = given * 2 if torch.onnx.is_in_onnx_export() else given
        return super().forward(traced)


def of_class(folder: Path, name: str) -> LoadedModel:
    spec = colours(folder)
    return load_model(spec.replace("tests.score.colours:Colours", f"{__name__}:{name}"))


class NanOnBlue(Colours):
    """Works on noise and fails on some photos."""

    def forward(self, given: Tensor) -> Tensor:
        mean = given.mean(dim=(2, 3))
        scores: Tensor = self.scores(torch.where(mean[:, 2:] > 0.9, torch.nan, mean))
        return scores


def test_nan_is_an_error_and_the_other_models_have_their_features(
    photos: PhotoSet, tmp_path: Path
) -> None:
    models = [of_class(tmp_path, "NanOnBlue"), network(tmp_path)]
    bad, good = compute_features(
        photos, headed(models), tmp_path / "kept", ScoringOptions(workers=1)
    )
    assert isinstance(bad, ModelError)
    assert "answers NaN or infinity" in str(bad)
    assert isinstance(good, Features)
    assert len(list((tmp_path / "kept").glob("*/features.npy"))) == 1


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
@pytest.mark.soak
def test_other_engines_give_pytorchs_features_or_are_refused(
    photos: PhotoSet, tmp_path: Path, engine: str
) -> None:
    pytest.importorskip(engine)
    (eager,) = computed(photos, tmp_path / "torch", network(tmp_path), engine="torch")
    (other,) = computed(photos, tmp_path / engine, network(tmp_path), engine=engine)
    assert other.engine == engine
    np.testing.assert_allclose(other.values, eager.values, atol=1e-5)
    liar = of_class(tmp_path, "Liar")
    (refused,) = compute_features(
        photos, headed([liar]), tmp_path / "kept", ScoringOptions(engine=engine)
    )
    assert isinstance(refused, ModelError)
    assert f"engine {engine} does not give PyTorch's answers" in str(refused)


@dataclass
class Near:
    """An engine that answers as PyTorch does, times so much, and more or less by so much."""

    model: LoadedModel
    factor: float = 1.0
    apart: float = 0.0

    def __call__(self, pixels: Pixels) -> Logits:
        said = TorchEngine(self.model)(pixels) * np.float32(self.factor)
        answer: Logits = said + np.float32(self.apart) * np.eye(*said.shape, dtype=np.float32)
        return answer


def test_which_feature_is_the_largest_says_nothing_but_all_must_be_nearly_right(
    tmp_path: Path,
) -> None:
    model = network(tmp_path)
    features = trunk(model, find_head(model))
    grey = np.full((2, 32, 32, 3), 128, np.uint8)  # of which all features are alike, and small
    check_engine("onnxruntime", Near(features, apart=1e-7), features, "float32", grey)
    for wrong in (Near(features, factor=1.01), Near(features, apart=1e-4)):
        with pytest.raises(ModelError, match="does not give PyTorch's answers"):
            check_engine("onnxruntime", wrong, features, "float32", grey)


def test_a_set_without_one_photo_that_can_be_read_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "photos" / WNIDS[0]
    folder.mkdir(parents=True)
    (folder / "a.jpg").write_text("I am no photo.")
    with pytest.raises(GensetError, match="not one photo of photos can be read"):
        computed(open_set(str(folder.parent)), tmp_path / "kept", network(tmp_path))


@pytest.mark.parametrize("damage", ["cut", "format", "json"])
def test_damaged_features_are_one_line_that_names_the_folder(
    photos: PhotoSet, tmp_path: Path, damage: str
) -> None:
    model = network(tmp_path)
    computed(photos, tmp_path / "kept", model)
    (file,) = (tmp_path / "kept").glob("*/features.npy")
    record = file.with_name("features.json")
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    elif damage == "format":
        record.write_text(json.dumps({**json.loads(record.read_text()), "format": "other 7"}))
    else:
        record.write_text("{")
    (found,) = compute_features(
        photos, headed([model]), tmp_path / "kept", ScoringOptions(workers=1)
    )
    assert isinstance(found, GensetError)
    assert str(found).startswith(f"{file.parent} does not hold features (")
    assert "\n" not in str(found)
