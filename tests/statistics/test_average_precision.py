"""Average precision over the right classes of a photo."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import label_ranking_average_precision_score

from genset.statistics.average_precision import average_precision

SCORES = st.lists(st.integers(-3, 3), min_size=2, max_size=12)


@st.composite
def ranked(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    """Scores of some classes, many of them equal, and the right ones."""
    scores = np.array(draw(SCORES), float)
    places = st.integers(0, len(scores) - 1)
    return scores, sorted(draw(st.sets(places, min_size=1)))


@given(ranked())
def test_it_is_scikit_learns(given_scores: tuple[np.ndarray, list[int]]) -> None:
    scores, right = given_scores
    truth = np.zeros((1, len(scores)), int)
    truth[0, right] = 1
    theirs = label_ranking_average_precision_score(truth, scores[None, :])
    if len(right) < len(scores):  # where all are right, it says 1 whatever the scores
        assert average_precision(scores, right) == pytest.approx(theirs)
    assert average_precision(scores, right) <= 1


@given(ranked(), st.integers(1, 5))
def test_a_class_that_it_lacks(given_scores: tuple[np.ndarray, list[int]], missing: int) -> None:
    scores, right = given_scores
    whole = average_precision(scores, right)
    share = len(right) / (len(right) + missing)
    assert average_precision(scores, right, missing) == pytest.approx(share * whole)


def test_right_classes_at_the_top_are_all_that_counts() -> None:
    assert average_precision(np.array([9.0, 8, 1]), [1, 0]) == 1
    assert average_precision(np.array([9.0, 8, 1]), [2]) == pytest.approx(1 / 3)
    assert average_precision(np.array([9.0, 8, 1]), [0, 2]) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision(np.zeros(4), [0]) == 0.25  # a model that says nothing
    assert average_precision(np.array([1.0, -np.inf]), [], missing=2) == 0
    with pytest.raises(ValueError, match="without a right class"):
        average_precision(np.zeros(3), [])
