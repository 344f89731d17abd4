"""`--json` of traces: every number that has a unit says it, and the document says what each is."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tta.answers import answer
from tests.tta.profile.recorded import STEP, STEPS, write_host, write_rank

TALKS = 300.0, 200.0  # microseconds, by rank
DOCUMENT = Path(__file__).parents[3] / "docs" / "profiling.md"


@pytest.fixture
def answers(tmp_path: Path) -> list[Any]:
    ranks = [write_rank(tmp_path / f"{at}.json", at, talk=talk) for at, talk in enumerate(TALKS)]
    words = [*(f"run={path}" for path in ranks), f"host={write_host(tmp_path / 'host.json')}"]
    words += ["--point", "tpu=1e15,1e13,30"]
    words += ["--device", "tpu=TPUv2"]
    return [answer("profile", *words)]


def numbers(found: Any, name: str = "") -> Iterator[str]:
    """The names of all numbers in an answer; those in a list have the list's."""
    if isinstance(found, dict):
        for key, value in found.items():
            # Peaks stand by precision: TFLOP/s each.
            yield from numbers(value, name if name == "tflops" else key)
    elif isinstance(found, list):
        for value in found:
            yield from numbers(value, name)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield name


def test_times_are_seconds_and_rates_have_their_unit(answers: list[Any]) -> None:
    run, host = answers[0]["runs"]
    assert run["shares"][0]["span_seconds"] == pytest.approx(STEPS * STEP / 1e6)
    assert run["matrix_units"]["kernel_seconds"] == pytest.approx(STEPS * (1200 + sum(TALKS)) / 1e6)
    assert host["roofline"]["operators"][0]["seconds"] == pytest.approx(1e-3)


def test_the_document_says_of_every_number_what_it_is(answers: list[Any]) -> None:
    text = DOCUMENT.read_text("utf-8").split("## The numbers as JSON")[1].split("\n## ")[0]
    said = set(re.findall(r"`(\w+)`", text))
    found = {name for each in answers for name in numbers(each)}
    assert len(found) > 30
    assert found - said == set()
