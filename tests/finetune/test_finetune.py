"""The whole way: from a task's photos and models to runs that are kept."""

import csv
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFile

from genset.core.errors import BadInput, GensetError
from genset.finetune.fitting import FinetuneOptions, read_shots, read_strengths
from genset.finetune.run import FinetuneResults, finetune
from genset.finetune.runs import StoredRun, find_finetuned, load_head, load_predictions
from genset.models.spec import parse_spec
from genset.score.options import ScoringOptions
from tests.score.colours import colours

OPTIONS = FinetuneOptions(seeds=2, strengths=(0.01, 1.0), scoring=ScoringOptions(engine="torch"))
SHADES = {"blue": (40, 40, 200), "green": (40, 200, 40), "red": (200, 40, 40)}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Ten photos each of three colours, of all shades."""
    chance = random.Random(0)
    for name, shade in SHADES.items():
        for number in range(10):
            path = tmp_path / "shades" / name / f"{number}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            moved = tuple(max(0, min(255, part + chance.randint(-150, 150))) for part in shade)
            Image.new("RGB", (48, 40), moved).save(path)
    return tmp_path / "shades"


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A network whose features are a photo's mean red, green and blue."""
    return colours(tmp_path)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by a name for each photo whose pixels are decoded."""
    names: list[str] = []
    load = ImageFile.ImageFile.load

    def counting(self: ImageFile.ImageFile, *args: Any) -> Any:
        if self.tile:  # not decoded yet
            names.append(str(self.filename))
        return load(self, *args)

    monkeypatch.setattr(ImageFile.ImageFile, "load", counting)
    return names


def fit(
    data: Path, *specs: str, options: FinetuneOptions = OPTIONS, **other: Any
) -> FinetuneResults:
    models = [parse_spec(spec) for spec in specs]
    return finetune([("folder", data)], models, data.parent / "runs", options, **other)


def test_a_run_tells_what_it_takes_to_get_it_again(data: Path, model: str) -> None:
    ((folder, record),) = fit(data, model).runs
    assert (record.task, record.name, record.model) == ("folder", "shades", "colours")
    assert (record.classes, record.train, record.test) == (tuple(SHADES), 24, 6)
    assert record.split == "20 % of each class, seed 0"
    assert record.engine == "torch"
    assert record.preprocessing["resize"] == 32
    assert {"genset", "torch", "numpy"} <= set(record.versions)
    assert record.settings == {"seeds": 2, "shots": ["all"], "strengths": [0.01, 1.0]}
    with (folder / "split.csv").open(newline="") as file:
        parts = [row["part"] for row in csv.DictReader(file)]
    assert (parts.count("train"), parts.count("test")) == (24, 6)
    # The stored head gives the stored answers.
    weights, bias = load_head(folder)
    said = load_predictions(StoredRun(folder, record))
    means = [np.asarray(Image.open(data / image)).mean(axis=(0, 1)) for image in said.images]
    features = (np.array(means) / 255 - 0.5) / 0.5
    assert (features @ weights.T + bias).argmax(axis=1).tolist() == said.predicted[0].tolist()
    assert said.right[0].sum() == record.of_shots(None)[0].correct


def test_another_setting_or_split_needs_no_second_pass(
    data: Path, model: str, decoded: list[str]
) -> None:
    first = fit(data, model)
    written = (first.runs[0].folder / "finetune.json").stat().st_mtime_ns
    decoded.clear()
    said: list[str] = []
    assert fit(data, model, say=said.append).runs == first.runs
    assert said[-1] == "shades, colours: is there already"
    assert (first.runs[0].folder / "finetune.json").stat().st_mtime_ns == written
    ((_, record),) = fit(data, model, options=replace(OPTIONS, seeds=1, shots=(2, 9))).runs
    assert [(attempt.shots, attempt.seed) for attempt in record.attempts] == [
        (shots, 0) for shots in (None, 2, 9)
    ]
    assert any("Of 9 photos a class: 3 classes have fewer" in note for note in record.notes)
    for options in (
        replace(OPTIONS, strengths=(10.0,)),
        replace(OPTIONS, split_seed=1),
        replace(OPTIONS, test_share=0.5),
    ):
        (kept,) = fit(data, model, options=options).runs
    assert (kept.record.train, kept.record.test) == (15, 15)
    assert decoded == []
    assert len(find_finetuned(data.parent / "runs")) == 5


def test_a_command_that_was_stopped_goes_on_with_what_is_kept(
    data: Path, model: str, decoded: list[str]
) -> None:
    def stop(line: str) -> None:
        if line.startswith("shades, first: ") and "% of" in line:
            raise KeyboardInterrupt

    specs = f"{model}&name=first", f"{model}&name=second&std=0.3"
    with pytest.raises(KeyboardInterrupt):
        fit(data, *specs, say=stop)
    assert [kept.record.model for kept in find_finetuned(data.parent / "runs")] == ["first"]
    decoded.clear()
    assert [kept.record.model for kept in fit(data, *specs).runs] == ["first", "second"]
    assert decoded == []


def test_photos_that_cannot_be_decoded_are_left_out_unless_a_class_has_no_others(
    data: Path, model: str
) -> None:
    (data / "red" / "3.png").write_bytes((data / "red" / "3.png").read_bytes()[:60])
    (data / "red" / "4.png").write_text("no photo")
    ((folder, record),) = fit(data, model).runs
    assert set(record.excluded) == {"red/3.png", "red/4.png"}
    assert record.train + record.test == 28
    shutil.rmtree(folder)
    for number in range(2, 10):
        (data / "red" / f"{number}.png").unlink()
    for number in range(2):
        torn = data / "red" / f"{number}.png"
        torn.write_bytes(torn.read_bytes()[:60])
    with pytest.raises(GensetError, match="shades: the class red has no photo to train on that"):
        fit(data, model)
    assert find_finetuned(data.parent / "runs") == []


@pytest.mark.parametrize("read", [read_shots, read_strengths])
@pytest.mark.parametrize("text", ["", "x", "0", "1,,2", "nan"])
def test_lists_that_make_no_sense_are_refused(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(BadInput, match="write"):
        read(text)
