"""The lines that are printed record a trace that lacks nothing a CPU can give."""

from pathlib import Path

import pytest

from genset.tta.traces.kineto import read_trace
from genset.tta.traces.trace import HOW


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
