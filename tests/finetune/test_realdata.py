"""The command on real photos with real weights, held against plain probes of scikit-learn."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler

from genset.cli import cli
from genset.finetune.features import Features, compute_features
from genset.finetune.fitting import draw_shots
from genset.finetune.heads import find_head
from genset.finetune.tasks import open_task
from genset.score.options import ScoringOptions
from tests.score.real import in_timms_naming
from tests.score.scoring import load_model

pytestmark = [pytest.mark.realdata, pytest.mark.soak]

PROBES = {
    "standardized": lambda _: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "one scale": lambda rows: make_pipeline(
        FunctionTransformer(lambda found: found / rows.std(axis=0).mean()),
        LogisticRegression(max_iter=2000),
    ),
    "nearest mean": lambda _: make_pipeline(Normalizer(), NearestCentroid()),
}


def species(realdata: Path, folder: Path) -> Path:
    """20 of CUB's, as links."""
    folder.mkdir()
    source = realdata / "cub" / "CUB_200_2011"
    for name in ("images", "image_class_labels.txt", "train_test_split.txt"):
        (folder / name).symlink_to(source / name)
    for name in ("images.txt", "classes.txt"):
        lines = (source / name).read_text().splitlines(True)
        (folder / name).write_text("".join(x for x in lines if x.split()[1][:3] <= "020"))
    return folder


def test_few_shots_are_as_good_as_the_best_of_plain_probes(realdata: Path, tmp_path: Path) -> None:
    torch.save(dict(in_timms_naming(0)), tmp_path / "lite0.pth")
    specs = [
        f"file:{tmp_path}/lite0.pth?arch=timm:tf_efficientnet_lite0&mean=0.5&std=0.5",
        f"file:{realdata}/checkpoints/squeezenet1_0.pth?arch=torchvision:squeezenet1_0",
    ]
    root, runs = species(realdata, tmp_path / "birds"), tmp_path / "runs"
    models = [word for spec in specs for word in ("--model", f"{spec}&resize=146&crop=128")]
    words = [
        "finetune",
        "birds-200",
        "--data",
        root,
        "--runs",
        runs,
        "--shots",
        "1,2,5",
        "--seeds",
        "10",
    ]
    done = CliRunner().invoke(cli, [*map(str, words), *models, "--json"])
    assert done.exit_code == 0, done.output
    data = open_task("birds-200", root)
    labels, train, test = data.labels, data.indices("train"), data.indices("test")
    for run in json.loads(done.stdout)["runs"]:
        model = load_model(run["spec"])
        found = [(model, find_head(model))]
        folder = runs / "finetune" / ".features"
        (features,) = compute_features(data.photo_set(), found, folder, ScoringOptions())
        assert isinstance(features, Features) and features.seconds == 0  # those of the command
        rows = np.array(features.values)
        for shots in (1, 2, 5, None):
            ours = [a["correct"] / a["photos"] for a in run["attempts"] if a["shots"] == shots]
            drawn = [
                train[draw_shots(labels[train], shots or len(train), seed)]
                for seed in range(10 if shots else 1)
            ]
            theirs = {
                name: np.mean(
                    [
                        probe(rows[few]).fit(rows[few], labels[few]).score(rows[test], labels[test])
                        for few in drawn
                    ]
                )
                for name, probe in PROBES.items()
            }
            assert np.mean(ours) > max(theirs.values()) - 0.01, (shots, theirs)
