"""A model's accuracy on another set: said, measured here, published, or in a table."""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from genset.classes import imagenet1k
from genset.comparison.references.find import Reference, References, find_references
from genset.comparison.references.published import LADDER, SETS, published, rungs, sources
from genset.comparison.references.sets import is_real, recognize, recognize_names
from genset.core.errors import BadInput
from genset.models.spec import parse_spec
from genset.score.results.runs import Accuracy, Run, update_run
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from genset.sets.truths.files import read_truth
from tests.score.listed import classes_of, write_list

RUN = Run(
    key="1",
    model="mine",
    spec="file:mine.pth",
    set_name="photos",
    set_hash="sha256:2",
    weights_hash="sha256:3",
    preprocessing={"resize": 256, "crop": 224},
    precision="float32",
    versions={},
    device="cpu",
    created_at="2026-01-02T03:04:05+00:00",
    seconds=1.0,
    excluded={},
    top1=Accuracy.of(60, 100),
    top5=None,
    classes=1000,
    masked=0,
    hits=[],
)


def a_run(spec: str, *, crop: int | None = 224) -> Run:
    """A run of the model that a spec names, on photos of this size."""
    parsed = parse_spec(spec)
    preprocessing = {} if crop is None else {"resize": 256, "crop": crop}
    run = replace(RUN, spec=spec, model=parsed.name, preprocessing=preprocessing)
    return update_run(Path("no-runs"), run, parsed, (), run.notes)


def found(spec: str, *, crop: int | None = 224, named: str = "imagenet-val") -> References:
    return find_references(named, Path("no-runs"), [a_run(spec, crop=crop)])


def accuracy(spec: str, *, crop: int | None = 224, named: str = "imagenet-val") -> float | None:
    exact = found(spec, crop=crop, named=named)
    return round(100 * only(exact).top1, 3) if exact else None


def only(known: References) -> Reference:
    (found,) = known.values()
    return found


@pytest.mark.parametrize(
    ("spec", "crop", "expected"),
    [
        ("torchvision:resnet50@IMAGENET1K_V1", 224, 76.13),
        ("torchvision:resnet50@IMAGENET1K_V2", 224, 80.858),
        ("torchvision:resnet50", 224, 80.858),  # the default weights
        ("timm:resnet50.tv_in1k", 224, 76.156),
        ("timm:hf-hub:timm/resnet50.tv_in1k", 224, 76.156),
        ("timm:resnet50.a1_in1k", 224, 80.382),
        ("timm:resnet50.a1_in1k", 288, 81.24),
        ("timm:resnet50", 224, 80.382),
        # Of answers that were computed elsewhere the name tells; it must be whole.
        ("predictions:a.npy?name=torchvision:resnet50@IMAGENET1K_V1", None, 76.13),
        ("predictions:resnet50.npy", None, None),
        # Another organisation's file of the same name is another file.
        ("timm:hf-hub:somebody/resnet50.tv_in1k", 224, None),
        ("torchvision:resnet50@NO_SUCH", 224, None),
        ("timm:resnet50.a1_in1k", 320, None),  # published at 224 and 288
        ("timm:resnet50.a1_in1k?mean=0.5", 224, None),
        ("predictions:a.npy?name=timm:resnet50.a1_in1k", None, None),  # of one size or the other
        ("file:a.pth?arch=timm:resnet50", 224, None),  # whose weights it holds is not known
        ("file:a.pth?arch=my_models:net", 224, None),
    ],
)
def test_published_accuracies_are_found(
    spec: str, crop: int | None, expected: float | None
) -> None:
    assert accuracy(spec, crop=crop) == expected


def test_what_the_spec_says_goes_before_what_is_published() -> None:
    assert accuracy("torchvision:resnet50@IMAGENET1K_V1?reference_top1=75.5") == 75.5
    said = found("file:a.pth?arch=timm:resnet50&reference_top1=81")
    assert only(said).top1 == 0.81
    assert only(said).source == "said with the model"


