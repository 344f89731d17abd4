"""Runs side by side, from what is kept of them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genset.comparison.classes import by_class, confusions
from genset.comparison.marks import answered_in_part
from genset.comparison.missed import MissedByAll, leading, missed_by_all
from genset.comparison.pairs import Rank, compare, place_between, rank_models
from genset.core.errors import BadInput
from genset.score.results.results import Results, load_results
from genset.sets.open import open_set
from genset.sets.truths.files import read_truth
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


def test_a_place_is_of_photos_that_all_three_answered(tmp_path: Path) -> None:
    scored(tmp_path, {"good": 0.8, "poor": 0.5})
    odd = [f"photo{n}.jpg,{WNIDS[place]}" for n, place in enumerate(TRUTH) if n % 2]
    wrong = [row.rpartition(",")[0] + f",{WNIDS[999]}" for row in odd[::4]]
    mostly = [row for place, row in enumerate(odd) if place % 4] + wrong  # three of four are right
    (tmp_path / "half.csv").write_text("\n".join(["image,top1", *mostly]))
    listed = open_set(str(tmp_path / "photos.csv"))
    evaluate(listed, [f"predictions:{tmp_path / 'half.csv'}"], tmp_path / "runs")
    found = load_results(listed, tmp_path / "runs")
    few = np.arange(len(TRUTH)) % 2 == 1
    models = [replace(m, answered=few) if m.label == "half" else m for m in found.models]
    found = replace(found, models=tuple(models))
    poor, good, half = map(found.find, ("poor", "good", "half"))
    on_odd = {each.label: found.right(each)[1::2].sum() for each in (poor, good, half)}
    (place,) = place_between(found, poor, good).places
    assert place.share == (on_odd["half"] - on_odd["poor"]) / (on_odd["good"] - on_odd["poor"])
    assert place.interval.low <= place.share <= place.interval.high


@pytest.mark.parametrize("bounds", [("good", "poor"), ("same", "good"), ("good", "good")])
def test_without_a_gap_nothing_has_a_share(results: Results, bounds: tuple[str, str]) -> None:
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
def test_a_model_may_lack_one_in_a_hundred(tmp_path: Path, lack: int, found: list[str]) -> None:
    photos = open_set(str(write_list(tmp_path / "set.csv", TRUTH)))
    for model, lacking in (("all", []), ("few", photos.ids[:lack])):
        right = set(photos.ids) - set(lacking)
        score_on(photos, tmp_path / "runs", model, right, unreadable=lacking)
    results = load_results(photos, tmp_path / "runs")
    assert [model.label for model in answered_in_part(results)] == found


# What all leading models get wrong.

INDEX = {wnid: place for place, wnid in enumerate(WNIDS)}
TABBY, TIGER_CAT, RETRIEVER, TEAPOT, TENCH = (
    INDEX[wnid] for wnid in ("n02123045", "n02123159", "n02099601", "n04398044", "n01440764")
)


def missed(
    folder: Path, truth: list[int], *answers: list[int], right: object = None
) -> MissedByAll:
    """What models with these first answers get wrong together."""
    photos = write_list(folder / "set.csv", truth)
    specs = []
    for number, said in enumerate(answers):
        rows = [[first, *(n for n in range(5) if n != first)][:5] for first in said]
        specs.append(write_npy(folder / f"m{number}.npy", rows))
    runs = folder / "runs"
    evaluate(open_set(str(photos)), specs, runs)
    results = load_results(open_set(str(photos)), runs)
    if right is not None:
        (folder / "right.json").write_text(json.dumps(right))
        truth_of_set = read_truth(folder / "right.json", results.photos)
        results = replace(results, photos=replace(results.photos, truth=truth_of_set))
    models = leading(results, compare(results, results.models))
    return missed_by_all(results, models)


def test_photos_come_by_severity(tmp_path: Path) -> None:
    truth = [TABBY] * 5
    found = missed(
        tmp_path,
        truth,
        [TIGER_CAT, TEAPOT, TEAPOT, TABBY, RETRIEVER],
        [TIGER_CAT, TEAPOT, TENCH, TEAPOT, TEAPOT],
        [TIGER_CAT, TEAPOT, TEAPOT, TEAPOT, TIGER_CAT],
    )
    assert (found.photos, found.without, found.unanimous) == (5, 0, 2)
    assert [(each.image, each.severity, each.agreeing) for each in found.missed] == [
        ("photo1.jpg", 15, 3),
        ("photo2.jpg", 10, 2),  # the tench is nearer than the teapots
        ("photo0.jpg", 1, 3),
        ("photo4.jpg", 1, 1),
    ]


def test_an_answer_says_how_far_it_is_from_the_nearest_right_class(tmp_path: Path) -> None:
    right = {
        "photo0.jpg": [WNIDS[TEAPOT], WNIDS[TABBY]],
        "photo1.jpg": [WNIDS[TABBY], WNIDS[RETRIEVER]],
        "photo2.jpg": [],
        "photo3.jpg": {"correct": [WNIDS[TABBY]], "unclear": [WNIDS[TEAPOT]]},
    }
    said = [TIGER_CAT, RETRIEVER, TEAPOT, TEAPOT]
    found = missed(tmp_path, [TABBY] * 4, said, said, said, right=right)
    # One photo has the answer among its right classes, one among the unclear ones, one has none.
    assert (found.photos, found.without) == (3, 1)
    (only,) = found.missed
    assert (only.image, only.right) == ("photo0.jpg", (WNIDS[TABBY], WNIDS[TEAPOT]))
    assert [each.distance for each in only.answers] == [1, 1, 1]
    assert (only.common, only.agreeing) == (WNIDS[TIGER_CAT], 3)


def test_the_best_three_lead_and_all_that_equal_the_best(tmp_path: Path) -> None:
    truth = list(range(600))

    def right_on(count: int) -> list[int]:
        return [place if place < count else (place + 1) % 1000 for place in truth]

    found = missed(tmp_path, truth, *map(right_on, (550, 300, 280, 100)))
    assert len(found.leading) == 3
    assert len(found.missed) == 50
    for name in ("far", "more"):
        (tmp_path / name).mkdir()
    assert missed(tmp_path / "far", truth, *map(right_on, (550, 0))).leading == ("m0",)
    near = missed(tmp_path / "more", truth, *map(right_on, (550, 549, 548, 547, 100)))
    assert len(near.leading) == 4
