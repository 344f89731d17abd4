"""Entries of several runs in a table, what their runs say together, and which are of one entry."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.tta.answers import answer, printed, refusal
from tests.tta.dawnbench_entries import write_entry, write_tsv
from tests.tta.logs.mlperf_logs import line, write


def write_result(path: Path, minutes: float, score: float = 0.755) -> Path:
    """An MLPerf log of v0.5: four epochs and a stop half a minute later."""
    told = [line("v0.5", 0, "run_start"), line("v0.5", 0, "eval_target", 0.749)]
    for epoch, value in enumerate((0.2, 0.5, 0.7, score), 1):
        at = 15 * (minutes - 0.5) * epoch
        told.append(line("v0.5", at, "eval_accuracy", value, epoch=epoch))
    return write(path, [*told, line("v0.5", 60 * minutes, "run_stop", success=score >= 0.749)])


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Two entries of five runs each; one run of the slower never gets there."""
    for at, minutes in enumerate((100, 101, 99, 120, 98)):
        write_result(tmp_path / "fast" / "one" / "resnet" / f"result_{at}.txt", minutes)
    for at, minutes in enumerate((200, 210, 205, 190, 240)):
        score = 0.755 if at < 4 else 0.74
        write_result(tmp_path / "slow" / "two" / "resnet" / f"result_{at}.txt", minutes, score)
    return tmp_path


def test_a_table_has_one_row_an_entry_both_ways(results: Path) -> None:
    (task,) = answer("table", results)["tasks"]
    rows = {row["name"]: row for row in task["trainings"]}
    fast, slow = rows["fast/one/resnet"], rows["slow/two/resnet"]
    assert (fast["runs"], fast["reached"]) == (5, 5)
    assert 60 * fast["hours"] == pytest.approx(103.6)
    assert 60 * fast["hours_without_ends"] == pytest.approx(100)
    # The one that never gets there is the slowest, so only the fastest of the others is left out.
    assert (slow["runs"], slow["reached"]) == (5, 4)
    assert 60 * slow["hours"] == pytest.approx(201.25)
    assert 60 * slow["hours_without_ends"] == pytest.approx(205)
    assert sum(task["hardware"]["training"].values()) == 2
    (task,) = answer("table", results, "--baseline", "slow/two/resnet")["tasks"]
    assert task["trainings"][0]["faster"] == pytest.approx(201.25 / 103.6)
    text = printed("table", results)
    assert "2 of 2 entries reach 74.9 % top-1" in text
    row = next(each for each in text.splitlines() if each.startswith("fast/one/resnet"))
    assert re.search(r"5 of 5 +1:43:36 +1:40:00", row)
    assert "slow/two/resnet: 1 of 5 runs does not reach the threshold: the time is of the" in text
    fast, slow = answer("thresholds", results, "--from", 70)["rows"]
    assert (fast["name"], fast["runs"], fast["reached"][0]) == ("fast/one/resnet", 5, 5)
    assert (slow["reached"][0], slow["reached"][-1]) == (5, 4)
    assert "3:21:15 (4 of 5)" in printed("thresholds", results, "--from", 70)
    # With two that never get there, MLPerf has no result.
    write_result(results / "slow" / "two" / "resnet" / "result_0.txt", 200, 0.7)
    (slow,) = (r for r in answer("table", results)["tasks"][0]["trainings"] if r["reached"] == 3)
    assert slow["hours_without_ends"] is None


def test_stability_says_what_to_expect_with_failures_in_it(results: Path) -> None:
    folder = results / "slow" / "two" / "resnet"
    found = answer("stability", folder)
    # One run of 240 minutes fails for four that take 805 together.
    assert 60 * found["expected_hours"] == pytest.approx((805 + 240) / 4)
    low, high = (60 * end for end in found["expected_interval"].values())
    assert low < 261.25 < high
    text = printed("stability", folder)
    assert "expected time until a run reaches the threshold: 4:21:15 (95 %: " in text
    assert "if each failed run is followed by another" in text
    assert "as MLPerf counts: 3:25:00" in text
    # Start to stop for the log's own threshold, and the epoch's time for another.
    assert 60 * answer("stability", folder, "--threshold", 70)["hours"] == pytest.approx(
        0.75 * (1045 / 5 - 0.5)
    )


