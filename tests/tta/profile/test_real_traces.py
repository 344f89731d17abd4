"""Real traces of GPUs and of a CPU, beside what their JSON says; and which are one run's."""

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genset.core.errors import BadInput
from genset.tta.profile.kineto import read_trace
from genset.tta.profile.profile import profile
from genset.tta.profile.trace import Device, Kernel, Trace
from tests.tta.answers import answer
from tests.tta.profile.made import HOST, NCCL, kernel, trace

TRACES = (
    "alexnet.json.gz",
    "amd_mi250.json.gz",
    "cpu_only.pt.trace.json.gz",
    "v100_resnet_training.pt.trace.json.gz",
    "v100_with_input_dims.json.gz",
)


@pytest.fixture(scope="module")
def traces(realdata: Path) -> dict[str, Trace]:
    return {name: read_trace(realdata / "traces" / name) for name in TRACES}


def events_of(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    return found


@pytest.mark.realdata
@pytest.mark.parametrize("name", TRACES)
def test_a_trace_holds_what_its_json_says(traces: dict[str, Trace], name: str) -> None:
    trace = traces[name]
    by_category: dict[str, list[dict[str, Any]]] = {}
    for each in events_of(trace.path):
        by_category.setdefault(each.get("cat", ""), []).append(each)

    kernels = by_category.get("kernel", [])
    assert Counter(each.name for each in trace.kernels) == Counter(
        " ".join(each["name"].split()) for each in kernels
    )
    assert sum(each.length for each in trace.kernels) == pytest.approx(
        sum(each["dur"] for each in kernels)
    )
    assert {each.device for each in trace.kernels} == {each["args"]["device"] for each in kernels}
    copies = by_category.get("gpu_memcpy", []) + by_category.get("gpu_memset", [])
    assert len(trace.copies) == len(copies)
    marks = by_category.get("user_annotation", [])
    calls = [each for each in marks if each["name"].startswith(("nccl:", "gloo:"))]
    calls += by_category.get("cpu_op", [])
    assert len(trace.operators) == len(calls)
    shaped = [each for each in calls if "Input Dims" in each["args"]]
    assert sum(each.shapes is not None for each in trace.operators) == len(shaped)
    steps = [each for each in marks if "ProfilerStep#" in each["name"]]
    assert sorted(length for _, length in trace.steps) == sorted(each["dur"] for each in steps)


def launcher(trace: Trace, kernel: Kernel) -> str:
    return "" if kernel.operator is None else trace.operators[kernel.operator].name


@pytest.mark.realdata
def test_kernels_are_joined_to_the_operators_that_launched_them(traces: dict[str, Trace]) -> None:
    # Where "External id" is the operator's own, it must say the same as the times do.
    for name in ("amd_mi250.json.gz", "v100_resnet_training.pt.trace.json.gz"):
        trace = traces[name]
        events = events_of(trace.path)
        named = {
            each["args"]["External id"]: each["name"]
            for each in events
            if each.get("cat") in ("cpu_op", "user_annotation")
        }
        kernels = [each for each in events if each.get("cat") == "kernel"]
        assert Counter((each.name, launcher(trace, each)) for each in trace.kernels) == Counter(
            (" ".join(each["name"].split()), named[each["args"]["External id"]]) for each in kernels
        )
    # Where it is the launch's, operators have the same numbers by chance.
    alexnet = traces["alexnet.json.gz"]
    of_convolutions = {
        launcher(alexnet, each) for each in alexnet.kernels if "cudnn" in each.name.lower()
    }
    assert of_convolutions == {"aten::cudnn_convolution"}


@pytest.mark.realdata
@pytest.mark.soak
def test_devices_ranks_and_what_a_trace_lacks_are_named(traces: dict[str, Trace]) -> None:
    alexnet, amd, host, v100, shaped = traces.values()
    assert [(trace.device, trace.rank, trace.ranks) for trace in (alexnet, amd, host, v100)] == [
        (Device("nvidia", "NVIDIA A100-PG509-200"), 0, None),
        (Device("amd", "AMD Radeon Graphics"), None, None),
        (Device("none"), 34, 300),
        (Device("nvidia", "Tesla V100-SXM2-32GB"), 0, 1),
    ]
    assert alexnet.missing == [
        "No shapes of inputs: record with record_shapes=True.",
        "No steps: call the profiler's step() after each training step.",
    ]
    assert amd.missing == []
    # It has no convolution whose strides could lack.
    assert not any("PyTorch 2.1" in line for line in shaped.missing)
    assert any("594 kernels of 9,876" in line for line in shaped.missing)
    assert any("No kernels" in line for line in host.missing)
    # Of the other collectives the launches lie before the recording.
    names = [kernel.collective for kernel in shaped.kernels if kernel.collective]
    assert (names.count("all_reduce"), names.count("all_to_all")) == (18, 42)


@pytest.mark.realdata
def test_matrix_units_and_communication_of_real_traces(traces: dict[str, Trace]) -> None:
    percents = {
        "alexnet.json.gz": 17.0,
        "v100_resnet_training.pt.trace.json.gz": 0.0,
        "amd_mi250.json.gz": 27.3,
        "v100_with_input_dims.json.gz": 0.0,
    }
    for name, percent in percents.items():
        found = profile("run", [traces[name]])
        units = found.matrix_units
        assert units is not None
        assert round(100 * units.yes, 1) == percent
        assert units.unclassified < 0.001
        assert units.yes + units.no + units.unclassified == pytest.approx(1)
    (line,) = found.shares
    assert line.communication > line.exposed > 0
    assert found.remarks[0].startswith("1 of 2 ranks")
    host = profile("run", [traces["cpu_only.pt.trace.json.gz"]])
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


# A training step of ResNet-50, recorded on an H200: two steps each of a batch of 128. Names, shapes
# and times are the profiler's; what no analysis reads was taken out of the files.
DATA = Path(__file__).parent / "data"

# Of a forward and a backward pass, two of 128 photos: the first convolution needs no gradient of
# the photos, and ResNet-50 has 4.09 billion multiplications a photo.
FLOPS = 2 * 128 * 2 * (3 * 4.09e9 - 0.118e9)


def run_of(name: str) -> dict[str, Any]:
    (run,) = answer("profile", f"run={DATA / name}.json.gz")["runs"]
    found: dict[str, Any] = run
    return found


@pytest.mark.parametrize(
    ("name", "units", "normalization"),
    [("plain", 0.0, 0.169), ("amp", 0.199, 0.459), ("channels_last", 0.336, 0.319)],
)
def test_shares_of_matrix_units_and_batch_norm(
    name: str, units: float, normalization: float
) -> None:
    found = run_of(name)
    matrix_units = found["matrix_units"]
    assert matrix_units["yes"] == pytest.approx(units, abs=0.0005)
    assert matrix_units["unclassified"] == pytest.approx(0, abs=0.0005)
    (batch_norm,) = (row for row in matrix_units["families"] if row["name"] == "batch norm")
    assert batch_norm["share"] == pytest.approx(normalization, abs=0.0005)
    assert found["roofline"]["run"]["flops"] == pytest.approx(FLOPS, rel=0.01)


def test_a_device_that_is_behind_its_host_begins_the_steps_late() -> None:
    """The clock said 127.04 ms a step; with the step before, which was still running, it is 233."""
    found = run_of("plain")
    (line,) = found["shares"]
    assert found["roofline"]["run"]["seconds"] / line["steps"] == pytest.approx(0.127, rel=0.002)
    assert found["outside"] == pytest.approx(0.454, abs=0.001)


def test_what_inductor_writes_is_no_product() -> None:
    families = run_of("compiled")["matrix_units"]["families"]
    assert families[0]["name"] == "Inductor's pointwise"
    assert families[0]["share"] == pytest.approx(0.565, abs=0.001)
