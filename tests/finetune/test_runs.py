"""What is kept of a run comes back as it was, or says what is wrong."""

import csv
from pathlib import Path

import pytest

from genset.finetune.runs import find_finetuned, load_head, load_predictions
from genset.statistics.intervals import wilson
from tests.finetune.records import answered
from tests.killing import killed_at_each_change

TRUTH = [0, 0, 1, 1, 2]


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = answered(
        tmp_path, "slow", TRUTH, [0, 0, 1, 1, 2], [0, 1, 1, 1, 2], by_shots={2: [TRUTH]}
    )
    earlier = answered(tmp_path, "z", TRUTH, TRUTH, created_at="2020-01-01T00:00:00.000000")
    assert find_finetuned(tmp_path) == [earlier, kept]
    assert find_finetuned(tmp_path / "nowhere") == []
    said = load_predictions(kept)
    assert said.images[2] == "bee eater/2.jpg"
    assert said.truth.tolist() == TRUTH
    assert said.predicted.tolist() == [[0, 0, 1, 1, 2], [0, 1, 1, 1, 2]]
    assert load_predictions(kept, 2).predicted.tolist() == [TRUTH]
    weights, bias = load_head(kept.folder)
    assert (weights.shape, bias.shape) == ((3, 4), (3,))
    # Tables are for people too.
    assert kept.folder.parent == tmp_path / "finetune" / "birds"
    with (kept.folder / "predictions.csv").open(newline="") as file:
        row = list(csv.DictReader(file))[1]
    assert (row["image"], row["class"], row["all_0"], row["all_1"]) == (
        *("auk/1.jpg", "auk"),
        *("auk", "bee eater"),
    )
    split = (kept.folder / "split.csv").read_text()
    assert split.startswith("image,class,part\nauk/0.jpg,auk,test\n")


def test_accuracy_is_the_mean_over_seeds_with_one_heads_interval(tmp_path: Path) -> None:
    _, record = answered(
        tmp_path, "slow", TRUTH, TRUTH, [0, 1, 1, 1, 2], by_shots={1: [[1, 1, 1, 2, 2]]}
    )
    assert record.accuracy.share == pytest.approx(0.9)
    assert (record.accuracy.low, record.accuracy.high) == wilson(4.5, 5)
    assert record.spread == pytest.approx(0.2 / 2**0.5)
    assert answered(tmp_path, "fast", TRUTH, TRUTH).record.spread is None  # of one seed


def keep(moment: int, runs: Path) -> None:
    answered(runs, "slow", TRUTH, TRUTH, [0, 1, 1, 1, 2])


@pytest.mark.soak
def test_a_kill_at_any_moment_leaves_a_whole_run_or_none(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for _ in killed_at_each_change(keep, runs):
        for kept in find_finetuned(runs):
            assert load_predictions(kept).right.sum() == 9
            assert load_head(kept.folder)
    assert len(find_finetuned(runs)) == 1
