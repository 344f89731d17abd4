"""How many photos a difference needs: what the command says, and what reports then find."""

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.intervals import accuracy_coverage, difference_coverage, false_claims
from genset.cli import cli
from genset.core.errors import BadInput
from genset.statistics.multiple_testing import holm
from genset.statistics.pairwise import pairwise
from genset.statistics.planning import ALIKE
from tests.commands import as_json

TWO_POINTS = ("plan", "--difference", 2, "--accuracy", 75)


def found(assumed: dict[str, Any], plan: dict[str, Any], sets: int) -> float:
    """The share of sets on which the report's test finds the difference between one pair."""
    rng, photos = np.random.default_rng(1), plan["photos"]
    apart, difference = assumed["disagreement"], assumed["difference"]
    classes = np.sort(np.arange(photos) % assumed["classes"])
    # Each class is kinder to one of the two, by so much that its photos have this correlation.
    shift = 0 if assumed["fixed"] else np.sqrt(ALIKE * (apart - difference**2))
    others = [1.0] * (plan["models"] * (plan["models"] - 1) // 2 - 1)
    times = 0
    for _ in range(sets):
        kinder = shift * rng.choice([-1, 1], assumed["classes"])[classes]
        drawn, first = rng.random(photos), (apart + difference + kinder) / 2
        right = np.stack([drawn < first, (drawn >= first) & (drawn < apart)], axis=1)
        drawn_together = np.arange(photos) if assumed["fixed"] else classes
        pair = pairwise(right, np.ones_like(right), drawn_together)
        times += holm([float(pair.p_value[0]), *others])[0] < 0.05
    return times / sets


@pytest.mark.parametrize(
    "words",
    [(), ("--among", 200), ("--among", 50, "--classes", "fixed")],
    ids=["1000 classes", "200 classes", "50 fixed classes"],
)
def test_the_planned_photos_find_the_difference_as_stated(words: tuple[object, ...]) -> None:
    answer = as_json(*TWO_POINTS, *words)
    for plan in answer["plans"]:
        # 80 %, and three standard errors of 200 sets.
        assert abs(found(answer["assumed"], plan, 200) - 0.8) < 0.085


def test_the_table_has_the_numbers_of_json() -> None:
    done = CliRunner().invoke(cli, list(map(str, TWO_POINTS)))
    rows = [line.replace(",", "").split() for line in done.stdout.splitlines()[3:5]]
    plans = as_json(*TWO_POINTS)["plans"]
    assert [[float(word) for word in row] for row in rows] == [list(one.values()) for one in plans]
    two, ten = plans
    assert (two["models"], ten["models"]) == (2, 10)
    assert two["photos"] < ten["photos"]
    assert two["hours"] == round(2 * two["photos"] * 3 * 2 / 3600, 1)
    assert "one alone is right on 13.5 % of the photos" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--among", 20), "photos of 20 classes do not show 2 points.*take more classes"),
        (("--difference", 80), "--difference is more than --accuracy"),
        (("--disagreement", 1), "two such models disagree on 2 to 52 % of the photos"),
    ],
)
def test_what_no_photos_can_show_is_refused(words: tuple[object, ...], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        as_json(*TWO_POINTS, *words)


def test_a_pair_has_its_answer_where_ten_models_have_none() -> None:
    words = (*TWO_POINTS, "--disagreement", 15, "--among", 100)
    (pair,) = as_json(*words)["plans"]
    assert (pair["models"], pair["photos"]) == (2, 11_220)
    done = CliRunner().invoke(cli, list(map(str, words)))
    assert done.exit_code == 0
    assert "do not show 2 points between 10 models: take more classes" in done.stdout


# How often intervals hold the truth, and equal models are told apart, on sets that are drawn.


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
