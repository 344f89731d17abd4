"""All classes that photos show, from the files of others."""

import json
from pathlib import Path

import pytest

from genset.errors import BadInput
from genset.evaluation.data.photos import PhotoSet, open_set
from genset.evaluation.data.truths.read import read_truth
from tests.evaluation.colours import WNIDS
from tests.evaluation.listed import write_list

A, B, C, D = WNIDS[0], WNIDS[1], WNIDS[2], WNIDS[5]
NOTHING: frozenset[str] = frozenset()


@pytest.fixture
def listed(tmp_path: Path) -> PhotoSet:
    """photo0.jpg to photo2.jpg, of three classes."""
    return open_set(str(write_list(tmp_path / "photos.csv", [0, 1, 2])))


def write(folder: Path, content: object, name: str = "real.json") -> Path:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, "utf-8")
    return folder / name


def test_all_forms_say_the_same(tmp_path: Path, listed: PhotoSet) -> None:
    by_order = read_truth(write(tmp_path, [[0, 5], [], [C]]), listed)
    assert by_order.correct == {
        "photo0.jpg": {A, D},
        "photo1.jpg": NOTHING,
        "photo2.jpg": {C},
    }
    assert (by_order.unclear, by_order.source) == ({}, "real.json")
    assert (by_order.with_correct, by_order.with_several) == (2, 1)
    by_name = {"photo0.jpg": [0, D], "photo1.jpg": [], "photo2.jpg": {"correct": [2]}}
    assert read_truth(write(tmp_path, by_name), listed).correct == by_order.correct
    rows = [f"photo0.jpg,{A},correct", f"photo0.jpg,{D},correct", f"photo1.jpg,{D},wrong"]
    table = "\n".join(["image,wnid,verdict", *rows, f"photo2.jpg,{C},correct"])
    assert read_truth(write(tmp_path, table, "t.csv"), listed).correct == by_order.correct
    with_words = table.replace("wrong", "incorrect").replace("\n", "\r\n")
    assert read_truth(write(tmp_path, with_words, "t.csv"), listed).correct == by_order.correct


def test_unclear_classes_are_neither_right_nor_wrong(tmp_path: Path, listed: PhotoSet) -> None:
    given = {"photo0.jpg": {"correct": [A], "unclear": [D], "wrong": [B]}, "photo2.jpg": [C]}
    truth = read_truth(write(tmp_path, given), listed)
    assert truth.unclear == {"photo0.jpg": {D}}
    assert truth.correct_of("photo1.jpg") == truth.unclear_of("photo1.jpg") == NOTHING
    rows = ["image,wnid,verdict", f"photo0.jpg,{A},correct", f"photo0.jpg,{D},unsure"]
    assert read_truth(write(tmp_path, "\n".join(rows), "t.csv"), listed).unclear == truth.unclear


def test_imagenets_photos_are_told_by_their_numbers(tmp_path: Path) -> None:
    """As in ReaL's file: the photo of number n is the n-th, so its place is n - 1."""
    names = {2: 0, 50_000: 1, 7: 2}  # in the table's order, not in that of their numbers
    rows = [f"val/ILSVRC2012_val_{n:08}.JPEG,{WNIDS[place]}" for n, place in names.items()]
    (tmp_path / "val.csv").write_text("\n".join(["image,wnid", *rows]))
    photos = open_set(str(tmp_path / "val.csv"))
    real: list[list[int]] = [[999]] * 50_000
    for number, place in names.items():
        real[number - 1] = [place]
    truth = read_truth(write(tmp_path, real), photos)
    assert truth.correct == {photo.id: {photo.wnid} for photo in photos.photos}
    with pytest.raises(BadInput, match="has labels of 49,999 photos, and val has 3"):
        read_truth(write(tmp_path, real[1:]), photos)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ([[0]], "has labels of 1 photos, and photos has 3"),
        ([[0], [1000], [2]], "labels of photo1.jpg are no list .* 1000 is no class"),
        ([[0], [True], [2]], "labels of photo1.jpg are no list .* True is no class"),
        ([[0], 1, [2]], "labels of photo1.jpg are no list"),
        ([[0], ["crane"], [2]], "labels of photo1.jpg are no list .* 'crane' is no class"),
        ({"x.jpg": [0]}, "has no labels of a photo of photos"),
        ({"photo0.jpg": [0], "x.jpg": [1]}, "x.jpg is no photo of photos"),
        ({"photo0.jpg": [0], "x": [1], "y": [1]}, "x is no photo of photos, nor are 1 others"),
        ({"photo0.jpg": {"right": [0]}}, "labels of photo0.jpg are no list"),
        ({"photo0.jpg": {"correct": [0], "unclear": [0]}}, "is both correct and unclear"),
        ({}, "has no labels of a photo of photos"),
        (7, "has no labels of a photo of photos"),
        ("[" * 100_000, "cannot be read"),
        ("", "cannot be read"),
        ("image,wnid\nphoto0.jpg,n01440764", "needs the columns image, wnid and verdict"),
        (f"image,wnid,verdict\nphoto0.jpg,{A},yes", "line 2: the verdict 'yes' is none of"),
        (f"image,wnid,verdict\nphoto0.jpg,{A}", "line 2: the verdict '' is none of"),
        ("image,wnid,verdict\nphoto0.jpg,crane,correct", "'crane' is no class"),
        (f"image,wnid,verdict\nphoto9.jpg,{A},correct", "has no labels of a photo"),
        (
            f"image,wnid,verdict\nphoto0.jpg,{A},correct\nphoto0.jpg,{A},wrong",
            "is both correct and wrong",
        ),
    ],
)
def test_what_does_not_fit_is_one_line(
    tmp_path: Path, listed: PhotoSet, content: object, says: str
) -> None:
    with pytest.raises(BadInput, match=says) as error:
        read_truth(write(tmp_path, content), listed)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500
