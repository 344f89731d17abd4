"""Sets that have some of the 1,000 classes: two ways to score, which never share a column."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from genset.cli import cli
from tests.reporting.series.test_series import numbers, said
from tests.reporting.sets import Page
from tests.score.listed import WNIDS, write_list

PHOTOS = 120


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluate(name: str, file: str) -> Path:
    """Count answers on a set by the command line; the run's folder."""
    cli(["evaluate", f"{name}/labels.csv", "--model", f"predictions:{file}"], standalone_mode=False)
    (folder,) = Path("runs", name).glob(f"{Path(file).stem}-*")
    return folder


def scores_on(truth: NDArray[np.int64], seed: int) -> NDArray[np.float32]:
    """N x 1,000 logits of a model that is right on a part of the photos."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(len(truth), 1000)).astype(np.float32)
    logits[np.arange(len(truth)), truth] += 3.2
    return logits


@pytest.mark.parametrize("seed", range(3))
def test_both_ways_are_what_counting_by_hand_gives(here: Path, seed: int) -> None:
    """On a set of 40 classes and one of 30, of which 20 are in both."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(1000)
    classes = {"a": np.sort(chosen[:40]), "r": np.sort(chosen[20:50])}
    truths = {name: rng.choice(own, PHOTOS) for name, own in classes.items()}
    for number, (name, truth) in enumerate(truths.items()):
        Path(name).mkdir()
        write_list(Path(name, "labels.csv"), truth)
        logits = scores_on(truth, 10 * seed + number)
        best_first = np.argsort(-logits, axis=1, kind="stable")
        np.save(f"{name}/deep.npy", best_first)
        np.save(f"{name}/kept.npy", best_first[:, :5])
        np.save(f"{name}/short.npy", best_first[:, :5])
        for model in ("deep", "short"):
            evaluate(name, f"{name}/{model}.npy")
        folder = evaluate(name, f"{name}/kept.npy")  # with all logits, as --logits keeps them
        np.save(folder / "logits.npy", logits)
        (folder / "logits.json").write_text(json.dumps({"classes": WNIDS}))
    found = numbers("a/labels.csv", "r/labels.csv")
    models = {model["label"]: model["on"] for model in found["models"]}
    present = {name: np.unique(truth) for name, truth in truths.items()}
    for number, (name, truth) in enumerate(truths.items()):
        logits = np.load(f"runs/{name}/{folder_of(name, 'kept')}/logits.npy")
        among_all = int((logits.argmax(axis=1) == truth).sum())
        own = present[name]
        among_own = int((own[logits[:, own].argmax(axis=1)] == truth).sum())
        assert among_own > among_all
        for label in ("deep", "kept"):
            on = models[label][number]
            assert on["all"]["accuracy"]["correct"] == among_all
            assert on["subset"]["accuracy"]["correct"] == among_own
        short = models["short"][number]
        assert short["all"]["accuracy"]["correct"] == among_all
        unknown = int((~np.isin(np.argsort(-logits)[:, :5], own)).all(axis=1).sum())
        assert short["subset"]["unknown"] == unknown > 0
        assert short["subset"]["low"] <= among_own / PHOTOS <= short["subset"]["high"]
    assert_pairs(found, truths)


@pytest.mark.parametrize("words", [["--logits"], ["--k", "1000"]])
@pytest.mark.parametrize("are_probabilities", [False, True])
def test_scores_from_elsewhere_settle_it_as_the_page_says(
    here: Path, words: list[str], are_probabilities: bool
) -> None:
    truths = {"a": np.tile(np.arange(0, 1000, 25), 3), "r": np.tile(np.arange(0, 1000, 20), 3)}
    right = {}
    for number, (name, truth) in enumerate(truths.items()):
        Path(name).mkdir()
        write_list(Path(name, "labels.csv"), truth)
        scores = scores_on(truth, number)
        own = np.unique(truth)
        right[name] = int((own[scores[:, own].argmax(axis=1)] == truth).sum())
        if are_probabilities:
            scores = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        np.save(f"{name}/mine.npy", scores)
        set_and_model = [f"{name}/labels.csv", "--model", f"predictions:{name}/mine.npy"]
        cli(["evaluate", *set_and_model], standalone_mode=False)
        # The run that does not settle it was made before, and stays.
        for record in Path("runs", name).glob("mine-*/run.json"):
            old = json.loads(record.read_text())
            record.write_text(json.dumps({**old, "created_at": "2026-01-02T03:04:05+00:00"}))
    sets = [f"{name}/labels.csv" for name in truths]
    assert all(on["subset"]["unknown"] for on in numbers(*sets)["models"][0]["on"])
    for name in truths:
        set_and_model = [f"{name}/labels.csv", "--model", f"predictions:{name}/mine.npy"]
        cli(["evaluate", *set_and_model, *words], standalone_mode=False)
    (model,) = numbers(*sets)["models"]
    found = [on["subset"]["accuracy"]["correct"] for on in model["on"]]
    assert found == list(right.values())
    (pair,) = (each for each in numbers(*sets)["pairs"] if each["among"] == "subset")
    assert [each["label"] for each in pair["models"]] == ["mine"]


