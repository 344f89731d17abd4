"""What a report says of several models, of ImageNet, of classes and of confidence."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from genset.reporting.collect import collect
from genset.reporting.forms import as_markdown, report_json
from genset.reporting.options import ReportOptions
from genset.reporting.sections import errors
from genset.reporting.sections import photos as photos_shown
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from genset.sets.truths.store import give_truth
from genset.statistics.bootstrap import Resampling
from tests.reporting.sets import WNIDS, Page, release_by_source, release_of, report, score
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


def everywhere(photos: PhotoSet, options: ReportOptions | None = None) -> tuple[Page, str, str]:
    """The page, the Markdown and the JSON of a report."""
    runs = photos.root / "runs"
    data = collect(photos, runs, options or ReportOptions())
    as_json = json.dumps(report_json(data), allow_nan=False, ensure_ascii=False)
    return report(photos, runs, options), as_markdown(data), as_json


def test_every_pair_has_its_tests_and_what_the_set_can_show(listed: PhotoSet) -> None:
    page, markdown, as_json = everywhere(listed)
    pairs = {(pair["first"], pair["second"]): pair for pair in json.loads(as_json)["pairs"]}
    assert len(pairs) == 6
    pair = pairs["best", "third"]
    assert pair["apart"] is True
    assert pair["interval"]["low"] <= pair["difference"] <= pair["interval"]["high"]
    assert pair["p_value"] < pair["holm"]
    shown = f"+{100 * pair['difference']:.1f}"
    assert f"| best − third | {shown}" in markdown
    assert f"best − third {shown}" in page.text
    assert "Smallest detectable difference (80 % power): " in page.text


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
        page, markdown, as_json = everywhere(
            photos, ReportOptions(reference=str(folder / "there.csv"))
        )
    assert len(json.loads(as_json)["models"]) == len(answers)
    assert "nan" not in markdown.split()
    assert "nan" not in page.text.split()


def test_against_a_reference_each_model_has_its_gap_and_its_place_by_the_line(
    listed: PhotoSet,
) -> None:
    table = listed.root / "there.csv"
    table.write_text("model,top1\nbest,95\nnext,90\nthird,80\nlast,60\n")
    asked = ReportOptions(reference=str(table), include_flagged=True)
    page, markdown, as_json = everywhere(listed, asked)
    found = json.loads(as_json)["reference"]
    assert [row["label"] for row in found["models"]] == ["best", "next", "third", "last"]
    for row in found["models"]:
        assert row["gap"] == pytest.approx(row["there"] - row["here"])
        assert row["interval"]["low"] <= row["above"] <= row["interval"]["high"]
    assert found["unknown"] == ["odd"]
    assert found["fit"]["slope"] > 0
    assert "No accuracy there is known of: odd." in page.text
    assert "The line through 4 models: logit(here) =" in markdown
    assert "Top-1 accuracy here and on there" in page.text


def test_a_further_k_stands_beside_one_and_five(listed: PhotoSet) -> None:
    page, markdown, as_json = everywhere(listed, ReportOptions(k=2))
    tops = json.loads(as_json)["models"][0]["tops"]
    assert [(top["k"], top["accuracy"]["correct"]) for top in tops[1:]] == [(2, 200), (5, 200)]
    assert "Top-2 (%)" in markdown
    assert "Top-2 % Top-5 %" in page.text


def test_all_labels_of_a_photo_count_where_they_are_given(listed: PhotoSet) -> None:
    labels = [[] if n < 10 else [TRUTH[n], 900] for n in range(200)]
    path = listed.root / "real.json"
    names = {photo.id: shown for photo, shown in zip(listed.photos, labels, strict=True)}
    names |= {"of another set": [0]}
    path.write_text(json.dumps(names))
    listed, _ = give_truth(listed, path, listed.root / "runs")
    page, markdown, as_json = everywhere(listed)
    for model in json.loads(as_json)["models"]:
        correct = 0 if model["label"] == "odd" else 190
        assert (model["real"]["correct"], model["real"]["photos"]) == (correct, 190)
    assert "ReaL 100.0 95.5–100.0 190" in page.text
    assert "All labels (ReaL, %)" in markdown
    assert "It names 1 photo that photos has not." in markdown


def test_a_smaller_class_list_is_said_beside_the_number(listed: PhotoSet) -> None:
    classes = listed.root / "classes.txt"
    classes.write_text("\n".join(WNIDS[:20]) + "\n")
    spec = write_npy(listed.root / "small.npy", [[t % 20] for t in TRUTH])
    evaluate(listed, [f"{spec}?classes={classes}"], listed.root / "runs")
    page, markdown, _ = everywhere(listed)
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


def test_calibration_is_of_what_was_said_first(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 10), tmp_path / "runs"
    score(photos, runs, "model", 8)  # sure of 60 % each time, and right on 80 %
    page = report(photos, runs)
    (model,) = report_json(collect(photos, runs))["models"]
    assert model["calibration"]["error"] == pytest.approx(0.2)
    assert "Expected error 20.0 points, underconfident by 20.0" in page.text


def test_without_probabilities_nothing_is_said_of_calibration(listed: PhotoSet) -> None:
    page, markdown, _ = everywhere(listed)
    assert "Calibration" not in page.text + markdown


def test_a_chosen_seed_is_named_and_changes_intervals_alone(listed: PhotoSet) -> None:
    first = collect(listed, listed.root / "runs", ReportOptions())
    other = collect(listed, listed.root / "runs", ReportOptions(resampling=Resampling(seed=7)))
    assert first.models[0].top1.accuracy == other.models[0].top1.accuracy
    assert report_json(other)["options"]["resampling"]["seed"] == 7
