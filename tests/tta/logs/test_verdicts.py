"""Reached, not reached, cannot tell, or a question: never a verdict that a log does not bear."""

import json
from pathlib import Path

import pytest

from tests.tta.answers import answer, printed, refusal, tta
from tests.tta.logs.mlperf_logs import line, lines, write


def verdict(*words: object) -> str:
    """The first line of `table`, after the task."""
    return printed("table", *words).splitlines()[0].partition(": ")[2]


def test_scores_that_were_measured_after_the_stop_tell_of_its_own_threshold_alone(
    tmp_path: Path,
) -> None:
    told = lines("v0.7", [0.5, 0.7, 0.75])
    stop = line("v0.7", 1800, "run_stop", status="success")
    log = write(tmp_path / "result_0.txt", [*told[:-1], stop])
    assert "1 of 1 entry reaches 74.9 %" in verdict(log)
    (training,) = answer("table", log)["tasks"][0]["trainings"]
    assert training["hours"] == 0.5
    text = printed("table", log, "--threshold", 70)
    assert "cannot tell: 1" in text
    assert "scored after it stopped" in text


@pytest.mark.parametrize(("first", "warm_up"), [(3, 0), (4, 60), (35, 60)])
def test_the_rest_of_a_resumed_run_is_told_by_its_first_epochs_time(
    tmp_path: Path, first: int, warm_up: int
) -> None:
    rows = [f"{first + n},{60 * (n + 1) + warm_up},{70 + n}" for n in range(5)]
    log = write(tmp_path / "tail.csv", ["epoch,seconds,val_acc", *rows])
    assert "cannot tell: 1" in verdict(log, "--threshold", 72)
    words = ("--threshold", 72, "--starts-at", 60 * (first - 1))
    assert "1 of 1 entry" in verdict(log, *words)
    assert "time is a bound" not in printed("table", log, *words)
    assert "time is a bound" in printed("table", log, "--threshold", 70, *words[2:])
    assert "or earlier" in printed("thresholds", log, "--from", 70, "--to", 72, *words[2:])
    rows = [f"{n},{100 * n},{60 + 5 * n}" for n in range(1, 5)]
    whole = write(tmp_path / "whole.csv", ["epoch,seconds,val_acc", *rows])
    rows_found = answer("table", tmp_path, *words)["tasks"][0]["trainings"]
    assert ("whole", 1 / 12) in [(row["name"], row["hours"]) for row in rows_found]
    assert len(rows_found) == 2
    assert "--starts-at would change nothing" in refusal("table", whole, *words)


def test_a_trainers_checkpoints_are_one_run_and_half_of_it_is_not_the_whole(tmp_path: Path) -> None:
    for step in (19, 38, 76):
        history = [
            {"step": n, "eval_accuracy": n / 100, "seconds": n} for n in range(19, step + 1, 19)
        ]
        state = {"log_history": history, "global_step": step, "max_steps": 76}
        file = tmp_path / "run" / f"checkpoint-{step}" / "trainer_state.json"
        write(file, [json.dumps(state)])
    (task,) = answer("table", tmp_path / "run", "--threshold", 70)["tasks"]
    (training,) = task["trainings"]
    assert (training["name"], training["runs"], training["reached"]) == ("run", 1, 1)
    half = tmp_path / "run" / "checkpoint-38" / "trainer_state.json"
    assert "cannot tell: 1" in verdict(half, "--threshold", 70)
    assert "0 of 1 entry" in verdict(tmp_path / "run", "--threshold", 80)


def test_a_last_line_without_an_end_and_a_mean_over_runs_are_no_scores(tmp_path: Path) -> None:
    log = tmp_path / "out.txt"
    log.write_text("epoch 1 t=600 loss=3.5\nepoch 2 t=1200 loss=3.4\nepoch 3 t=1800 loss=3")
    pattern = r"epoch (?P<epoch>\d+) t=(?P<s>\d+) loss=(?P<score>[\d.]+)"
    words = (log, "--pattern", pattern, "--metric", "loss", "--threshold")
    assert "cannot tell: 1" in verdict(*words, 3.2)
    assert "1 of 1 entry" in verdict(*words, 3.4)
    name = "optimizer: adam - val_acc"
    head = f"Relative Time (Process),{name},{name}__MIN,{name}__MAX"
    log = write(tmp_path / "chart.csv", [head, "60,50,45,55", "120,75,65,85"])
    assert "is a mean over a group of runs" in tta("table", log, "--threshold", 70).stdout
    write(log, [head, "60,50,50,50", "120,75,75,75"])  # a run that is called so
    assert "1 of 1 entry" in verdict(log, "--threshold", 70)


def test_a_threshold_and_options_that_cannot_be_meant_are_a_question(tmp_path: Path) -> None:
    log = write(tmp_path / "log.csv", ["epoch,seconds,val_error", "1,60,0.5", "2,120,0.08"])
    assert "for 30 % write 30" in refusal("table", log, "--threshold", 0.3)
    assert "1 of 1 entry" in verdict(log, "--threshold", 30)
    assert "no entry has a price" in refusal("table", log, "--threshold", 70, "--by", "cost")
    assert "no entry says its day" in refusal("table", log, "--threshold", 70, "--baseline", "seed")
    write(log, ["epoch,seconds,val_error", "1,60,1.5", "2,120,0.2"])
    assert "1 of 1 entry" in verdict(log, "--threshold", 0.3)
    # Of fastai's columns the error rate counts before the loss.
    head, rows = "epoch,train_loss,valid_loss,{},time", ["0,1,0.8,0.5,00:10", "1,1,0.5,0.2,00:10"]
    log = write(tmp_path / "history.csv", [head.format("error_rate"), *rows])
    assert "error_rate" in verdict(log, "--threshold", 25)
    write(log, [head.format("perplexity"), *rows])
    assert "--metric: valid_loss, perplexity" in tta("table", log, "--threshold", 0.5).stdout
