"""What a report says of models among known ones, and by the line that these follow."""

import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genset.comparison.references.published import TABLE, one_a_weights
from genset.core.errors import BadInput
from genset.reporting.baseline import Baseline
from genset.reporting.collect import collect
from genset.reporting.figures.against import against_plot
from genset.reporting.figures.plot import Box, width_of
from genset.reporting.options import ReportOptions
from genset.reporting.sections.baseline import SECTION, lines
from genset.score.options import ScoringOptions
from genset.score.results.runs import Accuracy
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from genset.sets.truths.files import read_truth
from tests.reporting.sets import WNIDS, Page, everywhere
from tests.score.listed import classes_of, write_list, write_npy
from tests.score.scoring import evaluate

PHOTOS = 400
TRUTH = [place for place in range(80) for _ in range(5)]
V2 = ReportOptions(set_is="imagenetv2")
KNOWN = "torchvision:resnet50@IMAGENET1K_V1"


def scored(root: Path, models: Mapping[str, tuple[float, str]]) -> PhotoSet:
    """Models on a small list of photos: each with the share it is right on, and options."""
    photos = open_set(str(write_list(root / "photos.csv", TRUTH)))
    luck = np.random.default_rng(1).permutation(PHOTOS) / PHOTOS
    for name, (share, options) in models.items():
        rows = [[t if own < share else 999] for t, own in zip(TRUTH, luck, strict=True)]
        spec = write_npy(root / f"{name}.npy", rows)
        evaluate(photos, [f"{spec}?name={name}{options}"], root / "runs")
    return photos


def said(photos: PhotoSet, options: ReportOptions) -> tuple[Page, str, dict[str, Any]]:
    """The page, the Markdown, and what the JSON says of accuracies elsewhere."""
    page, markdown, found = everywhere(photos, photos.root / "runs", options)
    return page, markdown, found["reference"]


def told(
    photos: PhotoSet, options: ReportOptions | None = None, at: Path | None = None
) -> Baseline:
    """What a report's numbers are, without its forms."""
    found = collect(photos, at or photos.root / "runs", options or ReportOptions()).of(SECTION)
    assert found is not None
    return found


def drawn(baseline: Baseline) -> str:
    """The figure of these models, with Wilson's intervals."""
    right = [Accuracy.of(round(row.here * PHOTOS), PHOTOS) for row in baseline.models]
    return against_plot("figure", baseline, [(each.low, each.high) for each in right])


def logit(share: float) -> float:
    return float(np.log(share / (1 - share)))


def test_a_model_beyond_the_published_weights_is_marked_as_a_guess(tmp_path: Path) -> None:
    models = {"weak": (0.2, "&reference_top1=24"), "usual": (0.7, "&reference_top1=80")}
    page, markdown, found = said(scored(tmp_path, models), V2)
    assert {row["label"]: row["is_guess"] for row in found["models"]} == {
        "weak": True,
        "usual": False,
    }
    assert markdown.count(" (guess) |") == 1
    assert markdown.count("; beyond the line’s weights: a guess)") == 1
    assert page.text.count(" (guess)") == 2  # in the table, and at the point in the figure


def test_one_new_model_has_its_place_and_its_robustness(tmp_path: Path) -> None:
    photos = scored(tmp_path, {"mine": (0.7, "&reference_top1=80")})
    page, markdown, found = said(photos, V2)
    (row,), (place,) = found["models"], found["places"]
    expected = 1 / (1 + np.exp(0.486171 - 0.916646 * logit(0.8)))
    assert row["above"] == pytest.approx(0.7 - expected, abs=1e-4)
    assert row["interval"]["low"] < row["above"] < row["interval"]["high"]
    shares = [each.top1["imagenetv2"] for each in one_a_weights()]
    assert place["place"] == 1 + sum(share > 0.7 for share in shares)
    assert place["best"] < place["place"] < place["worst"] < place["of"] == 1267
    for form in (page.text, markdown):
        assert "Among known models" in form
        assert f"{place['best']:,} to {place['worst']:,} of 1,267" in form
        assert "The line of 1,266 published weights of 900 architectures" in form
        assert "Published accuracies: timm: huggingface/pytorch-image-models" in form
        assert "lie within its 95 % band for a new model" in form
        assert "of further models lie" not in form
    assert (
        "| Effective robustness (points above the line) | More (% of published weights) |"
        in markdown
    )
    assert f"| {100 * row['higher']:.0f} |" in markdown
    assert "(said with the model) |" in markdown


