"""The last layer trained through the frozen network: as good as the fitted one, and all frozen."""

from dataclasses import asdict, replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor, nn

from genset.core.errors import BadInput, GensetError, ModelError
from genset.finetune.data.tasks import TaskData, TaskPhoto
from genset.finetune.fit.probe import Fit, Floats, fit_probe, scores
from genset.finetune.fit.sgd import EpochStats, Recipe, train_sgd
from genset.finetune.network.heads import find_head, trunk
from genset.models.load import LoadedModel
from genset.score.engines.pytorch import TorchEngine
from genset.score.transforms import crops
from tests.score.scoring import load_model

CLASSES = ("orange", "teal", "plum")
COLOURS = ((200, 120, 40), (120, 170, 110), (150, 110, 160))
PLAIN = Recipe(augment=False)


class Tiny(nn.Module):
    """A network with all that must stay as it is: batch normalization, dropout, weights."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second = nn.Conv2d(3, 16, 3, stride=2), nn.Conv2d(16, 24, 3, stride=2)
        self.norm, self.dropout = nn.BatchNorm2d(16), nn.Dropout(0.5)
        self.head = nn.Linear(24, 1000)

    def forward(self, pixels: Tensor) -> Tensor:
        found = torch.relu(self.second(torch.relu(self.norm(self.first(pixels)))))
        scores: Tensor = self.head(self.dropout(found.mean(dim=(2, 3))))
        return scores


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    folder = tmp_path_factory.mktemp("tiny")
    torch.save(Tiny().state_dict(), folder / "tiny.pth")
    return load_model(f"file:{folder}/tiny.pth?arch={__name__}:Tiny&resize=36&crop=32")


@pytest.fixture(scope="module")
def painted(tmp_path_factory: pytest.TempPathFactory) -> TaskData:
    """Photos of three colours that are not easily told apart; a third of them for training."""
    folder = tmp_path_factory.mktemp("painted")
    rng = np.random.default_rng(0)
    photos = []
    for number in range(360):
        label = number % 3
        tint = np.array(COLOURS[label]) + rng.normal(scale=45, size=3)
        noise = tint + rng.normal(scale=40, size=(40, 44, 3))
        path = folder / f"{number:03}.png"
        Image.fromarray(noise.clip(0, 255).astype(np.uint8)).save(path)
        part = "train" if number % 9 < 3 else "test"
        photos.append(TaskPhoto(path.name, path, label, part))
    return task(folder, photos)


def task(root: Path, photos: list[TaskPhoto], classes: tuple[str, ...] = CLASSES) -> TaskData:
    return TaskData("folder", "painted", root, classes, tuple(photos), "official", "", {}, ())


def trained(
    model: LoadedModel, data: TaskData, recipe: Recipe, seed: int = 0
) -> tuple[Fit, list[EpochStats]]:
    epochs: list[EpochStats] = []
    train = data.indices("train")
    fit = train_sgd(model, find_head(model), data, train, seed, recipe, epochs.append)
    return fit, epochs


def features(model: LoadedModel, data: TaskData) -> Floats:
    engine = TorchEngine(trunk(model, find_head(model)))
    geometry = [model.preprocessing.geometry]
    return engine(np.stack([crops(photo.path, geometry)[0] for photo in data.photos]))


def accuracy(fit: Fit, values: Floats, data: TaskData) -> tuple[float, float]:
    """On the test photos: the share right, and its standard error."""
    test = data.indices("test")
    share = float((scores(fit, values[test]).argmax(axis=1) == data.labels[test]).mean())
    return share, sqrt(share * (1 - share) / len(test))


def both_ways(model: LoadedModel, data: TaskData, recipe: Recipe) -> tuple[float, float, float]:
    """The accuracy of the trained layer and of the fitted one, and the standard error."""
    values = features(model, data)
    train = data.indices("train")
    fitted = fit_probe(values[train], data.labels[train], len(data.classes))
    share, error = accuracy(fitted, values, data)
    return accuracy(trained(model, data, recipe)[0], values, data)[0], share, error


@pytest.mark.soak
def test_without_augmentation_it_agrees_with_the_fitted_layer(
    tiny: LoadedModel, painted: TaskData
) -> None:
    ours, fitted, error = both_ways(tiny, painted, PLAIN)
    assert abs(ours - fitted) <= error
    assert 0.6 < fitted < 0.97  # neither chance nor without a fault


@pytest.mark.parametrize("augment", [True, False])
@pytest.mark.soak
def test_nothing_of_the_network_changes(
    tiny: LoadedModel, painted: TaskData, augment: bool
) -> None:
    before = {name: value.clone() for name, value in tiny.network.state_dict().items()}
    assert {"norm.running_mean", "norm.num_batches_tracked", "head.weight"} <= set(before)
    trained(tiny, painted, Recipe(epochs=2, augment=augment))
    after = tiny.network.state_dict()
    assert set(after) == set(before)
    assert [name for name, value in after.items() if not torch.equal(value, before[name])] == []
    assert not any(module.training for module in tiny.network.modules())
    assert all(parameter.grad is None for parameter in tiny.network.parameters())


def test_each_epoch_is_told(tiny: LoadedModel, painted: TaskData) -> None:
    _, said = trained(tiny, painted, Recipe(epochs=12, augment=False))
    assert [epoch.epoch for epoch in said] == list(range(1, 13))
    assert said[-1].loss < said[0].loss
    assert 0.6 < said[-1].accuracy <= 1
    rates = [epoch.rate for epoch in said]
    highest = rates.index(max(rates))
    assert 0 < highest < 11  # it rises, and then falls to nearly nothing
    assert rates == sorted(rates[:highest]) + sorted(rates[highest:], reverse=True)
    assert max(rates) <= PLAIN.rate
    assert 0 < rates[-1] < max(rates) / 20
    assert all(isinstance(value, int | float) for value in asdict(said[0]).values())


@pytest.mark.soak
def test_a_seed_gives_the_same_layer_again(tiny: LoadedModel, painted: TaskData) -> None:
    recipe = Recipe(epochs=2)
    first, again, other = (trained(tiny, painted, recipe, seed)[0] for seed in (3, 3, 4))
    assert np.allclose(first.weights, again.weights, atol=1e-5)
    assert not np.allclose(first.weights, other.weights, atol=1e-3)


@pytest.mark.soak
def test_augmented_photos_are_other_photos_in_each_epoch(
    tiny: LoadedModel, painted: TaskData
) -> None:
    plain, augmented = (
        trained(tiny, painted, Recipe(epochs=8, augment=augment)) for augment in (False, True)
    )
    assert not np.allclose(plain[0].weights, augmented[0].weights, atol=1e-3)
    share, _ = accuracy(augmented[0], features(tiny, painted), painted)
    assert share > 0.6


@pytest.mark.soak
def test_a_photo_that_cannot_be_read_is_left_out_and_counted(
    tiny: LoadedModel, painted: TaskData, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"\xff\xd8 no photo")
    photos = [TaskPhoto("broken.jpg", broken, 1, "train"), *painted.photos[:60]]
    fit, said = trained(tiny, task(painted.root, photos), Recipe(epochs=2))
    assert "Photos that cannot be read, and are left out: 1." in fit.note
    assert len(said) == 2
    without, _ = trained(tiny, task(painted.root, photos[1:]), Recipe(epochs=2))
    assert without.note == ""


def test_photos_of_which_none_can_be_read_are_an_error(tiny: LoadedModel, tmp_path: Path) -> None:
    data = task(tmp_path, [TaskPhoto("a.jpg", tmp_path / "a.jpg", 0, "train")])
    with pytest.raises(GensetError, match="not one photo of painted can be read"):
        trained(tiny, data, PLAIN)


@pytest.mark.soak
def test_photos_that_vanish_between_epochs_are_an_error(
    tiny: LoadedModel, painted: TaskData, tmp_path: Path
) -> None:
    photos = [
        TaskPhoto(photo.id, tmp_path / photo.id, photo.label, "train")
        for photo in painted.photos[:30]
    ]
    for photo in photos:
        photo.path.write_bytes((painted.root / photo.id).read_bytes())
    data = task(tmp_path, photos)

    def take_one_away(epoch: EpochStats) -> None:
        photos[4].path.unlink(missing_ok=True)

    with pytest.raises(GensetError, match=r"004\.png of painted can no longer be read"):
        train_sgd(
            tiny, find_head(tiny), data, data.indices("train"), 0, Recipe(epochs=3), take_one_away
        )


def test_a_network_that_fails_is_named(tiny: LoadedModel, painted: TaskData) -> None:
    head = find_head(tiny)

    class Failing(Tiny):
        def forward(self, pixels: Tensor) -> Tensor:
            raise RuntimeError("no such operator")

    failing = replace(tiny, network=Failing())
    with pytest.raises(ModelError, match="cannot be run: no such operator"):
        train_sgd(failing, head, painted, painted.indices("train"), 0, PLAIN, print)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": 0},
        {"batch": 0},
        {"rate": 0.0},
        {"rate": float("nan")},
        {"momentum": 1.0},
        {"warm_up": 1.0},
    ],
)
def test_a_recipe_that_trains_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="nothing"):
        Recipe(**wrong)


@pytest.mark.realdata
@pytest.mark.soak
def test_on_real_photos_both_ways_agree_through_squeezenets_clipped_head(realdata: Path) -> None:
    model = load_model(
        f"file:{realdata / 'checkpoints/squeezenet1_0.pth'}?arch=torchvision:squeezenet1_0"
        "&resize=128&crop=112"
    )
    root = realdata / "cats_dogs/train"
    photos = [
        TaskPhoto(f"{kind}.{number}.jpg", path, label, "train" if number < 25 else "test")
        for label, kind in enumerate(("cat", "dog"))
        for number, path in enumerate(sorted(root.glob(f"{kind}.*.jpg"))[:75])
    ]
    data = task(root, photos, ("cat", "dog"))
    ours, fitted, error = both_ways(model, data, Recipe(epochs=10, augment=False))
    assert abs(ours - fitted) <= error
    assert fitted > 0.75
