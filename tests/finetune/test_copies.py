"""A seeded split: fair to each class, the same every time, and copies of a photo in one part."""

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from genset.finetune.fitting import draw_shots
from genset.finetune.split import Copies
from genset.finetune.split import test_part as taken
from genset.finetune.tasks import TaskData, open_task
from tests.finetune.layouts import birds, class_folders, ids, refused


def copy(root: Path, photo: str, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / photo, root / name)


def part_of(data: TaskData) -> dict[str, str]:
    return {photo.id: photo.part for photo in data.photos}


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
        "1 test photo is also in the training part, byte for byte; the split (official, train and "
        f"test) stays as it is ({albatross}_3.png = {albatross}_0.png)."
    )
    assert labels.startswith("1 photo is there under two labels or more, byte for byte (images/001")
    assert "Groove_billed_Ani_0.png as Groove billed Ani" in labels
    assert "trained on" not in labels


def test_a_class_whose_photos_are_all_copies_cannot_be_tested(tmp_path: Path) -> None:
    root = class_folders(tmp_path, {"owl": 6, "hawk": 6})
    copy(root, "hawk/0.png", "kite/1.png", "kite/2.png")
    assert "the class kite has no photo for the test part" in refused("folder", root)
    shutil.rmtree(root / "kite")
    copy(root, "owl/0.png", "bird/0.png")
    copy(root, "hawk/0.png", "bird/1.png")
    assert (
        "the class bird has no photo for the test part: a class needs two photos at least, which "
        "are no copies of each other or of photos of another class" in refused("folder", root)
    )


def scenes(root: Path, counts: dict[str, int], size: int = 120) -> Path:
    """Photos of patches of grey, large enough to be told apart by their looks."""
    for name, photos in counts.items():
        for number in range(photos):
            patches = Image.frombytes("L", (6, 6), random.Random(f"{name} {number}").randbytes(36))
            (root / name).mkdir(parents=True, exist_ok=True)
            patches.resize((size, size)).save(root / name / f"{number}.png")
    return root


def save_again(root: Path, photo: str, name: str) -> None:
    """A near-duplicate: smaller, and as a JPEG."""
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    with Image.open(root / photo) as image:
        image.resize((100, 100)).save(root / name, quality=60)


@pytest.mark.parametrize("seed", range(2))
def test_near_duplicates_fall_on_one_side_of_a_seeded_split(tmp_path: Path, seed: int) -> None:
    root = scenes(tmp_path, {"owl": 8, "hawk": 8})
    for number in range(4):
        save_again(root, f"owl/{number}.png", f"owl/again-{number}.jpg")
    copy(root, "hawk/0.png", "hawk/same.png")
    save_again(root, "hawk/1.png", "owl/hawk.jpg")
    data = open_task("folder", root, seed=seed, test_share=0.5, hashes=tmp_path / "hashes")
    parts = part_of(data)
    for number in range(4):
        assert parts[f"owl/{number}.png"] == parts[f"owl/again-{number}.jpg"]
    assert parts["hawk/1.png"] == parts["owl/hawk.jpg"] == "train"
    assert data.notes == (
        "1 photo is there more than once, byte for byte, and all copies are in one part "
        "(hawk/0.png = hawk/same.png).",
        "4 photos are there more than once, as near-duplicates, and all copies are in one part "
        "(owl/0.png = owl/again-0.jpg, owl/1.png = owl/again-1.jpg, owl/2.png = owl/again-2.jpg, "
        "...).",
        "1 photo is there under two labels or more, as near-duplicates; these are trained on and "
        "not tested on (hawk/1.png as hawk = owl/hawk.jpg as owl).",
    )
    assert open_task("folder", root, seed, 0.5, tmp_path / "hashes") == data
    firsts = data.firsts.tolist()
    places = {photo.id: place for place, photo in enumerate(data.photos)}
    assert firsts[places["owl/again-0.jpg"]] == places["owl/0.png"]


