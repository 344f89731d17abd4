"""A report's three forms say what the runs say, and a stranger's words stay words."""

import base64
import io
import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from PIL import Image

from genset.core.errors import MissingExtra
from genset.reporting.collect import collect
from genset.reporting.forms import as_markdown
from genset.reporting.options import ReportOptions
from genset.reporting.page import page_of, template
from genset.reporting.sections import errors
from genset.reporting.sections import photos as photos_shown
from genset.reporting.write import Report
from genset.sets.open import open_set
from tests.reporting.sets import WNIDS, everywhere, release_by_source, release_of, report, score
from tests.score.listed import write_list, write_npy
from tests.score.scoring import evaluate

NOTICE = "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc."


def test_numbers_are_those_of_the_runs(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 10), tmp_path / "runs"
    better, worse = score(photos, runs, "better", 8), score(photos, runs, "worse", 5)
    page, markdown, as_json = everywhere(photos, runs)
    assert str(tmp_path) not in json.dumps(as_json)
    assert not any("path" in each for shown in as_json["galleries"] for each in shown["samples"])
    assert [model["label"] for model in as_json["models"]] == ["better", "worse"]
    for model, run in zip(as_json["models"], (better, worse), strict=True):
        assert model["top1"] == asdict(run.top1)
        assert model["tops"][0]["accuracy"] == asdict(run.top1)
        assert model["weights_hash"] == run.weights_hash
        assert run.spec in page.text
    assert "| 1 to 2 | better | 80.0 | 49.0–94.3 | 100.0 (72.2–100.0) |" in markdown
    assert "better 1 to 2 80.0 49.0–94.3 100.0 20.0" in page.text
    assert "worse 1 to 2 50.0 23.7–76.3" in page.text
    for form in (page.text, markdown):
        assert (
            "better: 8 of 10 photos correct; worse: 5 of 10. They disagree on too few photos"
            in form
        )
        assert "better cannot be told apart from worse." in form
        assert (
            "Too few photos: better and worse disagree on 3; McNemar’s test needs at least 6."
            in form
        )


