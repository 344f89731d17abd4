"""Logs as they are out there: read rightly, or refused by name, line and reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from genset.tta.logs.dawnbench import Curve, read_curve
from genset.tta.logs.reading import read_entries
from genset.tta.runs import Entries, MalformedLog
from tests.tta.dawnbench_entries import FIELDS, HEAD, write_entry, write_inference

TWO = "1\t0.5\t30.5\t60\n2\t1.25\t75.5\t93.1\n"

# Values under each other's names: the hours as epochs, top-1 as epochs, top-1 as hours.
HOURS_AS_EPOCHS = "0.25\t1\t30\t60\n0.5\t2\t40\t70\n0.75\t3\t50\t93\n"
SCORES_AS_EPOCHS = "30.5\t0.25\t1\t60\n40.25\t0.5\t2\t70\n50\t0.75\t3\t93\n"
SCORES_AS_HOURS = (
    "1\t10\t0.25\t60\n2\t40\t0.5\t70\n3\t60\t0.75\t80\n4\t70\t1\t90\n5\t72\t1.25\t93\n"
)


def curve_of(text: str | bytes) -> Curve:
    return read_curve(Path("log.tsv"), text.encode() if isinstance(text, str) else text)


def top5_by_hours(text: str | bytes) -> list[tuple[float, float, float]]:
    epochs = curve_of(text).epochs
    return [(epoch.epoch, epoch.hours, epoch.scores["top5Accuracy"]) for epoch in epochs]


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\n{TWO}".rstrip(),
        f"\ufeff{HEAD}\n{TWO}".replace("\n", "\r\n"),
        f"{HEAD}\n{TWO}".replace("\n", "\r").replace("\t", " \t  "),
        f"# fast.ai, 8 machines\n\n{HEAD}\n  # warm-up\n{TWO}\n   \n",
        f"{HEAD}\n{TWO}".replace("\t", "   "),
        f"{HEAD}\n{TWO}".replace("\n", "\t\t\n"),
        "Epoch\tHours\tTop1 accuracy\ttop-5 Accuracy\n" + TWO,
        "epoch\thours\ttop1Accuracy\ttop5Accuracy\n1.0\t5e-1\t.305\t0.6\n2.\t1.25\t.755\t0.931\n",
        "epoch\thours\tloss\ttop5Accuracy\n1\t0.5\t6.9\t60\n2\t1.25\tnan\t93.1\n",
    ],
)
def test_every_variant_is_read_alike(text: str) -> None:
    assert top5_by_hours(text) == [(1, 0.5, 60), (2, 1.25, 93.1)]


def test_a_score_that_was_not_measured_is_no_score() -> None:
    curve = curve_of(f"{HEAD}\n0\t1\t\t\n2.9\t2\t70\t90\n2.9\t4\t\t\n")
    assert [epoch.epoch for epoch in curve.epochs] == [0, 2.9, 2.9]
    measured = {"top1Accuracy": 70, "top5Accuracy": 90}
    assert [epoch.scores for epoch in curve.epochs] == [{}, measured, {}]
    assert curve.remarks == ("2 of 3 epochs lack a score",)
    assert "fractions" in curve_of(f"{HEAD}\n1\t1\t0.57\t0.93\n").remarks[0]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "empty"),
        (f"{HEAD}\n", None, "no epoch below the header"),
        (TWO, 1, "no column epoch"),
        ("epoch\ttop5Accuracy\n1\t2\n", 1, "no column hours"),
        ("epoch,hours,top5Accuracy\n1,2,3\n", 1, "divided by tabs"),
        ("epoch\thours\tloss\n1\t2\t3\n", 1, "no score"),
        (f"{HEAD}\n# x\n\n1\t0,5\t30\t60\n", 4, "hours is no number"),
        (f"{HEAD}\n1\t1\t30\t95%\n", 2, "top5Accuracy is no number from 0 up: '95%'"),
        (f"{HEAD}\n1\t1\t30\t60\n2\t2\t70\n", 3, "3 cells for 4 columns; leave a cell empty"),
        (f"{HEAD}\n{HOURS_AS_EPOCHS}", 2, "hours counts up by one and epoch does not"),
        (f"{HEAD}\n{SCORES_AS_EPOCHS}", 2, "top1Accuracy counts up by one and epoch does not"),
        (f"{HEAD}\n{SCORES_AS_HOURS}", 6, "top1Accuracy rises evenly and hours does not"),
        (f"{HEAD}\n1\t1\t30\t101\n", 2, "top5Accuracy is over 100"),
        (f"{HEAD}\n1\t1\t60\t30\n", 2, "top-5 below top-1"),
        (f"{HEAD}\n2\t1\t30\t60\n1\t2\t30\t60\n", 3, "epoch runs backwards: 1 after 2"),
        (f"{HEAD}\n1\t2\t30\t60\n2\t1\t30\t60\n", 3, "hours runs backwards: 1 after 2"),
        (f"{HEAD}\n1\t1\t0.7\t93\n", None, "one score is in fractions"),
        (f"{HEAD}\n1\t1\t\t\n", None, "no epoch has a score"),
        (f"{HEAD}\n{TWO}".encode("utf-16"), None, "not UTF-8"),
    ],
)
def test_what_has_no_right_reading_is_refused(
    text: str | bytes, line: int | None, reason: str
) -> None:
    with pytest.raises(MalformedLog) as refused:
        curve_of(text)
    assert refused.value.line == line
    assert reason in refused.value.reason
    assert str(refused.value).startswith("log.tsv")


def refusals(entries: Entries) -> list[str]:
    return [str(error) for error in entries.refused]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{\n"costPerHour": -1}', "line 2: costPerHour must be a number from 0 up, not -1"),
        ('{"timestamp": "2018-02-30"}', "line 1: timestamp must be a day, such as 2018-04-20"),
        ('{"framework": 5}', "line 1: framework must be a text, not 5"),
        ("", "not valid JSON (input data was truncated)"),
        ('{\n"author": "Ann",\n}', "line 3, column 1: not valid JSON"),
        ("[]", "it must be a table of keys and values, not an empty list"),
        ('{"costPerHour": 1e999}', "not valid JSON"),
    ],
)
def test_a_wrong_field_or_no_json_is_refused_with_its_line_and_the_rest_counts(
    tmp_path: Path, text: str, reason: str
) -> None:
    write_entry(tmp_path / "good", [93.5])
    write_entry(tmp_path / "other", [93.6]).with_suffix(".json").write_text(text)
    entries = read_entries(tmp_path)
    assert [entry.about.name for entry in entries.trainings] == ["good"]
    assert reason in refusals(entries)[0]


def test_an_entry_says_what_it_lacks_and_has_its_folders_task(tmp_path: Path) -> None:
    bare: dict[str, Any] = {name: None for name in FIELDS if name != "model"}
    write_entry(tmp_path / "CIFAR10/train" / "a", [93.5], **bare)
    path = write_entry(tmp_path / "other" / "b", [93.6]).with_suffix(".json")
    text = json.dumps(FIELDS | {"timestamp": "2018-4-2 10:00"}, indent=1)
    path.write_text(text.replace("\n", "\r\n"), "utf-8-sig")
    a, b = (entry.about for entry in read_entries(tmp_path).trainings)
    assert (a.task.name, b.task.name) == ("CIFAR10", "ImageNet")
    assert a.remarks == ("no author, framework, hardware, timestamp",)
    assert a.cost_per_hour is None
    assert (b.author, str(b.submitted)) == ("Ann", "2018-04-02")


def test_inference_entries_have_milliseconds_and_dollars(tmp_path: Path) -> None:
    write_inference(tmp_path / "a.json", latency=10, cost=2e-6, top5Accuracy=93.07)
    write_inference(tmp_path / "b.json", latency=36, costPerHour=1.0, top5Accuracy=0.9307)
    write_inference(tmp_path / "c.json", latency=5, cost=None, accuracy=94.45)
    write_inference(tmp_path / "d.json", latency=5)
    write_inference(tmp_path / "e.json", latency="fast", top5Accuracy=93)
    entries = read_entries(tmp_path)
    told = [(e.about.task.name, e.latency, e.cost, e.score) for e in entries.inferences]
    assert told == [
        ("ImageNet", 10, 2e-6, 93.07),
        ("ImageNet", 36, pytest.approx(1e-5), 93.07),
        ("CIFAR10", 5, None, 94.45),
    ]
    assert "d.json: no score" in refusals(entries)[0]
    assert 'e.json, line 1: latency must be a number from 0 up, not "fast"' in refusals(entries)[1]


def test_a_table_of_other_columns_is_read_by_its_columns(tmp_path: Path) -> None:
    (tmp_path / "steps.tsv").write_text("step\ttime\tval_acc\n10\t60\t50\n20\t120\t94\n")
    (tmp_path / "hours.tsv").write_text("epoch\thours\tval_acc\n1\t1\t50\n2\t2\t94\n")
    (tmp_path / "hours.json").write_text('{"lr": 0.1}')
    write_entry(tmp_path / "entry", [93.5])
    entries = read_entries(tmp_path)
    assert entries.refused == []
    names = [(run.about.name, run.about.task.name) for run in entries.trainings]
    assert sorted(names) == [("entry", "ImageNet"), ("hours", "val_acc"), ("steps", "val_acc")]
