"""The table of docs/tta.md that says which format answers what: each of its cells is run."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from genset.tta.logs.common import OPTIONS, Format
from genset.tta.logs.reading import FORMATS
from tests.tta.answers import answer, tta
from tests.tta.dawnbench_entries import write_entry
from tests.tta.factors.studies import write_study
from tests.tta.logs.mlperf_logs import lines, write_power
from tests.tta.logs.mlperf_logs import write as write_mlperf

DATA = Path(__file__).parent / "logs" / "data"
PAGE = (Path(__file__).parents[2] / "docs" / "tta.md").read_text("utf-8")
HEAD, _, *ROWS = PAGE[PAGE.index("| format |") :].split("\n\n")[0].splitlines()
QUESTIONS = [cell.strip(" `") for cell in HEAD.strip("|").split("|")][1:]
CELLS = {
    (name.strip(" `"), question): cell.strip(" `")
    for name, *cells in (row.strip("|").split("|") for row in ROWS)
    for question, cell in zip(QUESTIONS, cells, strict=True)
}
# Four evaluations of run 1 or 2: seconds, per cent.
RUNS = {at: [(60.0 * n + at, 20 * n + at / 10) for n in range(1, 5)] for at in (1, 2)}


def write_dawnbench(folder: Path, at: int) -> Path:
    path = write_entry(folder / "ImageNet" / "train" / "run", [score for _, score in RUNS[at]])
    head, *rows = path.read_text().splitlines()
    rows = [f"{row}\t{n + at}" for n, row in enumerate(rows)]
    path.write_text("\n".join([f"{head}\twattHours", *rows, ""]))
    return path


def write_text(name: str, head: str, form: str) -> Callable[[Path, int], Path]:
    def write(folder: Path, at: int) -> Path:
        rows = [form.format(n, *values) for n, values in enumerate(RUNS[at], 1)]
        (folder / name).write_text(head + "".join(rows))
        return folder / name

    return write


def write_events(folder: Path, at: int) -> Path:
    pytest.importorskip("tensorboard")
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(folder))
    for step, (time, score) in enumerate([(0.0, 0.0), *RUNS[at]]):
        value = Summary.Value(tag="val_acc", simple_value=score)
        moment = 1.8e9 + time
        writer.add_event(Event(wall_time=moment, step=step, summary=Summary(value=[value])))
    writer.close()
    return next(folder.glob("*tfevents*"))


def write_mlflow(folder: Path, at: int) -> Path:
    shutil.copytree(DATA / "mlruns" / "run", folder / "run")
    scores = folder / "run" / "metrics" / "val_acc"
    scores.write_text(scores.read_text().replace("0.2", f"0.2{at}"))
    return folder / "run" / "meta.yaml"


def write_store(folder: Path, at: int) -> Path:
    with sqlite3.connect(folder / "mlflow.db") as store:
        store.executescript((DATA / "mlflow.sql").read_text())
        store.execute("DELETE FROM runs WHERE name <> ?", [f"seed-{at}"])
    return folder / "mlflow.db"


def write_wandb(folder: Path, at: int) -> Path:
    path = folder / "run.wandb"
    path.write_bytes((DATA / "run.wandb").read_bytes().replace(b"0.2", b"0.%d" % (at + 1)))
    return path


def write_state(folder: Path, at: int) -> Path:
    rows = [{"epoch": n, "eval_accuracy": s, "seconds": t} for n, (t, s) in enumerate(RUNS[at])]
    (folder / "trainer_state.json").write_text(json.dumps({"log_history": rows}))
    return folder / "trainer_state.json"


WRITERS: dict[str, Callable[[Path, int], Path]] = {
    "mlperf": lambda folder, at: write_power(
        write_mlperf(folder / "result_0.txt", lines("v0.7", [s / 100 for _, s in RUNS[at]])),
        [500, 400],
    ),
    "console": write_text("out.txt", "", "epoch {0}: {1} s, top1 {2}\n"),
    "tensorboard": write_events,
    "trainer-state": write_state,
    "mlflow": write_mlflow,
    "mlflow-sqlite": write_store,
    "wandb": write_wandb,
    "table": write_text("log.csv", "epoch,seconds,val_acc\n", "{0},{1},{2}\n"),
    "dawnbench": write_dawnbench,
}


def test_the_table_has_every_format() -> None:
    assert {name for name, _ in CELLS} == {form.name for form in FORMATS} == set(WRITERS)


@pytest.mark.parametrize(("name", "question"), CELLS)
def test_a_format_answers_what_the_table_says(tmp_path: Path, name: str, question: str) -> None:
    logs = []
    for at in (1, 2):
        (tmp_path / str(at)).mkdir()
        logs.append(WRITERS[name](tmp_path / str(at), at))
    study = write_study(tmp_path, [{"log": str(logs[0])}, {"log": str(logs[1]), "on": ["a"]}])
    runs = logs if name == "console" else [tmp_path]
    words: dict[str, list[object]] = {
        "stability": [*runs, *["--mixed"] * (name == "mlperf")],
        "thresholds": [*logs, "--from", 40, "--to", 60],
        "scaling": [f"{at}={log}" for at, log in enumerate(logs, 1)],
        "factors": [study],
    }
    if question != "thresholds":
        words[question] = [*words.get(question, [logs[0]]), "--threshold", 60]
    command = "table" if question == "energy" else question
    read = ["--log-format", name]
    if name == "console":
        read += ["--pattern", r"epoch (?P<epoch>\d+): (?P<s>\S+) s, top1 (?P<score>\S+)"]
    if question == "energy":
        (task,) = answer(command, *words[question], *read)["tasks"]
        assert (task["trainings"][0]["watt_hours"] is not None) == (CELLS[name, question] != "–")
        return
    result = tta(command, *words[question], *read)
    assert CELLS[name, question] == "yes" and result.exception is None, result.output
    assert ("60" if name != "mlperf" else "MLPerf resnet") in result.stdout


VALUES = {
    "metric": "val_top5",
    "epoch": "turn",
    "time": "later",
    "run": "of",
    "pattern": r"top (?P<val_top1>\d+) at (?P<s>\d+)",
}
COLUMNS = "epoch,turn,time,later,val_acc,val_top5,of\n"


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("form", FORMATS, ids=[form.name for form in FORMATS])
def test_every_option_changes_what_is_read_or_is_refused(
    tmp_path: Path, form: Format, option: str
) -> None:
    path = WRITERS[form.name](tmp_path, 1)
    if form.name == "table":
        path.write_text(f"{COLUMNS}1,3,60,61,40,50,a\n2,5,120,130,60,70,b\n")
    words = ["table", path, "--threshold", 45, "--log-format", form.name]
    asked = [OPTIONS[option], *([VALUES[option]] if option in VALUES else [])]
    if option not in form.heeds:
        if form.name == "console":
            asked += ["--pattern", VALUES["pattern"]]
        result = tta(*words, *asked)
        assert f"{OPTIONS[option]} would change nothing: {form.ignores}" in result.stdout
    elif form.name == "table":
        assert answer(*words) != answer(*words, *asked)
