"""Answers as what JSON holds."""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.core.to_json import to_json
from genset.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class Found:
    share: float
    interval: Interval
    log: Path


class OfItsOwn:
    def as_json(self) -> dict[str, Any]:
        return {"why": Path("a/b"), "high": inf}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([1, 0.5, "x", None, True], [1, 0.5, "x", None, True]),
        ((inf, -inf, nan), [None, None, None]),
        ({3: (1,), "a": {}}, {"3": [1], "a": {}}),
        (date(2018, 4, 1), "2018-04-01"),
        (datetime(2018, 4, 1, tzinfo=UTC), "2018-04-01T00:00:00+00:00"),
        (Interval(0.1, inf), {"low": 0.1, "high": None}),
        (Path("a/b.tsv"), "a/b.tsv"),
        ([OfItsOwn()], [{"why": "a/b", "high": None}]),
    ],
)
def test_everything_has_its_form(answer: Any, said: Any) -> None:
    assert to_json(answer) == said


def test_a_record_is_an_object_and_places_are_told_as_asked() -> None:
    found = {"runs": (Found(0.5, Interval(0, 1), Path("secret/runs/a.tsv")),)}
    said = {"share": 0.5, "interval": {"low": 0, "high": 1}, "log": "a.tsv"}
    assert to_json(found, paths=lambda path: path.name) == {"runs": [said]}


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates()


@given(st.recursive(VALUES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
@pytest.mark.soak
def test_what_comes_of_it_is_strict_json(answer: Any) -> None:
    assert json.loads(json.dumps(to_json(answer), allow_nan=False)) == to_json(answer)
