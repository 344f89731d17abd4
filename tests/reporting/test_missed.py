"""What a report shows of photos that every leading model gets wrong."""

import json
from pathlib import Path

from genset.reporting.collect import collect
from genset.reporting.forms import as_markdown, report_json
from genset.reporting.sections import photos as photos_shown
from genset.reporting.sections.photos import MAX_PHOTOS, MOST_MISSED
from genset.sets.photos import PhotoSet
from tests.reporting.sets import Page, release_of, report, score

TITLE = "Errors that matter: photos that every leading model gets wrong"


def section(page: Page) -> str:
    return page.text.split(TITLE)[1]


def first(photos: PhotoSet, count: int) -> set[str]:
    return {photo.id for photo in photos.photos[:count]}


def test_three_models_that_err_together(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 40), tmp_path / "runs"
    for model, right in (("a", 20), ("b", 19), ("c", 18)):
        score(photos, runs, model, right)
    page, data = report(photos, runs), collect(photos, runs)
    markdown, found = as_markdown(data), json.loads(json.dumps(report_json(data)))["missed"]

    for form in (section(page), markdown):
        assert "Leading models: a, b and c (the best one, those that cannot be told apart" in form
        assert "All of them get 20 of 40 photos wrong." in form
        assert "On 20 of these they give the same answer" in form
    assert "all 3 give the same answer" in section(page)
    assert "The next 12 of 20" in section(page)
    assert "genset labels suspects small" in section(page)
    # Photos of the page: twelve of these, and all others together no more than Flickr allows.
    assert len(page.values("img", "src")) == MAX_PHOTOS
    galleries = {each.shows: [s.id for s in each.samples] for each in data.of(photos_shown.SECTION)}
    assert len(galleries["missed"]) == MOST_MISSED
    assert len(set().union(*galleries.values())) == MAX_PHOTOS

    assert (found["counted"], found["missed"], found["unanimous"]) == (40, 20, 20)
    assert {each["image"] for each in found["photos"]} == set(photos.ids) - first(photos, 20)
    severities = [each["severity"] for each in found["photos"]]
    assert severities == sorted(severities, reverse=True)
    assert str(tmp_path) not in json.dumps(found)


def test_one_model_alone_has_no_such_section_and_few_photos_no_share(tmp_path: Path) -> None:
    photos, runs = release_of(tmp_path / "set", 10), tmp_path / "runs"
    score(photos, runs, "a", 7)
    assert TITLE not in report(photos, runs).text
    assert "missed" not in report_json(collect(photos, runs))
    score(photos, runs, "b", 7)
    assert "On 3 of these they give the same answer" in section(report(photos, runs))
