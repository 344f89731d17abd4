"""Logs that Lightning's CSVLogger and TensorBoard's writers really write, and W&B's exports.

The exports are written by their documented form: W&B makes them on its servers.
"""

import csv
import json
import re
import shutil
import sqlite3
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from genset.tta.logs.common import ReadAs
from genset.tta.logs.reading import read_file, read_runs
from genset.tta.runs import MalformedLog, Training
from tests.tta.answers import answer, measured, runs_of, tta

EPOCHS = 3


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real training of a tiny network, logged by both of Lightning's loggers."""
    import torch
    from lightning.pytorch import LightningModule, Trainer
    from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
    from torch.utils.data import DataLoader, TensorDataset

    class Tiny(LightningModule):
        def __init__(self, batch_size: int, lr: float, seed: int) -> None:
            super().__init__()
            self.save_hyperparameters()
            self.layer = torch.nn.Linear(4, 2)

        def on_fit_start(self) -> None:  # as docs/tta.md says to
            self.began = time.monotonic()

        def training_step(self, batch: Any, at: int) -> Any:
            loss = torch.nn.functional.cross_entropy(self.layer(batch[0]), batch[1])
            self.log("train_loss", loss)
            return loss

        def validation_step(self, batch: Any, at: int) -> None:
            right = self.layer(batch[0]).argmax(1) == batch[1]
            self.log_dict({"val_acc": right.float().mean(), "val_loss": 1.0})

        def on_validation_epoch_end(self) -> None:
            self.log("seconds", time.monotonic() - self.began)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    folder = tmp_path_factory.mktemp("lightning")
    photos = torch.randn(16, 4)
    loader = DataLoader(TensorDataset(photos, (photos[:, 0] > 0).long()), batch_size=8)
    trainer = Trainer(
        accelerator="cpu",
        max_epochs=EPOCHS,
        log_every_n_steps=1,
        logger=[CSVLogger(folder, "csv"), TensorBoardLogger(folder, "events")],
        enable_checkpointing=False,
        enable_model_summary=False,
        enable_progress_bar=False,
        num_sanity_val_steps=0,
    )
    trainer.fit(Tiny(8, 0.1, seed=7), loader, loader)
    return folder


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_both_loggers_of_lightning_give_the_same_training(logs: Path) -> None:
    path = logs / "csv" / "version_0" / "metrics.csv"
    (by_csv,) = read_file(path)
    assert measured(by_csv) == [
        (float(row["epoch"]), round(float(row["seconds"]), 6), 100 * float(row["val_acc"]))
        for row in rows_of(path)
        if row["val_acc"]
    ]
    assert by_csv.about.name == "csv version_0"
    assert by_csv.about.remarks == ("scores read as fractions of 1: none is over 1",)
    assert by_csv.about.settings == {"batch_size": "8", "lr": "0.1"}
    (path,) = (logs / "events" / "version_0").glob("events*")
    (run,) = read_file(path)
    assert [epoch.epoch for epoch in run.epochs] == list(range(EPOCHS))
    assert run.scores() == by_csv.scores()
    (run,) = read_file(path, ReadAs(metric="train_loss"))
    assert (run.about.task.lower_is_better, len(run.epochs)) == (True, 2 * EPOCHS)
    (row,) = answer("table", logs, "--threshold", 0)["tasks"][0]["trainings"]
    assert row["name"] == "csv version_0"
    assert f"one run with {path.parent}/{path.name}, which has the same scores" in row["remarks"][1]


def test_a_score_has_the_time_of_the_next_row_with_one(logs: Path, tmp_path: Path) -> None:
    rows = rows_of(logs / "csv" / "version_0" / "metrics.csv")
    apart = []
    for row in rows:
        apart.append(row | ({"seconds": ""} if row["val_acc"] else {}))
        if row["val_acc"]:
            apart.append(dict.fromkeys(row, "") | {"seconds": row["seconds"], "step": row["step"]})
    expected = measured(read_file(logs / "csv" / "version_0" / "metrics.csv")[0])
    for kept, of_them in ((len(apart), expected), (len(apart) - 1, expected[:-1])):
        lines = [",".join(rows[0]), *(",".join(row.values()) for row in apart[:kept]), ""]
        (run,) = runs_of(tmp_path / "metrics.csv", "\n".join(lines))
        assert measured(run) == of_them
    assert run.about.remarks[0] == "no time comes after its last score, which is not counted"
    for row in rows:
        del row["seconds"]
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows), ""]
    with pytest.raises(MalformedLog, match=r'line 1: no column of time: .*self.log\("seconds"'):
        runs_of(tmp_path / "metrics.csv", "\n".join(lines))


