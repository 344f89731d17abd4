"""By source: what a report says of photos from several places, and where each photo is from."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from genset.release.reader import Release
from genset.reporting.collect import collect
from genset.reporting.options import ReportOptions
from genset.reporting.sections import photos as photos_shown
from genset.sets.photos import PhotoSet
from tests.reporting.sets import WNIDS, everywhere, release_by_source, report, score, score_on

WORDS = {
    "flickr": {"title": "Flickr"},
    "commons": {"title": "Wikimedia Commons", "notice": "Photos of Commons are their authors’."},
    "inaturalist": {"title": "iNaturalist"},
}


def places(photos: PhotoSet, source: str) -> dict[str, list[str]]:
    """The ids of a source's photos by class, sorted."""
    found = defaultdict(list)
    for record in Release(photos.root).photos:
        if record.source == source:
            found[record.wnid].append(record.file)
    return {wnid: sorted(files) for wnid, files in found.items()}


def right_on(photos: PhotoSet, source: str, hits: Sequence[int]) -> set[str]:
    """So many photos of the source's first, second, ... class, over and over."""
    by_class = sorted(places(photos, source).items())
    return {file for n, (_, files) in enumerate(by_class) for file in files[: hits[n % len(hits)]]}


def of_class(photos: PhotoSet, source: str, right: set[str]) -> dict[str, float]:
    """A model's accuracy in each class of a source, counted by hand."""
    return {
        wnid: len(right & set(files)) / len(files) for wnid, files in places(photos, source).items()
    }


def test_each_form_has_the_accuracies_over_the_classes_of_both(tmp_path: Path) -> None:
    counts = {"flickr": [5] * 24, "commons": [0] * 6 + [3] * 20}
    photos, runs = release_by_source(tmp_path / "set", counts, WORDS), tmp_path / "runs"
    right = right_on(photos, "flickr", (5, 4, 3)) | right_on(photos, "commons", (2, 1, 1, 0))
    score_on(photos, runs, "net", right)
    first, other = (of_class(photos, source, right) for source in ("flickr", "commons"))
    both = first.keys() & other.keys()
    here, there = (fmean(each[wnid] for wnid in both) for each in (first, other))
    page, markdown, found = everywhere(photos, runs)
    (pair,) = found["by_source"]["pairs"]
    top1 = pair["models"]["net"]
    assert len(both) == 18
    assert (pair["first"], pair["second"]) == ("flickr", "commons")
    assert (top1["classes"], top1["photos"]) == (18, [90, 54])
    assert top1["first"]["value"] == pytest.approx(here)
    assert top1["second"]["value"] == pytest.approx(there)
    assert top1["difference"]["value"] == pytest.approx(there - here)
    low, high = (100 * top1["difference"]["interval"][end] for end in ("low", "high"))
    assert low < high < 0
    gap = f"{100 * (here - there):.1f}"
    said = (
        f"net: −{gap} points on Wikimedia Commons against Flickr, over 18 classes of both (95 % "
        f"interval −{-low:.1f} to −{-high:.1f})."
    )
    for form in (page.text, markdown):
        assert said in form
        assert f"{100 * here:.1f}" in form
        assert "each counted once: 90 photos (Flickr) and 54 (Wikimedia Commons)." in form
    assert "By source: is it the source?" in page.text
    row = f"| net | −{gap} (−{-low:.1f} to −{-high:.1f}) | {100 * here:.1f} ("
    assert row in markdown


def test_the_mean_of_models_is_over_the_classes_that_count_for_each(tmp_path: Path) -> None:
    counts = {"flickr": [3] * 20, "commons": [2] * 20}
    photos, runs = release_by_source(tmp_path / "set", counts, WORDS), tmp_path / "runs"
    lost = [file for wnid in WNIDS[:4] for file in places(photos, "commons")[wnid]]
    rights = [
        right_on(photos, "flickr", flickr) | right_on(photos, "commons", commons)
        for flickr, commons in (((3, 2, 1), (0, 1, 2)), ((3, 2), (1, 0, 2)))
    ]
    score_on(photos, runs, "all", rights[0])
    score_on(photos, runs, "some", rights[1] - set(lost), unreadable=lost, weights="sha256:2")
    page, markdown, found = everywhere(photos, runs)
    seen = found["by_source"]["pairs"][0]["models"]
    mean = seen["mean of 2 models"]
    assert seen["all"]["classes"] == 20
    assert (seen["some"]["classes"], seen["some"]["photos"]) == (16, [48, 32])
    assert mean["classes"] == 16
    means = [
        fmean(of_class(photos, source, right)[wnid] for right in rights for wnid in WNIDS[4:20])
        for source in ("flickr", "commons")
    ]
    assert mean["first"]["value"] == pytest.approx(means[0])
    assert mean["second"]["value"] == pytest.approx(means[1])
    for form in (page.text, markdown):
        assert "on 16 classes, 48 and 32 photos" in form
        assert f"mean of 2 models: −{100 * (means[0] - means[1]):.1f} points on" in form


