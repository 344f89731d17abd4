"""Answers as what JSON holds."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import inf, nan
from pathlib import Path
from typing import Any

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


def test_everything_has_its_form() -> None:
    answer = {
        "plain": [1, 0.5, "x", None, True],
        "numbers": (inf, -inf, nan),
        3: (1,),
        "dates": [date(2018, 4, 1), datetime(2018, 4, 1, tzinfo=UTC)],
        "own": [OfItsOwn()],
        "runs": (Found(0.5, Interval(0, inf), Path("secret/runs/a.tsv")),),
    }
    said = {
        "plain": [1, 0.5, "x", None, True],
        "numbers": [None, None, None],
        "3": [1],
        "dates": ["2018-04-01", "2018-04-01T00:00:00+00:00"],
        "own": [{"why": "b", "high": None}],
        "runs": [{"share": 0.5, "interval": {"low": 0, "high": None}, "log": "a.tsv"}],
    }
    assert to_json(answer, paths=lambda path: path.name) == said
    assert to_json(Path("a/b.tsv")) == "a/b.tsv"
