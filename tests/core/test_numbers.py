"""Numbers as people read them."""

import pytest

from genset.core.numbers import (
    NONE,
    bare_p,
    between,
    count,
    digits,
    dollars,
    duration,
    ends,
    ordinal,
    p_value,
    percent,
    points,
    span,
    spoken,
)


def test_counts_places_money_and_differences() -> None:
    assert [count(1, "photo"), count(0, "photo")] == ["1 photo", "0 photos"]
    assert count(4812, "class", "classes") == "4,812 classes"
    said = [ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 1000)]
    assert " ".join(said) == "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th 1000th"
    money = [dollars(value) for value in (None, 0, 0.016444, 48.484, 1234.5)]
    assert money == [NONE, "$0.00", "$0.0164", "$48.48", "$1,234.50"]
    # A difference has its sign unless it is none.
    differences = [points(value) for value in (0.0158, -0.0063, 0, -0.00001, 0.00001)]
    assert differences == ["+1.58", "−0.63", "0.00", "0.00", "0.00"]
    assert span((-0.0063, 0.0092)) == "−0.63 to +0.92"
    assert span((-0.0063, 0), 1) == "−0.6 to 0.0"


@pytest.mark.parametrize("photos", [1, 1000, 1001, 10_000, 10_001, 100_000])
def test_a_per_cent_has_as_many_digits_as_tell_one_photo_of_many(photos: int) -> None:
    assert percent(1 / photos, photos) != percent(0, photos)
    assert float(percent(2 / 3, photos)) == pytest.approx(200 / 3, abs=100 / photos)
    assert 10 ** -digits(photos) <= 100 / photos


def test_an_interval_has_the_digits_of_its_share() -> None:
    assert ends((0.5, 0.66666), 60) == "50.0–66.7"
    assert ends((0.5, 0.66666), 50_000) == "50.000–66.666"
    assert between((-0.0123, 1.2)) == "-1.2 to 120.0"


@pytest.mark.parametrize(
    ("p", "bare", "said"),
    [
        (1, "1.00", "p = 1.00"),
        (0.1, "0.10", "p = 0.10"),
        (0.0144, "0.014", "p = 0.014"),
        (0.0001, "0.0001", "p = 0.0001"),
        (0.00009, "< 0.0001", "p < 0.0001"),
        (0, "< 0.0001", "p < 0.0001"),
    ],
)
def test_a_p_value_is_never_zero(p: float, bare: str, said: str) -> None:
    assert (bare_p(p), p_value(p)) == (bare, said)


@pytest.mark.parametrize(
    ("seconds", "said", "as_spoken"),
    [
        (0.5, "0:00.5", "0.5 s"),
        (59.94, "0:59.9", "1 min 0 s"),
        (157.6, "2:37.6", "2 min 38 s"),
        (3599.96, "1:00:00", "1 h 0 min"),
        (3_600_000, "1000:00:00", "1,000 h"),
    ],
)
def test_a_time_on_a_clock_and_in_words(seconds: float, said: str, as_spoken: str) -> None:
    assert duration(seconds / 3600) == said
    assert spoken(seconds / 3600) == as_spoken
    assert duration(None) == NONE
