"""What is said of a visit, and when money may be refused for it."""

import pytest

from genset.label.trust.suspicion import misses


@pytest.mark.parametrize(
    ("right", "of", "fails"),
    [(0, 4, False), (2, 5, True), (3, 5, False), (5, 5, False), (13, 20, False), (11, 20, True)],
)
def test_gold_questions_fail_somebody_only_beyond_doubt(right: int, of: int, fails: bool) -> None:
    assert misses((right, of), 0.8) is fails
    assert not misses((right, of), None)
