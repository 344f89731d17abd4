"""Photos with the same bytes: what becomes of them in a split, and what is said of them."""

import shutil
from pathlib import Path

import pytest

from genset.finetune.tasks import TaskData, open_task
from tests.finetune.layouts import birds, cats_and_dogs, class_folders, ids, paint, refused


def copy(root: Path, photo: str, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / photo, root / name)


def part_of(data: TaskData) -> dict[str, str]:
    return {photo.id: photo.part for photo in data.photos}


@pytest.mark.parametrize("seed", range(5))
def test_copies_fall_on_one_side_of_a_seeded_split(tmp_path: Path, seed: int) -> None:
    root = class_folders(tmp_path, {"owl": 10, "hawk": 10})
    for number in range(5):
        copy(root, f"owl/{number}.png", f"owl/again-{number}.png")
    data = open_task("folder", root, seed=seed, test_share=0.5)
    parts = part_of(data)
    for number in range(5):
        assert parts[f"owl/{number}.png"] == parts[f"owl/again-{number}.png"]
    assert data.notes == (
        "5 photos are there more than once, byte for byte, and all copies are in one part "
        "(owl/0.png = owl/again-0.png, owl/1.png = owl/again-1.png, owl/2.png = owl/again-2.png, "
        "...).",
    )


def test_so_do_those_of_a_layout_with_names(tmp_path: Path) -> None:
    root = cats_and_dogs(tmp_path)
    copy(root, "cat.0.jpg", *(f"cat.{number}.jpg" for number in range(10, 20)))
    parts = part_of(open_task("cats-dogs", root))
    assert len({parts[f"cat.{number}.jpg"] for number in (0, *range(10, 20))}) == 1


def test_without_copies_the_split_is_the_one_of_earlier_versions(tmp_path: Path) -> None:
    data = open_task("folder", class_folders(tmp_path, {"owl": 10, "hawk": 5}), test_share=0.3)
    assert ids(data, "test") == ["hawk/0.png", "hawk/1.png", "owl/0.png", "owl/7.png", "owl/8.png"]
    assert data.notes == ()


def test_bytes_under_two_labels_are_named_and_trained_on(tmp_path: Path) -> None:
    root = class_folders(tmp_path, {"owl": 6, "hawk": 6})
    copy(root, "hawk/3.png", "owl/x.png")
    copy(root, "owl/x.png", "owl/y.png")
    for seed in range(10):
        data = open_task("folder", root, seed=seed, test_share=0.5)
        assert {"hawk/3.png", "owl/x.png", "owl/y.png"} <= set(ids(data, "train"))
        assert data.notes == (
            "1 photo is there under two labels or more, byte for byte; these are trained on and "
            "not tested on (hawk/3.png as hawk = owl/x.png as owl = owl/y.png as owl).",
        )


def test_test_photos_that_an_official_split_also_trains_on_are_named(tmp_path: Path) -> None:
    root = birds(tmp_path)
    albatross = "images/001.Black_footed_Albatross/Black_footed_Albatross"
    copy(root, f"{albatross}_0.png", f"{albatross}_3.png")
    copy(root, f"{albatross}_0.png", "images/002.Groove_billed_Ani/Groove_billed_Ani_0.png")
    before = {"train": 6, "test": 6}
    data = open_task("birds-200", root)
    assert {part: len(ids(data, part)) for part in before} == before
    _, both, labels = data.notes
    assert both == (
        "1 test photo is also in the training part, byte for byte; the split (official) stays as "
        f"it is ({albatross}_3.png = {albatross}_0.png)."
    )
    assert labels.startswith("1 photo is there under two labels or more, byte for byte (images/001")
    assert "Groove_billed_Ani_0.png as Groove billed Ani" in labels
    assert "trained on" not in labels


def test_so_are_those_of_a_folders_own_split(tmp_path: Path) -> None:
    class_folders(tmp_path / "train", {"owl": 3, "hawk": 2})
    class_folders(tmp_path / "test", {"owl": 1, "hawk": 2})  # the same bytes again
    paint(tmp_path / "test" / "hawk" / "1.png", 4321)
    assert open_task("folder", tmp_path).notes == (
        "2 test photos are also in the training part, byte for byte; the split (its own, train/ "
        "and test/) stays as it is (test/hawk/0.png = train/hawk/0.png, "
        "test/owl/0.png = train/owl/0.png).",
    )


def test_a_class_of_copies_of_one_photo_cannot_be_split(tmp_path: Path) -> None:
    root = class_folders(tmp_path, {"owl": 6, "hawk": 1})
    copy(root, "hawk/0.png", "hawk/1.png", "hawk/2.png")
    assert (
        "the class hawk has one photo, and byte-identical copies of it: a class needs two"
        in refused("folder", root)
    )


def test_a_class_whose_photos_are_all_in_others_too_cannot_be_tested(tmp_path: Path) -> None:
    root = class_folders(tmp_path, {"owl": 6, "hawk": 6})
    copy(root, "owl/0.png", "bird/0.png")
    copy(root, "hawk/0.png", "bird/1.png")
    assert (
        "the class bird has no photo that is not also in another class, byte for byte, and so "
        "none to test on" in refused("folder", root)
    )


def test_copies_do_not_change_which_features_are_kept(tmp_path: Path) -> None:
    """The hash that features are found by is over photos and classes, as ever."""
    root = class_folders(tmp_path, {"owl": 4, "hawk": 4})
    copy(root, "owl/0.png", "owl/4.png")
    hashes = {open_task("folder", root, seed=seed).content_hash for seed in range(3)}
    assert len(hashes) == 1
