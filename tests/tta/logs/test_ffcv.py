"""ffcv-imagenet's table: four trainings of a ResNet-50 in one file."""

import csv
from pathlib import Path

import pytest

from genset.tta.logs.common import ReadAs
from genset.tta.logs.reading import read_file
from genset.tta.runs import Training


@pytest.fixture
def table(realdata: Path) -> Path:
    return realdata / "ffcv" / "agg.csv"


def by_epochs(runs: list[Training]) -> dict[str, Training]:
    return {run.about.settings["training.epochs"]: run for run in runs}


@pytest.mark.realdata
def test_each_schedule_has_the_time_that_its_lines_give(table: Path) -> None:
    runs = by_epochs(read_file(table))
    reached = {epochs: run.first_at(93) for epochs, run in runs.items()}
    minutes = {epochs: at and round(60 * at.hours, 1) for epochs, at in reached.items()}
    assert minutes == {"16": None, "32": 28.7, "56": 47.2, "88": 71.7}
    # The last epoch is logged twice, and counts once.
    assert {epochs: len(run.epochs) for epochs, run in runs.items()} == {
        epochs: int(epochs) for epochs in runs
    }
    # 46,736 of 50,000 photos, kept in 32 bits.
    assert runs["32"].epochs[-1].scores["top5Accuracy"] == 93.472
    about = runs["88"].about
    assert (about.model, about.hardware, about.entry) == ("resnet50", "8 GPU", "")
    assert str(about.submitted) == "2022-01-17"
    assert about.settings["training.batch_size"] == "512"
    assert not any(word in text for text in about.settings.values() for word in ("/", "localhost"))
    run = by_epochs(read_file(table, ReadAs(metric="top_1")))["88"]
    assert (run.about.task.score, run.about.task.threshold) == ("top1Accuracy", None)
    assert run.best() == pytest.approx(78.43, abs=0.01)


@pytest.mark.realdata
def test_a_second_run_of_a_recipe_makes_the_two_one_entry(table: Path, tmp_path: Path) -> None:
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    again = [row | {"uid": "again"} for row in rows if row["training.epochs"] == "16"]
    path = tmp_path / "agg.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows + again)
    entries = [run.about.entry for run in read_file(path)]
    assert entries[0] == entries[4] == "agg resnet50, 16 epochs (1330f71e)"
    assert set(entries[1:4]) == {""}
