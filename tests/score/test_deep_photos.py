"""A network answers to a 16-bit photo what it answers to its 8-bit version."""

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from genset.cli import cli
from tests.score.colours import WNIDS, colours


@pytest.mark.parametrize("decoding", ["exact", "fast"])
@pytest.mark.parametrize("deep", ["png", "tiff"])
def test_both_are_answered_alike(tmp_path: Path, deep: str, decoding: str) -> None:
    grey = np.random.default_rng(3).integers(0, 120, (40, 48), np.uint8)
    folder = tmp_path / "photos" / WNIDS[0]
    folder.mkdir(parents=True)
    Image.fromarray(grey).save(folder / "flat.png")
    Image.fromarray(grey.astype(np.uint16) * 257).save(folder / f"deep.{deep}")
    Image.new("L", (48, 40), 255).save(folder / "white.png")

    words = ["evaluate", tmp_path / "photos", "--runs", tmp_path / "runs", "--decode", decoding]
    done = CliRunner().invoke(cli, [*map(str, words), "--model", colours(tmp_path)])

    assert done.exit_code == 0, done.output
    (answers,) = (tmp_path / "runs").rglob("predictions.csv")
    with answers.open(newline="") as file:
        rows = {Path(row.pop("image")).stem: row for row in csv.DictReader(file)}
    assert rows["deep"] == rows["flat"]
    assert rows["deep"] != rows["white"]