# ---- TensorBoard's own writer, at moments of our choosing ----

BEGAN = 1_900_000_000.0  # later than the event that the writer makes by itself


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The time of day, in a list of one, for what a writer writes by itself."""
    now = [BEGAN]
    monkeypatch.setattr(time, "time", lambda: now[0])
    yield now


def write(
    folder: Path, clock: list[float], at: float, scores: dict[int, float], **kinds: Any
) -> Path:
    """One event file: made `at` seconds after the beginning, with a score a minute."""
    from torch.utils.tensorboard import SummaryWriter

    clock[0] = BEGAN + at
    before = set(folder.glob("*"))
    with SummaryWriter(str(folder), filename_suffix=f".{at:06.0f}") as writer:
        for minute, (step, score) in enumerate(scores.items(), 1):
            clock[0] = BEGAN + at + 60 * minute
            writer.add_scalar(kinds.get("tag", "val/acc"), score, step)
            writer.add_scalar("train/loss", 1.0, step)
            writer.add_histogram("weights", np.array([0.0, 1.0]), step)
            writer.add_text("note", "x", step)
    (path,) = set(folder.glob("*")) - before
    return path


def runs_in(folder: Path) -> list[Training]:
    refused: list[MalformedLog] = []
    runs = read_runs([folder], refused)
    assert not refused
    return runs


def test_keras_folder_of_validation_counts_from_the_training_beside_it(
    tmp_path: Path, clock: list[float]
) -> None:
    write(tmp_path / "run" / "train", clock, 0, {0: 0.9, 1: 0.99}, tag="epoch_accuracy")
    write(tmp_path / "run" / "validation", clock, 55, {0: 0.5, 1: 0.94}, tag="epoch_accuracy")
    (run,) = runs_in(tmp_path)
    assert (run.about.name, measured(run)) == ("run", [(0, 115, 50), (1, 175, 94)])
    (run,) = read_runs([tmp_path], [], ReadAs(metric="epoch_accuracy"))
    assert measured(run)[-1] == (1, 175, 94)


def test_a_file_that_was_cut_or_damaged_loses_times_and_gives_no_other(
    tmp_path: Path, clock: list[float]
) -> None:
    path = write(tmp_path / "a", clock, 0, {1: 0.5, 2: 0.6, 3: 0.94})
    whole = path.read_bytes()
    full = measured(read_file(path)[0])
    for size in range(0, len(whole), 61):
        path.write_bytes(whole[:size])
        try:
            (run,) = read_file(path)
        except MalformedLog:
            continue
        assert measured(run) == full[: len(run.epochs)]
    assert len(run.epochs) == 3 or "cut off" in run.about.remarks[0]
    damaged = bytearray(whole)
    damaged[whole.index(struct.pack("<f", 0.6))] ^= 1
    path.write_bytes(damaged)
    (run,) = read_file(path)
    assert measured(run) == full[:1]
    assert "its last event is cut off, and not counted" in run.about.remarks


def test_folders_are_runs_that_are_resumed_or_begin_again(
    tmp_path: Path, clock: list[float]
) -> None:
    write(tmp_path / "a", clock, 0, {1: 0.5, 2: 0.6})
    write(tmp_path / "a", clock, 1000, {2: 0.61, 3: 0.94})
    write(tmp_path / "b", clock, 2000, {1: 0.9})
    write(tmp_path / "c", clock, 0, {1: 0.51, 2: 0.62})
    write(tmp_path / "c", clock, 1000, {1: 0.7, 2: 0.94})
    write(tmp_path / "c", clock, 1010, {5: 0.3})  # while the other ran
    a, b, *anew = runs_in(tmp_path)
    assert measured(a) == [(1, 60, 50), (2, 120, 60), (3, 1120, 94)]  # 0.94 in 32 bits is less
    assert a.first_at(94) == a.epochs[2]
    assert a.about.remarks[0] == "its epochs are steps (Step)"
    assert "it was resumed: the pause is part of its time" in a.about.remarks
    assert (b.about.name, measured(b)) == ("b", [(1, 60, 90)])
    assert [run.about.name for run in anew] == ["c 1", "c 2", "c 3"]
    assert [measured(run)[-1] for run in anew] == [(2, 120, 62), (2, 120, 94), (5, 60, 30)]


def test_event_files_without_a_score_name_the_tags(
    tmp_path: Path, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a", clock, 0, {1: 0.5}, tag="goodness")
    with pytest.raises(MalformedLog, match="--metric; there are goodness, train/loss"):
        read_file(path)
    (run,) = read_file(path, ReadAs(metric="goodness"))
    assert run.scores() == [0.5]
    path.write_bytes(b"")
    with pytest.raises(MalformedLog, match="empty, or no event file"):
        read_file(path)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(MalformedLog, match=r"pip install 'genset\[tensorboard\]'"):
        read_file(path)


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


# As pandas writes run.scan_history(): an index without a name, rows of training and validation.
HISTORY = [
    {"_step": 0, "_runtime": 10.5, "_timestamp": 1795428346.1, "train/loss": 2.3},
    {"_step": 1, "_runtime": 60.25, "_timestamp": 1795428395.9, "epoch": 0, "val/acc": 0.5},
    {"_step": 2, "_runtime": 70.5, "_timestamp": 1795428406.1, "train/loss": float("nan")},
    {"_step": 3, "_runtime": 121.0, "_timestamp": 1795428456.6, "epoch": 1, "val/acc": 0.94},
]
TIME = "Relative Time (Process)"


def chart(*columns: str, x: str = TIME) -> str:
    """The first line of a chart's export, with the columns that W&B adds to each."""
    names = [
        x,
        *(name for column in columns for name in (column, f"{column}__MIN", f"{column}__MAX")),
    ]
    return ",".join(f'"{name}"' for name in names)