def test_the_lines_of_the_published_weights_are_those_that_are_known(tmp_path: Path) -> None:
    """Over one row a weights: slope 0.917 as logits, and 0.50 points of scatter."""
    found = told(scored(tmp_path, {KNOWN: (0.63, "")}), V2)
    fit = found.fit
    assert fit
    assert (fit.models, fit.architectures) == (1266, 900)
    assert fit.slope == pytest.approx(0.917, abs=0.0005)
    assert 100 * fit.scatter == pytest.approx(0.50, abs=0.005)
    assert fit.slope_interval is not None
    assert 0.005 < fit.slope - fit.slope_interval.low < 0.008
    assert 0.93 <= fit.inside <= 0.98
    for point in fit.line:
        assert point.prediction.low < point.band.low < point.here
        assert point.here < point.band.high < point.prediction.high
    assert found.models[0].there == pytest.approx(0.7613)


def test_on_imagenet_sketch_the_line_is_that_of_the_weights_published_there(tmp_path: Path) -> None:
    found = told(scored(tmp_path, {KNOWN: (0.25, "")}), ReportOptions(set_is="imagenet-sketch"))
    shares = [(row.top1["imagenet"], row.top1["sketch"]) for row in one_a_weights()]
    slope, start = np.polyfit(*(list(map(logit, of)) for of in zip(*shares, strict=True)), 1)
    assert found.fit
    assert (found.fit.slope, found.fit.intercept) == pytest.approx((slope, start))
    (place,) = found.places
    assert (place.place, place.of) == (1 + sum(there > 0.25 for _, there in shares), 1267)


def test_on_imagenet_a_the_place_is_by_the_choice_among_its_own_classes(tmp_path: Path) -> None:
    truth = 2 * classes_of("a")
    photos = open_set(str(write_list(tmp_path / "photos.csv", truth)))
    scores = np.random.default_rng(1).normal(size=(PHOTOS, 1000))
    scores[np.arange(PHOTOS), truth] += 2
    mine = write_npy(tmp_path / "mine.npy", scores.tolist())
    first_five = write_npy(tmp_path / "few.npy", np.argsort(-scores, axis=1)[:, :5].tolist())
    evaluate(photos, [first_five, mine], tmp_path / "runs", ScoringOptions(logits=True))
    page, markdown, found = said(photos, ReportOptions(set_is="imagenet-a"))
    (place,) = found["places"]
    among = np.isin(np.arange(1000), truth)
    share = float((np.where(among, scores, -np.inf).argmax(axis=1) == truth).mean())
    assert place["accuracy"] == share > (scores.argmax(axis=1) == truth).mean()
    table = csv.DictReader(TABLE.read_text().splitlines()[2:])
    first = {row["weights"]: row["imagenet_a"] for row in reversed(list(table))}  # the smallest
    assert place["place"] == 1 + sum(float(top1 or 0) > 100 * share for top1 in first.values()) > 1
    assert (place["label"], place["of"]) == ("mine", 1266)
    assert (found["fit"], found["unknown"]) == (None, ["few"])
    for form in (page.text, markdown):
        assert "%, among the 200 classes" in form
        assert "(genset evaluate --logits keeps all): few" in form


@pytest.mark.parametrize(("name", "beyond"), [("imagenet_a", 0.44), ("imagenet_r", 0.40)])
def test_the_strongest_weights_lie_above_a_line_there(name: str, beyond: float) -> None:
    """By how much, in logits, is in docs/statistics.md: it is why these sets have no line."""
    shares = [(row.top1["imagenet"], row.top1[name]) for row in one_a_weights(name)]
    there, here = (np.array(list(map(logit, of))) for of in zip(*shares, strict=True))
    residuals = here - np.polyval(np.polyfit(there, here, 1), there)
    strongest = there >= np.quantile(there, 0.9)
    assert residuals[strongest].mean() == pytest.approx(beyond, abs=0.005)


def test_on_any_other_set_few_models_are_told_which_ones_make_a_line(tmp_path: Path) -> None:
    photos = scored(tmp_path, {KNOWN: (0.6, ""), "mine": (0.7, "&reference_top1=80")})
    page, markdown, found = said(photos, ReportOptions())
    assert (found["set"], found["fit"], found["places"]) == (None, None, [])
    assert len(found["models"]) == 2
    assert KNOWN not in found["ladder"]
    for form in (page.text, markdown):
        assert "No line is fitted: it takes 4 models of different accuracy there" in form
        assert "genset evaluate photos \\ --model torchvision:alexnet@IMAGENET1K_V1" in " ".join(
            form.split()
        )
    nothing = collect(photos, photos.root / "runs", ReportOptions(reference="none"))
    assert nothing.of(SECTION) is None
    with pytest.raises(
        BadInput, match="imagenet-a: the 80 classes of these photos are not its 200"
    ):
        told(photos, ReportOptions(set_is="imagenet-a"))


