"""Wilson's interval, against scipy's."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest

from genset.score.results.runs import Accuracy
from genset.statistics.intervals import wilson

COUNTS = st.integers(1, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS, st.floats(0.5, 0.999))
@example((0, 1), 0.95)
@example((1, 1), 0.95)
@example((6333, 10_000), 0.95)
def test_wilson_is_scipys(counts: tuple[int, int], confidence: float) -> None:
    of_scipy = binomtest(*counts).proportion_ci(confidence, method="wilson")
    ours = wilson(*counts, confidence)
    assert ours.low == pytest.approx(of_scipy.low, rel=1e-9, abs=1e-12)
    assert ours.high == pytest.approx(of_scipy.high, rel=1e-9, abs=1e-12)


def test_nothing_is_known_without_a_trial() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert Accuracy.of(0, 0) == Accuracy(correct=0, photos=0, share=0.0, low=0.0, high=1.0)
