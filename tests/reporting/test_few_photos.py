"""What is said of two models on 5, 20, 100 and 2,864 photos: no more than these can carry."""

import re
from pathlib import Path

import numpy as np
import pytest

import genset
from genset.api import Comparison
from genset.reporting.collect import collect
from genset.reporting.forms import as_markdown
from genset.reporting.headline import certainty
from genset.reporting.options import ReportOptions
from genset.reporting.verdict import shown_by_set
from genset.statistics.bootstrap import Resampling
from tests.reporting.sets import report, score_on
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
        (1, (0, 0), "This 1 photo cannot tell"),
        (
            5,
            (0, 0),
            "These 5 photos cannot tell which of the two is better: McNemar’s exact test needs 6 "
            "photos that one of the two alone has right. By the 95 % interval, the difference may "
            "be anything from −43.4 to +43.4 points.\n"
            "So few photos show no difference with 80 % power, however large it is.",
        ),
        (5, (5, 0), "These 5 photos cannot tell which of the two is better"),
        (
            20,
            (1, 0),
            "These 20 photos cannot tell which of the two is better: one alone is right on 1 of "
            "them, and McNemar’s exact test needs 6. By the 95 % interval, the difference may be",
        ),
        (100, (0, 0), "But they differ by at most 3.7 points (95 % interval −3.7 to +3.7)."),
        (100, (0, 0), "With 80 % power this set shows a difference of 7.79 points at best"),
        (2864, (0, 0), "one alone is right on none of them, and McNemar’s exact test needs 6"),
        (2864, (0, 0), "But they differ by at most 0.13 points (95 % interval −0.13 to +0.13)."),
        (2864, (0, 0), "this set shows a difference of 0.28 points at best: if one model alone is"),
    ],
)
def test_few_photos_that_differ_cannot_tell(
    tmp_path: Path, photos: int, alone: tuple[int, int], says: str
) -> None:
    found = pair(tmp_path, photos, alone)
    assert says in found.sentence
    assert "told apart" not in found.sentence
    assert "exact test: p" not in found.sentence


@pytest.mark.parametrize(
    ("photos", "alone", "says"),
    [
        (20, (10, 0), "They can be told apart."),
        (20, (5, 4), "They cannot be told apart."),
        (100, (20, 2), "They can be told apart."),
        (2864, (30, 20), "They cannot be told apart."),
    ],
)
def test_photos_that_differ_are_counted(
    tmp_path: Path, photos: int, alone: tuple[int, int], says: str
) -> None:
    found = pair(tmp_path, photos, alone)
    assert says in found.sentence.splitlines()
    gap = 100 * (alone[0] - alone[1]) / photos
    assert re.search(rf"difference: \+{gap:.1f}\d* points, 95 % interval", found.sentence)
    assert "cannot tell" not in found.sentence


def test_the_report_on_a_handful_says_that_they_cannot_tell(tmp_path: Path) -> None:
    pair(tmp_path, 5, (1, 0))
    options = ReportOptions(resampling=Resampling(draws=500))
    listed, runs = genset.open_set(tmp_path / "photos.csv"), tmp_path / "runs"
    data = collect(listed, runs, options)
    assert [each.detectable for each in data.pairs] == [None]
    for form in (report(listed, runs, options).text, as_markdown(data)):
        assert (
            "one is right on 5 of 5 photos and other on 4 of 5: so few cannot tell which of the "
            "two is better." in form
        )
        assert "these 5 photos are too few to show any difference, however large it is." in form
        assert "highest" not in form.split("Hardest")[0]
        assert "0.00 points" not in form


def test_the_report_on_thousands_says_how_near_two_are(tmp_path: Path) -> None:
    pair(tmp_path, 2864, (2, 1))
    options = ReportOptions(resampling=Resampling(draws=500))
    data = collect(genset.open_set(tmp_path / "photos.csv"), tmp_path / "runs", options)
    assert "one alone is right on 3 of them" in as_markdown(data)
    assert re.search(r"But they differ by at most 0\.2\d points", as_markdown(data))
    (found,) = data.pairs
    assert found.detectable == found.discordant == pytest.approx(0.0029, abs=2e-4)
    assert data.power is not None
    assert data.power.difference == found.detectable


