"""Shares of a device's time: against a line of microseconds, swept one by one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.tta.profile.shares import shares, span_of
from tests.tta.profile.made import HOST, NCCL, copy, kernel, operator, trace


def test_each_device_of_a_rank_has_a_line_and_a_host_has_none() -> None:
    elsewhere = trace(kernel(500, 600), steps=((0, 100),))
    assert span_of([elsewhere]) == "device"
    found = shares(trace(kernel(0, 10), kernel(20, 40, on=(3, 1))), "device")
    told = [(line.device, line.span_seconds, line.computing) for line in found]
    assert told == [(0, 10e-6, 1), (3, 20e-6, 1)]
    alone = trace(device=HOST, operators=[operator("aten::mm", 0, 10)], steps=((0, 10),))
    assert shares(alone, span_of([alone])) == []
    instant = trace(kernel(5, 5))
    assert shares(instant, "device") == []


SPANS = st.tuples(
    st.integers(0, 60), st.integers(0, 30), st.sampled_from(["compute", "talk", "copy"]),
    st.integers(1, 3),
)  # fmt: skip


@given(st.lists(SPANS, min_size=1, max_size=25), st.booleans())
def test_any_events_give_what_a_line_of_microseconds_gives(
    events: list[tuple[int, int, str, int]], steps: bool
) -> None:
    made: dict[str, list[Any]] = {"compute": [], "talk": [], "copy": []}
    for start, long, what, stream in events:
        on = (0, stream)
        if what == "copy":
            made[what].append(copy(start, start + long, on))
        else:
            made[what].append(kernel(start, start + long, NCCL if what == "talk" else "a", on))
    found = trace(
        *made["compute"],
        *made["talk"],
        copies=tuple(made["copy"]),
        steps=((5, 40),) if steps else (),
    )
    lines = shares(found, "steps" if steps else "device")
    start = 5 if steps else min(e[0] for e in events)
    end = 40 if steps else max(e[0] + e[1] for e in events)
    if end == start:
        assert lines == []
        return
    running = [
        {what for at, long, what, _ in events if at <= tick < at + long}
        for tick in range(start, end)
    ]
    expected = {
        "computing": sum("compute" in now for now in running),
        "copies": sum("copy" in now for now in running),
        "communication": sum("talk" in now for now in running),
        "exposed": sum("talk" in now and "compute" not in now for now in running),
        "copying_alone": sum(now == {"copy"} for now in running),
        "idle": sum(not now for now in running),
    }
    (line,) = lines
    for name, ticks in expected.items():
        assert getattr(line, name) == pytest.approx(ticks / (end - start)), name
    whole = line.computing + line.exposed + line.copying_alone + line.idle
    assert whole == pytest.approx(1)
