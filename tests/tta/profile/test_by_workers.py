"""What communication costs at several numbers of workers."""

import re
from typing import Any

import pytest

from genset.core.errors import BadInput
from genset.tta.profile.by_workers import by_workers
from genset.tta.traces.trace import Device, Trace
from tests.tta.profile.made import HOST, NCCL, kernel, operator, trace


def rank(number: int, ranks: int, talk: float, hidden: float, **others: Any) -> Trace:
    """100 microseconds of a step: `talk` of communication, `hidden` of it behind computing."""
    return trace(
        kernel(0, 100 - talk + hidden),
        kernel(100 - talk, 100, NCCL, on=(0, 9)),
        path=f"{ranks}-{number}.json",
        **{"rank": number, "ranks": ranks, "steps": ((0, 100),), **others},
    )


def test_total_and_exposed_shares_are_by_rank_and_their_mean() -> None:
    found = by_workers(
        {
            16: [rank(0, 16, 60, 10)],
            8: [rank(1, 8, 30, 20), rank(0, 8, 40, 20)],
            2: [rank(0, 2, 10, 10)],
        }
    )
    assert [row.workers for row in found.rows] == [2, 8, 16]
    two, eight, sixteen = found.rows
    assert (two.total.mean, two.exposed.mean) == pytest.approx((0.1, 0))
    assert (eight.total.least, eight.total.mean, eight.total.most) == pytest.approx(
        (0.3, 0.35, 0.4)
    )
    assert (eight.exposed.least, eight.exposed.most) == pytest.approx((0.1, 0.2))
    assert (sixteen.total.mean, sixteen.exposed.mean) == pytest.approx((0.6, 0.5))
    assert (eight.ranks, eight.step_seconds, eight.idle.most) == (2, 100e-6, 0)
    assert [line.rank for line in eight.lines] == [0, 1]
    assert found.span_of == "steps"
    assert found.remarks == [
        "2 workers: 1 of 2 ranks",
        "8 workers: 2 of 8 ranks",
        "16 workers: 1 of 16 ranks",
    ]


def test_sizes_are_held_against_the_same_kind_of_span() -> None:
    found = by_workers({1: [rank(0, 1, 10, 0)], 2: [rank(0, 2, 20, 0, steps=())]})
    assert found.span_of == "device"
    assert [row.step_seconds for row in found.rows] == [None, None]
    assert "steps are not marked in all traces" in found.remarks[-1]


def test_different_devices_are_said() -> None:
    a100 = Device("nvidia", "NVIDIA A100-SXM4-40GB")
    found = by_workers({1: [rank(0, 1, 10, 0)], 2: [rank(0, 2, 20, 0, device=a100)]})
    assert any("A100-SXM4-40GB, Tesla V100" in said for said in found.remarks)


@pytest.mark.parametrize(
    ("traces", "says"),
    [
        ({8: [rank(0, 8, 1, 0)]}, "two or more"),
        ({8: [rank(0, 8, 1, 0)] * 2, 16: [rank(0, 16, 1, 0)]}, "8-0.json are one file"),
        (
            {4: [rank(0, 8, 1, 0)], 8: [rank(1, 8, 1, 0)]},
            "for 4 workers and for 8 are both of runs of 8 ranks",
        ),
        ({8: [rank(0, 8, 1, 0)], 16: []}, "16 workers: no trace"),
        (
            {
                8: [trace(device=HOST, operators=[operator("aten::mm", 0, 5)])],
                16: [rank(0, 16, 1, 0)],
            },
            "rank0.json for 8 workers has no event on a device",
        ),
    ],
)
def test_what_does_not_compare_is_refused(traces: dict[int, list[Trace]], says: str) -> None:
    with pytest.raises(BadInput, match=re.escape(says)):
        by_workers(traces)
