"""What is said of two models on 5, 20, 100 and 2,864 photos: no more than these can carry."""

import re
from pathlib import Path

import numpy as np
import pytest

import genset
from genset.api import Comparison
from genset.reporting.collect import collect
from genset.reporting.forms import as_markdown
from genset.reporting.options import ReportOptions
from genset.statistics.bootstrap import Resampling
from tests.reporting.sets import score_on
from tests.score.listed import write_list

FEW = Resampling(draws=500)


def pair(folder: Path, photos: int, alone: tuple[int, int], classes: int = 250) -> Comparison:
    """Two models that are both right but on so many photos, where the first or second one is."""
    truth = np.arange(photos) % classes * 4
    first, second = truth.copy(), truth.copy()
    second[: alone[0]] += 1
    first[alone[0] : sum(alone)] += 1
    listed = genset.open_set(write_list(folder / "photos.csv", truth.tolist()))
    scored = [
        genset.evaluate(listed, predictions=each[:, None], name=name, runs=folder / "runs")
        for name, each in (("one", first), ("other", second))
    ]
    return genset.compare(*scored)


@pytest.mark.parametrize(
    ("photos", "alone", "says"),
    [
        (1, (0, 0), ["Too few photos: the models disagree on 0; McNemar’s test needs at least 6."]),
        (
            5,
            (0, 0),
            [
                "Too few photos: the models disagree on 0; McNemar’s test needs at least 6. 95 % "
                "interval of the difference: −43.4 to +43.4 points.\n"
                "No difference is detectable with so few photos (80 % power)."
            ],
        ),
        (20, (5, 0), ["disagree on 5;", "interval of the difference: 0.0 to +46.9 points."]),
        (
            100,
            (0, 0),
            ["difference: −3.7 to +3.7 points.", "(80 % power): 7.8 points, in the best case."],
        ),
        (
            2864,
            (0, 0),
            [
                "disagree on 0; McNemar’s test needs at least 6.",
                "95 % interval of the difference: −0.56 to +0.56 points.",
                "difference (80 % power): 1.1 points, in the best case.",
            ],
        ),
    ],
)
def test_few_that_differ(
    tmp_path: Path, photos: int, alone: tuple[int, int], says: list[str]
) -> None:
    found = pair(tmp_path, photos, alone)
    assert "Too few photos: the models disagree on" in found.sentence
    assert all(words in found.sentence for words in says)
    assert "told apart" not in found.sentence
    assert "exact test: p" not in found.sentence


@pytest.mark.parametrize(
    ("photos", "alone", "says"),
    [
        (20, (10, 0), "They can be told apart."),
        (20, (5, 5), "They cannot be told apart."),
        (100, (20, 2), "They can be told apart."),
        (2864, (30, 20), "They cannot be told apart."),
    ],
)
def test_many_that_differ(tmp_path: Path, photos: int, alone: tuple[int, int], says: str) -> None:
    found = pair(tmp_path, photos, alone)
    assert found.sentence.splitlines()[3].endswith(says)
    assert "best case" not in found.sentence
    gap = 100 * (alone[0] - alone[1]) / photos
    assert re.search(rf"Difference: \+?{gap:.1f}\d* points \(95 % interval", found.sentence)
    assert "Too few" not in found.sentence


@pytest.mark.parametrize("photos", [5, 20, 100])
def test_photos_that_are_all_right_or_wrong_are_no_certainty(tmp_path: Path, photos: int) -> None:
    truth = np.arange(photos)
    listed = genset.open_set(write_list(tmp_path / "photos.csv", truth.tolist()))
    for name, said in (("right", truth), ("wrong", truth + 1)):
        genset.evaluate(listed, predictions=said[:, None], name=name, runs=tmp_path / "runs")
    options = ReportOptions(resampling=FEW, include_flagged=True)
    data = collect(listed, tmp_path / "runs", options)
    unknown = {5: 43.4, 20: 16.1, 100: 3.7}[photos]
    for label, ends in (("right", (100 - unknown, 100)), ("wrong", (0, unknown))):
        found = data.model(label).top1.accuracy
        assert (100 * found.low, 100 * found.high) == pytest.approx(ends, abs=0.1)
    assert f"| {100 - unknown:.1f}–100.0 |" in as_markdown(data)


def test_two_classes_say_little_of_others_and_much_of_themselves(tmp_path: Path) -> None:
    truth = np.repeat([3, 4], 1000)
    said = np.where(np.arange(2000) % 1000 < np.repeat([787, 807], 1000), truth, 900)
    listed = genset.open_set(write_list(tmp_path / "photos.csv", truth.tolist()))
    genset.evaluate(listed, predictions=said[:, None], name="one", runs=tmp_path / "runs")
    for classes, ends in (("sample", (4.1, 99.7)), ("fixed", (77.9, 81.4))):
        options = ReportOptions(resampling=FEW, classes=classes)
        found = collect(listed, tmp_path / "runs", options).model("one").top1.accuracy
        assert (100 * found.low, 100 * found.high) == pytest.approx(ends, abs=0.1)


def test_photos_of_one_class_show_no_difference(tmp_path: Path) -> None:
    found = pair(tmp_path, 20, (12, 0), classes=1)
    says = "All photos are of one class: nothing is said about other classes."
    assert "95 % interval −100.0 to +100.0" in found.sentence
    assert "They cannot be told apart." in found.sentence
    assert found.sentence.endswith(says)
    listed, runs = genset.open_set(tmp_path / "photos.csv"), tmp_path / "runs"
    data = collect(listed, runs, ReportOptions(resampling=FEW))
    assert [each.detectable for each in data.pairs] == [None]
    assert says in as_markdown(data)
    assert "Smallest detectable" not in as_markdown(data)


def test_models_that_share_photos_of_one_class_cannot_be_told_apart(tmp_path: Path) -> None:
    truth = np.repeat([4, 8, 12], 20)
    listed = genset.open_set(write_list(tmp_path / "photos.csv", truth.tolist()))
    names = [photo.id for photo in listed.photos]
    for name, shared, right in (("one", range(40), True), ("other", range(20, 60), False)):
        lacking = [each for place, each in enumerate(names) if place not in shared]
        hits = set(names) - set(lacking) if right else set()
        score_on(listed, tmp_path / "runs", name, hits, unreadable=lacking)
    options = ReportOptions(resampling=FEW, include_flagged=True)
    (found,) = collect(listed, tmp_path / "runs", options).pairs
    assert (found.only_first, found.only_second, found.classes) == (20, 0, 1)
    assert found.interval == (-1, 1)
    assert not found.apart
