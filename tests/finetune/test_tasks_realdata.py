"""The real data sets, as they were unpacked."""

from pathlib import Path

import numpy as np
import pytest

from genset.finetune.tasks import open_task

pytestmark = pytest.mark.realdata


def test_birds_200(realdata: Path) -> None:
    data = open_task("birds-200", realdata)
    assert (len(data.classes), data.classes[0]) == (80, "Black footed Albatross")
    assert (len(data.indices("train")), len(data.indices("test"))) == (2400, 2317)
    root = realdata / "cub" / "CUB_200_2011"
    assert data.root == root
    lists = {
        name: dict(line.split() for line in (root / name).read_text().splitlines())
        for name in ("images.txt", "image_class_labels.txt", "train_test_split.txt")
    }
    given = {
        f"images/{path}": (
            int(lists["image_class_labels.txt"][number]) - 1,
            lists["train_test_split.txt"][number],
        )
        for number, path in lists["images.txt"].items()
    }
    assert len(given) == len(data.photos)
    for photo in data.photos:
        label, training = given[photo.id]
        assert (photo.label, photo.part) == (label, "train" if training == "1" else "test")
    assert not data.excluded


def test_cats_and_dogs(realdata: Path) -> None:
    data = open_task("cats-dogs", realdata / "cats_dogs")
    assert len(data.photos) == 900
    counts = np.bincount(data.labels)
    tested = np.bincount(data.labels[data.indices("test")])
    assert np.abs(tested - 0.2 * counts).max() <= 0.5
    assert not data.excluded


def test_butterflies(realdata: Path) -> None:
    data = open_task("butterflies", realdata / "leeds")
    assert len(data.photos) == 832
    assert data.classes[::3] == ("Monarch", "Common Buckeye", "Giant Swallowtail", "Painted Lady")
    assert np.bincount(data.labels).tolist() == [82, 93, 61, 90, 88, 100, 89, 55, 90, 84]
    assert not data.excluded
    (note,) = data.notes
    assert note.startswith("14 photos are there more than once, as near-duplicates, and all copies")
    parts = {photo.id: photo.part for photo in data.photos}
    for one, other in (("0010009", "0010026"), ("0020174", "0020181"), ("0070053", "0070115")):
        assert parts[f"images/{one}.png"] == parts[f"images/{other}.png"]