def folder_of(name: str, label: str) -> str:
    (folder,) = Path("runs", name).glob(f"{label}-*")
    return folder.name


def assert_pairs(found: dict, truths: dict[str, NDArray[np.int64]]) -> None:  # type: ignore[type-arg]
    """Between the sets, models choose among all classes, or among those that both have."""
    pairs = {pair["among"]: pair for pair in found["pairs"]}
    assert [model["label"] for model in pairs["subset"]["models"]] == ["deep", "kept"]
    assert pairs["subset"]["unknown"] == ["short"]
    assert len(pairs["all"]["models"]) == 3
    shared = np.intersect1d(truths["a"], truths["r"])
    assert pairs["subset"]["classes"] == pairs["all"]["classes"] == len(shared)
    for side, (name, truth) in zip(("first", "second"), truths.items(), strict=True):
        logits = np.load(f"runs/{name}/{folder_of(name, 'kept')}/logits.npy")
        right = shared[logits[:, shared].argmax(axis=1)] == truth
        by_class = [right[truth == place].mean() for place in shared]
        for model in pairs["subset"]["models"]:
            assert model[side] == pytest.approx(np.mean(by_class))


def test_the_ways_are_named_and_a_set_of_all_classes_has_one(here: Path) -> None:
    truths = {"val": np.arange(1000), "a": np.repeat(np.arange(0, 1000, 5), 2)}
    for number, (name, truth) in enumerate(truths.items()):
        Path(name).mkdir()
        write_list(Path(name, "labels.csv"), truth)
        np.save(f"{name}/mine.npy", np.argsort(-scores_on(truth, number), axis=1))
        evaluate(name, f"{name}/mine.npy")
    said("val/labels.csv", "a/labels.csv", "-o", "site")
    text = Page(Path("site/index.html")).text
    assert "a : among its own classes" in text
    assert "val : among its own classes" not in text
    assert "Top-1, choosing among all 1,000 classes" in text
    assert "Top-1, choosing among these 200 classes alone" in text
    assert "val and a, choosing among these 200 classes alone" in text


def test_a_model_of_fewer_classes_is_in_no_column_of_all_thousand(here: Path) -> None:
    """It knows the set's 20 classes alone, so its first answers are the easier kind."""
    for name, places in (("a", range(20)), ("b", range(20))):
        Path(name).mkdir()
        write_list(Path(name, "labels.csv"), [*places, *places, *([0] if name == "b" else [])])
    Path("own.txt").write_text("\n".join(WNIDS[:20]) + "\n")
    for name, photos in (("a", 40), ("b", 41)):
        answers = np.arange(photos)[:, None] % 20
        np.save(f"{name}/small.npy", answers)
        spec = f"predictions:{name}/small.npy?classes=own.txt"
        words = ["evaluate", f"{name}/labels.csv", "--model", spec]
        cli(words, standalone_mode=False)
    found = numbers("a/labels.csv", "b/labels.csv")
    (model,) = found["models"]
    assert [on["all"] for on in model["on"]] == [None, None]
    assert model["on"][0]["subset"]["accuracy"]["correct"] == 40
    pairs = {pair["among"]: pair for pair in found["pairs"]}
    assert pairs["all"]["unknown"] == ["small"]
    assert [each["label"] for each in pairs["subset"]["models"]] == ["small"]
    assert "they choose among other classes than the 1,000: small" in said(
        "a/labels.csv", "b/labels.csv", "--markdown"
    )
