"""Runs as they are kept, and models held against each other on a task from them."""

import csv
from pathlib import Path
from typing import Any

import pytest

from genset.finetune.compare import Difference, learning_curve, per_class, table, worst_pairs
from genset.finetune.runs import (
    StoredRun,
    find_finetuned,
    load_head,
    load_predictions,
    mean_accuracy,
)
from genset.statistics.contrasts import contrast
from genset.statistics.intervals import wilson
from genset.statistics.paired import exact_mcnemar
from tests.finetune.records import answered
from tests.killing import killed_at_each_change

FIVE = [0, 0, 1, 1, 2]


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    kept = answered(tmp_path, "slow", FIVE, [0, 0, 1, 1, 2], [0, 1, 1, 1, 2], by_shots={2: [FIVE]})
    earlier = answered(tmp_path, "z", FIVE, FIVE, created_at="2020-01-01T00:00:00.000000")
    assert find_finetuned(tmp_path) == [earlier, kept]
    assert find_finetuned(tmp_path / "nowhere") == []
    said = load_predictions(kept)
    assert said.images[2] == "bee eater/2.jpg"
    assert said.truth.tolist() == FIVE
    assert said.predicted.tolist() == [[0, 0, 1, 1, 2], [0, 1, 1, 1, 2]]
    assert load_predictions(kept, 2).predicted.tolist() == [FIVE]
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
        tmp_path, "slow", FIVE, FIVE, [0, 1, 1, 1, 2], by_shots={1: [[1, 1, 1, 2, 2]]}
    )
    assert record.accuracy.share == pytest.approx(0.9)
    assert (record.accuracy.low, record.accuracy.high) == wilson(4.5, 5)
    assert record.spread == pytest.approx(0.2 / 2**0.5)
    assert answered(tmp_path, "fast", FIVE, FIVE).record.spread is None  # of one seed


def keep(moment: int, runs: Path) -> None:
    answered(runs, "slow", FIVE, FIVE, [0, 1, 1, 1, 2])


