"""By source: what a report says of photos from several places, and where each photo is from."""

import csv
import doctest
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.comparison.unseen import unseen as unseen_of
from genset.core.errors import BadInput
from genset.models import spec, training_sets
from genset.models.spec import last_day, parse_spec
from genset.models.training_sets import SETS
from genset.release.reader import Release
from genset.reporting.collect import collect
from genset.reporting.options import ReportOptions
from genset.reporting.sections import photos as photos_shown
from genset.score.results.runs import find_runs, load_predictions, save_run
from genset.sets.photos import PhotoSet, sample_by_class
from tests.reporting.sets import (
    WNIDS,
    dated_release,
    everywhere,
    release_by_source,
    report,
    score,
    score_on,
)
from tests.score.listed import write_npy
from tests.score.painted import RED, paint

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
    """Of one model on 18 classes, and of the mean on the 14 that count for both models."""
    counts = {"flickr": [5] * 24, "commons": [0] * 6 + [3] * 20}
    photos, runs = release_by_source(tmp_path / "set", counts, WORDS), tmp_path / "runs"
    lost = [file for wnid in WNIDS[6:10] for file in places(photos, "commons")[wnid]]
    right, some = (
        right_on(photos, "flickr", flickr) | right_on(photos, "commons", commons)
        for flickr, commons in (((5, 4, 3), (2, 1, 1, 0)), ((5, 3), (1, 0, 2)))
    )
    score_on(photos, runs, "net", right)
    score_on(photos, runs, "some", some - set(lost), unreadable=lost, weights="sha256:2")
    first, other = (of_class(photos, source, right) for source in ("flickr", "commons"))
    here, there = (fmean(each[wnid] for wnid in WNIDS[6:24]) for each in (first, other))
    page, markdown, found = everywhere(photos, runs)
    (pair,) = found["by_source"]["pairs"]
    top1, mean = pair["models"]["net"], pair["models"]["mean of 2 models"]
    assert (pair["first"], pair["second"]) == ("flickr", "commons")
    assert (top1["classes"], top1["photos"], mean["classes"]) == (18, [90, 54], 14)
    assert top1["first"]["value"] == pytest.approx(here)
    assert top1["second"]["value"] == pytest.approx(there)
    assert top1["difference"]["value"] == pytest.approx(there - here)
    for source, side in (("flickr", "first"), ("commons", "second")):
        each = [of_class(photos, source, model) for model in (right, some)]
        expected = fmean(model[wnid] for model in each for wnid in WNIDS[10:24])
        assert mean[side]["value"] == pytest.approx(expected)
    low, high = (100 * top1["difference"]["interval"][end] for end in ("low", "high"))
    assert low < high < 0
    gap = f"{100 * (here - there):.1f}"
    lead = 100 * (mean["first"]["value"] - mean["second"]["value"])
    for form in (page.text, markdown):
        assert f"mean of 2 models: −{lead:.1f} points on Wikimedia Commons against Flickr" in form
        assert f"{100 * here:.1f}" in form
        assert "on 14 classes, 70 and 42 photos" in form
        assert "each counted once: 90 photos (Flickr) and 54 (Wikimedia Commons)." in form
    assert "By source: is it the source?" in page.text
    row = f"| net | −{gap} (−{-low:.1f} to −{-high:.1f}) | {100 * here:.1f} ("
    assert row in markdown


