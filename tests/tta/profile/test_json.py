"""`--json` of traces: every number that has a unit says it, and the document says what each is."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.tta.answers import answer
from tests.tta.profile.recorded import write_host, write_rank

DOCUMENT = Path(__file__).parents[3] / "docs" / "profiling.md"


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


def test_the_document_says_of_every_number_what_it_is(tmp_path: Path) -> None:
    words = [f"run={write_rank(tmp_path / f'{at}.json', at)}" for at in (0, 1)]
    words += [f"host={write_host(tmp_path / 'host.json')}", "--point", "tpu=1e15,1e13,30"]
    answered = answer("profile", *words, "--device", "tpu=TPUv2")
    text = DOCUMENT.read_text("utf-8").split("## The numbers as JSON")[1].split("\n## ")[0]
    said = set(re.findall(r"`(\w+)`", text))
    found = set(numbers(answered))
    assert len(found) > 30
    assert found - said == set()
