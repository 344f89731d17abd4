"""A run's profile: what holds of the shared traces, and which traces are one run's."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from genset.core.errors import BadInput
from genset.tta.profile.kineto import read_trace
from genset.tta.profile.profile import Profile, profile
from genset.tta.profile.trace import Device, Trace
from tests.tta.profile import swept
from tests.tta.profile.made import HOST, NCCL, kernel, trace

ALEXNET = "alexnet.json.gz"
RESNET = "v100_resnet_training.pt.trace.json.gz"
WITH_SHAPES = "v100_with_input_dims.json.gz"
AMD = "amd_mi250.json.gz"
CPU = "cpu_only.pt.trace.json.gz"


@lru_cache
def read(path: Path) -> tuple[Profile, list[swept.Event]]:
    return profile("run", [read_trace(path)]), swept.events(path)


@pytest.mark.realdata
@pytest.mark.parametrize("name", [ALEXNET, RESNET, WITH_SHAPES, AMD])
def test_shares_of_real_traces_are_those_of_their_json(realdata: Path, name: str) -> None:
    found, events = read(realdata / "traces" / name)
    expected = swept.shares(events)
    (line,) = found.shares
    assert line.computing == pytest.approx(expected["computing"], abs=1e-6)
    assert line.copies == pytest.approx(expected["copying"], abs=1e-6)
    assert line.communication == pytest.approx(expected["talking"], abs=1e-6)
    assert line.exposed == pytest.approx(expected["exposed"], abs=1e-6)
    assert line.copying_alone == pytest.approx(expected["copying_alone"], abs=1e-6)
    assert line.idle == pytest.approx(expected["idle"], abs=1e-6)
    assert 0 < line.computing < 1


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "words", "percent"),
    [
        (ALEXNET, ["tf32f32"], 17.0),
        (RESNET, ["884"], 0.0),
        (WITH_SHAPES, ["884"], 0.0),
        (AMD, ["_mi16x16x1_"], 27.3),
    ],
)
def test_matrix_units_of_real_traces(
    realdata: Path, name: str, words: list[str], percent: float
) -> None:
    found, events = read(realdata / "traces" / name)
    assert found.matrix_units is not None
    assert found.matrix_units.yes == pytest.approx(swept.of_kernel_time(events, *words))
    assert round(100 * found.matrix_units.yes, 1) == percent
    assert found.matrix_units.unclassified < 0.001
    shares = [found.matrix_units.yes, found.matrix_units.no, found.matrix_units.unclassified]
    assert sum(shares) == pytest.approx(1)


@pytest.mark.realdata
def test_communication_of_real_traces(realdata: Path) -> None:
    found, events = read(realdata / "traces" / WITH_SHAPES)
    (line,) = found.shares
    assert line.communication > line.exposed > 0
    assert round(100 * swept.of_kernel_time(events, "nccl"), 1) == 31.3
    assert found.remarks[0].startswith("1 of 2 ranks")
    alone, events = read(realdata / "traces" / RESNET)
    assert alone.shares[0].communication == 0
    assert swept.of_kernel_time(events, "nccl") == 0


@pytest.mark.realdata
def test_a_hosts_trace_has_operators_and_no_idle_device(realdata: Path) -> None:
    found, events = read(realdata / "traces" / CPU)
    assert (found.maker, found.shares, found.matrix_units) == ("none", [], None)
    names = [
        event["name"]
        for event in events
        if event.get("cat") in ("cpu_op", "user_annotation")
        and not event["name"].startswith("ProfilerStep#")
    ]
    operators = read_trace(realdata / "traces" / CPU).operators
    assert sorted(operator.name for operator in operators) == sorted(names)


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


def test_steps_marked_in_one_rank_only_are_not_taken_and_said() -> None:
    found = profile("run", [rank(0), rank(1, steps=())])
    assert {line.span_of for line in found.shares} == {"device"}
    assert any("1 of 2 traces" in said for said in found.remarks)


def test_much_time_without_a_known_name_is_said() -> None:
    found = profile("run", [trace(kernel(0, 50), kernel(50, 100, "mystery"))])
    assert any(said.startswith("50 % of kernel time") for said in found.remarks)


A100 = Device("nvidia", "NVIDIA A100-SXM4-40GB")


@pytest.mark.parametrize(
    ("traces", "says"),
    [
        ([], "run: no trace"),
        ([rank(0), rank(0)], "rank0.json and rank0.json are one file"),
        ([rank(0), rank(0, "sub/../rank0.json")], "are one file"),
        ([rank(0), replace(rank(1), rank=0)], "both of rank 0"),
        ([rank(0), rank(1, device=A100)], "ran on Tesla V100-SXM2-16GB and on NVIDIA A100"),
        ([rank(0), rank(1, device=HOST)], "and on the host alone"),
        ([rank(0), rank(1, device=Device("amd"))], "and on an AMD GPU"),
    ],
)
def test_traces_that_are_not_different_ranks_of_one_run_are_refused(
    traces: list[Trace], says: str
) -> None:
    with pytest.raises(BadInput) as refused:
        profile("run", traces)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unnamed_device_goes_with_a_named_one() -> None:
    found = profile("run", [rank(0, device=Device("nvidia")), rank(1)])
    assert found.device == "Tesla V100-SXM2-16GB"
    assert found.roofline.peaks is not None
