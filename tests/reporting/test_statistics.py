"""What a report says of several models, of ImageNet, of classes and of confidence."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from genset.reporting.collect import collect
from genset.reporting.options import ReportOptions
from genset.reporting.sections import errors
from genset.reporting.sections import photos as photos_shown
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from tests.reporting.sets import (
    WNIDS,
    Page,
    everywhere,
    release_by_source,
    release_of,
    report,
    score,
)
from tests.score.listed import write_list, write_npy
from tests.score.scoring import evaluate

TRUTH = [place for place in range(40) for _ in range(5)]


@pytest.fixture
def listed(tmp_path: Path) -> PhotoSet:
    """Five models on 200 photos that are not here; "odd" has its ranks reversed."""
    photos = open_set(str(write_list(tmp_path / "photos.csv", TRUTH)))
    luck = np.random.default_rng(1).random(len(TRUTH))
    for name, share in (("best", 0.9), ("next", 0.89), ("third", 0.7), ("last", 0.4)):
        rows = [
            [t, 901, 902, 903, 904, 905] if lucky < share else [900, t, 902, 903, 904, 905]
            for t, lucky in zip(TRUTH, luck, strict=True)
        ]
        evaluate(photos, [write_npy(tmp_path / f"{name}.npy", rows)], tmp_path / "runs")
    rows = [[901, 902, 903, 904, t] for t in TRUTH]
    evaluate(photos, [write_npy(tmp_path / "odd.npy", rows)], tmp_path / "runs")
    return photos


def forms(
    photos: PhotoSet, options: ReportOptions | None = None
) -> tuple[Page, str, dict[str, Any]]:
    """The page, the Markdown and the JSON of a report."""
    return everywhere(photos, photos.root / "runs", options)


def test_every_pair_has_its_tests_and_what_the_set_can_show(listed: PhotoSet) -> None:
    page, markdown, found = forms(listed)
    pairs = {(pair["first"], pair["second"]): pair for pair in found["pairs"]}
    assert len(pairs) == 6
    pair = pairs["best", "third"]
    assert pair["apart"] is True
    assert pair["interval"]["low"] <= pair["difference"] <= pair["interval"]["high"]
    assert pair["p_value"] < pair["holm"]
    shown = f"+{100 * pair['difference']:.1f}"
    assert f"| best − third | {shown}" in markdown
    assert f"best − third {shown}" in page.text
    assert "Smallest detectable difference (80 % power): " in page.text
    assert "Calibration" not in page.text + markdown  # no probabilities are stored


@settings(max_examples=10)
@given(
    places=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    answers=st.lists(
        st.tuples(st.sampled_from([0, 1, 2, 3, 900]), st.sampled_from([0.0, 50.0, 70.0, 100.0])),
        max_size=6,
    ),
)
@example(places=[0], answers=[(0, 50.0)])
@example(places=[0, 1], answers=[(0, 50.0), (900, 50.0), (1, 50.0), (2, 50.0)])
@example(places=[0, 1], answers=[(0, 0.0), (900, 50.0), (1, 70.0), (2, 100.0)])
@pytest.mark.soak
def test_there_is_a_report_on_any_results(
    places: list[int], answers: list[tuple[int, float]]
) -> None:
    """Models that always say one thing, on few photos of few classes: nothing has to be known."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        photos = open_set(str(write_list(folder / "photos.csv", places)))
        table = ["model,top1"]
        for number, (answer, elsewhere) in enumerate(answers):
            spec = write_npy(folder / f"m{number}.npy", [[answer]] * len(places))
            evaluate(photos, [spec], folder / "runs")
            table.append(f"m{number},{elsewhere}")
        (folder / "there.csv").write_text("\n".join(table))
        page, markdown, found = forms(photos, ReportOptions(reference=str(folder / "there.csv")))
    assert len(found["models"]) == len(answers)
    assert "nan" not in markdown.split()
    assert "nan" not in page.text.split()


def test_a_smaller_class_list_is_said_beside_the_number(listed: PhotoSet) -> None:
    classes = listed.root / "classes.txt"
    classes.write_text("\n".join(WNIDS[:20]) + "\n")
    spec = write_npy(listed.root / "small.npy", [[t % 20] for t in TRUTH])
    evaluate(listed, [f"{spec}?classes={classes}"], listed.root / "runs")
    page, markdown, _ = forms(listed)
    for form in (page.text, markdown):
        assert "chooses among 20 classes only; 100 photos of other classes not counted" in form
    assert "Top-1 100.0 91.2–100.0 100 of 100" in page.text


def test_galleries_show_disagreement_and_mistakes(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 60), tmp_path / "runs"
    score(photos, runs, "one", 38)
    score(photos, runs, "two", 20)
    data = collect(photos, runs)
    galleries = {each.shows: each.samples for each in data.of(photos_shown.SECTION)}
    ids = [sample.id for samples in galleries.values() for sample in samples]
    assert len(ids) == len(set(ids)) <= 30
    assert {sample.mistakes for sample in galleries["mistaken"]} >= {2}
    assert {sample.mistakes for sample in galleries["disagreed"]} == {1}
    page = report(photos, runs)
    assert len(page.values("img", "src")) == len(ids)
    shown = {found.get("data-shows") for _, found in page.tags}
    assert {"models disagree", "most models wrong"} <= shown


def test_what_a_release_records_breaks_accuracy_down(tmp_path: Path) -> None:
    counts = {"flickr": [10] * 9 + [9]}
    photos, runs = release_by_source(tmp_path / "set", counts), tmp_path / "runs"
    score(photos, runs, "model", 30)
    data = collect(photos, runs)
    # All else is the same for every photo of this release.
    (keywords,) = data.of(errors.SECTION).breakdowns
    assert keywords.by == "keyword"
    assert sum(group.photos for group in keywords.groups) == 99
    assert sum(group.top1[0].correct for group in keywords.groups) == 30
    assert f"keyword ({WNIDS[0]})" in {group.name for group in keywords.groups}
    text = report(photos, runs).text
    assert "The hardest 8 of 9." in text
    assert "By keyword: 1 of fewer than 10 photos left out." in text
    assert f"keyword ({WNIDS[9]})" not in text
