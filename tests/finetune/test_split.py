"""A seeded split: fair to each class, and the same every time; and the photos of few shots."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from genset.finetune.fitting import draw_shots
from genset.finetune.split import Copies
from genset.finetune.split import test_part as taken


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
    for ids in classes:
        units = {copies.first.get(photo, photo) for photo in ids}
        if len(units) > 1 and not set(ids) <= copies.contested:
            assert 0 < len(tested & set(ids)) < len(ids)


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


def test_each_seed_draws_its_own_photos() -> None:
    labels = np.repeat(np.arange(10), 20)
    assert draw_shots(labels, 5, 1).tolist() != draw_shots(labels, 5, 2).tolist()
