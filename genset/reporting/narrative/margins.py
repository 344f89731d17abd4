"""What is said of a trained model beside its pretrained counterpart: no more than is shown."""

from collections.abc import Sequence

from genset.comparison.margin import MarginTest
from genset.core.numbers import digits, points, span
from genset.core.safe import clean

HEAD = ("Model", "Counterpart", "Margin (points)", "Among", "Difference (points)", "Shown")


def sentence(tests: Sequence[MarginTest]) -> str:
    """How a model stands beside its counterpart, in top-1 and top-5."""
    first = tests[0]
    said = "; ".join(f"in top-{test.k} {_claim(test)} ({_by(test)})" for test in tests)
    return f"Beside {clean(first.counterpart)}, its pretrained counterpart: {said}."


def row(test: MarginTest) -> list[str]:
    """The cells of a table under `HEAD`."""
    shown = {True: "not worse", False: "worse", None: "cannot tell"}[test.not_worse]
    margin = f"{100 * test.margin:g}"
    return [test.model, test.counterpart, margin, f"top-{test.k}", _by(test), shown]


def _claim(test: MarginTest) -> str:
    more = f"by more than {_margin(test)}"
    if test.not_worse is None:
        photos = "this 1 photo" if test.photos == 1 else f"these {test.photos:,} photos"
        return f"{photos} cannot tell whether it is worse {more}"
    return f"{'not ' if test.not_worse else ''}worse {more}"


def _margin(test: MarginTest) -> str:
    margin = f"{100 * test.margin:g}"
    return f"{margin} point" if margin == "1" else f"{margin} points"


def _by(test: MarginTest) -> str:
    """The difference in points with its interval."""
    places = digits(test.photos)
    return f"{points(test.difference, places)}, {span(test.interval, places)}"
