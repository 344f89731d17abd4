"""docs/profiling.md says what the code does: how to record, the peaks, the numbers as JSON."""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from genset.tta.profile.kineto import read_trace
from genset.tta.profile.peaks import KNOWN_DEVICES
from genset.tta.profile.trace import HOW
from tests.tta.answers import answer
from tests.tta.profile.recorded import write_host, write_rank

TEXT = (Path(__file__).parents[3] / "docs" / "profiling.md").read_text("utf-8")


def test_the_document_has_the_lines_that_how_prints() -> None:
    assert f"\n\n{indent(HOW, '    ')}\n\n" in TEXT


def test_the_document_counts_the_peaks_that_are_known() -> None:
    assert f"The peaks of {len(KNOWN_DEVICES)} devices" in TEXT
    assert all(peaks.source for peaks in KNOWN_DEVICES)


def test_the_lines_run_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, stride=2, padding=1), torch.nn.ReLU())
    monkeypatch.chdir(tmp_path)
    batches = [torch.ones(2, 3, 8, 8)] * 11
    exec(HOW, {"batches": batches, "train": lambda batch: net(batch).sum().backward()})
    trace = read_trace(tmp_path / "rank0.json.gz")
    assert len(trace.steps) == 3
    convolutions = [each for each in trace.operators if each.name == "aten::convolution"]
    assert len(convolutions) == 3
    assert convolutions[0].shapes is not None
    assert convolutions[0].shapes[:3] == ((2, 3, 8, 8), (4, 3, 3, 3), (4,))
    assert convolutions[0].values[3:5] == ("[2, 2]", "[1, 1]")
    assert [said for said in trace.missing if "No kernels" not in said] == []
    assert len(HOW.splitlines()) == 6


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
    text = TEXT.split("## The numbers as JSON")[1].split("\n## ")[0]
    said = set(re.findall(r"`(\w+)`", text))
    found = set(numbers(answered))
    assert len(found) > 30
    assert found - said == set()
