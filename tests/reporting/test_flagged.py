"""Flagged models: apart in a report, in every form of it, and without a trace elsewhere."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import genset
from genset.api import Comparison
from genset.core.errors import BadInput
from genset.reporting.collect import collect
from genset.reporting.forms import as_markdown, report_json
from genset.reporting.headline import certainty, headline
from genset.reporting.options import ReportOptions
from genset.reporting.report import ReportData
from genset.reporting.sections import missed
from genset.score.results.runs import Run
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from genset.statistics.bootstrap import Resampling
from tests.reporting.sets import report, score_on
from tests.score.listed import write_list, write_npy
from tests.score.scoring import evaluate

TRUTH = [place for place in range(60) for _ in range(5)]
FEW = Resampling(draws=500)
REVERSED = "The ranks look reversed, with the best class last"


def score(photos: PhotoSet, name: str, rows: Any) -> Run:
    """A model's run over the photos."""
    spec = write_npy(photos.root / f"{name}.npy", rows)
    (run,) = evaluate(photos, [spec], photos.root / "runs")
    return run


@pytest.fixture(scope="module")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> PhotoSet:
    """19 models, and one of which the table is reversed."""
    folder = tmp_path_factory.mktemp("twenty")
    photos = open_set(str(write_list(folder / "photos.csv", TRUTH)))
    rng = np.random.default_rng(1)
    hard, truth = rng.random(len(TRUTH)), np.array(TRUTH)
    others = np.tile([900, 901, 902], (len(TRUTH), 1))
    for number in range(19):
        hit = hard + rng.normal(0, 0.1, len(TRUTH)) < 0.3 + 0.03 * number
        first = np.where(hit, truth, 800 + truth)
        rows = np.column_stack([first, np.where(hit, 800 + truth, truth), others])
        score(photos, f"model{number:02}", rows)
    last = np.column_stack([others, 800 + truth, truth])
    score(photos, "turned", last)
    table = "\n".join(f"model{number:02},{50 + 2 * number}" for number in range(19))
    (folder / "there.csv").write_text(f"model,top1\n{table}\nturned,70\n")
    return photos


def numbers(photos: PhotoSet, include_flagged: bool = False) -> dict[str, Any]:
    """All that a report says, as JSON."""
    asked = ReportOptions(
        reference=str(photos.root / "there.csv"), resampling=FEW, include_flagged=include_flagged
    )
    found: dict[str, Any] = json.loads(
        json.dumps(report_json(collect(photos, photos.root / "runs", asked)))
    )
    return found


