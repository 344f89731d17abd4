"""How long ranks communicated, by collective."""

import pytest

from genset.tta.profile.kernels import communicates
from genset.tta.profile.shares import communication
from tests.tta.profile.made import NCCL, kernel


def test_calls_of_one_collective_are_one_line_and_what_overlaps_counts_once() -> None:
    ranks = [
        [
            kernel(0, 1000, NCCL, collective="allreduce"),
            kernel(500, 1500, NCCL, on=(0, 9), collective="allreduce"),
            kernel(2000, 2100, NCCL, collective="broadcast"),
            kernel(3000, 3400),
        ],
        [kernel(0, 500, NCCL, collective="allreduce"), kernel(700, 800, NCCL)],
    ]
    found = communication(ranks)
    assert found is not None
    assert [(line.collective, line.calls) for line in found.collectives] == [
        ("allreduce", 3),
        ("", 1),
        ("broadcast", 1),
    ]
    reduce, _, cast = found.collectives
    assert reduce.seconds == 2e-3  # 1500 on one rank, where two overlap, and 500 on the other
    assert cast.share == pytest.approx(100 / 3100)
    assert found.of_kernel_time == pytest.approx(2700 / 3100)


def test_a_run_that_does_not_communicate_has_none() -> None:
    assert communication([[kernel(0, 10)], []]) is None
    assert communication([[kernel(5, 5, NCCL)]]) is None


def test_a_trace_that_names_a_collective_is_believed_whatever_the_kernel_is_called() -> None:
    assert communicates(kernel(0, 1, "my_ring", collective="allreduce"))
    assert communicates(kernel(0, 1, "void ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWork)"))
    assert not communicates(kernel(0, 1))