@pytest.mark.parametrize("value", ["0.761", "0", "100", "good", "nan"])
def test_what_cannot_be_an_accuracy_in_per_cent_is_refused(value: str) -> None:
    with pytest.raises(BadInput, match="reference_top1"):
        parse_spec(f"file:a.pth?arch=timm:resnet50&reference_top1={value}")


def test_a_table_of_ones_own_knows_a_model_by_name_and_size(tmp_path: Path) -> None:
    table = tmp_path / "there.csv"
    table.write_text(
        "model,img_size,top1,top5\nmine,224,81.5,95\nresnet50.a1_in1k,224,80,90\n"
        "resnet50.a1_in1k,288,82,90\nnobody,224,70,90\n"
    )
    exact = only(found("predictions:mine.npy", crop=None, named=str(table)))
    assert (exact.top1, exact.source) == (0.815, "there.csv")
    spec = "timm:resnet50.a1_in1k"
    assert accuracy(spec, crop=288, named=str(table)) == 82
    assert accuracy(spec, crop=224, named=str(table)) == 80
    assert accuracy("file:other.pth?arch=timm:resnet50", named=str(table)) is None


@pytest.mark.parametrize(
    ("named", "text", "says"),
    [
        ("there.csv", None, "cannot be read"),
        ("there.csv", "name,accuracy\na,1\n", "needs the columns model and top1"),
        ("there.csv", "model,top1\na,101\n", "line 2: '101' is no accuracy in per cent"),
        ("there.csv", "model,top1\na,good\n", "line 2: 'good' is no accuracy in per cent"),
    ],
)
def test_what_is_no_reference_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, text: str | None, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path(named).write_text(text)
    with pytest.raises(BadInput, match=says):
        find_references(named, tmp_path, [RUN])


# The table of published accuracies that genset ships, against where it is from.


def test_each_figure_has_its_source_with_licence_and_date() -> None:
    libraries = {row.weights.partition(":")[0] for row in published()}
    assert set(sources()) == libraries == {"timm", "torchvision"}
    assert "Apache-2.0, as of 2026-08" in sources()["timm"]
    assert "BSD-3-Clause" in sources()["torchvision"]


def test_torchvisions_figures_are_torchvisions() -> None:
    from benchmarks.published_accuracies import of_torchvision

    made = {(row["weights"], row["pixels"]): row for row in of_torchvision()}
    shipped = [row for row in published() if row.weights.startswith("torchvision:")]
    assert len(shipped) == 114
    # A newer torchvision may know more models, or other default weights.
    for row in shipped:
        found = made[row.weights, row.pixels]
        assert (row.top1["imagenet"], row.top5) == (
            pytest.approx(float(str(found["imagenet"])) / 100),
            pytest.approx(float(str(found["imagenet_top5"])) / 100),
        )


@pytest.mark.realdata
def test_timms_figures_are_timms_all_of_them(realdata: Path) -> None:
    names = ("imagenet", "imagenet-real", "imagenetv2-matched-frequency")
    shipped = [row for row in published() if row.weights.startswith("timm:")]
    for column, name in zip(SETS, names, strict=False):
        with (realdata / "timm" / f"results-{name}.csv").open(newline="") as file:
            theirs = {
                (f"timm:{row['model']}", int(row["img_size"])): float(row["top1"])
                for row in csv.DictReader(file)
            }
        ours = {(row.weights, row.pixels): 100 * row.top1[column] for row in shipped}
        assert ours == pytest.approx(theirs)
    assert (len(shipped), len({row.weights for row in shipped})) == (1556, 1266)


def test_the_ladder_goes_from_weak_to_strong_over_as_many_architectures() -> None:
    known = {row.weights: row for row in reversed(published())}
    shares = [known[spec].top1["imagenet"] for spec in LADDER]
    assert shares == sorted(shares)
    assert shares[0] < 0.6 < 0.85 < shares[-1]
    assert len({known[spec].architecture for spec in LADDER}) == len(LADDER) >= 6
    assert rungs({LADDER[2]}) == (*LADDER[:2], *LADDER[3:])


