"""Which device's peaks are found by the name that its runtime gives, and one's own."""

from pathlib import Path

import pytest

from genset.tta.profile.peaks import KNOWN_DEVICES, find_peaks
from tests.tta.answers import answer, printed

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


@pytest.mark.parametrize(("name", "device", "half", "gbs"), NAMES)
def test_a_device_is_known_by_its_runtimes_name(
    name: str, device: str, half: float, gbs: float | None
) -> None:
    found = find_peaks(name)
    assert found is not None
    assert (found.device, found.tflops["float16"], found.gbs) == (device, half, gbs)
    assert "datasheet" in found.source or "whitepaper" in found.source


def test_a_device_like_a_known_one_is_not_taken_for_it() -> None:
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


def test_a_peak_is_quoted_as_the_table_has_it() -> None:
    words = ["profile", "--point", "a=1e15,1e13,30", "--device"]
    assert "memory 2,039 GB/s" in printed(*words, "NVIDIA A100-SXM4-80GB")
    text = printed(*words, "H100 SXM")
    assert "tf32 494.7 TFLOP/s, float16 989.4 TFLOP/s" in text
    assert "whitepaper (matrix units, dense), NVIDIA H100 datasheet (float32, memory))" in text


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
