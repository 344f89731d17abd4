"""Achieved FLOP/s and bytes/s and the peaks: by operator, by kind and of the run."""

import pytest

from genset.core.errors import BadInput
from genset.tta.profile.peaks import Peaks, find_peaks, read_point
from genset.tta.profile.roofline import roofline, roofline_tables
from tests.tta.profile.made import NCCL, called, floats, halves, launched, on_device

# 2 × 1000³ FLOPs; 12 million bytes in float32.
PRODUCT = called("aten::mm", floats(1000, 1000), floats(1000, 1000))
HALF = called("aten::mm", halves(1000, 1000), halves(1000, 1000))
RELU = called("aten::relu", floats(1000, 1000))
SMALL = called("aten::mm", floats(1000, 10), floats(10, 1000))  # 4.08 million bytes, 2e7 FLOPs
CORES = "ampere_h16816gemm_128x128"
V100 = find_peaks("Tesla V100-SXM2-16GB")
A100 = find_peaks("NVIDIA A100-SXM4-40GB")


def test_a_point_is_work_over_the_time_of_its_kernels() -> None:
    ranks = [on_device([PRODUCT, SMALL], launched(0, 0, 200.0), launched(1, 300, 100.0))]
    found = roofline(ranks, V100)
    product, small = found.operators
    assert product.tflops == pytest.approx(2e9 / 200e-6 / 1e12)  # 10
    assert product.gbs == pytest.approx(12e6 / 200e-6 / 1e9)
    assert product.flops_per_byte == pytest.approx(2e9 / 12e6)
    assert (product.roof, product.of_peak) == ("float32", pytest.approx(10 / 15.7))
    assert product.of_bandwidth == pytest.approx(60 / 900)
    assert product.of_roof == product.of_peak
    ranks = roofline([on_device([PRODUCT], launched(0, 0, 200.0))] * 4, V100)
    assert ranks.run is not None and ranks.operators[0].count == 4
    assert (ranks.run.flops, ranks.run.tflops) == (8e9, pytest.approx(10))  # of one device
    # A product with a short side can only be as fast as the memory.
    assert small.of_roof == small.of_bandwidth == pytest.approx(40.8 / 900)
    assert [point.share for point in found.operators] == pytest.approx([2 / 3, 1 / 3])


def test_the_run_is_all_matrix_flops_over_the_whole_time_and_busy_over_the_kernels() -> None:
    """Other operators do not count; idle time and communication do."""
    times = launched(0, 0, 200.0), launched(1, 300, 100.0), launched(None, 600, 400.0, NCCL)
    found = roofline([on_device([PRODUCT, RELU], *times)], V100)
    assert found.run is not None and found.busy is not None
    assert (found.run.flops, found.run.bytes) == (2e9, 12e6)
    assert found.run.seconds == pytest.approx(1000e-6)
    assert found.busy.seconds == pytest.approx(200e-6)
    assert found.run.of_peak == pytest.approx(2 / 15.7)


def test_other_operators_have_a_share_of_the_time_by_name() -> None:
    norm = called("aten::cudnn_batch_norm", floats(10, 1000, 100))
    times = launched(0, 0, 10.0), launched(1, 20, 30.0), launched(2, 60, 10.0), launched(3, 80, 10)
    found = roofline([on_device([PRODUCT, norm, RELU, RELU], *times)], V100)
    (kind,) = found.kinds
    assert (kind.name, kind.flops, kind.share) == ("matrix product", 2e9, pytest.approx(1 / 6))
    words = "aten::cudnn_batch_norm 50.0 %, aten::relu 33.3 %"
    notes = roofline_tables({"run": found}, [])[0].notes
    assert f"run: 83.3 % of the time in other operators: {words}" in notes


def test_a_point_above_the_roof_is_remarked() -> None:
    found = roofline([on_device([SMALL], launched(0, 0, 2.0))], V100)
    assert found.operators[0].of_roof == pytest.approx(2040 / 900)
    (remark,) = found.remarks
    assert remark.startswith("aten::mm (with others 100.0 % of the time) is above the roof, 2.27")
    assert "in a cache, or a peak or a number is wrong" in remark
    assert roofline([on_device([SMALL], launched(0, 0, 20.0))], V100).remarks == []
    # A device whose memory's rate is not known has a roof, too.
    board = Peaks("A100", {"float32": 19.5}, None, "a data sheet")
    flat = roofline([on_device([PRODUCT], launched(0, 0, 10.0))], board)
    assert any("is above the roof, 10.26 times" in remark for remark in flat.remarks)


def test_what_is_left_out_is_remarked_with_its_share_and_what_to_record() -> None:
    image, weights = floats(1, 3, 8, 8), floats(4, 3, 3, 3)
    old = called("aten::convolution", image, weights, None, "[1, 1]", values=False)
    found = roofline([on_device([old, PRODUCT], launched(0, 0, 30.0), launched(1, 50, 90.0))], V100)
    (left,) = (each for each in found.remarks if "above" not in each)
    assert left.startswith("not counted: 25.0 % of the time, products without recorded shapes or")
    assert "most in aten::convolution: " in left
    assert left.endswith("lower bounds")


def test_a_point_that_is_none_is_refused_in_one_line() -> None:
    for text in (" \x1b =1e12,1e9,1", "a=1e12,1e9", "a=many,1e9,1", "a=1e12,1e9,0", "a=nan,1e9,1"):
        with pytest.raises(BadInput, match="NAME=FLOPS,BYTES,SECONDS") as refused:
            read_point(text)
        line = str(refused.value)
        assert "\n" not in line and "\x1b" not in line