def test_four_models_make_a_line_and_need_no_ladder(tmp_path: Path) -> None:
    said_of = {"a": (0.4, 55), "b": (0.5, 65), "c": (0.55, 72), "d": (0.7, 80), "e": (0.75, 84)}
    models = {name: (here, f"&reference_top1={on}") for name, (here, on) in said_of.items()}
    found = told(scored(tmp_path, models))
    assert found.ladder == ()
    fit = found.fit
    assert fit
    shares = np.array([here for here, _ in said_of.values()])
    there = np.array([on / 100 for _, on in said_of.values()])
    slope, start = np.polyfit(np.log(there / (1 - there)), np.log(shares / (1 - shares)), 1)
    assert (fit.slope, fit.intercept) == pytest.approx((slope, start))
    assert lines(found)[0].startswith("The line through 5 models: logit(here) = ")


@pytest.mark.parametrize(
    ("name", "there"), [("timm:resnet50.mine{}_in1k", [60, 64, 68, 72, 76]), ("m{}", [76.13] * 5)]
)
def test_models_that_are_alike_make_no_line(tmp_path: Path, name: str, there: list[float]) -> None:
    models = {
        name.format(n): (0.4 + 0.05 * n, f"&reference_top1={on}") for n, on in enumerate(there)
    }
    found = told(scored(tmp_path, models))
    assert (len(found.models), found.fit) == (5, None)
    assert lines(found)[0].startswith("No line is fitted: it takes 4 models of different accuracy")


