"""Features: what the evaluator's own pipeline gives, computed once, whatever happens meanwhile."""

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from genset.core.errors import ModelError
from genset.finetune.features import Features, compute_features
from genset.finetune.heads import Head, find_head
from genset.models.load import LoadedModel
from genset.score import loader, pixels, plan
from genset.score.options import ScoringOptions
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from tests.score.colours import BLUE, GREEN, RED, WNIDS, Colours, colours, paint
from tests.score.scoring import load_model


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
    assert list(found[0].unreadable) == [f"{WNIDS[1]}/text.jpg"]
    assert found[0].there.sum() == 99
    # With more processes they are the same.
    (two,) = computed(photos, tmp_path / "two", models[0], workers=2)
    assert values(two) == values(alone[0])
    # What changes features is another place to keep them.
    decoded.clear()
    computed(photos, kept, models[0], precision="bf16")
    computed(photos, kept, models[0], decoding="fast")
    assert decoded and len(list(kept.glob("*/features.npy"))) == 4
    for record in kept.glob("*/features.json"):
        record.write_text("{")
    (damaged,) = compute_features(photos, headed(models[:1]), kept, options)
    assert "does not hold features (" in str(damaged)


def test_a_full_disk_is_one_line_and_what_is_finished_stays(
    photos: PhotoSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decoded: list[Path]
) -> None:
    def full(path: Path, *rest: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    with monkeypatch.context() as patch:
        patch.setattr("genset.finetune.features.write_text", full)
        models, options = headed([network(tmp_path)]), ScoringOptions(workers=1)
        (error,) = compute_features(photos, models, tmp_path / "kept", options)
    assert "No space left on device. What is finished is kept" in str(error)
    decoded.clear()
    computed(photos, tmp_path / "kept", network(tmp_path))
    assert len(decoded) == 8  # on which engines are tried
    (folder,) = (tmp_path / "kept").glob("*/")
    assert sorted(file.name for file in folder.iterdir()) == ["features.json", "features.npy"]
