"""`stability` and `scaling` take the runs of one entry, and say what differs in others'."""

from pathlib import Path
from typing import Any

import pytest

from tests.tta.answers import answer, printed, refusal
from tests.tta.dawnbench_entries import write_entry, write_tsv

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