@pytest.mark.parametrize(
    ("commons", "says"),
    [
        ([0] * 30 + [3] * 5, "Flickr and Wikimedia Commons have 0 classes in common"),
        ([1], "have 1 class in common"),
        ([2] * 5, "have 5 classes in common"),
    ],
)
def test_too_few_classes_give_no_number(tmp_path: Path, commons: list[int], says: str) -> None:
    counts = {"flickr": [4] * 30, "commons": commons}
    photos, runs = release_by_source(tmp_path / "set", counts, WORDS), tmp_path / "runs"
    for name, hits in (("one", (4, 0, 2)), ("two", (1, 3, 0))):
        score_on(photos, runs, name, right_on(photos, "flickr", hits))
    page, markdown, found = everywhere(photos, runs)
    for form in (page.text, markdown):
        assert f"{says}: too few to compare" in form.replace("**", "")
        assert "second less first" not in form
    (pair,) = found["by_source"]["pairs"]
    assert len(pair["models"]) == 3
    for top1 in pair["models"].values():
        for number in ("first", "second", "difference"):
            assert top1[number] is None


def test_of_many_sources_the_largest_are_compared(tmp_path: Path) -> None:
    counts = {f"place{n}": [1 + n] * 12 for n in range(7)}
    photos, runs = release_by_source(tmp_path / "set", counts, {}), tmp_path / "runs"
    score_on(photos, runs, "net", right_on(photos, "place5", (1, 2, 3)))
    options = ReportOptions(include_flagged=True)  # it is right at its second answer mostly
    page, _, data = everywhere(photos, runs, options)
    found = data["by_source"]
    titles = [each["title"] for each in found["sources"]]
    assert titles == [f"place{n}" for n in range(6, -1, -1)]
    pairs = [(pair["first"], pair["second"]) for pair in found["pairs"]]
    assert pairs == list(combinations(["place6", "place5", "place4", "place3", "place2"], 2))
    assert "place5 against place6" in page.text
    assert "Of 7 sources the 5 with the most photos are compared." in page.text


# Where photos are from


def test_source_and_licence_of_each_photo_shown_are_named(tmp_path: Path) -> None:
    counts = {"flickr": [2] * 20, "commons": [1] * 8}
    photos = release_by_source(tmp_path / "set", counts, WORDS)
    page = report(photos, tmp_path / "runs")
    shown = [
        sample
        for gallery in collect(photos, tmp_path / "runs").of(photos_shown.SECTION)
        for sample in gallery.samples
    ]
    assert len(shown) == 30
    for sample in shown:
        assert sample.record
        title = WORDS[sample.record.source]["title"]
        record = sample.record
        assert f"{record.title} by {record.owner_name} , {title} , CC BY 2.0" in page.text
    assert "Photos of Commons are their authors’." in page.text
    assert "Flickr (40), Wikimedia Commons (8)" in page.text


def test_one_source_alone_and_no_models_compare_nothing(tmp_path: Path) -> None:
    photos = release_by_source(tmp_path / "one", {"commons": [2] * 12}, WORDS)
    score(photos, tmp_path / "runs", "net", 12)
    page, markdown, found = everywhere(photos, tmp_path / "runs")
    assert found["by_source"]["pairs"] == []
    assert "By source" not in page.text + markdown
    assert "SmugMug" not in page.text
    assert page.text.count(", Wikimedia Commons , CC BY 2.0") == 24
    photos = release_by_source(tmp_path / "set", {"flickr": [3] * 6, "commons": [1] * 4}, WORDS)
    page, markdown, found = everywhere(photos, tmp_path / "none")
    assert found["by_source"]["pairs"] == []
    assert "Wikimedia Commons 4 4" in page.text
    assert "is it the source?" not in page.text
    assert "| Flickr | 18 | 6 |" in markdown


@pytest.mark.parametrize(
    ("second", "words", "says"),
    [
        ("commons", None, "commons against flickr"),
        ("own", {"flickr": {"title": "Flickr"}}, "own against Flickr"),
        *(
            ("commons", words, "commons against flickr")
            for words in ([], "Flickr", {"flickr": "Flickr"}, {"flickr": {"title": 7}})
        ),
    ],
)
def test_a_place_goes_by_its_name(tmp_path: Path, second: str, words: Any, says: str) -> None:
    photos = release_by_source(tmp_path / "set", {"flickr": [3] * 12, second: [2] * 12}, words)
    score(photos, tmp_path / "runs", "net", 20)
    assert says in report(photos, tmp_path / "runs").text


def test_a_strangers_words_on_sources_stay_words(tmp_path: Path) -> None:
    markup = "</h3><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}"
    words = f"{markup}\u202egnp.exe \x1b[31m{'x' * 100_000}"
    counts = {"flickr": [2] * 8, "commons": [1] * 8}
    said = {name: {"title": words, "notice": words} for name in counts}
    pages = []
    for folder, about in (("a", WORDS | {"flickr": {"title": "F", "notice": "n"}}), ("b", said)):
        photos = release_by_source(tmp_path / folder / "set", counts, about)
        score(photos, tmp_path / folder / "runs", "net", 5)
        pages.append(everywhere(photos, tmp_path / folder / "runs"))
    (expected, _, _), (page, markdown, _) = pages
    # A notice is a paragraph, and a long name may have places to break in it.
    without_notices = [tag for tag, _ in expected.tags if tag not in ("p", "wbr")]
    assert [tag for tag, _ in page.tags if tag not in ("p", "wbr")] == without_notices
    assert not set(page.text) & set("\u202e\x1b")
    assert len(page.text) < 20_000
    assert "<script" not in markdown
    assert "<img" not in markdown
