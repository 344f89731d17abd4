"""Models that answered a part of the photos: behind the others, in no rank, and no headline."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from genset.reporting.collect import collect
from genset.reporting.forms import as_markdown, report_json
from genset.reporting.headline import certainty, headline
from genset.reporting.options import ReportOptions
from genset.reporting.report import ReportData
from genset.reporting.sections import missed
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from genset.statistics.bootstrap import Resampling
from tests.reporting.sets import report, score_on
from tests.score.listed import write_list

N = 100
FEW = ReportOptions(resampling=Resampling(draws=500))

Add = Callable[..., None]


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    return open_set(str(write_list(tmp_path / "set.csv", list(range(N)))))


@pytest.fixture
def add(photos: PhotoSet) -> Add:
    """Keeps a model's run: right on these photos, without an answer to those."""

    def keep(model: str, right: range, lacks: range = range(0)) -> None:
        lacking = [photos.ids[place] for place in lacks]
        hits = {photos.ids[place] for place in right} - set(lacking)
        score_on(photos, photos.root / "runs", model, hits, unreadable=lacking)

    return keep


def data_of(photos: PhotoSet) -> ReportData:
    return collect(photos, photos.root / "runs", FEW)


def test_a_model_that_answered_the_easy_photos_is_not_the_best(photos: PhotoSet, add: Add) -> None:
    add("best", range(82))
    add("next", range(62))
    before = data_of(photos)
    add("cherry", range(62), lacks=range(62, N))
    data = data_of(photos)
    assert [model.rank for model in data.ranked] == [model.rank for model in before.models]
    assert headline(data) == headline(before)
    assert [(model.label, bool(model.rank)) for model in data.models] == [
        ("best", True),
        ("next", True),
        ("cherry", False),
    ]
    assert headline(data) == (
        "best has the highest top-1 accuracy, 82.0 % (82 of 100): 20.0 points above next with "
        "62.0 % (62 of 100)."
    )
    assert "best can be told apart from every other model." in certainty(data)
    page, markdown = report(photos, photos.root / "runs", FEW).text, as_markdown(data)
    for form in (page, markdown):
        assert "cherry answered only a part of the photos, so it has no rank" in form
        assert "answered 62 of 100 photos: in no rank" in form
        assert "cherry has the highest" not in form
        assert "Fewer photos answered: cherry." in form
    assert "| Rank (of 2) |" in markdown
    assert "| – | cherry (answered 62 of 100 photos: in no rank" in markdown
    as_json = json.loads(json.dumps(report_json(data)))
    assert [model["rank"] is None for model in as_json["models"]] == [False, False, True]


def test_a_lead_is_that_on_the_photos_that_count_for_both(photos: PhotoSet, add: Add) -> None:
    """Of 99 photos 80.8 % are right, of all 100 80 %; on the 99 the two are as good."""
    add("all", range(1, 81))
    add("less", range(1, 81), lacks=range(1))
    assert headline(data_of(photos)) == (
        "less: 80 of 99 photos correct; all: 80 of 100. They disagree on too few photos to say "
        "which is better."
    )


def test_models_that_share_few_photos_have_no_order(photos: PhotoSet, add: Add) -> None:
    add("one", range(30), lacks=range(60, N))
    add("other", range(50, N), lacks=range(40))
    data = data_of(photos)
    assert headline(data).startswith("2 models scored here, none on nearly all photos.")
    assert data.of(missed.SECTION) is None
    page = report(photos, photos.root / "runs", FEW).text
    assert "one and other answered only a part of the photos, so they have no rank" in page.replace(
        "other and one", "one and other"
    )


def test_a_model_beside_a_part_of_one_is_said_alone(photos: PhotoSet, add: Add) -> None:
    add("whole", range(40))
    add("part", range(60), lacks=range(60, N))
    assert headline(data_of(photos)).startswith("whole: top-1 accuracy 40.0 % (40 of 100), 95 %")