def row(time: float, *values: float | str) -> str:
    return ",".join(f'"{cell}"' for cell in (time, *(v for value in values for v in [value] * 3)))


def test_a_history_has_the_time_of_the_run(tmp_path: Path) -> None:
    text = pd.DataFrame(HISTORY).to_csv()
    # The name that W&B's own examples give is Lightning's, too.
    (run,) = runs_of(tmp_path / "metrics.csv", text)
    assert measured(run) == [(0, 60.25, 50), (1, 121, 94)]
    assert run.about.remarks == ("scores read as fractions of 1: none is over 1",)
    (run,) = runs_of(
        tmp_path / "metrics.csv", pd.DataFrame(HISTORY).drop(columns="_runtime").to_csv()
    )
    assert measured(run) == [(0, 49.8, 50), (1, 110.5, 94)]


def test_a_chart_holds_the_runs_that_were_drawn(tmp_path: Path) -> None:
    lines = [chart("calm-sun-7 - val/acc", "lr - 0.1 - val/acc")]
    lines += [row(60, 0.5, ""), row(61.5, "", 0.4), row(120, 0.94, ""), row(122, "", 0.6), ""]
    first, second = runs_of(tmp_path / "wandb_export.csv", "\n".join(lines))
    assert (first.about.name, second.about.name) == ("calm-sun-7", "lr - 0.1")
    assert measured(first) == [(1, 60, 50), (2, 120, 94)]
    assert measured(second) == [(1, 61.5, 40), (2, 122, 60)]
    assert first.about.task == second.about.task
    assert first.about.remarks[0] == "no column of epochs: its rows with a score are counted"
    # Several metrics of one run, with its epochs.
    lines = [chart("a - val/acc", "a - val/loss", "a - epoch"), row(60, 0.5, 1.5, 7), ""]
    (run,) = runs_of(tmp_path / "chart.csv", "\n".join(lines))
    assert measured(run) == [(7, 60, 50)]
    (run,) = runs_of(tmp_path / "chart.csv", "\n".join(lines), ReadAs(metric="val/loss"))
    assert (run.about.task.lower_is_better, run.best()) == (True, 1.5)


@pytest.mark.parametrize(
    ("text", "line", "mend"),
    [
        (chart("a - val/acc", x="Step") + "\n", 1, "choose Relative Time (Process)"),
        ("Name,State,Notes,User,Tags,Created,Runtime\nx,finished,,,,,9\n", 1, "export a chart"),
        (chart("a - val/acc") + "\n" + row(1, 95) + "\n" + row(2, "95%") + "\n", 3, "'95%'"),
        (chart("Group: a - val_acc") + "\n" + row(1, 9) + "\n", 1, "is a mean over a group"),
        (chart("a - goodness") + "\n" + row(1, 9) + "\n", 1, "--metric; there are goodness"),
        (chart("a - val/acc", "a - val/acc") + "\n" + row(1, 9, 9) + "\n", 1, "two columns"),
    ],
)
def test_what_says_no_time_or_no_number_is_refused_with_the_mend(
    tmp_path: Path, text: str, line: int, mend: str
) -> None:
    with pytest.raises(MalformedLog, match=re.escape(mend)) as refused:
        runs_of(tmp_path / "chart.csv", text)
    assert refused.value.line == line
    assert "__MIN" not in str(refused.value)
