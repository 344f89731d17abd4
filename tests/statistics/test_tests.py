"""Tests between models: against scipy and statsmodels, and by simulation."""

from itertools import combinations
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from scipy.stats import binomtest, norm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from benchmarks.intervals import accuracy_coverage, difference_coverage, false_claims
from genset.cli import cli
from genset.core.errors import BadInput
from genset.statistics.multiple_testing import holm
from genset.statistics.paired import (
    exact_mcnemar,
    exact_mcnemars,
    paired_interval,
    paired_tests,
    tango_intervals,
)
from genset.statistics.pairwise import pairwise
from genset.statistics.planning import ALIKE
from genset.statistics.power import detectable_difference, least_detectable
from tests.commands import as_json

COUNTS = st.integers(0, 3000)
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(COUNTS, COUNTS)
@example(0, 0)
@example(5, 5)
@example(5, 6)
@example(0, 20_000)
@example(9_700, 10_300)
def test_mcnemar_is_scipys_and_statsmodels(first: int, second: int) -> None:
    # Below 1e-250 theirs may be 0.
    ours = exact_mcnemar(first, second)
    theirs = mcnemar([[7, first], [second, 7]], exact=True).pvalue
    assert ours == pytest.approx(min(1, theirs), rel=1e-8, abs=1e-250)
    if first + second:
        assert ours == pytest.approx(binomtest(first, first + second).pvalue, rel=1e-8, abs=1e-250)


@settings(max_examples=8)
@given(P_VALUES)
@example([0.01, 0.01, 0.01])
@example([0.04, 0.01, 0.03, 0.4])
def test_adjusted_p_values_are_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


@pytest.mark.parametrize(("photos", "discordant"), [(2864, 0.17), (2864, 0.05), (10_000, 0.3)])
def test_this_difference_is_found_four_times_in_five(photos: int, discordant: float) -> None:
    found = detectable_difference(photos, discordant)
    chances = [(discordant + found) / 2, (discordant - found) / 2, 1 - discordant]
    draws = np.random.default_rng(1).multinomial(photos, chances, size=4_000)
    p_values = [exact_mcnemar(int(first), int(second)) for first, second, _ in draws]
    # The exact test finds a little less than the test that the formula is of.
    assert 0.77 <= np.mean(np.array(p_values) < 0.05) <= 0.82


@pytest.mark.parametrize("photos", [6, 20, 100, 2864, 50_000])
def test_the_least_difference_is_found_four_times_in_five_at_best(photos: int) -> None:
    found = least_detectable(photos)
    assert found is not None
    alone = np.random.default_rng(1).binomial(photos, found, size=20_000)
    at_best = np.mean(exact_mcnemars(alone, np.zeros_like(alone)) < 0.05)
    assert 0.79 <= at_best <= 0.81


# The interval of a difference on the same photos.

Z = norm.ppf(0.975)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int]:
    """Photos that the first alone and the second alone has right, and all."""
    photos = draw(st.integers(1, 3000))
    first = draw(st.integers(0, photos))
    return first, draw(st.integers(0, photos - first)), photos


def score_statistic(first: int, second: int, photos: int, supposed: float) -> float:
    """The score test of a supposed difference, with the likeliest shares found by search."""
    rest = photos - first - second

    def unlikely(q: float) -> float:
        shares = q + supposed, q, 1 - 2 * q - supposed
        seen = first, second, rest
        return -sum(xlogy(n, max(p, 1e-300)) for n, p in zip(seen, shares, strict=True))

    bounds = max(0.0, -supposed), (1 - supposed) / 2
    q = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    variance = float(2 * q + supposed - supposed**2)
    return (first - second - photos * supposed) / sqrt(photos * variance)


def test_the_published_example_comes_out() -> None:
    """Bentur's 21 children, in Fagerland, Lydersen and Laake, Statistics in Medicine 33, 2014."""
    low, high = tango_intervals([1], [7], [21])
    assert (round(low[0], 3), round(high[0], 3)) == (-0.517, -0.026)
    assert exact_mcnemar(1, 7) == pytest.approx(0.0703125)
    # McNemar's exact test does not reject 0, so neither does the interval that is shown.
    assert paired_interval(1, 7, 21) == (low[0], 0)


@pytest.mark.parametrize(
    "seen", [(30, 12, 200), (3, 1, 40), (100, 260, 2317), (5, 5, 60), (8, 0, 10)]
)
def test_its_ends_are_what_the_score_test_just_allows(seen: tuple[int, int, int]) -> None:
    low, high = paired_interval(*seen)
    assert score_statistic(*seen, low) == pytest.approx(Z, abs=1e-3)
    assert score_statistic(*seen, high) == pytest.approx(-Z, abs=1e-3)


@given(counts())
def test_it_holds_the_difference_and_turns_with_the_models(seen: tuple[int, int, int]) -> None:
    first, second, photos = seen
    low, high = paired_interval(first, second, photos)
    assert -1 <= low <= (first - second) / photos <= high <= 1
    assert low < high
    turned = paired_interval(second, first, photos)
    assert (-turned.high, -turned.low) == pytest.approx((low, high), abs=1e-9)


def test_means_of_several_trainings_have_an_interval() -> None:
    between = paired_interval(10.5, 3.5, 200)
    assert paired_interval(10, 3, 200).low < between.high
    assert between.low < 7 / 200 < between.high
    # The exact test rejects 0 for 12 and 3, and not for 11 and 3: between them it changes once.
    reach = [paired_interval(11 + tenth / 10, 3, 200).low == 0 for tenth in range(11)]
    assert reach == sorted(reach, reverse=True)
    assert (reach[0], reach[-1]) == (True, False)


