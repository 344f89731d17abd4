"""A learning curve's photos: so many of each class, more of them holding the fewer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.finetune.fitting import draw_shots

LABELS = st.lists(st.integers(0, 5), min_size=1, max_size=60).map(
    lambda labels: np.array(labels, np.int64)
)


@given(labels=LABELS, shots=st.integers(1, 12), seed=st.integers(0, 5))
def test_each_class_gives_so_many_photos_or_all_it_has(
    labels: np.ndarray, shots: int, seed: int
) -> None:
    drawn = draw_shots(labels, shots, seed)
    assert len(set(drawn)) == len(drawn)
    assert (np.diff(drawn) > 0).all()
    counts = np.bincount(labels, minlength=6)
    assert np.bincount(labels[drawn], minlength=6).tolist() == np.minimum(counts, shots).tolist()


@given(labels=LABELS, few=st.integers(1, 6), more=st.integers(0, 6), seed=st.integers(0, 5))
@pytest.mark.soak
def test_the_fewer_are_among_the_more(labels: np.ndarray, few: int, more: int, seed: int) -> None:
    assert set(draw_shots(labels, few, seed)) <= set(draw_shots(labels, few + more, seed))


def test_a_seed_draws_the_same_photos_again_and_another_others() -> None:
    labels = np.repeat(np.arange(10), 20)
    first, again, other = (draw_shots(labels, 5, seed).tolist() for seed in (1, 1, 2))
    assert first == again
    assert first != other