def test_near_duplicates_across_a_split_are_counted_but_of_small_photos(tmp_path: Path) -> None:
    own = tmp_path / "own"
    scenes(own / "train", {"owl": 3, "hawk": 3})
    save_again(own, "train/owl/1.png", "test/owl/1.jpg")
    scenes(own / "test", {"hawk": 4})
    for number in range(3):
        (own / f"test/hawk/{number}.png").unlink()
    data = open_task("folder", own)
    assert ids(data, "test") == ["test/hawk/3.png", "test/owl/1.jpg"]
    assert data.notes == (
        "1 test photo is also in the training part, as near-duplicates; the split (its own, train "
        "and test) stays as it is (test/owl/1.jpg = train/owl/1.png).",
    )
    # A class of near-duplicates alone is split all the same.
    root = scenes(tmp_path / "alone", {"owl": 4, "hawk": 1})
    save_again(root, "hawk/0.png", "hawk/again.jpg")
    (note,) = open_task("folder", root).notes
    assert note.startswith("1 test photo is also in the training part, as near-duplicates; no oth")
    small = scenes(tmp_path / "small", {"owl": 4, "hawk": 4}, size=64)
    save_again(small, "owl/0.png", "owl/again.jpg")
    assert open_task("folder", small).notes == ()


@st.composite
def with_copies(draw: st.DrawFn) -> tuple[list[list[str]], Copies]:
    """Three classes of photos, some of which have the same bytes, within a class or across."""
    hashes, labels = {}, {}
    for label in range(3):
        for number in range(draw(st.integers(1, 12))):
            photo = f"{label}/{number}"
            hashes[photo] = str(draw(st.integers(0, 12)))
            labels[photo] = label
    classes = [[photo for photo in labels if labels[photo] == label] for label in range(3)]
    return classes, Copies.find(hashes, labels)


@given(with_copies(), st.integers(0, 2**32), st.floats(0.001, 0.999))
def test_copies_stay_together_and_contested_ones_are_trained_on(
    drawn: tuple[list[list[str]], Copies], seed: int, share: float
) -> None:
    classes, copies = drawn
    tested = taken(classes, seed, share, copies)
    for group in copies.groups:
        assert len({photo in tested for photo in group}) == 1
    assert not tested & copies.contested
    for each in classes:
        units = {copies.first.get(photo, photo) for photo in each}
        if len(units) > 1 and not set(each) <= copies.contested:
            assert 0 < len(tested & set(each)) < len(each)


def test_another_seed_is_another_split_and_all_photos_are_drawn_as_often() -> None:
    ids = [f"owl/{number}.jpg" for number in range(50)]
    drawn = [frozenset(taken([ids], seed, 0.2)) for seed in range(200)]
    assert len(set(drawn)) == 200
    often = [sum(photo in photos for photos in drawn) for photo in ids]
    assert min(often) > 15 and max(often) < 65  # 40, and four standard deviations either way


def test_the_split_of_a_seed_never_changes() -> None:
    """Results that were made with an earlier version are compared with later ones."""
    ids = [f"owl/{number}.jpg" for number in range(10)]
    assert sorted(taken([ids], 0, 0.3)) == ["owl/0.jpg", "owl/1.jpg", "owl/5.jpg"]


LABELS = st.lists(st.integers(0, 5), min_size=1, max_size=60).map(
    lambda labels: np.array(labels, np.int64)
)


@given(labels=LABELS, shots=st.integers(1, 12), more=st.integers(0, 6), seed=st.integers(0, 5))
def test_each_class_gives_so_many_photos_or_all_it_has_and_the_fewer_are_among_the_more(
    labels: np.ndarray, shots: int, more: int, seed: int
) -> None:
    drawn = draw_shots(labels, shots, seed)
    assert len(set(drawn)) == len(drawn)
    assert (np.diff(drawn) > 0).all()
    counts = np.bincount(labels, minlength=6)
    assert np.bincount(labels[drawn], minlength=6).tolist() == np.minimum(counts, shots).tolist()
    assert set(drawn) <= set(draw_shots(labels, shots + more, seed))
    assert drawn.tolist() == draw_shots(labels, shots, seed).tolist()
