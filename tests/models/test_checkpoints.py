"""Checkpoints as people save them, each scored alike to plain torchvision."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from safetensors.torch import save_file
from torch import nn
from torchvision import models
from torchvision.transforms import InterpolationMode

from genset.core.errors import BadInput, ModelError
from genset.score.results.runs import find_runs, load_predictions
from genset.sets.open import open_set
from tests.models.huggingface.test_classifier import noise
from tests.score.colours import WNIDS, Colours, colours, painted_set
from tests.score.scoring import evaluate

Weights = dict[str, torch.Tensor]
ARCH = "arch=torchvision:squeezenet1_1&resize=64&crop=64"


@pytest.fixture(scope="module")
def weights() -> Weights:
    """Random, and large enough at the end to tell photos apart."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        weights: Weights = models.squeezenet1_1().state_dict()
    weights["classifier.1.weight"] *= 300
    return weights


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return noise(tmp_path_factory.mktemp("set") / "photos")


Answers = dict[str, tuple[tuple[str, ...], tuple[float, ...]]]


def by_hand(network: nn.Module, photos: Path, **preprocessing: Any) -> Answers:
    """Each photo's five best classes and their probabilities, with torchvision alone."""
    recipe = models.SqueezeNet1_1_Weights.IMAGENET1K_V1.transforms
    transform = recipe(**{"resize_size": 64, "crop_size": 64, **preprocessing})
    paths = sorted(photos.rglob("*.png"))
    with torch.inference_mode():
        pixels = torch.stack([transform(Image.open(path)) for path in paths])
        best = network.eval()(pixels).softmax(1).topk(5)
    return {
        path.relative_to(photos).as_posix(): (
            tuple(WNIDS[place] for place in places),
            pytest.approx(shares, rel=1e-4),
        )
        for path, places, shares in zip(
            paths, best.indices.tolist(), best.values.tolist(), strict=True
        )
    }


def squeezenet(weights: Weights) -> nn.Module:
    network: nn.Module = models.squeezenet1_1()
    network.load_state_dict(weights)
    return network


def answers(spec: str, photos: Path, runs: Path) -> Answers:
    evaluate(open_set(str(photos)), [spec], runs)
    ((folder, _),) = find_runs(runs, photos.name)
    return {kept.image: (kept.top, kept.probabilities) for kept in load_predictions(folder)}


def test_a_checkpoint_predicts_as_torchvision_does(
    weights: Weights, photos: Path, tmp_path: Path
) -> None:
    saved = {f"module.{key}": value.contiguous() for key, value in weights.items()}
    torch.save({"state_dict": saved, "best_acc1": 76.1}, tmp_path / "saved.pth")
    save_file(saved, tmp_path / "saved.safetensors")
    halved = {key: value.half() for key, value in weights.items()}
    torch.save({"state_dict": halved}, tmp_path / "saved.half.pth")
    whole, half = by_hand(squeezenet(weights), photos), by_hand(squeezenet(halved), photos)
    assert whole != half
    for name in ("saved.pth", "saved.safetensors", "saved.half.pth"):
        found = answers(f"file:{tmp_path}/{name}?{ARCH}", photos, tmp_path / name[5:])
        assert found == (half if "half" in name else whole)
    spec = f"file:{tmp_path}/saved.pth?arch=torchvision:squeezenet1_1"  # at its own size
    (run,) = evaluate(open_set(str(photos)), [spec], tmp_path / "whole")
    about = models.SqueezeNet1_1_Weights.IMAGENET1K_V1.meta
    assert run.cost["flops"] / 2e9 == pytest.approx(about["_ops"], rel=0.01)  # 1 a multiply-add
    assert (run.cost["parameters"], run.cost["image_size"]) == (about["num_params"], 224)
    assert run.cost["photos_per_second"] > 0
    assert run.engine_settings["tf32"] is False
    how = "resize=80&crop=72&interpolation=bicubic&mean=0.5&std=0.2,0.3,0.4"
    spec = f"file:{tmp_path}/saved.pth?arch=torchvision:squeezenet1_1&{how}"
    sizes = {"resize_size": 80, "crop_size": 72, "interpolation": InterpolationMode.BICUBIC}
    normal = {"mean": (0.5, 0.5, 0.5), "std": (0.2, 0.3, 0.4)}
    expected = by_hand(squeezenet(weights), photos, **sizes, **normal)
    assert answers(spec, photos, tmp_path / "changed") == expected
    (tmp_path / "cut.safetensors").write_bytes((tmp_path / "saved.safetensors").read_bytes()[:900])
    with pytest.raises(ModelError, match=r"cut.safetensors is no file of weights alone"):
        answers(f"file:{tmp_path}/cut.safetensors?{ARCH}", photos, tmp_path / "cut")
    with pytest.raises(BadInput, match="crop of 299 is larger than a resize"):
        answers(spec.replace(how, "crop=299"), photos, tmp_path / "large")


