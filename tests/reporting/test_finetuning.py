"""The report's section on fine-tuning: there where results are kept, and nowhere else."""

import json
from pathlib import Path

import pytest

from genset.core.errors import GensetError
from genset.reporting.collect import collect
from genset.reporting.forms import report_json
from genset.reporting.options import ReportOptions
from genset.reporting.sections import finetuning
from genset.score.results.runs import run_folder
from genset.sets.photos import PhotoSet
from tests.reporting.heads import CLASSES, keep_finetuned
from tests.reporting.sets import everywhere, release_of, score

OLD, NEW = "sha256:old", "sha256:new"


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    """A release on which the models "pretrained" and "optimized" are scored."""
    photos = release_of(tmp_path / "set", 20)
    score(photos, tmp_path / "runs", "optimized", 9, weights=NEW)
    score(photos, tmp_path / "runs", "pretrained", 8, weights=OLD)
    return photos


@pytest.fixture
def runs(tmp_path: Path, photos: PhotoSet) -> Path:
    """Both fine-tuned on birds; "optimized" is wrong on 16 more of 160 photos."""
    runs = tmp_path / "runs"
    keep_finetuned(runs, "pretrained", [32, 32, 32], weights=OLD, shots=[(1, 80), (5, 50)])
    keep_finetuned(
        runs,
        "optimized",
        [48, 44, 52],
        weights=NEW,
        shots=[(1, 90), (5, 60)],
        created_at="2026-01-02T03:04:05.000002+00:00",
    )
    return runs


def test_the_other_model_is_held_against_the_first_one(photos: PhotoSet, runs: Path) -> None:
    page, markdown, _ = everywhere(photos, runs)
    (task,) = report_json(collect(photos, runs))["finetuning"]
    first, second = task["models"]
    assert (first["run"]["model"], first["curve"][-1]["difference"]) == ("pretrained", None)
    assert first["curve"][-1]["accuracy"]["correct"] == 128
    assert (first["curve"][-1]["spread"], len(first["run"]["attempts"])) == (0.0, 5)
    held = second["curve"][-1]["difference"]
    assert held["difference"] == pytest.approx(-0.1)
    assert held["interval"]["low"] < -0.1 < held["interval"]["high"] < 0
    assert (held["only_model"], held["only_baseline"]) == (0, 16)
    for form in (page.text, markdown):
        assert "−10.0" in form
        assert "16 classes, 240 training and 160 test photos; split: official" in form
    assert "birds-200: optimized against pretrained" in page.text
    assert "| birds-200 | pretrained | 5 | 160 | 68.8 | " in markdown
    assert "| birds-200 | pretrained | 160 | 80.0 | 73.1–85.5 | 0.00 | 3 | – |" in markdown
    assert "| birds-200 | optimized | 160 | 70.0 | 62.5–76.6 | 2.50 | 3 | −10.0 | −15.6" in markdown


def test_the_lower_reference_is_the_baseline_if_named(photos: PhotoSet, runs: Path) -> None:
    score(photos, runs, "best", 20, weights="sha256:best")
    keep_finetuned(runs, "optimized", [16], weights=NEW, name="cats-dogs")
    tasks = collect(photos, runs, ReportOptions(lower="optimized", upper="best")).of(
        finetuning.SECTION
    )
    assert [[model.label for model in task.models] for task in tasks] == [
        ["optimized", "pretrained"],
        ["optimized"],
    ]
    difference = tasks[0].models[1].curve[-1].difference
    assert difference and difference.difference == pytest.approx(0.1)


def test_what_must_be_said_stands_below_the_table_once(tmp_path: Path, photos: PhotoSet) -> None:
    runs = tmp_path / "runs"
    notes = ("4 classes are missing.",)
    keep_finetuned(runs, "pretrained", [32], weights=OLD, notes=notes, excluded={"a.jpg": "cut"})
    keep_finetuned(runs, "optimized", [16], weights=NEW, notes=notes, precision="bf16")
    page, markdown, _ = everywhere(photos, runs)
    for form in (page.text, markdown):
        assert form.count("4 classes are missing.") == 1
        assert "optimized: scored in bf16." in form


def test_a_model_goes_by_its_weights(tmp_path: Path, photos: PhotoSet) -> None:
    runs = tmp_path / "runs"
    keep_finetuned(runs, "same weights, other name", [32], weights=OLD)
    keep_finetuned(runs, "optimized", [16], weights="sha256:others")
    (task,) = collect(photos, runs).of(finetuning.SECTION)
    assert [model.label for model in task.models] == ["pretrained"]


def test_two_ways_to_fit_are_not_compared(tmp_path: Path, photos: PhotoSet) -> None:
    runs = tmp_path / "runs"
    keep_finetuned(runs, "pretrained", [32], weights=OLD, shots=[(1, 80)])
    keep_finetuned(
        runs,
        "pretrained",
        [16],
        weights=OLD,
        shots=[(1, 90)],
        created_at="2026-01-02T03:04:05.000002+00:00",
        key="b" * 64,
        settings={"strengths": [1.0]},
    )
    page, markdown, _ = everywhere(photos, runs)
    tasks = collect(photos, runs).of(finetuning.SECTION)
    assert [(task.task, len(task.models)) for task in tasks] == [
        ("birds-200", 1),
        ("birds-200 (2)", 1),
    ]
    assert "birds-200 (2): 16 classes" in markdown
    ids = [found["id"] for _, found in page.tags if "id" in found]
    assert len(ids) == len(set(ids)) > 0


def test_damaged_results_are_named(photos: PhotoSet, runs: Path) -> None:
    run = keep_finetuned(runs, "pretrained", [32], weights=OLD, name="cats-dogs")
    table = run_folder(runs / "finetune", run.name, run.model, run.key) / "predictions.csv"
    table.write_text("\n".join(table.read_text().splitlines()[:-1]) + "\n")
    with pytest.raises(GensetError, match="do not give the run's counts"):
        collect(photos, runs)


def test_names_of_classes_and_tasks_stay_words(tmp_path: Path, photos: PhotoSet) -> None:
    runs = tmp_path / "runs"
    words = "<script>alert(1)</script>"
    keep_finetuned(
        runs,
        "pretrained",
        [32],
        weights=OLD,
        name=words,
        classes=(words, *CLASSES[1:]),
        split=words,
        notes=(words,),
        shots=[(1, 80)],
    )
    page, markdown, _ = everywhere(photos, runs)
    assert [tag for tag, _ in page.tags].count("script") == 1  # the page's own
    assert words in page.text
    assert "<script" not in markdown
    json.dumps(report_json(collect(photos, runs)), allow_nan=False)