@pytest.mark.parametrize("photos", [5, 20, 100])
def test_photos_that_are_all_right_or_all_wrong_are_no_certainty(
    tmp_path: Path, photos: int
) -> None:
    truth = np.arange(photos)
    listed = genset.open_set(write_list(tmp_path / "photos.csv", truth.tolist()))
    for name, said in (("right", truth), ("wrong", truth + 1)):
        genset.evaluate(listed, predictions=said[:, None], name=name, runs=tmp_path / "runs")
    options = ReportOptions(resampling=FEW, include_flagged=True)
    data = collect(listed, tmp_path / "runs", options)
    unknown = {5: 43.4, 20: 16.1, 100: 3.7}[photos]
    for label, ends in (("right", (100 - unknown, 100)), ("wrong", (0, unknown))):
        assert 100 * np.array(data.model(label).top1.clustered) == pytest.approx(ends, abs=0.1)
    assert f"| {100 - unknown:.1f}–100.0 | {100 - unknown:.1f}–100.0 |" in as_markdown(data)


def test_classes_resampled_are_nowhere_narrower_than_wilsons(tmp_path: Path) -> None:
    """Of two classes the draws reach from the worse one to the better one: too short a way."""
    truth = np.repeat([3, 4], 1000)
    said = np.where(np.arange(2000) % 1000 < np.repeat([787, 807], 1000), truth, 900)
    listed = genset.open_set(write_list(tmp_path / "photos.csv", truth.tolist()))
    genset.evaluate(listed, predictions=said[:, None], name="one", runs=tmp_path / "runs")
    top = collect(listed, tmp_path / "runs", ReportOptions(resampling=FEW)).model("one").top1
    assert top.clustered == (top.accuracy.low, top.accuracy.high)
    assert 100 * np.array(top.clustered) == pytest.approx((77.88, 81.41), abs=0.01)


def test_photos_of_one_class_show_no_difference(tmp_path: Path) -> None:
    found = pair(tmp_path, 20, (12, 0), classes=1)
    says = "Photos of one class show no difference between models, however large it is"
    assert "95 % interval −100.0 to +100.0" in found.sentence
    assert "They cannot be told apart." in found.sentence
    assert found.sentence.endswith(f"{says}: they say nothing of other classes.")
    listed, runs = genset.open_set(tmp_path / "photos.csv"), tmp_path / "runs"
    data = collect(listed, runs, ReportOptions(resampling=FEW))
    assert [each.detectable for each in data.pairs] == [None]
    assert says in as_markdown(data)
    assert "with 80 % power" not in as_markdown(data).casefold()


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


@pytest.mark.parametrize(("alone", "differ"), [((4, 3), 7), ((3, 3), 6), ((0, 0), "none")])
def test_what_is_assumed_is_said_with_the_photos_that_differ(
    tmp_path: Path, alone: tuple[int, int], differ: object
) -> None:
    found = pair(tmp_path, 20, alone)
    assert f"these two differ on {differ} of 20 photos, too few to show any" in found.sentence


def test_nothing_is_assumed_where_enough_photos_differ(tmp_path: Path) -> None:
    found = pair(tmp_path, 20, (5, 5))
    assert "Between such models this set shows a difference of" in found.sentence


@pytest.mark.parametrize(
    ("photos", "says"),
    [
        (20, "the difference may be anything from 0.0 to +46.9 points."),
        (100, "the difference may be anything from 0.0 to +11.2 points."),
        (2864, "they differ by at most 0.41 points (95 % interval 0.00 to +0.41)."),
    ],
)
def test_no_interval_claims_what_the_exact_test_does_not(
    tmp_path: Path, photos: int, says: str
) -> None:
    found = pair(tmp_path, photos, (5, 0))
    assert "cannot tell which of the two is better" in found.sentence
    assert says in found.sentence


def test_one_photo_is_too_few(tmp_path: Path) -> None:
    pair(tmp_path, 1, (0, 0))
    options = ReportOptions(resampling=FEW, include_flagged=True)
    said = as_markdown(
        collect(genset.open_set(tmp_path / "photos.csv"), tmp_path / "runs", options)
    )
    assert "Photos of one class show no difference" in said
    assert "this 1 photo are" not in said


@pytest.mark.parametrize(
    ("photos", "says"),
    [(1, "this 1 photo is too few to show"), (5, "these 5 photos are too few to show")],
)
def test_photos_that_are_too_few_are_counted_in_words(photos: int, says: str) -> None:
    assert says in shown_by_set(None, 0.0, photos, classes=2)


def test_two_of_several_models_that_photos_cannot_tell_apart_are_named(tmp_path: Path) -> None:
    truth = np.arange(20)
    listed = genset.open_set(write_list(tmp_path / "photos.csv", truth.tolist()))
    for number in range(6):
        said = np.where(truth < number, 900, truth)
        genset.evaluate(
            listed, predictions=said[:, None], name=f"m{number}", runs=tmp_path / "runs"
        )
    found = " ".join(certainty(collect(listed, tmp_path / "runs", ReportOptions(resampling=FEW))))
    assert "m0 cannot be told apart from any of the other 5 models." in found
    assert "These 20 photos cannot tell which of m0 and m1 is better: one alone is right" in found