@pytest.mark.parametrize("name", ["densenet121", pytest.param("googlenet", marks=pytest.mark.soak)])
def test_what_torchvisions_own_files_have_otherwise_is_known(
    photos: Path, tmp_path: Path, name: str
) -> None:
    """A DenseNet's old names, and a GoogLeNet that normalizes once more."""
    more = {"transform_input": True, "init_weights": False} if name == "googlenet" else {}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = models.get_model(name, **more)
    old = re.compile(r"(denselayer\d+\.(?:norm|conv))([12]\.)")
    weights = network.state_dict()
    torch.save({old.sub(r"\1.\2", key): weights[key] for key in weights}, tmp_path / "saved.pth")
    spec = f"file:{tmp_path}/saved.pth?{ARCH.replace('squeezenet1_1', name)}"
    expected = by_hand(network, photos)
    assert answers(spec, photos, tmp_path / "runs") == expected
    if more:
        network.transform_input = False
        assert expected != by_hand(network, photos)  # it matters


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of the user's in the current folder, and weights that fit it."""
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_models.py").write_text(
        "from tests.score.colours import Colours\n"
        "from torch.nn import DataParallel\n"
        "def mine(): return Colours()\n"
        "def parallel(): return DataParallel(Colours())\n"
        "def ten(): return Colours(10)\n"
        "class Broken(Colours):\n"
        "    def forward(self, pixels): raise ValueError('a bug of yours')\n"
        "class Tuple(Colours):\n"
        "    def forward(self, pixels): return super().forward(pixels)[:, :7], None\n"
    )
    (tmp_path / "my_typo.py").write_text("def mine(:\n")
    colours(tmp_path)
    colours(tmp_path, classes=10, name="ten.pth")
    yield tmp_path
    sys.modules.pop("my_models", None)


def test_a_network_of_ones_own_comes_from_the_current_folder(
    own_module: Path, photos: Path
) -> None:
    painted = painted_set(own_module / "photos")
    (run,) = evaluate(open_set(str(painted)), ["file:colours.pth?arch=my_models:mine"], own_module)
    assert (run.top1.correct, run.top5.correct) == (2, 3)
    torch.save(nn.DataParallel(Colours()).state_dict(), "saved.pth")  # its names begin with module
    spec = "file:saved.pth?arch=my_models:parallel"
    assert len(answers(spec, photos, own_module / "runs")) == 12
    for broken in (float("nan"), float("inf")):
        damaged = Colours().state_dict()
        damaged["scores.weight"][7, 0] = broken
        torch.save(damaged, "colours.pth")
        with pytest.raises(ModelError, match=r"answers NaN or infinity: broken weights\?"):
            evaluate(open_set(str(painted)), ["file:colours.pth?arch=my_models:mine"], Path("bad"))
    assert not list(Path("bad").glob("*/*"))


@pytest.mark.parametrize(
    ("error", "spec", "named"),
    [
        (BadInput, "colours.pth?arch=my_typo:mine", "cannot import my_typo:mine: "),
        (ModelError, "ten.pth?arch=my_models:ten", "answers [4, 10] to a batch of 4: it must give"),
        (ModelError, "colours.pth?arch=my_models:Tuple", "answers tuple (1: [4, 7]) to a"),
        (ModelError, "colours.pth?arch=my_models:Broken", "cannot be run: a bug of yours"),
    ],
)
def test_a_network_of_ones_own_that_fails_is_named(
    own_module: Path, error: type[Exception], spec: str, named: str
) -> None:
    photos = painted_set(own_module / "photos")
    with pytest.raises(error) as refused:
        evaluate(open_set(str(photos)), [f"file:{spec}"], own_module / "runs")
    assert named in str(refused.value)
    assert repr(f"file:{spec}") in str(refused.value)
    assert find_runs(own_module / "runs", "photos") == []
