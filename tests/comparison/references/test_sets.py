"""Well-known sets are told by what their photos are called and shown as, in any layout."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from genset.classes import imagenet1k
from genset.comparison.references.sets import is_real, recognize, recognize_names
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from genset.sets.truths.files import read_truth
from tests.score.listed import classes_of, write_list

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
        lambda image, wnid: f"{wnid}/{image}",
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