def test_of_many_models_few_are_named_beside_no_bar_and_no_line(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    there = np.linspace(0.62, 0.88, 40)
    here = np.round(there - 0.1 + rng.normal(0, 0.015, 40), 2)
    odd, even = "vit_base_patch16_224.augreg{}_in21k_ft_in1k", "convnext_{}.fb_in22k_ft_in1k_384_x"
    models = {
        (odd if n % 2 else even).format(n): (share, f"&reference_top1={100 * on:.2f}")
        for n, (share, on) in enumerate(zip(here.tolist(), there.tolist(), strict=True))
    }
    found = told(scored(tmp_path, models))
    figure = drawn(found)
    written = re.findall(
        r'<text x="([^"]*)" y="([^"]*)" text-anchor="(\w+)"[^>]*"name">(.*?)<', figure
    )
    names = [name for *_, name in written]
    assert 6 <= len(names) <= 12
    assert len(set(names)) == len(names), "names cut to the same letters"
    farthest = max(found.models, key=lambda row: abs(row.above or 0)).label
    assert any(name[:5] == farthest[:5] and name[-5:] == farthest[-5:] for name in names)
    bar = r'</title><line x1="([^"]*)" x2="[^"]*" y1="([^"]*)" y2="([^"]*)"'
    bars = [Box(x, high, x, low) for x, low, high in np.float64(re.findall(bar, figure)).tolist()]
    assert len(bars) == 40
    boxes: list[Box] = []
    for x, y, anchor, name in written:
        left = float(x) - width_of(name) * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        box = Box(left, float(y) - 8, left + width_of(name), float(y) + 2)
        assert not any(box.touches(each) for each in [*bars, *boxes])
        boxes.append(box)


def test_a_model_of_a_part_of_the_classes_has_no_place(tmp_path: Path) -> None:
    """Its accuracy is of the photos of these classes, and published ones are of all."""
    photos = scored(tmp_path, {"mine": (0.7, "&reference_top1=80")})
    (tmp_path / "few.txt").write_text("\n".join(WNIDS[:40]))
    spec = write_npy(tmp_path / "few.npy", [[min(place, 39)] for place in TRUTH])
    named = f"{spec}?classes={tmp_path / 'few.txt'}&reference_top1=90"
    evaluate(photos, [named], tmp_path / "runs")
    found = told(photos, V2)
    assert [row.label for row in found.models] == ["mine"]
    assert [place.label for place in found.places] == ["mine"]
    assert found.partial == ("few",)
    assert any("they did not answer all photos: few." in each for each in lines(found))


def test_a_set_as_reference_is_a_sample_too(tmp_path: Path) -> None:
    models = {f"m{n}": (0.4 + 0.05 * n, "") for n in range(6)}
    photos = scored(tmp_path, models)
    few = open_set(str(write_list(tmp_path / "few.csv", TRUTH[::4])))
    rows = "".join(f"m{n},{30 + 6 * n}\n" for n in range(6))
    (tmp_path / "exact.csv").write_text(f"model,top1\n{rows}")
    for n in range(6):
        right = [[t if place % 100 < 30 + 6 * n else 999] for place, t in enumerate(TRUTH[::4])]
        spec = write_npy(tmp_path / f"m{n}.npy", right)
        evaluate(few, [f"{spec}?name=m{n}"], tmp_path / "runs")
    page, _, sampled = said(photos, ReportOptions(reference="few"))
    assert "resample the classes of both sets" in page.text
    # The list says so itself, whatever its columns are called.
    kaggle = (tmp_path / "few.csv").read_text().replace("image,wnid", "ImageId,Class")
    (tmp_path / "few.csv").write_text(kaggle)
    _, _, listed = said(photos, ReportOptions(reference=str(tmp_path / "few.csv")))
    assert listed == sampled
    exact = told(photos, ReportOptions(reference=str(tmp_path / "exact.csv")))
    for one, other in zip(sampled["models"], exact.models, strict=True):
        assert (one["there"], one["above"]) == pytest.approx((other.there, other.above))
        wide = one["interval"]["high"] - one["interval"]["low"]
        assert wide > 1.2 * (other.interval.high - other.interval.low)


def test_a_finished_run_takes_what_is_said_of_its_model_later(tmp_path: Path) -> None:
    photos = scored(tmp_path, {"mine": (0.7, "")})
    before = told(photos, V2)
    assert (before.models, before.unknown) == ((), ("mine",))
    scored(tmp_path, {"mine": (0.7, "&reference_top1=80")})
    assert [row.source for row in told(photos, V2).models] == ["said with the model"]
    scored(tmp_path, {"mine": (0.7, "&trained_until=2021")})
    after = told(photos, V2)
    assert [row.there for row in after.models] == [0.8]  # as nobody said otherwise


@pytest.mark.realdata
def test_on_imagenetv2_real_models_have_their_published_places(
    tmp_path: Path, realdata: Path
) -> None:
    folder = realdata / "imagenetv2" / "imagenetv2-matched-frequency"
    photos, runs = open_set(str(folder)), tmp_path / "runs"
    specs = [f"{KNOWN.replace('resnet50', name)}" for name in ("resnet50", "resnet152")]
    files = [f"predictions:{folder}/{name}.npy" for name in ("resnet50", "resnet152", "alexnet")]
    named = [f"{file}?name={spec}" for file, spec in zip(files, specs, strict=False)]
    evaluate(photos, [*named, files[-1]], runs)
    found = told(photos, at=runs)
    assert found.set is not None
    assert found.set.name == "imagenetv2"
    assert found.unknown == ("alexnet",)
    # timm publishes 63.33 % for the same weights (resnet50.tv_in1k), and its place with it.
    of = {place.label: place for place in found.places}
    shares = {each.weights: each.top1["imagenetv2"] for each in one_a_weights()}
    among = 1 + sum(other > shares["timm:resnet50.tv_in1k"] for other in shares.values())
    assert of[specs[0]].best <= among <= of[specs[0]].worst
    above = {row.label: row.above for row in found.models}
    assert above == pytest.approx({specs[0]: -0.0071, specs[1]: 0.0037}, abs=0.01)


@pytest.mark.realdata
@pytest.mark.soak
def test_on_imagenet_reals_labels_have_a_line(tmp_path: Path, realdata: Path) -> None:
    """One new model, scored on both sets: it needs nobody to say its accuracy elsewhere."""
    runs = tmp_path / "runs"
    val, v2 = (
        realdata / "imagenetv2" / name for name in ("imagenet-val", "imagenetv2-matched-frequency")
    )
    for folder in (val, v2):
        evaluate(open_set(str(folder)), [f"predictions:{folder}/resnet18.npy"], runs)
    photos = open_set(str(val))
    photos = replace(photos, truth=read_truth(realdata / "real" / "real.json", photos))
    on_val = told(photos, at=runs)
    assert on_val.set is not None
    assert (on_val.set.name, on_val.by_real) == ("imagenet-val", True)
    (row,) = on_val.models
    assert (row.there, row.here) == pytest.approx((0.69758, 0.7729), abs=1e-4)
    assert row.interval is not None
    assert row.interval.high - row.interval.low < 0.012  # both are of the same photos
    assert on_val.fit
    assert on_val.fit.slope == pytest.approx(0.943, abs=0.001)
    on_v2 = told(open_set(str(v2)), at=runs).models
    assert [(row.source, round(row.there, 5)) for row in on_v2] == [("measured here", 0.69758)]
