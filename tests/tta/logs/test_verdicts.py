"""Reached, not reached, cannot tell, or a question: never a verdict that a log does not bear."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.core.errors import BadInput
from genset.tta.logs.reading import read_file
from tests.tta.answers import answer, printed, refusal, tta
from tests.tta.logs.mlperf_logs import ROUNDS, line, lines, write


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


# No interleaving, repetition or truncation of a log gives a time that the full log does not imply.
# What a log implies for a threshold are the times of its evaluations that reach it, and for its own
# threshold the time of its stop: by the clock of any worker that told both ends.

OWN = 74.9
THRESHOLDS = (30.0, OWN, 75.0, 90.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


def times(path: Path, data: bytes) -> list[float | None]:
    """The seconds to each threshold; nothing where the log is refused."""
    path.write_bytes(data)
    try:
        (run,) = read_file(path)
    except BadInput:
        return [None for _ in THRESHOLDS]
    found = [run.first_at(threshold) for threshold in THRESHOLDS]
    return [None if epoch is None else 3600 * epoch.hours for epoch in found]


def implied(scores: list[float], threshold: float, late: list[float], ended: bool) -> list[float]:
    """All times that a run with these scores may be said to take, by its workers' clocks."""
    first = next((at for at, score in enumerate(scores, 1) if 100 * score >= threshold), None)
    if first is None:
        return []
    ends = [3600.0 * first] + ([3600.0 * len(scores) + 1] if threshold == OWN and ended else [])
    return [end + one - other for end in ends for one in late for other in late]


@given(st.data())
def test_no_cutting_repeating_or_mixing_of_mlperfs_lines_gives_another_time(
    folder: Path, data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from(ROUNDS))
    scores = data.draw(
        st.lists(st.integers(0, 1000).map(lambda n: n / 1000), min_size=1, max_size=4)
    )
    good = 100 * max(scores) >= OWN
    status = data.draw(st.sampled_from(["success", "none", None] if good else ["aborted", None]))
    late = data.draw(st.lists(st.sampled_from([0.0, 0.25, 3.5]), min_size=1, max_size=3))
    told = [lines(form, scores, OWN / 100, status=status, late=each) for each in late]
    if data.draw(st.booleans()):  # some log their target after the first evaluation
        for each in told:
            each.insert(3, each.pop(2))
    workers = data.draw(st.permutations([at for at, each in enumerate(told) for _ in each]))
    mixed = []
    for worker in workers:
        mixed += [told[worker].pop(0)] * data.draw(st.sampled_from([1, 1, 2]))
    whole = "".join(f"{each}\n" for each in mixed).encode()
    cut = data.draw(st.integers(0, len(whole)))
    for text in (whole, whole[:cut]):
        found = times(folder / "result_0.txt", text)
        for threshold, seconds in zip(THRESHOLDS, found, strict=True):
            right = implied(scores, threshold, late, status is not None)
            assert seconds is None or any(abs(seconds - each) < 0.01 for each in right)
    found = times(folder / "result_0.txt", whole)
    assert [seconds is None for seconds in found] == [100 * max(scores) < t for t in THRESHOLDS]
