"""What is odd about hits at each rank, and which other order of classes fits better."""

import numpy as np
import pytest

from genset.statistics.ranks import odd_ranks, other_order

AS_TEXT = np.array(sorted(range(1000), key=str))


@pytest.mark.parametrize(
    ("hits", "says"),
    [
        ([6333, 1200, 500, 260, 170], None),
        ([170, 260, 500, 1200, 6333], "look reversed"),
        ([1000, 1700, 1800], "look reversed"),
        ([1200, 6333, 500, 260, 170], "Rank 2 is right more often than rank 1"),
        ([5000, 1000, 3000], "Rank 3 is right more often than rank 2"),
        ([5000, 1000, 1010, 900], None),
        ([500, 1200, 170, 260, 6333], "The last rank is right more often than the first"),
        ([1690, 1700, 1710, 1680, 1685], "look unordered"),
        ([1690, 1700, 1710, 1680, 500], None),
        ([3000, 500, 510, 490, 505], None),
        ([3000, 2950, 500, 300, 100], None),
        ([9, 12, 11, 8, 10], "hardly better than guesses (hits by rank: 9, 12, 11, 8, 10"),
        ([6333], None),
    ],
)
def test_odd_hits_are_named(hits: list[int], says: str | None) -> None:
    found = odd_ranks(hits, 10_000, 1000)
    assert found is None if says is None else says in (found or "")


def one_higher(photos: int, as_given: int, classes: int = 20) -> str | None:
    """Of 1,000 photos so many that are right one class lower, and some that are right as given."""
    truth = 100 + 10 * (np.arange(1000) % classes)
    answers = np.full(1000, 5)  # a class of no photo, nor is one beside it
    answers[:photos] = truth[:photos] + 1
    answers[photos : photos + as_given] = truth[photos : photos + as_given]
    return other_order(truth, answers)


def test_another_order_is_right_on_five_classes_at_least() -> None:
    assert one_higher(1000, 0, classes=4) is None
    assert "100.0 %" in (one_higher(1000, 0, classes=5) or "")
    # Four classes are right one lower; that others are wrong is no sign of it.
    truth = np.repeat(100 + 10 * np.arange(20), 50)
    answers = np.where(np.arange(1000) < 200, truth + 1, 5)
    assert other_order(truth, answers) is None