def test_fewer_than_two_runs_that_get_there_leave_no_interval_to_expect(tmp_path: Path) -> None:
    for last, expected, words in (
        ([70, 71, 72], None, "until a run reaches the threshold: unknown, none does"),
        ([92, 93], 4, "(an interval needs two that do)"),
    ):
        logs = [write_tsv(tmp_path / f"{score}.tsv", [60, score]) for score in last]
        found = answer("stability", *logs)
        assert (found["expected_hours"], found["expected_interval"]) == (expected, None)
        assert (found["variation"], found["reached"]) == (None, int(expected is not None))
        assert words in printed("stability", *logs)


def test_the_time_per_epoch_varies_by_run_and_inside_it(tmp_path: Path) -> None:
    head = "epoch\thours\ttop5Accuracy"
    logs = []
    for at, hours in enumerate(((9, 10, 11, 12), (9, 10, 12, 15))):  # 1, 1, 1 and 1, 2, 3
        lines = [f"{n}\t{h}\t{92 + n / 2 + at / 10}" for n, h in enumerate(hours, 1)]
        logs.append(tmp_path / f"{at}.tsv")
        logs[-1].write_text("\n".join([head, *lines]))
    found = answer("stability", *logs)["epoch_time"]
    assert found["hours"] == 1.5
    assert found["variation"] == pytest.approx(2**0.5 / 2 / 1.5)
    assert found["within"] == pytest.approx((2 * 0.25 / 4) ** 0.5)


def test_scaling_takes_several_runs_a_size_and_several_thresholds(tmp_path: Path) -> None:
    for at, hour in enumerate((3.0, 3.3)):
        write_tsv(tmp_path / "small" / f"{at}.tsv", [60, 92, 93 + at / 10], hour=hour)
    large = [
        write_tsv(tmp_path / "a.tsv", [60, 92.2, 93.2], hour=1),
        write_tsv(tmp_path / "b.tsv", [61, 91, 92.9], hour=1.1),
    ]
    words = [f"1={tmp_path / 'small'}", *(f"4={path}" for path in large)]
    found = answer("scaling", *words, "--threshold", 93, "--threshold", 92)
    small, four = found["rows"]
    assert (small["runs"], four["runs"], found["thresholds"]) == (2, 2, [93, 92])
    assert [at["hours"] for at in small["at"]] == pytest.approx([9.45, 6.3])
    assert [at["reached"] for at in four["at"]] == [1, 2]
    assert [at["speedup"] for at in four["at"]] == pytest.approx([9.45 / 3, 6.3 / 2.65])
    text = printed("scaling", *words, "--threshold", 93, "--threshold", 92)
    assert "speed-up to 93 %  speed-up to 92 %" in text
    assert "1 of 2 runs of 4 workers does not reach 93 %" in text


def test_a_loss_goes_down_in_every_answer(tmp_path: Path) -> None:
    for at in range(3):
        rows = [f"{n},{(10 + at) * n},{3 / n + at / 100:.4f}" for n in range(1, 21)]
        (tmp_path / f"{at}.csv").write_text("\n".join(["epoch,seconds,val_loss", *rows, ""]))
    words = [tmp_path, "--metric", "val_loss"]
    text = printed("table", *words, "--threshold", "0.16")
    assert "2 of 3 entries reach val_loss 0.16" in text
    assert re.search(r"^2 .* not reached .* 0.17$", text, re.M)
    (task,) = answer("table", *words, "--threshold", "0.1")["tasks"]
    assert [row["best"] for row in task["never"]] == [0.15, 0.16, 0.17]
    for ends in (["--from", 1, "--to", 0.2], ["--from", 0.2, "--to", 1]):
        found = answer("thresholds", *words, *ends)
        assert found["thresholds"] == [1, 0.8, 0.6, 0.4, 0.2]
        hours = found["rows"][0]["hours"]
        assert hours == sorted(hours)
    printed("thresholds", *words, "--from", 1, "--to", 0.155, "-o", tmp_path / "over.svg")
    assert "give the first and last val_loss with --from and --to" in refusal("thresholds", *words)


