"""What is said of a part of the logs, of thresholds that are none, and how figures are drawn."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from genset.core.errors import BadInput
from tests.tta.answers import answer, partly, printed, refusal, tta
from tests.tta.dawnbench_entries import write_entry, write_tsv


def _runs(folder: Path, *hours: float) -> Path:
    for at, hour in enumerate(hours, 1):
        write_tsv(folder / f"run-{at}.tsv", [90, 93.5], hour=hour)
    return folder


def _csv(path: Path, scores: Sequence[float], minute: float = 1, head: str = "val_acc") -> Path:
    rows = [f"{at},{60 * minute * at},{score}" for at, score in enumerate(scores, 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([f"epoch,seconds,{head}", *rows, ""]))
    return path


def test_a_fraction_is_no_threshold_in_per_cent_but_of_an_error(tmp_path: Path) -> None:
    for at in (1, 2):
        _csv(tmp_path / "runs" / f"{at}.csv", [80, 95], minute=at)
    for words in (
        ("table", "--threshold", "val_acc=0.94"),
        ("stability", "--threshold", "0.94"),
        ("thresholds", "--from", "0", "--to", "0.94"),
    ):
        command, *options = words
        assert "0.94 means 0.94 %; for 94 %" in refusal(command, tmp_path / "runs", *options)
    error = _csv(tmp_path / "error.csv", [4, 0.6, 0.4], head="val_error")
    assert "1 of 1 entry reaches" in printed("table", error, "--threshold", "0.5")


@pytest.mark.parametrize("command", ["stability", "thresholds", "scaling"])
def test_an_answer_of_a_part_of_the_logs_ends_with_exit_code_1(
    tmp_path: Path, command: str
) -> None:
    runs = _runs(tmp_path / "runs", 1, 1.1)
    (runs / "run-3.tsv").write_text("epoch\thours\ttop5Accuracy\n1\t1\t95%\n")
    words = [runs]
    if command == "scaling":
        words = [f"1={runs}", f"2={_runs(tmp_path / 'two', 0.5)}"]  # type: ignore[list-item]
    result = tta(command, *words)
    assert "Not counted: 1 file\n" in result.stdout
    assert "run-3.tsv, line 2" in result.stdout
    count = 4 if command == "scaling" else 3
    assert str(result.exception) == f"1 of {count} logs cannot be counted"
    assert not isinstance(result.exception, BadInput)  # of exit code 2
    assert len(partly(command, *words)["refused"]) == 1
    (runs / "run-2.tsv").unlink()  # what is left is too little
    if command == "stability":
        said = refusal(command, runs)
        assert said.startswith("stability needs at least two runs")
        assert f"Not counted: {runs / 'run-3.tsv'}, line 2" in said


def test_a_copy_is_no_further_run_for_any_command(tmp_path: Path) -> None:
    runs = _runs(tmp_path / "ImageNet", 1, 1.1, 1.2)
    (runs / "run-4.tsv").write_bytes((runs / "run-3.tsv").read_bytes())
    for words in (("stability", runs), ("thresholds", runs)):
        (refused,) = partly(*words)["refused"]
        assert refused["reason"] == (
            f"it holds the same epochs as {runs / 'run-3.tsv'}, so it is no further run"
        )
        assert refused["file"].endswith("run-4.tsv")
    assert partly("stability", runs)["reached"] == 3
    for name, minute in (("a", 1), ("b", 2), ("copy", 1)):
        _csv(tmp_path / "csv" / f"{name}.csv", [80, 95], minute=minute)
    assert refusal("table", tmp_path / "csv", "--threshold", 94).startswith("1 of 3 logs")


def test_a_table_takes_a_log_by_its_name_and_one_training_at_two_prices(tmp_path: Path) -> None:
    for name, price in (("dear", 10.0), ("cheap", 3.0)):
        write_entry(tmp_path / "prices" / "ImageNet" / name, [80, 93.5], costPerHour=price)
    (task,) = answer("table", tmp_path / "prices", "--by", "cost")["tasks"]
    assert [row["name"] for row in task["trainings"]] == ["cheap", "dear"]
    assert len(answer("thresholds", tmp_path / "prices")["rows"]) == 2
    log = _csv(tmp_path / "log.csv", [80, 95])
    assert "1 of 1 entry reaches 94 % val_acc" in printed("table", log, "--threshold", 94)
    tsv = write_entry(tmp_path / "ImageNet" / "one", [93.5])
    write_entry(tmp_path / "ImageNet" / "two", [93.6])
    for path in (tsv, tsv.with_suffix(".json")):
        assert [row["name"] for row in answer("table", path)["tasks"][0]["trainings"]] == ["one"]


def test_a_wide_way_has_few_columns(tmp_path: Path) -> None:
    log = _csv(tmp_path / "log.csv", [80, 95])
    found = answer("thresholds", log, "--from", 80, "--to", 94)
    assert found["thresholds"] == [80, 82, 84, 86, 88, 90, 92, 94]
    assert answer("thresholds", log, "--to", 94)["thresholds"] == [91 + at / 2 for at in range(7)]
    text = printed("thresholds", log, "--to", 94)
    assert text.startswith("val_acc: time to each threshold\n")
    error = _csv(tmp_path / "error.csv", [9, 4], head="val_error")
    assert answer("thresholds", error, "--to", 5)["thresholds"][0] == 8
