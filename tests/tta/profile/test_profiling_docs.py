"""docs/profiling.md says what the code does: how to record, the peaks, the numbers as JSON."""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from genset.tta.profile.kineto import read_trace
from genset.tta.profile.peaks import KNOWN_DEVICES, find_peaks
from genset.tta.profile.trace import HOW
from tests.tta.answers import answer
from tests.tta.profile.recorded import write_host, write_rank

TEXT = (Path(__file__).parents[3] / "docs" / "profiling.md").read_text("utf-8")


def test_the_document_has_the_lines_that_how_prints_and_counts_the_peaks() -> None:
    assert f"The peaks of {len(KNOWN_DEVICES)} devices" in TEXT
    assert all(peaks.source for peaks in KNOWN_DEVICES)
    assert f"\n\n{indent(HOW, '    ')}\n\n" in TEXT


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


# Names as CUDA's runtime gives them; TFLOP/s on matrix units in half precision, GB/s.
NAMES = [
    ("Tesla V100-SXM2-16GB", "V100 SXM2", 125, 900),
    ("Tesla V100S-PCIE-32GB", "V100S PCIe", 130, 1134),
    ("NVIDIA A100-SXM4-80GB", "A100 SXM 80 GB", 312, 2039),
    ("NVIDIA A100-PG509-200", "A100", 312, None),
    ("NVIDIA H100 80GB HBM3", "H100 SXM", 989.4, 3350),
    ("NVIDIA H100 PCIe", "H100 PCIe", 756.5, 2000),
    ("NVIDIA H200", "H200 SXM", 989.4, 4800),
    ("NVIDIA H200 NVL", "H200 NVL", 835.5, 4800),
    ("NVIDIA GeForce RTX 4090", "RTX 4090", 165.2, 1008),
    ("AMD Instinct MI300X", "MI300X", 1307.4, 5300),
    ("Tesla V100-SXM3-32GB", "V100 SXM2", 125, 900),
]


def test_a_device_is_known_by_its_runtimes_name_and_one_like_it_is_not() -> None:
    for name, device, half, gbs in NAMES:
        found = find_peaks(name)
        assert found is not None
        assert (found.device, found.tflops["float16"], found.gbs) == (device, half, gbs)
        assert "datasheet" in found.source or "whitepaper" in found.source
    for name in (
        "",
        "NVIDIA A100",
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "Tesla T40",
        "NVIDIA GH200 144G HBM3e",
        "TPUv6",
    ):
        assert find_peaks(name) is None


def test_matrix_units_are_faster_than_vector_units_and_lower_precision_no_slower() -> None:
    for peaks in KNOWN_DEVICES:
        told = [peaks.tflops.get(roof) for roof in ("float32", "tf32", "float16")]
        rates = [rate for rate in told if rate is not None]
        assert rates == sorted(rates), peaks.device
        assert peaks.tflops.get("bfloat16") in (None, *rates[-1:]) or "TPU" in peaks.device


@pytest.mark.realdata
def test_each_product_is_compared_with_the_peak_of_its_own_precision(realdata: Path) -> None:
    (run,) = answer("profile", realdata / "cases" / "tta" / "h100_fp8.json.gz")["runs"]
    points, (product,) = run["roofline"]["operators"], run["roofline"]["kinds"]
    fp8 = [point for point in points if point["name"] == "aten::_scaled_mm"]
    assert {point["roof"] for point in fp8} == {"float8"}
    assert all(point["of_peak"] < 1 for point in points)
    assert product["roof"] == run["roofline"]["busy"]["roof"] == "mixed"
    assert product["of_peak"] < 0.75
