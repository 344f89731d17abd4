"""The real data sets, as they were unpacked."""

from pathlib import Path

import numpy as np
import pytest

from genset.finetune.tasks import open_task

pytestmark = pytest.mark.realdata


def test_birds_cats_and_dogs_and_butterflies(realdata: Path) -> None:
    birds = open_task("birds-200", realdata)
    assert birds.root == realdata / "cub" / "CUB_200_2011"
    assert (len(birds.classes), birds.classes[0]) == (80, "Black footed Albatross")
    assert (len(birds.indices("train")), len(birds.indices("test"))) == (2400, 2317)
    pets = open_task("cats-dogs", realdata / "cats_dogs")
    assert len(pets.photos) == 900
    tested = np.bincount(pets.labels[pets.indices("test")])
    assert np.abs(tested - 0.2 * np.bincount(pets.labels)).max() <= 0.5
    assert not birds.excluded and not pets.excluded
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
