"""Runs side by side, from what is kept of them."""

from pathlib import Path

import numpy as np
import pytest

from genset.comparison.classes import by_class, confusions
from genset.comparison.marks import answered_in_part
from genset.comparison.pairs import Rank, compare, place_between, rank_models
from genset.core.errors import BadInput
from genset.score.results.results import Results, load_results
from genset.sets.open import open_set
from tests.reporting.sets import score_on
from tests.score.colours import WNIDS
from tests.score.listed import write_list, write_npy
from tests.score.scoring import evaluate

CLASSES, EACH = 50, 8
TRUTH = [place for place in range(CLASSES) for _ in range(EACH)]


def scored(folder: Path, shares: dict[str, float], name: str = "photos") -> Results:
    """Models that are right on such a share of photos of 50 classes; else they say class 999."""
    luck = np.random.default_rng(1).random(len(TRUTH))
    listed = open_set(str(write_list(folder / f"{name}.csv", TRUTH)))
    for model, share in shares.items():
        rows = [[t if lucky < share else 999] for t, lucky in zip(TRUTH, luck, strict=True)]
        evaluate(listed, [write_npy(folder / f"{model}.npy", rows)], folder / "runs")
    return load_results(listed, folder / "runs")


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return scored(tmp_path, {"good": 0.8, "same": 0.79, "poor": 0.5})


def test_pairs_count_what_each_alone_has_right(results: Results) -> None:
    pairs = {(p.first, p.second): p for p in compare(results, results.models)}
    assert list(pairs) == [("good", "same"), ("good", "poor"), ("same", "poor")]
    right = {model.label: results.right(model) for model in results.models}
    for (first, second), pair in pairs.items():
        assert pair.photos == len(TRUTH)
        assert pair.both == (right[first] & right[second]).sum()
        assert pair.only_first == (right[first] & ~right[second]).sum()
        assert pair.only_second == (~right[first] & right[second]).sum()
        assert pair.difference == pytest.approx(right[first].mean() - right[second].mean())
        assert pair.interval.low <= pair.difference <= pair.interval.high
        assert pair.p_value <= pair.holm <= 1
    assert not pairs["good", "same"].apart
    assert pairs["good", "poor"].apart
    assert pairs["good", "poor"].detectable < pairs["good", "poor"].difference


def test_a_rank_is_the_range_of_those_that_a_model_can_have(results: Results) -> None:
    found = rank_models(results, compare(results, results.models))
    assert list(found.values()) == [Rank(1, 1, 2), Rank(2, 1, 2), Rank(3, 3, 3)]


def test_a_model_is_placed_between_two(results: Results) -> None:
    bounds = place_between(results, results.find("poor"), results.find("good"))
    (place,) = bounds.places
    shares = {model.label: model.run.top1.share for model in results.models}
    gap = shares["good"] - shares["poor"]
    assert place.model == "same"
    assert place.share == pytest.approx((shares["same"] - shares["poor"]) / gap)
    assert place.interval.low <= place.share <= place.interval.high


@pytest.mark.parametrize("bounds", [("good", "poor"), ("same", "good"), ("good", "good")])
def test_where_there_is_no_gap_nothing_has_a_share_of_it(
    results: Results, bounds: tuple[str, str]
) -> None:
    lower, upper = map(results.find, bounds)
    with pytest.raises(BadInput, match="is not surely better than"):
        place_between(results, lower, upper)


def test_classes_come_hardest_first_and_confusions_commonest_first(tmp_path: Path) -> None:
    listed = open_set(str(write_list(tmp_path / "photos.csv", [0, 0, 1, 1, 2, 2])))
    specs = [
        write_npy(tmp_path / "a.npy", [[0], [2], [2], [2], [2], [2]]),
        write_npy(tmp_path / "b.npy", [[0], [0], [2], [0], [2], [1]]),
    ]
    evaluate(listed, specs, tmp_path / "runs")
    found = load_results(listed, tmp_path / "runs")
    hardest = by_class(found)
    assert [(group.name, group.mean) for group in hardest] == [
        (WNIDS[1], 0.0),
        (WNIDS[0], 0.75),
        (WNIDS[2], 0.75),
    ]
    assert [accuracy.correct for accuracy in hardest[1].top1] == [1, 2]
    first = confusions(found)[0]
    assert (first.wnid, first.other) == (WNIDS[1], WNIDS[2])
    assert (first.answers, first.of, first.models) == (3, 4, 2)


@pytest.mark.parametrize(("lack", "found"), [(0, []), (4, []), (5, ["few"]), (399, ["few"])])
def test_a_model_may_lack_one_photo_in_a_hundred(
    tmp_path: Path, lack: int, found: list[str]
) -> None:
    photos = open_set(str(write_list(tmp_path / "set.csv", TRUTH)))
    for model, lacking in (("all", []), ("few", photos.ids[:lack])):
        right = set(photos.ids) - set(lacking)
        score_on(photos, tmp_path / "runs", model, right, unreadable=lacking)
    results = load_results(photos, tmp_path / "runs")
    assert [model.label for model in answered_in_part(results)] == found
