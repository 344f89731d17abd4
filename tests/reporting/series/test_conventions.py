"""Several sets of a user's own classes: each number says by which convention it is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genset.classes import imagenet1k
from genset.cli import cli
from tests.reporting.series.test_series import numbers, said
from tests.reporting.sets import Page

CLASSES = [f"c{number}" for number in range(12)]
WITHOUT = CLASSES[9:]  # no output is of them
EACH = 3  # photos of a class


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    wnids = [each.wnid for each in imagenet1k()]
    lines = ['name = "mine"']
    for number, id in enumerate(CLASSES):
        lines += [f"[classes.{id}]", f"imagenet = ['{wnids[number]}']" if id not in WITHOUT else ""]
    Path("mine.toml").write_text("\n".join(lines))
    for seed, name in enumerate(("v1", "v2")):
        Path(name).mkdir()
        rows = [f"{id}/{name}-{n}.jpg,{id}" for id in CLASSES for n in range(EACH)]
        Path(name, "labels.csv").write_text("\n".join(["image,wnid", *rows]))
        for model in ("one", "two"):
            rng = np.random.default_rng([seed, len(model), ord(model[0])])
            truth = np.repeat(np.arange(len(CLASSES)), EACH)
            logits = rng.normal(size=(len(truth), 1000)).astype(np.float32)
            logits[np.arange(len(truth)), truth] += 2.6
            np.save(f"{name}/{model}.npy", logits)
    return tmp_path


def score(name: str, model: str, *words: str) -> None:
    """Count a model's answers on a set by the command line."""
    spec = f"predictions:{name}/{model}.npy"
    own = ["--taxonomy", "mine.toml", *words]
    cli(["evaluate", f"{name}/labels.csv", "--model", spec, *own], standalone_mode=False)


def series(*words: str) -> str:
    return said("v1/labels.csv", "v2/labels.csv", "--taxonomy", "mine.toml", *words)


def found() -> dict[str, Any]:
    return numbers("v1/labels.csv", "v2/labels.csv", "--taxonomy", "mine.toml")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "all outputs compete (all)"),
        (["--among", "subset"], "only outputs of the set’s classes compete (subset)"),
        (["--pool", "max"], "the largest output of a class counts (max)"),
    ],
)
def test_the_heading_says_the_convention_that_all_runs_have(
    words: Sequence[str], says: str
) -> None:
    for name in ("v1", "v2"):
        score(name, "one", *words)
    text = series("--markdown")
    head = next(line for line in text.splitlines() if line.startswith("| Model"))
    assert head.count(says.replace("(", "\\(").replace(")", "\\)")) == 2 or head.count(says) == 2
    assert "the classes that each model knows" not in text
    assert [model["label"] for model in found()["models"]] == ["one"]
    series("-o", "site")
    page = Page(Path("site/index.html")).text
    assert says in page
    assert "the classes that each model knows" not in page


def test_two_conventions_have_rows_and_means_of_their_own() -> None:
    for name in ("v1", "v2"):
        score(name, "one")
        for words in ([], ["--among", "subset"]):
            score(name, "two", *words)
    data, text = found(), series("--markdown")
    models = {model["label"]: model["on"] for model in data["models"]}
    assert sorted(models) == ["one (all)", "two (all)", "two (subset)"]
    for number, name in enumerate(("v1", "v2")):
        truth = np.repeat(np.arange(len(CLASSES)), EACH)
        counts = truth < len(CLASSES) - len(WITHOUT)
        logits = np.load(f"{name}/two.npy")
        by = {
            "two (all)": logits.argmax(axis=1),
            "two (subset)": logits[:, : len(CLASSES) - len(WITHOUT)].argmax(axis=1),
        }
        for label, answers in by.items():
            right = int((answers == truth)[counts].sum())
            assert models[label][number]["all"]["accuracy"]["correct"] == right
    assert data["older"] == 0
    pairs = {pair["among"]: pair for pair in data["pairs"]}
    assert sorted(row["label"] for row in pairs["all"]["models"]) == ["one (all)", "two (all)"]
    assert [row["label"] for row in pairs["subset"]["models"]] == ["two (subset)"]
    counted = len(CLASSES) - len(WITHOUT)
    for pair in pairs.values():  # no model has an output for the others
        assert (pair["classes"], pair["photos"]) == (counted, [counted * EACH] * 2)
    assert "Runs of 2 conventions are here" in text
    assert len(data["changes"]) == 2
    assert data["changes"][0].startswith("Where all outputs compete (all): ")
    changed = {label: on[1]["change"] for label, on in models.items()}
    assert all(changed.values())
    assert not data["gaps"]


def test_the_command_for_a_gap_has_the_convention() -> None:
    score("v1", "one")
    score("v2", "one", "--among", "subset")
    data = found()
    assert [gap["by_hand"] for gap in data["gaps"]] == [["one (subset)"], ["one (all)"]]
    assert not data["pairs"]