@pytest.mark.soak
def test_a_kill_at_any_moment_leaves_a_whole_run_or_none(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for _ in killed_at_each_change(keep, runs):
        for kept in find_finetuned(runs):
            assert load_predictions(kept).right.sum() == 9
            assert load_head(kept.folder)
    assert len(find_finetuned(runs)) == 1


TRUTH = [0] * 10 + [1] * 10 + [2] * 10


def wrong(*places: int) -> list[int]:
    """Right but at these places, where the next class is said."""
    return [(label + 1) % 3 if place in places else label for place, label in enumerate(TRUTH)]


def against(baseline: StoredRun, other: StoredRun) -> Difference:
    (row,) = table([baseline, other])
    return row.differences[0]


def test_a_difference_is_the_models_accuracy_less_the_baselines(tmp_path: Path) -> None:
    slow = answered(tmp_path, "slow", TRUTH, wrong(0, 1))
    fast = answered(tmp_path, "fast", TRUTH, wrong(1, 2, 3, 4, 5))
    held = against(slow, fast)
    assert (held.model, held.baseline, held.photos) == ("fast", "slow", 30)
    assert held.difference == pytest.approx(-3 / 30)
    assert (held.only_model, held.only_baseline) == (1, 4)
    assert held.p_value == exact_mcnemar(1, 4)
    assert held.interval.low < -0.1 < held.interval.high
    assert against(fast, slow).difference == pytest.approx(3 / 30)
    # More seeds do not make an interval narrower.
    nine = [
        answered(tmp_path / "9", run.record.model, TRUTH, *[load_predictions(run).predicted[0]] * 9)
        for run in (slow, fast)
    ]
    assert against(*nine).interval == pytest.approx(held.interval)


def test_the_table_has_a_row_a_task_and_adjusts_p_values_over_all_of_it(tmp_path: Path) -> None:
    said = {"slow": wrong(), "fast": wrong(*range(9)), "same": wrong()}
    found = [
        answered(tmp_path, model, TRUTH, labels, name=task)
        for task in ("birds", "cats")
        for model, labels in said.items()
    ]
    rows = table(found)
    assert [row.task for row in rows] == ["birds", "cats"]
    for row in rows:
        assert [kept.record.model for kept in row.models] == ["slow", "fast", "same"]
        fast, same = row.differences
        assert fast.holm == pytest.approx(4 * exact_mcnemar(0, 9))
        assert same.p_value == same.holm == 1


def test_a_learning_curve_goes_from_few_photos_to_all_with_differences(tmp_path: Path) -> None:
    few = [wrong(*range(21)), wrong(*range(15))]
    slow = answered(tmp_path, "slow", TRUTH, wrong(0), TRUTH, by_shots={10: few[1:], 2: few})
    fewer = [wrong(*range(12)), wrong(*range(13))]
    fast = answered(tmp_path, "fast", TRUTH, TRUTH, by_shots={2: fewer})
    (row,) = table([slow, fast])
    curve = learning_curve(row, slow)
    assert [(point.shots, point.seeds) for point in curve] == [(2, 2), (10, 1), (None, 2)]
    assert curve[0].accuracy == mean_accuracy([9, 15], 30)
    assert curve[0].spread == pytest.approx((6 / 30) / 2**0.5)
    assert [len(each.models) for each in row.curve] == [2, 1]
    assert [point.shots for point in learning_curve(row, fast)] == [2, None]
    # Seeds draw the photos: nine more are right with one draw, and two with another.
    (gap,) = row.curve[0].differences
    assert (gap.shots, gap.difference) == (2, pytest.approx(5.5 / 30))
    by_draws = contrast([[9 / 30, 2 / 30]], [1.0])
    assert by_draws.interval and gap.interval == by_draws.interval
    assert gap.p_value == by_draws.p and gap.p_value > exact_mcnemar(9, 0)
    assert gap.holm == gap.p_value and row.differences[0].holm == row.differences[0].p_value
    assert learning_curve(row, fast)[0].difference == gap


def test_over_seeds_a_difference_is_the_mean_of_those_that_both_have(tmp_path: Path) -> None:
    found = [
        answered(tmp_path, "a", TRUTH, wrong()),
        answered(tmp_path, "b", TRUTH, wrong(0), wrong(0, 1)),
        answered(tmp_path, "c", TRUTH, wrong(), wrong(), wrong(*range(9))),
    ]
    (row,) = table(found, all_pairs=True)
    (pair,) = row.others
    assert pair.difference == pytest.approx((1 + 2) / 2 / 30)
    assert (pair.only_model, pair.only_baseline) == (1, 0)  # of the first seed
    (row,) = table(found, "c")
    assert [kept.record.model for kept in row.models] == ["c", "a", "b"]
    assert [each.baseline for each in row.differences] == ["c", "c"]


def test_heads_that_were_fitted_otherwise_have_their_own_row(tmp_path: Path) -> None:
    others: list[dict[str, Any]] = [
        {"data_hash": "sha256:others"},
        {"split_hash": "sha256:others"},
        {"settings": {"strengths": [1.0]}},
    ]
    for other in others:
        slow = answered(tmp_path, "slow", TRUTH, TRUTH)
        fast = answered(tmp_path, "fast", TRUTH, TRUTH, **other)
        assert [(len(row.models), row.differences) for row in table([slow, fast])] == [(1, ())] * 2


def test_of_a_model_the_later_run_counts_and_two_of_one_name_are_told_apart(tmp_path: Path) -> None:
    first = answered(tmp_path, "slow", TRUTH, wrong(0), key="a" * 64)
    later = answered(tmp_path, "slow", TRUTH, TRUTH, TRUTH, key="b" * 64)
    (row,) = table([first, later])
    assert row.models == (later,)
    twins = [
        answered(tmp_path, "net", TRUTH, TRUTH, key=letter * 64, weights_hash=letter)
        for letter in "ab"
    ]
    (row,) = table(twins)
    assert [kept.record.model for kept in row.models] == ["net [aaaaaaaa]", "net [bbbbbbbb]"]
    assert row.differences[0].model == "net [bbbbbbbb]"


def test_classes_are_means_over_seeds_and_the_worst_pair_comes_first(tmp_path: Path) -> None:
    kept = answered(tmp_path, "slow", TRUTH, wrong(0, 20, 21), wrong(20))
    auk, bee, crane = per_class(kept.record, load_predictions(kept))
    assert (auk.name, auk.accuracy) == ("auk", mean_accuracy([9, 10], 10))
    assert (bee.accuracy.share, crane.accuracy.share) == (1, 0.85)
    worst, next_worst = worst_pairs(kept.record, load_predictions(kept))
    assert (worst.name, worst.other, worst.photos, worst.of) == ("crane", "auk", 1.5, 10)
    assert (next_worst.name, next_worst.other, next_worst.photos) == ("auk", "bee eater", 0.5)
    few = answered(tmp_path, "few", [0, 2], [0, 1])  # no test photo of bee eaters
    assert [each.name for each in per_class(few.record, load_predictions(few))] == ["auk", "crane"]
