"""What hardware counters sum up to, by kernel and over all."""

import pytest

from genset.tta.analysis.roofline.counters import counters
from genset.tta.traces.ncu import MeasuredKernel

GEMM, NORM, OTHER = "ampere_h16816gemm", "bn_fw_tr_1C11", "elementwise_kernel"
MEASURED = [
    MeasuredKernel(GEMM, 30e-6, 30e6, 0.8),
    MeasuredKernel(GEMM, 10e-6, 20e6, 0.4),
    MeasuredKernel(NORM, 50e-6, 60e6, 0.0),
    MeasuredKernel(OTHER, 10e-6, None, None),
]


def test_longer_launches_count_more() -> None:
    found = counters(MEASURED, None)
    assert [each.name for each in found.kernels] == [NORM, GEMM, OTHER]
    norm, gemm, other = found.kernels
    assert (gemm.launches, gemm.share) == (2, pytest.approx(0.4))
    assert gemm.matrix_units == pytest.approx((30 * 0.8 + 10 * 0.4) / 40)
    assert gemm.gbs == pytest.approx(50e6 / 40e-6 / 1e9)
    assert (norm.matrix_units, norm.share) == (0.0, pytest.approx(0.5))
    assert (other.matrix_units, other.gbs) == (None, None)


def test_all_kernels_together_over_the_time_that_was_measured() -> None:
    found = counters(MEASURED, 2000.0)
    assert (found.launches, found.seconds) == (4, pytest.approx(100e-6))
    assert found.matrix_units == pytest.approx((30 * 0.8 + 10 * 0.4) / 90)
    assert (found.with_matrix_units, found.with_bytes) == pytest.approx((0.9, 0.9))
    assert (found.bytes, found.gbs) == pytest.approx((110e6, 110e6 / 90e-6 / 1e9))
    assert found.of_bandwidth == pytest.approx(110e6 / 90e-6 / 1e9 / 2000)
    assert sum(each.share for each in found.kernels) == pytest.approx(1.0)


def test_what_nobody_measured_is_none_and_not_zero() -> None:
    found = counters([MeasuredKernel(OTHER, 10e-6, None, None)], 900.0)
    assert (found.matrix_units, found.bytes, found.gbs, found.of_bandwidth) == (None,) * 4
    assert (found.with_matrix_units, found.with_bytes) == (0.0, 0.0)
