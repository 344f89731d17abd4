"""By date of training: whether models do better on photos that they could have seen."""

import csv
import doctest
import json
from collections.abc import Sequence
from dataclasses import replace
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
from genset.score.results.runs import find_runs, load_predictions, save_run
from genset.sets.photos import PhotoSet, sample_by_class
from tests.reporting.sets import WNIDS, dated_release, everywhere, score_on
from tests.score.listed import write_npy
from tests.score.painted import RED, paint

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


def right_on(photos: PhotoSet, earlier: Sequence[int], later: Sequence[int]) -> set[str]:
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
    right = right_on(photos, (3, 3, 2), (1, 0, 1, 2))
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
    keep(photos, "net", until, right_on(photos, (3, 0), (0, 2)))
    page, markdown, found = forms(photos)
    assert said in page
    assert said in markdown
    assert found["splits"][0]["groups"]["models"]["net"]["difference"] is None


def test_what_the_photos_make_of_it_is_taken_off(photos: PhotoSet) -> None:
    """Earlier photos are easier here for a model that saw none, and as much so for the other."""
    old, new = right_on(photos, (3, 2, 3), (1, 0, 1)), right_on(photos, (3, 3, 2), (1, 1, 0))
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
        keep(photos, model, until, right_on(photos, (2, 3), (1, 2)))
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
