"""Published predictions of real models, through the command line: the published figures."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from genset.cli import cli
from tests.commands import as_json

pytestmark = pytest.mark.realdata

VAL, MATCHED = "imagenet-val", "imagenetv2-matched-frequency"
MODELS = ("alexnet", "densenet161", "inception_v3", "resnet152", "resnet18", "resnet50", "vgg16")
# Top-1 and top-5 in per cent, as the models' authors and ImageNetV2's published them.
EXPECTED = {
    (VAL, "resnet50"): (76.130, 92.862),
    (MATCHED, "resnet50"): (63.330, 84.650),
    (MATCHED, "resnet152"): (67.020, 87.570),
    (MATCHED, "resnet18"): (57.180, 80.190),
    (MATCHED, "alexnet"): (43.980, 67.390),
    (MATCHED, "vgg16"): (58.840, None),
    (MATCHED, "inception_v3"): (65.440, None),
    (MATCHED, "densenet161"): (65.300, None),
}


@pytest.fixture(scope="module")
def folder(realdata: Path) -> Path:
    return realdata / "imagenetv2"


@pytest.fixture(scope="module")
def runs(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every model, scored on both sets."""
    runs = tmp_path_factory.mktemp("imagenetv2") / "runs"
    for the_set in (VAL, MATCHED):
        score(folder, runs, the_set, MODELS)
    return runs


def score(folder: Path, runs: Path, the_set: str, models: Sequence[str]) -> list[dict[str, Any]]:
    specs = [f"predictions:{folder / the_set / f'{model}.npy'}" for model in models]
    options = [word for spec in specs for word in ("--model", spec)]
    labels = str(folder / the_set / "labels.csv")
    found: list[dict[str, Any]] = as_json("evaluate", labels, *options, "--runs", str(runs))["runs"]
    return found


@pytest.mark.soak
def test_accuracies_are_the_published_ones_exactly(folder: Path, runs: Path) -> None:
    for (the_set, model), (top1, top5) in EXPECTED.items():
        (run,) = score(folder, runs, the_set, [model])
        assert run["set_name"] == the_set
        assert round(100 * run["top1"]["share"], 6) == top1
        if top5 is not None:
            assert round(100 * run["top5"]["share"], 6) == top5
        assert run["notes"] == []


def test_the_table_for_people_shows_every_digit(folder: Path, tmp_path: Path) -> None:
    words = ["evaluate", str(folder / VAL / "labels.csv"), "--runs", str(tmp_path)]
    spec = f"predictions:{folder / VAL / 'resnet50.npy'}"
    done = CliRunner().invoke(cli, [*words, "--model", spec])
    cells = done.output.splitlines()[1].split()
    assert (cells[0], cells[1], cells[3]) == ("resnet50", "76.130", "92.862")


def test_two_models_are_compared(folder: Path, tmp_path: Path) -> None:
    score(folder, tmp_path, MATCHED, ("inception_v3", "densenet161", "resnet18", "resnet50"))
    on = ("--on", str(folder / MATCHED / "labels.csv"), "--runs", str(tmp_path))
    near = as_json("compare", "inception_v3", "densenet161", *on)
    assert (near["photos"], near["only_first"], near["only_second"]) == (10_000, 731, 717)
    assert near["p_value"] == pytest.approx(0.7445452, abs=1e-7)
    assert near["apart"] is False
    fixed = as_json("compare", "inception_v3", "densenet161", *on, "--classes", "fixed")
    assert fixed["p_value"] == pytest.approx(0.7326406, abs=1e-7)  # scipy's binomtest(717, 1448)
    far = as_json("compare", "resnet18", "resnet50", *on)
    assert round(100 * far["difference"], 6) == -6.15
    assert far["apart"] is True


def test_reversed_and_renumbered_predictions_are_noticed(folder: Path, tmp_path: Path) -> None:
    import numpy as np

    best_first = np.load(folder / MATCHED / "resnet50.npy")
    np.save(tmp_path / "turned.npy", best_first[:, ::-1])
    as_text = np.array(sorted(range(1000), key=str))
    np.save(tmp_path / "text.npy", np.argsort(as_text)[best_first])
    words = [f"--model=predictions:{tmp_path / name}" for name in ("turned.npy", "text.npy")]
    labels = str(folder / MATCHED / "labels.csv")
    turned, text = as_json("evaluate", labels, *words, "--runs", str(tmp_path / "runs"))["runs"]
    assert "The ranks look reversed, with the best class last (hits by rank: " in turned["notes"][0]
    assert "sorted as text (0, 1, 10, 100), 63.3 %" in " ".join(text["notes"])


@pytest.mark.soak
def test_real_accuracy_is_the_published_one(realdata: Path, folder: Path, runs: Path) -> None:
    """ReaL's own file belongs to the set from here on, and nothing is scored again for it."""
    labels, real = folder / VAL / "labels.csv", realdata / "real" / "real.json"
    given = as_json("evaluate", str(labels), "--runs", str(runs), "--multilabel", str(real))
    truth, found = given["by_truth"]["truth"], given["by_truth"]["models"]
    assert (truth["with_correct"], truth["with_several"]) == (46_837, 7_443)
    assert {name: by_definition(folder, real, name) for name in MODELS} == {
        name: (each["real"]["correct"], each["real"]["photos"]) for name, each in found.items()
    }
    published = published_on_real(realdata)
    for name in ("resnet18", "resnet50", "resnet152", "vgg16"):
        real_top1 = found[name]["real"]
        share = real_top1["share"]
        assert 100 * share == pytest.approx(published[f"{name}.tv_in1k"], abs=0.02)
        assert real_top1["low"] < share < real_top1["high"]
    original = {name: each["original"]["correct"] for name, each in found.items()}
    assert original["densenet161"] < original["inception_v3"]
    turned = as_json(
        "compare", "densenet161", "inception_v3", "--truth", "real",
        "--on", str(labels), "--runs", str(runs),
    )  # fmt: skip
    assert (turned["only_first"], turned["only_second"]) == (2446, 2386)


def by_definition(folder: Path, real: Path, model: str) -> tuple[int, int]:
    """How many first answers are among the right ones, of how many photos that have any."""
    import numpy as np

    right = json.loads(real.read_text())
    first = np.load(folder / VAL / f"{model}.npy")[:, 0]
    names = [row.split(",")[0] for row in (folder / VAL / "labels.csv").read_text().split()[1:]]
    hits = [
        int(answer) in right[int(name[15:23]) - 1]
        for name, answer in zip(names, first, strict=True)
        if right[int(name[15:23]) - 1]
    ]
    return sum(hits), len(hits)


def published_on_real(realdata: Path) -> dict[str, float]:
    """timm's accuracies on ReaL's labels, in per cent."""
    with (realdata / "timm" / "results-imagenet-real.csv").open(newline="") as file:
        return {row["model"]: float(row["top1"]) for row in csv.DictReader(file)}