def test_what_all_entries_have_to_remark_is_said_once(tmp_path: Path) -> None:
    for at in range(3):
        write_entry(tmp_path / "ImageNet" / "train" / f"run-{at}", [93], 1 + at, model=None)
    write_entry(tmp_path / "ImageNet" / "train" / "run-2", [93, 92], model=None)
    text = printed("table", tmp_path)
    assert text.count("no model") == 1
    assert "all 3: no model" in text
    assert "run-2: ends at 92.00 %, below the threshold that it had reached" in text


def test_a_run_that_its_user_stopped_is_not_held_against_its_size(tmp_path: Path) -> None:
    write_entry(tmp_path / "one" / "a", [90, 93])
    write_entry(tmp_path / "four" / "a", [90, 93.1], 0.3)
    stopped = {"recording": {"finished": False, "stopped": True}}
    write_entry(tmp_path / "four" / "b", [90.5, 91], 0.31, misc=stopped)
    text = printed("scaling", f"1={tmp_path / 'one'}", f"4={tmp_path / 'four'}")
    assert "1 of 2 runs of 4 workers: cannot tell whether they reach 93 %" in text
    assert "not reach" not in text


CURVE = [60.0, 92.0, 93.2]


def two(tmp_path: Path, first: dict[str, Any], second: dict[str, Any]) -> list[Path]:
    one = write_entry(tmp_path / "one", CURVE, **first)
    return [one, write_entry(tmp_path / "other", [61.0, 92.5, 93.4], hour=1.1, **second)]


@pytest.mark.parametrize(
    ("field", "first", "second"),
    [
        ("model", "ResNet-50", "ResNet-18"),
        ("hardware", "8 V100 / 488 GB", "8 A100 / 488 GB"),
        ("hardware", "8 V100", "16 V100"),
        ("framework", "PyTorch 2.4.1", "PyTorch 2.41"),
    ],
)
def test_stability_refuses_runs_of_different_entries_and_names_both(
    tmp_path: Path, field: str, first: str, second: str
) -> None:
    runs = two(tmp_path, {field: first}, {field: second})
    said = refusal("stability", *runs)
    assert f"{field} {first} and {second}" in said
    assert "--mixed" in said
    text = printed("stability", *runs, "--mixed")
    assert "2 of 2 runs reach 93 %" in text
    assert f"the runs differ in {field} {first} and {second}" in text
    assert answer("stability", *runs, "--mixed")["differences"] == [f"{field} {first} and {second}"]


def test_another_spelling_or_silence_is_no_difference(tmp_path: Path) -> None:
    for field, first, second in (
        ("hardware", "8 V100 / 488 GB / 64 CPU", "8 v100/488GB/64  CPU"),
        ("model", "ResNet 50", "resnet-50"),
        ("framework", "PyTorch 2.4", "pytorch-2.4"),
        ("framework", "PyTorch 2.4", ""),  # what a log does not say differs from nothing
        ("model", None, "ResNet 50"),
        # A number however it is written; what differs from run to run is no setting.
        ("misc", {"batch_size": "256", "seed": 1, "commit": "a"}, {"batch_size": 256.0, "seed": 2}),
    ):
        runs = two(tmp_path, {field: first}, {field: second})
        assert answer("stability", *runs)["differences"] == []
        assert "--mixed would change nothing" in refusal("stability", *runs, "--mixed")


