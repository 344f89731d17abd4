"""Two years of a protocol in the sandbox, and what the report says of drift and progress."""

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genset.classes import ImageClass, imagenet1k
from genset.reporting.series.yearly import Drift, Labels
from genset.reporting.series.years import drift
from genset.sets.photos import open_set
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import match
from tests.protocols.years import Maintainer, maintainer, rows_of, textured
from tests.reporting.sets import Page, score_on
from tests.scrape.several import started

# Classes of one query that no other class has: each search finds its own photos alone.
CLASSES = tuple(cls for cls in imagenet1k() if len(cls.queries) == 1)[:24]
YEARS = ("2023", "2024")
SHARES = {"one": 0.8, "two": 0.7, "three": 0.6}
BEFORE, AFTER = "2020-01-01T00:00:00+00:00", "2999-01-01T00:00:00+00:00"


@dataclass(frozen=True)
class Series:
    """Two releases of four photos a class, made by one protocol, and a folder of runs on them."""

    genset: Maintainer
    runs: Path

    def keep(self, year: str, model: str, share: float, at: str = BEFORE, until: str = "") -> None:
        """Keep a run that is right on about this share of a year's photos."""
        photos = open_set(str(self.genset.workspace.releases / f"p-{year}"))
        rng = np.random.default_rng([int(year), len(model), ord(model[0])])
        right = {photo.id for photo in photos.photos if rng.random() < share}
        score_on(
            photos, self.runs, model, right, weights=f"sha256:{model}", at=at, trained_until=until
        )

    def keep_all(self, lost: float = 0.0, at: str = BEFORE) -> None:
        """Keep three models on both years, of which the second is harder by so much."""
        for model, share in SHARES.items():
            self.keep("2023", model, share)
            self.keep("2024", model, share - lost, at)

    def report(self, *words: object) -> Any:
        return self.genset("report", *words, "--runs", self.runs)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Maintainer:
    return years_labeled_by(("ann", "ann"), tmp_path_factory.mktemp("series"), CLASSES)


def years_labeled_by(
    workers: tuple[str, str], root: Path, classes: tuple[ImageClass, ...]
) -> Maintainer:
    rows = [*rows_of(2023, 10_000, classes, 4), *rows_of(2024, 20_000, classes, 4)]
    numbers = [int(row["id_search_engine"]) for row in rows]
    genset = maintainer(root / "workspace")
    with pytest.MonkeyPatch.context() as patched, contextmanager(started)(root, patched) as start:
        start("flickr", rows, contents={number: textured(number) for number in numbers})
        wnids = ",".join(cls.wnid for cls in classes)
        genset("protocol", "save", "p", "--classes", wnids, "--candidates", 4)
        for year, worker in zip(YEARS, workers, strict=True):
            words = ("--posted-after", f"{year}-01-01", "--posted-before", f"{int(year) + 1}-01-01")
            genset("protocol", "run", "p", *words)
            genset.label(worker, int(year))
            frozen = genset("protocol", "run", "p", *words)["frozen"]
            assert frozen["photos"] == 4 * len(classes)
    return genset


