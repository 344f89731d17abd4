"""How often intervals hold the truth, and equal models are told apart, on sets that are drawn."""

import pytest

from benchmarks.intervals import accuracy_coverage, difference_coverage, false_claims

# Of classes and photos of each; how alike the photos of a class are.
KINDS = pytest.mark.parametrize(
    ("size", "alike"), [((5, 20), 0.3), ((20, 50), 0.3), ((20, 50), 0.0), ((886, 3), 0.0)]
)


@KINDS
@pytest.mark.parametrize("share", [0.75, 0.98])
def test_accuracies_are_held_as_often(size: tuple[int, int], share: float, alike: float) -> None:
    # 95 %, less three standard errors of 400 sets.
    assert accuracy_coverage(size, share, alike, 400) >= 0.917


def test_classes_of_unequal_sizes_are_no_surer_than_they_are() -> None:
    assert accuracy_coverage((1000, 5), 0.9, 0.3, 400, unequal=True) >= 0.917
    claims, _ = false_claims((100, 10), 20, 0.5, 200, unequal=True)
    assert claims <= 0.1


@KINDS
@pytest.mark.parametrize("alone", [(0.3, 0.1), (0.02, 0.01)])
def test_a_difference_is_held_as_often_as_the_interval_says(
    size: tuple[int, int], alone: tuple[float, float], alike: float
) -> None:
    assert difference_coverage(size, alone, alike, 400) >= 0.917


@pytest.mark.parametrize(
    ("size", "by_class", "models"),
    [((200, 20), 0.0, 2), ((200, 20), 0.6, 20), ((20, 50), 0.5, 20)],
)
def test_equal_models_look_apart_rarely(
    size: tuple[int, int], by_class: float, models: int
) -> None:
    claims, _ = false_claims(size, models, by_class, 200)
    assert claims <= 0.1  # 5 %, and three standard errors of 200 sets