def test_a_reversed_model_changes_no_digit_of_the_others(twenty: PhotoSet, tmp_path: Path) -> None:
    found = numbers(twenty)
    (flagged,) = found.pop("flagged")
    assert flagged["label"] == "turned"
    assert flagged["rank"] is None
    assert REVERSED in flagged["flags"][0]
    alone = open_set(str(twenty.root / "photos.csv"))
    for run in (twenty.root / "runs" / "photos").iterdir():
        if run.name.startswith("turned"):
            run.rename(tmp_path / run.name)
            try:
                assert numbers(alone) == found
            finally:
                (tmp_path / run.name).rename(run)
    assert [len(found[what]) for what in ("models", "pairs")] == [19, 19 * 18 // 2]
    slope = found["reference"]["fit"]["slope"]
    brought_in = numbers(twenty, include_flagged=True)
    assert "flagged" not in brought_in
    assert len(brought_in["models"]) == 20
    assert abs(brought_in["reference"]["fit"]["slope"] - slope) > 0.01


def test_it_stands_apart_with_what_to_do(twenty: PhotoSet) -> None:
    page = report(twenty, twenty.root / "runs", ReportOptions(resampling=FEW))
    markdown = as_markdown(collect(twenty, twenty.root / "runs", ReportOptions(resampling=FEW)))
    for form in (page.text, markdown):
        assert "--include-flagged" in form
        assert REVERSED in form
        assert "with the best class first, and score it again" in form
        assert "turned" not in form.partition("Left out")[0]
    assert "of 19" in page.text


def test_who_names_it_is_told_why_it_is_not_there(twenty: PhotoSet) -> None:
    asked = ReportOptions(lower="model00", upper="turned", resampling=FEW)
    with pytest.raises(BadInput, match=r"turned is left out: .* --include-flagged brings it in"):
        collect(twenty, twenty.root / "runs", asked)


def test_a_report_of_flagged_models_alone_says_so(tmp_path: Path) -> None:
    photos = open_set(str(write_list(tmp_path / "photos.csv", TRUTH)))
    score(photos, "turned", [[900, 901, 902, 800 + t, t] for t in TRUTH])
    page = report(photos, tmp_path / "runs", ReportOptions(resampling=FEW))
    assert "1 model scored here, all left out" in page.text
    assert REVERSED in page.text


def test_two_models_are_compared_all_the_same(twenty: PhotoSet, tmp_path: Path) -> None:
    truth = np.array(TRUTH)
    good = np.column_stack([truth, 800 + truth])
    first = genset.evaluate(twenty, predictions=good, name="good", runs=tmp_path)
    second = genset.evaluate(twenty, predictions=good[:, ::-1], name="bad", runs=tmp_path)
    found = genset.compare(first, second)
    assert found.difference.value == 1
    assert f"bad is flagged, and left out of reports. {REVERSED}" in found.sentence
    assert "good is flagged" not in found.sentence


# Models that answered a part of the photos: behind the others, in no rank, and no headline.

N = 100
ASKED = ReportOptions(resampling=FEW)

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
    return collect(photos, photos.root / "runs", ASKED)


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
    page, markdown = report(photos, photos.root / "runs", ASKED).text, as_markdown(data)
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
    page = report(photos, photos.root / "runs", ASKED).text
    assert "one and other answered only a part of the photos, so they have no rank" in page.replace(
        "other and one", "one and other"
    )


def test_a_model_beside_a_part_of_one_is_said_alone(photos: PhotoSet, add: Add) -> None:
    add("whole", range(40))
    add("part", range(60), lacks=range(60, N))
    assert headline(data_of(photos)).startswith("whole: top-1 accuracy 40.0 % (40 of 100), 95 %")


# What is said of two models on 5, 20, 100 and 2,864 photos: no more than these can carry.


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
        (
            5,
            (0, 0),
            [
                "Too few photos: the models disagree on 0; McNemar’s test needs at least 6. 95 % "
                "interval of the difference: −43.4 to +43.4 points.\n"
                "No difference is detectable with so few photos (80 % power)."
            ],
        ),
        (
            100,
            (0, 0),
            ["difference: −3.7 to +3.7 points.", "(80 % power): 7.8 points, in the best case."],
        ),
        (
            2864,
            (0, 0),
            [
                "disagree on 0; McNemar’s test needs at least 6.",
                "95 % interval of the difference: −0.56 to +0.56 points.",
                "difference (80 % power): 1.1 points, in the best case.",
            ],
        ),
    ],
)
def test_few_that_differ(
    tmp_path: Path, photos: int, alone: tuple[int, int], says: list[str]
) -> None:
    found = pair(tmp_path, photos, alone)
    assert "Too few photos: the models disagree on" in found.sentence
    assert all(words in found.sentence for words in says)
    assert "told apart" not in found.sentence
    assert "exact test: p" not in found.sentence


@pytest.mark.parametrize("photos", [5, 100])
def test_photos_that_are_all_right_or_wrong_are_no_certainty(tmp_path: Path, photos: int) -> None:
    truth = np.arange(photos)
    listed = genset.open_set(write_list(tmp_path / "photos.csv", truth.tolist()))
    for name, said in (("right", truth), ("wrong", truth + 1)):
        genset.evaluate(listed, predictions=said[:, None], name=name, runs=tmp_path / "runs")
    options = ReportOptions(resampling=FEW, include_flagged=True)
    data = collect(listed, tmp_path / "runs", options)
    unknown = {5: 43.4, 100: 3.7}[photos]
    for label, ends in (("right", (100 - unknown, 100)), ("wrong", (0, unknown))):
        found = data.model(label).top1.accuracy
        assert (100 * found.low, 100 * found.high) == pytest.approx(ends, abs=0.1)
    assert f"| {100 - unknown:.1f}–100.0 |" in as_markdown(data)


def test_two_classes_say_little_of_others_and_much_of_themselves(tmp_path: Path) -> None:
    truth = np.repeat([3, 4], 1000)
    said = np.where(np.arange(2000) % 1000 < np.repeat([787, 807], 1000), truth, 900)
    listed = genset.open_set(write_list(tmp_path / "photos.csv", truth.tolist()))
    genset.evaluate(listed, predictions=said[:, None], name="one", runs=tmp_path / "runs")
    for classes, ends in (("sample", (4.1, 99.7)), ("fixed", (77.9, 81.4))):
        options = ReportOptions(resampling=FEW, classes=classes)
        found = collect(listed, tmp_path / "runs", options).model("one").top1.accuracy
        assert (100 * found.low, 100 * found.high) == pytest.approx(ends, abs=0.1)


def test_photos_of_one_class_show_no_difference(tmp_path: Path) -> None:
    found = pair(tmp_path, 20, (12, 0), classes=1)
    says = "All photos are of one class: nothing is said about other classes."
    assert "95 % interval −100.0 to +100.0" in found.sentence
    assert "They cannot be told apart." in found.sentence
    assert found.sentence.endswith(says)
    listed, runs = genset.open_set(tmp_path / "photos.csv"), tmp_path / "runs"
    data = collect(listed, runs, ReportOptions(resampling=FEW))
    assert [each.detectable for each in data.pairs] == [None]
    assert says in as_markdown(data)
    assert "Smallest detectable" not in as_markdown(data)