@pytest.fixture
def two_years(released: Maintainer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Series:
    monkeypatch.chdir(tmp_path)
    return Series(released, tmp_path / "runs")


@pytest.mark.parametrize(
    ("lost", "says"),
    [
        (0.0, "No drift of the photos is shown from p-2023 to p-2024: for the same 3 models,"),
        (0.3, "The photos drifted from p-2023 to p-2024: they are harder for the same 3 models,"),
    ],
)
@pytest.mark.soak
def test_drift_is_told_where_it_was_put_in(two_years: Series, lost: float, says: str) -> None:
    two_years.keep_all(lost)
    found = two_years.report("p-2023", "p-2024")
    drift, labels, progress = found["drift_and_progress"]
    assert drift.startswith(says)
    assert "96 are by people who labeled photos of the other one, too" in labels
    assert progress.startswith("No model on p-2024 was first scored since it was frozen")
    interval = found["years"][0]["drifts"][0]["matched"]["difference"]["interval"]
    assert interval["low"] < -lost < interval["high"]


def test_progress_is_told_apart_from_drift(two_years: Series) -> None:
    """A new model that makes up for harder photos: both are seen, and neither hides the other."""
    two_years.keep_all(0.3)
    two_years.keep("2024", "newest", 0.75, AFTER)
    drift, _, progress = two_years.report("p-2023", "p-2024")["drift_and_progress"]
    assert "they are harder for the same 3 models" in drift
    assert progress.startswith("Models made progress on p-2024: on the same photos, the mean of")
    assert "newest first scored since it was frozen differs by +" in progress


def test_a_model_that_was_scored_again_is_no_new_one(two_years: Series) -> None:
    two_years.keep_all(at=AFTER)
    _, _, progress = two_years.report("p-2023", "p-2024")["drift_and_progress"]
    assert progress.startswith("No model on p-2024 was first scored since")


def test_drift_is_of_the_models_that_are_on_every_year(two_years: Series) -> None:
    """One that is on the first year alone would make that look easier."""
    two_years.keep_all()
    two_years.keep("2023", "best", 1.0)
    (years,) = two_years.report("p-2023", "p-2024")["years"]
    assert sorted(years["drifts"][0]["models"]) == sorted(SHARES)
    assert years["drifts"][0]["matched"]["first"]["value"] < 0.8


def test_what_a_model_may_remember_is_not_taken_for_drift(two_years: Series) -> None:
    two_years.keep_all(0.3)
    for year, share in (("2023", 0.9), ("2024", 0.5)):
        two_years.keep(year, "late", share, until="2023-03")
        two_years.keep(year, "early", share, until="2022-11")
    drift, *_ = two_years.report("p-2023", "p-2024")["drift_and_progress"]
    assert "harder for the same 5 models" in drift
    assert "Of these late could have seen photos of p-2023 in training" in drift


def test_the_page_has_the_years_in_their_order(two_years: Series) -> None:
    """In whatever order the sets are named; each year with the same models' mean."""
    two_years.keep_all()
    found = two_years.report("p-2024", "p-2023", "-o", "site")
    (years,) = found["years"]
    assert [each["set"] for each in years["years"]] == ["p-2023", "p-2024"]
    assert years["protocol"] == "p"
    page = Page(Path("site/index.html"))
    assert "Years of p" in page.text
    assert found["drift_and_progress"][0] in page.text
    assert "from 2023-01-01 until before 2024-01-01" in page.text


def test_a_protocol_names_its_releases(two_years: Series) -> None:
    two_years.keep_all()
    found = two_years.report("--protocol", "p")
    assert [each["name"] for each in found["sets"]] == ["p-2023", "p-2024"]
    two_years.genset("protocol", "save", "new", "--classes", CLASSES[0].wnid)
    assert "there is no release of protocol new yet" in two_years.report("--protocol", "new")


def test_sets_of_no_protocol_have_no_years(two_years: Series) -> None:
    two_years.genset("release", "create", "all")
    photos = open_set(str(two_years.genset.workspace.releases / "all"))
    score_on(photos, two_years.runs, "one", set(), weights="sha256:one")
    two_years.keep("2023", "one", 0.5)
    assert two_years.report("p-2023", "all")["years"] == []


def test_who_asks_can_name_the_new_models(two_years: Series) -> None:
    """Both years were made today, and all models scored on both since: dates tell nothing."""
    two_years.keep_all(at=AFTER)
    two_years.keep("2023", "better", 0.95, AFTER)
    two_years.keep("2024", "better", 0.95, AFTER)
    told = two_years.report("p-2023", "p-2024", "--new", "better")["drift_and_progress"]
    assert told[-1].startswith("Models made progress on p-2024: on the same photos, the mean of be")
    assert "better called new differs by +" in told[-1]
    wrong = two_years.report("p-2023", "p-2024", "--new", "nobody")
    assert wrong.startswith("2: --new nobody: no model is called so here; there are ")
    assert "--new is of the years of a protocol" in two_years.report("p-2023", "--new", "better")


@pytest.mark.soak
def test_labels_of_other_people_are_told_from_photos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What models lose need not be the photos: nobody who labeled 2024 labeled 2023."""
    monkeypatch.chdir(tmp_path)
    found = Series(years_labeled_by(("ann", "bob"), tmp_path, CLASSES[:12]), tmp_path / "runs")
    found.keep_all(0.4)
    drift, labels, _ = found.report("p-2023", "p-2024")["drift_and_progress"]
    assert drift.startswith("The photos, or their labels, drifted from p-2023 to p-2024: they are")
    assert labels.startswith(
        "Of 48 labels behind the later made of p-2023 and p-2024, 0 are by people"
    )
    assert "0 are by people who labeled photos of the other one, too" in labels
    assert labels.endswith("let the same people label photos of both years.")


def test_a_release_that_is_no_year_of_it_is_told(two_years: Series) -> None:
    two_years.genset("release", "create", "mixed")
    two_years.keep_all()
    photos = open_set(str(two_years.genset.workspace.releases / "mixed"))
    score_on(photos, two_years.runs, "one", set(), weights="sha256:one")
    *_, last = two_years.report("mixed", "p-2023", "p-2024")["drift_and_progress"]
    assert last == (
        "mixed is no year of p: it is in none of these sentences; 192 photos of it are in these "
        "years."
    )


@pytest.mark.soak
def test_few_photos_cannot_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven classes of four photos: an interval as wide as this says nothing."""
    monkeypatch.chdir(tmp_path)
    found = Series(years_labeled_by(("ann", "ann"), tmp_path, CLASSES[:7]), tmp_path / "runs")
    found.keep("2023", "one", 0.6)
    found.keep("2024", "one", 0.6)
    drift, *_ = found.report("p-2023", "p-2024")["drift_and_progress"]
    assert drift.startswith("Whether the photos drifted from p-2023 to p-2024, these photos cannot")


def test_without_drift_it_is_told_in_one_of_twenty_pairs_of_years() -> None:
    """Two hundred pairs of years of equal photos, and as many of harder ones."""
    assert drifts_told(0.0) <= 20
    assert drifts_told(0.15) >= 190


def drifts_told(lost: float) -> int:
    """In how many of 200 pairs of years the sentence says that the photos drifted.

    A year has 40 classes of 5 photos; classes and photos differ in how hard they are for all of 4
    models, and the second year's photos are harder by so much.
    """
    rng, told = np.random.default_rng(7), 0
    for _ in range(200):
        hard = np.repeat(rng.normal(0, 0.8, 40), 5) + rng.normal(0, 1.2, (2, 200))
        chance = 1 / (1 + np.exp(hard - 0.8)) - np.array([[0], [lost]])
        right = (rng.random((2, 200, 4)) < chance[..., None]).mean(axis=-1).reshape(-1, 1)
        second = np.repeat([False, True], 200)
        classes = np.tile(np.repeat(np.arange(40), 5), 2)
        (found,) = match(classes, right, np.ones_like(right, bool), second, Resampling(500, 0))
        sentence = drift(Drift("a", "b", ("m",) * 4, (), found, Labels(None, None, None)))
        told += sentence.startswith("The photos")
    return told
