"""All classes that photos show, from the files of others."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from genset.core.errors import BadInput
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from genset.sets.truths.files import read_truth, truth_of_dict
from genset.sets.truths.store import keep_truth, with_truth
from tests.score.colours import WNIDS
from tests.score.listed import write_list

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
    photos = {"photo0.jpg": [0, 5], "photo1.jpg": [], "photo2.jpg": [C]}
    truth = read_truth(write(tmp_path, photos), listed)
    assert truth.correct == {
        "photo0.jpg": {A, D},
        "photo1.jpg": NOTHING,
        "photo2.jpg": {C},
    }
    assert (truth.unclear, truth.source) == ({}, "real.json")
    assert (truth.with_correct, truth.with_several) == (2, 1)
    by_name = {"photo0.jpg": [0, D], "photo1.jpg": [], "photo2.jpg": {"correct": [2]}}
    assert read_truth(write(tmp_path, by_name), listed).correct == truth.correct
    rows = [f"photo0.jpg,{A},correct", f"photo0.jpg,{D},correct", f"photo1.jpg,{D},wrong"]
    table = "\n".join(["image,wnid,verdict", *rows, f"photo2.jpg,{C},correct"])
    assert read_truth(write(tmp_path, table, "t.csv"), listed).correct == truth.correct
    quoted = '"image",wnid,verdict\n' + table.partition("\n")[2]
    assert read_truth(write(tmp_path, quoted, "t.csv"), listed).correct == truth.correct
    with_words = table.replace("wrong", "incorrect").replace("\n", "\r\n")
    assert read_truth(write(tmp_path, with_words, "t.csv"), listed).correct == truth.correct


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
    with pytest.raises(BadInput, match="is a list, which says no photo's name"):
        read_truth(write(tmp_path, real[1:]), photos)
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(b'{"photo0.jpg": [0]}'))
    with pytest.raises(BadInput, match="is compressed: unpack it"):
        read_truth(path, photos)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"photo1.jpg": [1000]}, "labels of photo1.jpg are no list .* 1000 is no class"),
        ({"photo1.jpg": [True]}, "labels of photo1.jpg are no list .* True is no class"),
        ({"photo1.jpg": ["crane"]}, "among the labels of photo1.jpg 'crane' is no class's wnid"),
        ({"x.jpg": [0]}, "has no labels of a photo of photos"),
        ({"photo0.jpg": {"right": [0]}}, "labels of photo0.jpg are no list"),
        ({"photo0.jpg": {"correct": [0], "unclear": [0]}}, "is both correct and unclear"),
        ({}, "has no labels of a photo of photos"),
        (
            {"format": 4, "photos": [], "strategy": {}},
            "is a release's manifest: its labels are in answers.csv beside it",
        ),
        (7, "needs the columns image, wnid and verdict; it has 7"),
        ({"photo0.jpg": [], "photo1.jpg": {"unclear": [0]}}, "names no right class for any photo"),
        ('{"photo0.jpg": [0], "photo0.jpg": [1]}', "cannot be read: photo0.jpg is there twice"),
        ("[" * 100_000, "cannot be read"),
        ("", "needs the columns image, wnid and verdict; it has none"),
        (f"image,wnid,verdict\nphoto0.jpg,{A},yes", "line 2: the verdict 'yes' is none of"),
        (f"image,wnid,verdict\nphoto0.jpg,{A}", "line 2: the verdict '' is none of"),
        ("image,wnid,verdict\nphoto0.jpg,crane,correct", "'crane' is no class"),
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


def test_who_proposed_is_read_from_a_table(tmp_path: Path, listed: PhotoSet) -> None:
    """As answers.csv of an export has it."""
    rows = [
        "image,wnid,label,verdict,primary,proposers",
        f"photo0.jpg,{A},0,correct,1,",
        f"photo0.jpg, {D} ,5, correct ,0,timm:a; confusable",
        f" photo1.jpg,{D},5,unclear,0,timm:b",
    ]
    truth = read_truth(write(tmp_path, "\n".join(rows), "answers.csv"), listed)
    assert truth.correct == {"photo0.jpg": {A, D}, "photo1.jpg": NOTHING}
    assert truth.proposed == {
        "photo0.jpg": {D: ("timm:a", "confusable")},
        "photo1.jpg": {D: ("timm:b",)},
    }
    assert set(truth.proposers) == {"timm:a", "timm:b"}
    keep_truth(listed, truth, tmp_path / "runs")
    assert with_truth(listed, tmp_path / "runs").truth == truth


def test_arrays_of_numbers_are_lists_in_python(listed: PhotoSet) -> None:
    classes = np.array([0, 1])
    given = {"photo0.jpg": classes, "photo1.jpg": [classes[1]], "photo2.jpg": {"correct": classes}}
    plain = {"photo0.jpg": [0, 1], "photo1.jpg": [1], "photo2.jpg": [0, 1]}
    assert truth_of_dict(given, listed) == truth_of_dict(plain, listed)