def test_a_run_that_stops_when_it_gets_there_may_be_short(tmp_path: Path) -> None:
    short = write_tsv(tmp_path / "short.tsv", [60, 84, 93])
    long = write_tsv(tmp_path / "long.tsv", [55, 86, 91, 92, 92.5, 92.4, 92.8, 92.9])
    assert answer("stability", short, long)["reached"] == 1
    # It did not stop for a threshold that it had long reached.
    assert "last epoch 3 and 8" in refusal("stability", short, long, "--threshold", 65)


def test_settings_that_an_entry_has_in_its_misc_are_compared(tmp_path: Path) -> None:
    runs = two(
        tmp_path,
        {"misc": {"batch_size": 10, "epochs": 10, "optimizer": "SGD"}},
        {"misc": {"batch_size": 20, "epochs": 30, "optimizer": "Adam"}},
    )
    refused = refusal("stability", *runs)
    for difference in ("batch_size 10 and 20", "epochs 10 and 30", "optimizer SGD and Adam"):
        assert difference in refused


def test_sizes_may_differ_in_how_many_machines_and_in_versions(tmp_path: Path) -> None:
    four, eight = "4 p3.16xlarge (AWS)", "64 * V100 (8 machines - p3.16xlarge)"
    for field, first, second in (
        ("hardware", four, eight),
        ("hardware", "1 CPU", "8 CPU"),
        ("framework", "PyTorch 0.4.1", "ncluster / Pytorch 0.5.0a0"),
    ):
        one, other = two(tmp_path, {field: first}, {field: second})
        assert answer("scaling", f"1={one}", f"8={other}")["differences"] == []
    for field, first, second in (
        ("hardware", "1 V100", "8 A100"),
        ("hardware", "a laptop's CPU", "a Cloud TPU"),
        ("framework", "PyTorch 2.4", "JAX"),
        ("model", "ResNet-50", "ResNet-101"),
    ):
        one, other = two(tmp_path, {field: first}, {field: second})
        words = ["scaling", f"1={one}", f"8={other}"]
        assert f"{field} {first} and {second}" in refusal(*words)
        assert f"the runs differ in {field} {first}" in printed(*words, "--mixed")


def test_four_workers_that_are_6_9_times_as_fast_get_a_remark(tmp_path: Path) -> None:
    one = write_tsv(tmp_path / "one.tsv", CURVE, hour=6.9)
    four = write_tsv(tmp_path / "four.tsv", CURVE, hour=1)
    remark = "4 workers are 6.9 times as fast per epoch as 1, more than 4 times the workers explain"
    assert remark in printed("scaling", f"1={one}", f"4={four}")
    three = write_tsv(tmp_path / "three.tsv", CURVE, hour=6.9 / 3.9)
    assert answer("scaling", f"1={one}", f"4={three}")["remarks"] == []


def write_ffcv(path: Path, hour: float, **settings: object) -> Path:
    """A log with settings, as ffcv writes them: three epochs that get there."""
    head = ["relative_time", "top_1", "top_5", "epoch", "uid", *settings]
    rows = [
        [str(at * hour * 3600), str(score / 2), str(score), str(at), path.stem, *settings.values()]
        for at, score in enumerate((0.6, 0.9 + hour / 100, 0.935))
    ]
    path.write_text("\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("setting", "first", "second", "by_size"),
    [
        ("resolution.max_res", 192, 224, False),
        ("training.batch_size", 256, 1024, True),
        ("lr.lr", 0.5, 1.7, True),
    ],
)
def test_settings_tell_schedules_apart_but_for_those_that_go_with_the_size(
    tmp_path: Path, setting: str, first: float, second: float, by_size: bool
) -> None:
    one = write_ffcv(tmp_path / "one.csv", 1, **{setting: first})
    other = write_ffcv(tmp_path / "other.csv", 0.5, **{setting: second})
    assert f"{setting} {first} and {second}" in refusal("stability", one, other)
    words = ["scaling", f"1={one}", f"4={other}"]
    if by_size:
        assert answer(*words)["differences"] == []
    else:
        assert f"{setting} {first} and {second}" in refusal(*words)
