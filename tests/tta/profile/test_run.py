"""A run's profile: what holds of the shared traces, and which traces are one run's."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genset.core.errors import BadInput
from genset.tta.profile.kineto import read_trace
from genset.tta.profile.profile import profile
from genset.tta.profile.trace import Device, Trace
from tests.tta.profile.made import HOST, NCCL, kernel, trace


@pytest.mark.realdata
def test_matrix_units_and_communication_of_real_traces(realdata: Path) -> None:
    percents = {
        "alexnet.json.gz": 17.0,
        "v100_resnet_training.pt.trace.json.gz": 0.0,
        "amd_mi250.json.gz": 27.3,
        "v100_with_input_dims.json.gz": 0.0,
    }
    for name, percent in percents.items():
        found = profile("run", [read_trace(realdata / "traces" / name)])
        units = found.matrix_units
        assert units is not None
        assert round(100 * units.yes, 1) == percent
        assert units.unclassified < 0.001
        assert units.yes + units.no + units.unclassified == pytest.approx(1)
    (line,) = found.shares
    assert line.communication > line.exposed > 0
    assert found.remarks[0].startswith("1 of 2 ranks")
    host = profile("run", [read_trace(realdata / "traces" / "cpu_only.pt.trace.json.gz")])
    assert (host.maker, host.shares, host.matrix_units) == ("none", [], None)


def rank(number: int, path: str = "", **others: Any) -> Trace:
    kernels = [kernel(number, 50), kernel(60, 80, NCCL, on=(number, 9))]
    said = {"rank": number, "ranks": 2, "steps": ((0, 100),), **others}
    return trace(*kernels, path=path or f"rank{number}.json", **said)


def test_ranks_are_one_run_in_their_order() -> None:
    found = profile("run", [rank(1), rank(0)])
    assert (found.ranks, [path.name for path in found.traces]) == (2, ["rank0.json", "rank1.json"])
    assert {line.rank for line in found.shares} == {0, 1}
    assert found.matrix_units is not None
    assert found.matrix_units.kernel_seconds * 1e6 == pytest.approx(50 + 20 + 49 + 20)
    assert found.remarks == []
    # Steps that are marked in one rank only are not taken; much time in unknown kernels is named.
    found = profile("run", [rank(0), rank(1, steps=())])
    assert {line.span_of for line in found.shares} == {"device"}
    assert any("1 of 2 traces" in said for said in found.remarks)
    found = profile("run", [trace(kernel(0, 50), kernel(50, 100, "mystery"))])
    assert any(said.startswith("50 % of kernel time") for said in found.remarks)


A100 = Device("nvidia", "NVIDIA A100-SXM4-40GB")


def test_traces_that_are_not_different_ranks_of_one_run_are_refused() -> None:
    for traces, says in (
        ([], "run: no trace"),
        ([rank(0), rank(0)], "rank0.json and rank0.json are one file"),
        ([rank(0), replace(rank(1), rank=0)], "both of rank 0"),
        ([rank(0), rank(1, device=A100)], "ran on Tesla V100-SXM2-16GB and on NVIDIA A100"),
        ([rank(0), rank(1, device=HOST)], "and on the host alone"),
    ):
        with pytest.raises(BadInput) as refused:
            profile("run", traces)
        assert says in str(refused.value)
        assert "\n" not in str(refused.value)
