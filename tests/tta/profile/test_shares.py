"""Shares of a device's time, and which time that is."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.tta.profile.shares import shares, span_of
from tests.tta.answers import answer, printed
from tests.tta.profile import events as made
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


SIZE = 1024
FLOPS = 2 * SIZE**3
INPUTS = {
    "Input Dims": [[SIZE, SIZE]] * 2,
    "Input type": ["c10::Half"] * 2,
    "Concrete Inputs": ["", ""],
}
ON_CORES = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn"
A100 = {"id": 0, "name": "NVIDIA A100-SXM4-80GB", "computeMajor": 8, "computeMinor": 0}


def write(path: Path, *products: tuple[float, float, float]) -> Path:
    """A step of 1 ms is marked; products by when they were called and ran, from, to."""
    events = [made.event("user_annotation", "ProfilerStep#1", 0, 1000)]
    for place, (call, start, end) in enumerate(products):
        number = {"External id": place + 1}
        events += [
            made.operator("aten::mm", call, 5, **number, **INPUTS),
            made.launch(call + 1, place + 1, **number),
            made.kernel(ON_CORES, start, end - start, place + 1, **number),
        ]
    return made.write(path, events, deviceProperties=[A100])


def run_of(path: Path) -> dict[str, Any]:
    (run,) = answer("profile", f"run={path}")["runs"]
    found: dict[str, Any] = run
    return found


def test_a_kernel_that_outlasts_its_step_counts_with_all_its_time(tmp_path: Path) -> None:
    """The host's step has 1 ms, what it launched runs from 0.95 to 36 ms."""
    found = run_of(write(tmp_path / "tail.json", (900, 950, 36_000)))
    roofline, (line,) = found["roofline"], found["shares"]
    assert roofline["run"]["seconds"] == pytest.approx(36e-3)
    assert roofline["busy"]["seconds"] == pytest.approx(35.05e-3)
    assert roofline["run"]["tflops"] == pytest.approx(FLOPS / 36e-3 / 1e12)
    assert line["computing"] == pytest.approx(35.05 / 36)
    assert line["steps"] == 1


def test_what_no_step_launched_is_no_work_of_theirs_and_is_said(tmp_path: Path) -> None:
    """One product was called before the step and runs in it, one after it and runs after it."""
    path = write(tmp_path / "a.json", (-90, 100, 200), (10, 200, 500), (1100, 1200, 1800))
    found = run_of(path)
    assert found["roofline"]["run"]["flops"] == FLOPS
    assert found["roofline"]["run"]["seconds"] == pytest.approx(1e-3)
    (other,) = found["roofline"]["other_work"]
    assert (other["name"], other["seconds"]) == ("aten::mm", pytest.approx(1e-4))
    assert found["outside"] == pytest.approx(0.6)
    assert found["matrix_units"]["families"][0]["kernels"] == 2
    text = printed("profile", "--all", f"run={path}")
    assert "run: 60.0 % of the trace's kernel time is outside of the marked steps" in text
    assert "of the time in other operators: aten::mm" in text
    alone = printed("profile", "--all", f"run={write(tmp_path / 'b.json', (10, 200, 500))}")
    assert "outside" not in alone