@pytest.mark.parametrize(
    ("commons", "says"),
    [
        ([0] * 30 + [3] * 5, "Flickr and Wikimedia Commons have 0 classes in common"),
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
            for words in ("Flickr", {"flickr": {"title": 7}})
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


# By date of training: whether models do better on photos that they could have seen.

CLASSES = 24
EARLIER, LATER = "2021-12-31T23:59:59+00:00", "2022-01-01T00:00:00+00:00"


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    """Of each of 24 classes three photos up to the end of 2021 and two later ones."""
    return dated_release(tmp_path / "set", CLASSES, [(EARLIER, None)] * 3 + [(LATER, None)] * 2)


def ids(photos: PhotoSet, posted: str) -> list[list[str]]:
    """The photos posted then, class by class."""
    records = Release(photos.root).photos
    return [
        [each.file for each in records if (each.wnid, each.posted_at.isoformat()) == (wnid, posted)]
        for wnid in WNIDS[:CLASSES]
    ]


def right_at(photos: PhotoSet, earlier: Sequence[int], later: Sequence[int]) -> set[str]:
    """So many earlier and later photos of the first, second, ... class, over and over."""
    return {
        image
        for posted, hits in ((EARLIER, earlier), (LATER, later))
        for number, images in enumerate(ids(photos, posted))
        for image in images[: hits[number % len(hits)]]
    }


def keep(photos: PhotoSet, model: str, until: str, right: set[str]) -> None:
    """Keep a run of a model that was trained until then."""
    score_on(photos, photos.root.parent / "runs", model, right, trained_until=until)


def forms(photos: PhotoSet) -> tuple[str, str, Any]:
    """The page's text, the Markdown, and what the JSON says of it."""
    page, markdown, found = everywhere(photos, photos.root.parent / "runs")
    return page.text, markdown, found.get("by_training")


def mean_of(photos: PhotoSet, posted: str, right: set[str]) -> float:
    return fmean(len(right & set(images)) / len(images) for images in ids(photos, posted))


def test_a_model_that_does_better_on_what_it_could_have_seen_is_told(photos: PhotoSet) -> None:
    right = right_at(photos, (3, 3, 2), (1, 0, 1, 2))
    keep(photos, "net", "2021", right)
    page, markdown, found = forms(photos)
    (split,) = found["splits"]
    model = split["groups"]["models"]["net"]
    assert (split["until"], split["trained"]) == ("2021", ["net"])
    assert (split["earlier"], split["later"], model["classes"]) == (72, 48, 24)
    earlier, later = (mean_of(photos, posted, right) for posted in (EARLIER, LATER))
    assert model["second"]["value"] == pytest.approx(earlier)
    assert model["first"]["value"] == pytest.approx(later)
    low, high = (100 * model["difference"]["interval"][end] for end in ("low", "high"))
    assert 0 < low < 100 * (earlier - later) < high
    for form in (page, markdown):
        assert (
            f"net: +{100 * (earlier - later):.1f} points on photos that it could have seen (posted "
            "by 2021) against later ones, over 24 classes of both (95 % interval "
            f"+{low:.1f} to +{high:.1f})." in form
        )
        assert "each counted once: 48 photos (later photos) and 72 (photos posted by 2021)." in form
    assert "could the models have seen the photos?" in page


@pytest.mark.parametrize(
    ("until", "said"),
    [
        ("2010", "0 photos were posted by 2010, 120 later"),
        ("2022-01-01", "120 photos were posted by 2022-01-01, 0 later"),
    ],
)
def test_one_time_alone_is_said(photos: PhotoSet, until: str, said: str) -> None:
    keep(photos, "net", until, right_at(photos, (3, 0), (0, 2)))
    page, markdown, found = forms(photos)
    assert said in page
    assert said in markdown
    assert found["splits"][0]["groups"]["models"]["net"]["difference"] is None


def test_what_the_photos_make_of_it_is_taken_off(photos: PhotoSet) -> None:
    """Earlier photos are easier here for a model that saw none, and as much so for the other."""
    old, new = right_at(photos, (3, 2, 3), (1, 0, 1)), right_at(photos, (3, 3, 2), (1, 1, 0))
    keep(photos, "old", "2010", old)
    keep(photos, "new", "2021", new)
    page, markdown, found = forms(photos)
    (split,) = (each for each in found["splits"] if each["until"] == "2021")
    assert split["blind"] == ["old"]
    rows, beyond = split["groups"]["models"], split["beyond"]
    differences = [
        mean_of(photos, EARLIER, right) - mean_of(photos, LATER, right) for right in (new, old)
    ]
    assert rows["new"]["difference"]["value"] == pytest.approx(differences[0])
    assert beyond["new"]["value"] == pytest.approx(differences[0] - differences[1])
    assert "old" not in beyond
    low, high = (beyond["new"]["interval"][end] for end in ("low", "high"))
    assert low < 0 < high
    for form in (page, markdown):
        text = form[form.index("Beyond that: ") :]
        assert " more than for the 1 model that could have seen none (95 % int" in text
        assert "); no difference shown." in text[:200]
        assert "less the mean difference of the models that could have seen no photo" in form


def test_a_photo_is_sorted_by_the_end_of_the_date_and_the_days_of_utc(tmp_path: Path) -> None:
    days = [
        ("2021-12-31T23:59:59+00:00", None),
        ("2022-01-01T00:30:00+01:00", None),  # still 2021 in UTC
        ("2022-01-01T00:00:00+00:00", "2021-05-01"),
        ("2022-03-01T00:00:00+00:00", "2022-02-01 10:00:00"),
        ("2022-03-01T00:00:00+00:00", "2025-01-01"),  # a wrong clock says nothing
    ]
    photos = dated_release(tmp_path / "set", 8, days)
    keep(photos, "net", "2021", set(photos.ids[::2]))
    (split,) = forms(photos)[2]["splits"]
    assert (split["earlier"], split["later"], split["taken_later"]) == (16, 24, 8)


def test_a_model_without_a_date_is_named_beside_those_that_have_one(tmp_path: Path) -> None:
    photos = dated_release(tmp_path / "set", 8, [(EARLIER, None), (LATER, None)])
    keep(photos, "other", "", set(photos.ids[::3]))
    page, markdown, found = forms(photos)
    assert found is None
    assert "By date of training" not in page + markdown
    keep(photos, "net", "2021", set(photos.ids[::2]))
    page, _, found = forms(photos)
    assert found["dates"] == {"net": "2021", "other": ""}
    assert "Training date unknown (&trained_until=): other." in page


def genset(*words: object) -> Any:
    return CliRunner().invoke(cli, [str(word) for word in words])


def test_a_finished_run_gets_its_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paint(tmp_path / "set", 0, "a.png", RED)
    monkeypatch.chdir(tmp_path)
    spec = write_npy(tmp_path / "mine.npy", [[0, 1]])
    words = ("evaluate", "set", "--model")
    assert genset(*words, spec).exit_code == 0
    ((folder, first),) = find_runs(tmp_path / "runs", "set")
    written = (folder / "predictions.csv").stat().st_mtime_ns
    assert first.trained_until == ""

    assert genset(*words, f"{spec}?trained_until=laion-5b").exit_code == 0
    ((folder, dated),) = find_runs(tmp_path / "runs", "set")
    assert (dated.key, dated.trained_until) == (first.key, "2022-03")
    assert dated.spec.endswith("?trained_until=laion-5b")
    assert (folder / "predictions.csv").stat().st_mtime_ns == written

    assert genset(*words, spec).exit_code == 0  # without the option it stays
    assert find_runs(tmp_path / "runs", "set")[0][1].trained_until == "2022-03"
    done = genset("report", "set", "--format", "markdown")
    assert "This set does not say when its photos were posted" in done.output

    assert genset(*words, f"{spec}?trained_until=2020").exit_code == 0
    assert find_runs(tmp_path / "runs", "set")[0][1].trained_until == "2020"
    # A new run has its date at once.
    done = genset("evaluate", "set", "--runs", "new", "--json", "--model", dated.spec)
    assert json.loads(done.stdout)["runs"][0]["trained_until"] == "2022-03"


@pytest.mark.parametrize(
    "value", ["", "soon", "2021-13", "2021-00", "2021-02-30", "21-12", "2021-1", "9999", "2021-12-"]
)
def test_what_is_no_date_is_refused_with_those_that_are_known(value: str) -> None:
    with pytest.raises(BadInput, match="trained_until is a date, such as 2021-12, or one of imag"):
        parse_spec(f"timm:a?trained_until={value}")


def test_dates_have_sources_and_names_say_them() -> None:
    assert all(known.source and last_day(known.until) for known in SETS.values())
    assert [doctest.testmod(module).failed for module in (spec, training_sets)] == [0, 0]


def test_each_table_says_how_many_photos_a_model_cannot_have_seen(photos: PhotoSet) -> None:
    runs = photos.root.parent / "runs"
    for model, until in (("new", "2022"), ("old", "2021"), ("clip", ""), ("mine", "")):
        keep(photos, model, until, right_at(photos, (2, 3), (1, 2)))
    folder, run = next(pair for pair in find_runs(runs, photos.name) if pair[1].model == "clip")
    spec = "timm:vit_base_patch16_clip_224.openai_ft_in12k_in1k?name=clip"
    save_run(folder, replace(run, spec=spec), load_predictions(folder))
    said = genset("evaluate", photos.root, "--runs", runs, "--format", "csv").stdout
    unseen = {row["model"]: row["unseen"] for row in csv.DictReader(said.splitlines())}
    assert unseen == {"new": "0", "old": "48", "clip": "120", "mine": ""}
    sample = sample_by_class(photos, "10%")
    (run,) = (run for _, run in find_runs(runs, photos.name) if run.model == "clip")
    assert str(unseen_of(sample, [run], photos)[0]).startswith("clip: unseen 12 of 12: trained")
    pair = genset("compare", "clip", "mine", "--on", photos.root, "--runs", runs).stdout
    assert "unseen 120 of 120: trained on photos until 2021-01, as its weights' name says" in pair
    assert "unknown until when trained (say ?trained_until=DATE): mine" in pair
    board = genset("report", photos.root, "--runs", runs, "--format", "csv").stdout
    assert [row["unseen"] for row in csv.DictReader(board.splitlines())].count("120") == 1