# All pairs at once, against each pair by itself.


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    models=st.integers(2, 7),
    classes=st.integers(1, 9),
    photos=st.integers(1, 60),
    kinds=st.integers(1, 7),
)
def test_pairs_as_they_are_alone(
    seed: int, models: int, classes: int, photos: int, kinds: int
) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(classes, size=photos)
    # So many kinds of models, of which each counts other photos; the first kind counts all.
    masks = rng.random((photos, kinds)) < 0.8
    masks[:, 0] = True
    counted = masks[:, rng.integers(kinds, size=models)]
    right = (rng.random((photos, models)) < 0.6) & counted
    found = pairwise(right, counted, numbers)
    common = {(a, b): counted[:, a] & counted[:, b] for a, b in combinations(range(models), 2)}
    listed = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert listed == [pair for pair, both in common.items() if both.any()]
    for place, (a, b) in enumerate(listed):
        both = common[a, b]
        one, other = right[both, a], right[both, b]
        only = int((one & ~other).sum()), int((other & ~one).sum())
        shared, sizes = np.unique(numbers[both], return_counts=True)
        assert found.photos[place] == both.sum()
        assert found.classes[place] == len(shared)
        assert found.both[place] == (one & other).sum()
        assert (found.only_first[place], found.only_second[place]) == only
        effect = design_effect(numbers[both], one, other)
        assert found.effect[place] == pytest.approx(effect)
        freedom = inf if sizes.max() == 1 else sizes.sum() ** 2 / (sizes**2).sum() - 1
        assert found.freedom[place] == pytest.approx(freedom, abs=1e-9)
        counts = [np.array([float(n)]) for n in (*only, both.sum())]
        expected = [float(each[0]) for each in paired_tests(*counts, effect, freedom)]
        got = (found.p_value[place], found.low[place], found.high[place])
        assert got == pytest.approx(expected, abs=1e-9)


def design_effect(numbers: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    """By its definition, class by class."""
    photos, mean = len(numbers), one.mean() - other.mean()
    gains = {n: (one[numbers == n] * 1.0 - other[numbers == n]) for n in np.unique(numbers)}
    sizes = np.array([len(each) for each in gains.values()])
    if sizes.max() == 1 or len(gains) < 2:
        return 1.0
    whole = (sizes**2).sum() / photos
    independent = (one != other).sum() - photos * mean**2
    squares = sum((each - mean).sum() ** 2 for each in gains.values())
    measured = 1 + 0.3 * (whole - 1)
    if independent > 1e-9:
        # What makes deviations of independent sums, and how much of their variance it keeps.
        maker = np.eye(len(sizes)) - np.outer(sizes, np.ones(len(sizes))) / photos
        varies = np.diag(sizes * (1 + 0.3 * (sizes - 1)))
        kept = np.trace(maker @ varies @ maker.T) / np.trace(varies)
        measured = max(1.0, squares / kept / independent)
    varied = sum(each.sum() != 0 for each in gains.values())
    expected = 1 + 0.3 * (whole - 1)
    return max(measured, (varied * measured + 3 * expected) / (varied + 3))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 20), st.floats(0.02, 0.98))
def test_intervals_and_tests_agree_on_zero(
    seed: int, classes: int, each: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    right = rng.random((classes * each, 3)) < np.array([share, share / 2, 0.5])
    found = pairwise(right, np.ones_like(right), np.repeat(np.arange(classes), each))
    assert ((found.p_value < 0.05) == ((found.low > 0) | (found.high < 0))).all()


# How many photos a difference needs: what the command says, and what reports then find.

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
    [
        pytest.param((), marks=pytest.mark.soak),
        ("--among", 200),
        ("--among", 50, "--classes", "fixed"),
    ],
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


@pytest.mark.parametrize(
    ("size", "share", "alike"),  # classes and photos of each; how alike those of a class are
    [((5, 20), 0.98, 0.3), ((20, 50), 0.75, 0.3), ((20, 50), 0.98, 0.0), ((886, 3), 0.75, 0.0)],
)
def test_accuracies_are_held_as_often(size: tuple[int, int], share: float, alike: float) -> None:
    # 95 %, less three standard errors of 400 sets.
    assert accuracy_coverage(size, share, alike, 400) >= 0.917


def test_classes_of_unequal_sizes_are_no_surer_than_they_are() -> None:
    assert accuracy_coverage((1000, 5), 0.9, 0.3, 400, unequal=True) >= 0.917
    claims, _ = false_claims((100, 10), 20, 0.5, 200, unequal=True)
    assert claims <= 0.1


@pytest.mark.parametrize(
    ("size", "alone", "alike"),
    [
        ((5, 20), (0.3, 0.1), 0.3),
        ((20, 50), (0.02, 0.01), 0.3),
        pytest.param((20, 50), (0.3, 0.1), 0.0, marks=pytest.mark.soak),
        ((886, 3), (0.02, 0.01), 0.0),
    ],
)
def test_a_difference_is_held_as_often_as_the_interval_says(
    size: tuple[int, int], alone: tuple[float, float], alike: float
) -> None:
    assert difference_coverage(size, alone, alike, 400) >= 0.917


@pytest.mark.parametrize(
    ("size", "by_class", "models"),
    [
        ((200, 20), 0.0, 2),
        pytest.param((200, 20), 0.6, 20, marks=pytest.mark.soak),
        ((20, 50), 0.5, 20),
    ],
)
def test_equal_models_look_apart_rarely(
    size: tuple[int, int], by_class: float, models: int
) -> None:
    claims, _ = false_claims(size, models, by_class, 200)
    assert claims <= 0.1  # 5 %, and three standard errors of 200 sets