def test_a_set_is_described_before_any_model_is_scored_on_it(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    score(release_of(tmp_path / "old", 4), runs, "scored-before", 3)
    photos = release_of(tmp_path / "set", 3)
    page, markdown, found = everywhere(photos, runs)
    for words in (
        "No model was scored on this set yet.",
        "genset evaluate small",
        "Left out: 1 run on other photos under the same name.",
        "3 of ImageNet’s 1,000",
        "2015-01-01 to 2015-01-03",
        "by 3 people; labels on these photos: 6 correct, 3 unsure",
        "4 candidates: not labeled",
        photos.content_hash,
        "Photo 1 by Owner 1 , flickr , CC BY 2.0",
        NOTICE,
    ):
        assert words in page.text
    assert "https://www.flickr.com/photos/someone/1" in page.values("a", "href")
    assert "Models The set" not in page.text  # no section of pairs, errors or each model
    assert not [tag for tag, _ in page.tags if tag in ("table", "svg")]
    assert "No model was scored" in markdown
    assert found["models"] == []


def test_unreadable_photos_are_said_beside_the_number(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 4), tmp_path / "runs"
    broken = photos.photos[0]
    broken.path.write_bytes(b"no photo")
    score(photos, runs, "model", 2, unreadable=[broken.id])
    page = report(photos, runs)
    assert "model 1 photo could not be read" in page.text
    remark = f"1 photo could not be read ({broken.id}); not counted"
    assert f"| model ({remark}) |" in as_markdown(collect(photos, runs))
    assert "This photo cannot be shown" in page.text
    assert "model is not counted on it" in page.text
    assert len(page.values("img", "src")) == 3


HOSTILE = [
    "<script>alert(1)</script>",
    "</figcaption><img src=http://evil.example/x onerror=alert(1)>",
    "'\" onmouseover=alert(1) x='",
    "{{ 7 * 7 }}{% raw %}",
    "\u202egnp.exe\u2066 \x00\x1b[31m",
    "\ud800 half a character",
    "x" * 100_000,
]
BAD_URLS = [
    "javascript:alert(1)",
    " JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example/x",
    "https:\n//evil.example",
    "http://[broken",
    "file:///etc/passwd",
    "https://www.flickr.com@evil.example/",
]


def test_a_photo_that_no_licence_lets_others_hand_on_is_not_in_the_page(tmp_path: Path) -> None:
    """It has a small copy of each photo that it shows, and is published."""
    reserved = {"license": "All Rights Reserved", "license_url": ""}
    photos = release_of(tmp_path / "set", 4, **reserved)
    for right in (2, 1):  # of two models also what both get wrong is shown
        score(photos, tmp_path / "runs", f"model {right}", right)
    page = report(photos, tmp_path / "runs")
    assert page.values("img", "src") == []
    assert "No licence lets others hand this photo on: see its page" in page.text
    assert "https://www.flickr.com/photos/someone/0" in page.values("a", "href")
    page = report(photos, tmp_path / "runs", ReportOptions(include_restricted=True))
    assert page.values("img", "src")
    assert "No licence lets others" not in page.text


@pytest.mark.parametrize("words", HOSTILE, ids=lambda words: ascii(words[:20]))
def test_a_strangers_words_never_become_markup(tmp_path: Path, words: str) -> None:
    plain = release_of(tmp_path / "plain", 4)
    told = words.replace("\ud800", "")  # no manifest with half a character is read
    photos = release_of(tmp_path / "set", 4, title=told, owner_name=told, license=told)
    for right in (3, 2, 1):
        score(plain, tmp_path / "a" / "runs", f"model {right}", right)
        score(photos, tmp_path / "b" / "runs", f"{words[:100]} {right}", right)
    expected, page = report(plain, tmp_path / "a" / "runs"), report(photos, tmp_path / "b" / "runs")
    # A long name may have places to break in it.
    tags, others = ([tag for tag, _ in each.tags if tag != "wbr"] for each in (page, expected))
    assert tags == others
    assert not any(name.startswith("on") for _, found in page.tags for name in found)
    assert "evil.example" not in "".join(page.values("img", "src") + page.values("a", "href"))
    assert not set(page.text) & set("\u202e\u2066\x00\x1b\ud800")
    assert len(page.text) < 20_000
    assert "<script" not in as_markdown(collect(photos, tmp_path / "b" / "runs"))


@pytest.mark.parametrize("url", BAD_URLS)
def test_only_web_addresses_become_links(tmp_path: Path, url: str) -> None:
    photos = release_of(tmp_path / "set", 1, page_url=url, license_url=url)
    page = report(photos, tmp_path / "runs")
    assert [href for href in page.values("a", "href") if not href.startswith("#")] == []
    assert "Photo 0 by Owner 0" in page.text


def test_nothing_is_fetched_and_the_bytes_stay_the_same(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 3), tmp_path / "runs"
    score(photos, runs, "model", 2)
    page = report(photos, runs)
    for tag, attributes in page.tags:
        assert tag not in ("iframe", "object", "embed", "form", "base")
        assert tag != "script" or not attributes  # it stands in the page
        for name in ("src", "href", "xlink:href", "srcset", "action"):
            if (address := attributes.get(name)) is None:
                continue
            if tag == "a" and not address.startswith("#"):
                assert address.startswith("https://")
                assert attributes["rel"] == "noopener noreferrer"
            else:
                assert address.startswith(("data:", "#"))
    assert "@import" not in page.code
    assert "url(http" not in page.code
    assert "fetch(" not in page.code
    first, second = (page_of(collect(photos, runs)) for _ in range(2))
    assert first == second
    assert str(tmp_path) not in first


def test_pictures_are_small_upright_and_without_metadata(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / WNIDS[0]
    folder.mkdir(parents=True)
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera lay on its side
    exif[0x9286] = "where I live"
    Image.new("RGB", (800, 400)).save(folder / "a.jpg", exif=exif, comment=b"where I live")
    Image.new("RGBA", (30, 40)).save(folder / "b.png")
    page = report(open_set(str(tmp_path / "mine")), tmp_path / "runs")
    found = [base64.b64decode(src.partition(",")[2]) for src in page.values("img", "src")]
    sizes = {Image.open(io.BytesIO(picture)).size for picture in found}
    assert sizes == {(160, 320), (30, 40)}
    assert not any(b"where I live" in picture or b"Exif" in picture for picture in found)
    assert "is not recorded" in page.text  # who made them
    assert NOTICE not in page.text


def test_a_missing_part_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photos = release_of(tmp_path / "set", 1)
    template.cache_clear()  # as in a process that has made no page yet
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtra, match=r"genset\[report\]"):
        Report(photos, tmp_path / "runs").write(tmp_path / "report.html")


TRUTH = [place for place in range(40) for _ in range(5)]


def test_a_smaller_class_list_is_said_beside_the_number(tmp_path: Path) -> None:
    photos = open_set(str(write_list(tmp_path / "photos.csv", TRUTH)))
    classes = tmp_path / "classes.txt"
    classes.write_text("\n".join(WNIDS[:20]) + "\n")
    spec = write_npy(tmp_path / "small.npy", [[t % 20] for t in TRUTH])
    evaluate(photos, [f"{spec}?classes={classes}"], tmp_path / "runs")
    page, markdown, _ = everywhere(photos, tmp_path / "runs")
    for form in (page.text, markdown):
        assert "chooses among 20 classes only; 100 photos of other classes not counted" in form
        assert "Calibration" not in form  # no probabilities are stored
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
