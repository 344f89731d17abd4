"""What trackers keep: files that MLflow 3.17.2 and W&B 0.31.0 made, and the Trainer's real one.

Each has four evaluations, at 20, 40, 60 and 80 %.
"""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.tta.answers import answer, tta

DATA = Path(__file__).parent / "data"


def trainings(path: Path, *words: object) -> list[Any]:
    (task,) = answer("table", path, "--threshold", 60, *words)["tasks"]
    return sorted(task["trainings"], key=lambda row: str(row["name"]))


def test_a_run_of_mlflows_folder_is_read_with_its_times(tmp_path: Path) -> None:
    (run,) = trainings(DATA / "mlruns")
    assert (run["name"], run["epoch"]) == ("seed-2", 3)
    assert run["hours"] == pytest.approx(180.005 / 3600)
    about = shutil.copytree(DATA / "mlruns" / "run", tmp_path / "run") / "meta.yaml"
    about.write_text(about.read_text().replace("status: 3", "status: 5"))  # killed
    assert "cannot tell: 1" in tta("table", tmp_path, "--threshold", 90).stdout
    about.write_text(about.read_text().replace("active", "deleted"))
    assert "no other training logs" in str(tta("table", tmp_path).exception)


def test_the_runs_of_mlflows_sqlite_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "mlflow.db"
    with sqlite3.connect(path) as store:
        store.executescript((DATA / "mlflow.sql").read_text())
    runs = trainings(path)
    assert [(run["name"], run["epoch"], round(3600 * run["hours"], 3)) for run in runs] == [
        ("seed-1", 3, 180.005),
        ("seed-2", 3, 180.005),
    ]
    with sqlite3.connect(path) as store:  # as programs log that name no step
        store.executescript("UPDATE metrics SET step = 0; UPDATE runs SET status = 'RUNNING'")
    assert {round(3600 * run["hours"], 3) for run in trainings(path)} == {180.005}
    assert "cannot tell: 2" in tta("table", path, "--threshold", 90).stdout
    with sqlite3.connect(path) as store:
        added = "INSERT INTO params (key, value, run_uuid) SELECT 'seed', name, run_uuid FROM runs"
        store.executescript(f"UPDATE runs SET status = 'FINISHED'; {added}")
    assert tta("stability", path, "--threshold", 20).exception is None  # seeds are no other entry
    with sqlite3.connect(path) as store:
        store.execute("DROP TABLE params")
    assert "it is no store of MLflow's: no such table: params" in tta("table", path).stdout


def test_wandbs_own_file_is_read_and_one_that_was_cut_off_says_so(tmp_path: Path) -> None:
    (run,) = trainings(DATA / "run.wandb")
    assert (run["name"], run["epoch"]) == ("resnet18", 3)
    assert run["hours"] == pytest.approx(3.1 / 3600, abs=0.1 / 3600)
    cut = tmp_path / "run.wandb"
    cut.write_bytes((DATA / "run.wandb").read_bytes()[:900])
    assert "cannot tell: 1" in tta("table", cut, "--threshold", 60).stdout


@pytest.mark.realdata
def test_the_trainers_state_needs_a_time(realdata: Path, tmp_path: Path) -> None:
    path = realdata / "cases" / "tta" / "trainer_state.json"
    assert 'set state.log_history[-1]["seconds"]' in tta("table", path, "--threshold", 60).stdout
    state = json.loads(path.read_text())
    for at, row in enumerate(state["log_history"]):
        row["seconds"] = 10.0 * at
    timed = tmp_path / "trainer_state.json"
    timed.write_text(json.dumps(state))
    (run,) = trainings(timed)
    assert (run["epoch"], run["hours"]) == (3, 0.025)