# Well-known sets are told by what their photos are called and shown as, in any layout.

VAL, V2 = "imagenet-val", "imagenetv2-matched-frequency"

pytestmark = pytest.mark.realdata


@pytest.fixture(scope="module")
def lists(realdata: Path) -> dict[str, list[tuple[str, str]]]:
    found = {}
    for name in (VAL, V2):
        with (realdata / "imagenetv2" / name / "labels.csv").open(newline="") as file:
            found[name] = [(row["image"], row["wnid"]) for row in csv.DictReader(file)]
    return found


@pytest.mark.parametrize(("name", "is_called"), [(VAL, "imagenet-val"), (V2, "imagenetv2")])
@pytest.mark.parametrize(
    "layout",
    [
        lambda image, wnid: image,
        lambda image, wnid: f"{wnid}/{image.partition('.')[0]}.png",
        lambda image, wnid: f"any/where/{image}",
    ],
)
def test_a_set_is_told_in_any_layout_and_order(
    lists: dict[str, list[tuple[str, str]]],
    layout: Callable[[str, str], str],
    name: str,
    is_called: str,
) -> None:
    photos = [(layout(image, wnid), wnid) for image, wnid in reversed(lists[name])]
    assert recognize_names(photos) == is_called


def test_file_names_may_have_the_class_in_them(lists: dict[str, list[tuple[str, str]]]) -> None:
    photos = [(f"{image.removesuffix('.JPEG')}_{wnid}.JPEG", wnid) for image, wnid in lists[VAL]]
    assert recognize_names(photos) == "imagenet-val"


@pytest.mark.parametrize("name", [VAL, V2])
def test_one_other_photo_is_another_set(lists: dict[str, list[tuple[str, str]]], name: str) -> None:
    photos = lists[name]
    other = next(each.wnid for each in imagenet1k() if each.wnid != photos[0][1])
    for changed in (photos[1:], [(photos[0][0], other), *photos[1:]], [photos[1], *photos[1:]]):
        assert recognize_names(changed) is None


def test_a_folders_name_says_nothing_and_the_user_may(tmp_path: Path, realdata: Path) -> None:
    mine = open_set(str(write_list(tmp_path / "imagenet-val.csv", range(5))))
    assert recognize(mine) is None
    said = recognize(mine, "imagenetv2")
    assert said is not None
    assert (said.name, said.how) == ("imagenetv2", "by --set-is")
    theirs = open_set(str(realdata / "imagenetv2" / V2))
    assert (told := recognize(theirs)) is not None
    assert told.how == "by the names and classes of all 10,000 photos"
    assert recognize(theirs, "other") is None


@pytest.mark.parametrize(("name", "count"), [("a", 7500), ("r", 30_000)])
def test_imagenet_a_and_r_are_told_by_their_classes(tmp_path: Path, name: str, count: int) -> None:
    photos = classes_of(name) * (count // 200) + classes_of(name)[: count % 200]
    told = recognize(open_set(str(write_list(tmp_path / "photos.csv", photos))))
    assert told is not None
    assert (told.name, told.how) == (f"imagenet-{name}", f"by its 200 classes and {count:,} photos")
    assert recognize(open_set(str(write_list(tmp_path / "fewer.csv", photos[1:])))) is None


@pytest.mark.soak
def test_reals_labels_are_told_from_others_in_each_form(tmp_path: Path, realdata: Path) -> None:
    photos: PhotoSet = open_set(str(realdata / "imagenetv2" / VAL))
    assert not is_real(None)
    truth = read_truth(realdata / "real" / "real.json", photos)
    assert is_real(truth)
    listed = {image: sorted(wnids) for image, wnids in truth.correct.items() if wnids}
    other_form = tmp_path / "labels.json"
    other_form.write_text(json.dumps(listed))
    assert is_real(read_truth(other_form, photos))
    listed[next(iter(listed))] = ["n01440764", "n01443537"]
    other_form.write_text(json.dumps(listed))
    assert not is_real(read_truth(other_form, photos))
