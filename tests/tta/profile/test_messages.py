"""The sizes of messages: of the calls of a process group, and as recorded with a kernel."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from genset.tta.words import quantity, rate
from tests.tta.answers import answer, printed
from tests.tta.profile.made import NCCL
from tests.tta.traces.made import Event, event, kernel, launch, write
from tests.tta.traces.test_real import events_of

MEGA = 1_000_000
EIGHT = {"rank": 0, "world_size": 8, "backend": "nccl"}


def called(calls: Sequence[tuple[str, Any, Any]]) -> list[Event]:
    """Calls of a process group (title, shapes, types), each with a kernel of a millisecond."""
    events: list[Event] = []
    for at, (title, shapes, types) in enumerate(calls):
        start = 2000 * at
        events += [
            event("user_annotation", title, start, 9, Input_Dims=shapes, Input_type=types),
            launch(start + 2, at + 1),
            kernel(NCCL, start + 20, 1000, at + 1),
        ]
    return events


def recorded(at: int, **about: Any) -> Event:
    """A kernel of a millisecond with what newer versions write beside it."""
    said = {"Collective_name": "allreduce", "Group_size": 8, "dtype": "Float", **about}
    return kernel(NCCL, 2000 * at, 1000, at + 1, **said)


@pytest.mark.parametrize(
    ("title", "size", "bus"),
    [
        ("nccl:all_to_all", 4 * MEGA, 7 / 8),
        ("nccl:reduce_scatter", 4 * MEGA, 7 / 8),
        ("nccl:_reduce_scatter_base", 4 * MEGA, 7 / 8),
        ("nccl:reduce_scatter_tensor_coalesced", 4 * MEGA, 7 / 8),
        ("nccl:all_gather", 32 * MEGA, 7 / 8),  # what all ranks give
        ("nccl:_all_gather_base", 32 * MEGA, 7 / 8),
        ("nccl:all_gather_into_tensor_coalesced", 32 * MEGA, 7 / 8),
        ("nccl:gather", 32 * MEGA, 7 / 8),
        ("nccl:all_reduce", 4 * MEGA, 14 / 8),
        ("nccl:all_reduce_coalesced", 4 * MEGA, 14 / 8),
        ("nccl:broadcast", 4 * MEGA, 1),
        ("nccl:_broadcast_oop", 4 * MEGA, 1),
        ("nccl:_reduce_oop", 4 * MEGA, 1),
        ("nccl:send 0->1", 4 * MEGA, 1),
    ],
)
def test_a_calls_inputs_tell_its_message(tmp_path: Path, title: str, size: int, bus: float) -> None:
    path = write(tmp_path / "a.json", called([(title, [[MEGA]], ["float"])]), distributedInfo=EIGHT)
    (run,) = answer("profile", path)["runs"]
    (found,) = run["communication"]["rates"]
    assert (found["calls"], found["bytes"]) == (1, size)
    assert found["algorithm_gbits"] == pytest.approx(8 * size / 1e6)
    assert found["bus_gbits"] == pytest.approx(bus * found["algorithm_gbits"])
    assert run["communication"]["unknown_calls"] == 0


@pytest.mark.parametrize("title", ["nccl:coalesced", "nccl:all_reduce_barrier", "nccl:scatter"])
def test_of_other_calls_nothing_is_guessed(tmp_path: Path, title: str) -> None:
    """A scatter's input is the root's alone."""
    path = write(tmp_path / "a.json", called([(title, [[MEGA]], ["float"])]), distributedInfo=EIGHT)
    (run,) = answer("profile", path)["runs"]
    assert run["communication"]["unknown_calls"] == 1


def test_a_groups_size_that_is_not_recorded_is_marked_as_assumed(tmp_path: Path) -> None:
    calls = [("nccl:all_reduce", [[MEGA]], ["float"]), ("nccl:all_gather", [[MEGA]], ["float"])]
    text = printed("profile", write(tmp_path / "a.json", called(calls), distributedInfo=EIGHT))
    assert text.count("8 (assumed)") == 2
    assert "assumed to be all 8 ranks of the run" in text
    # Without it, an all-reduce still has its message, and its fastest call that rate.
    text = printed("profile", write(tmp_path / "b.json", called(calls)))
    assert "assumed" not in text
    assert "32 Gbit/s (algorithm)" in text
    assert "(1 kernel): the message's size is not recorded" in text


def test_why_a_message_has_no_size_is_said(tmp_path: Path) -> None:
    """Also of a trace without operators, which is what the device alone recorded."""
    full = {"In_msg_nelems": MEGA, "Out_msg_nelems": MEGA}
    events = [
        recorded(0, **full),
        recorded(1, **{**full, "dtype": "Float3_weird"}),
        recorded(2, In_msg_nelems=0, Out_msg_nelems=0),
        kernel(NCCL, 6000, 1000, 4),
    ]
    text = printed("profile", f"a={write(tmp_path / 'a.json', events, distributedInfo=EIGHT)}")
    assert "a: 75.0 % of it (3 kernels): the message's size is not recorded" in text
    missing = text[text.index("Not recorded") :]
    assert "No operators" in missing
    assert "1 communication kernel without the size of a message" in missing
    assert "1 communication kernel with elements of an unknown type (Float3_weird)" in missing


@pytest.mark.parametrize("markdown", [[], ["--format", "markdown"]])
def test_there_is_no_table_of_collectives_without_one(tmp_path: Path, markdown: list[str]) -> None:
    path = write(tmp_path / "a.json", [kernel(NCCL, 0, 1000, 1)])
    text = printed("profile", path, *markdown)
    assert "Communication by collective" not in text
    assert "100.0 % of kernel time is communication" in text


@pytest.mark.realdata
@pytest.mark.soak
def test_the_messages_of_a_real_trace(realdata: Path) -> None:
    """By hand from its JSON: each call encloses the launch of one kernel."""
    path = realdata / "traces" / "v100_with_input_dims.json.gz"
    events = events_of(path)
    calls = [each for each in events if each["name"] == "nccl:all_to_all" and each["ph"] == "X"]
    launches = [each for each in events if each.get("cat") == "cuda_runtime"]
    kernels = {
        each["args"]["correlation"]: each
        for each in events
        if each.get("cat") == "kernel" and "SendRecv" in each["name"]
    }
    size, time, one = 0, 0.0, []
    for call in calls:
        (launched,) = (
            kernels[each["args"]["correlation"]]
            for each in launches
            if each["tid"] == call["tid"]
            and call["ts"] <= each["ts"] <= call["ts"] + call["dur"]
            and each["args"]["correlation"] in kernels
        )
        elements = 1
        for side in call["args"]["Input Dims"][0]:
            elements *= side
        size += 4 * elements
        time += launched["dur"]
        one.append(8 * 4 * elements / launched["dur"] / 1e3)
    (run,) = answer("profile", path)["runs"]
    found = next(e for e in run["communication"]["rates"] if e["collective"] == "all_to_all")
    assert (len(calls), found["calls"], found["bytes"]) == (42, 42, size)
    assert found["seconds"] == pytest.approx(time / 1e6)
    assert found["algorithm_gbits"] == pytest.approx(8 * size / time / 1e3)
    assert (found["group"], found["group_assumed"]) == (2, True)
    assert found["bus_gbits"] == pytest.approx(found["algorithm_gbits"] / 2)
    assert found["fastest_algorithm_gbits"] == pytest.approx(max(one))
    text = printed("profile", path)
    line = next(line for line in text.splitlines() if "all_to_all" in line)
    cells = re.split(r"  +", line)
    assert quantity(size, "B") == "3.84 GB"
    assert f"{rate(8 * size / time / 1e3)} Gbit/s" == "207 Gbit/s"
    assert cells[4:8] == ["3.84 GB", "149 ms", "207 Gbit/s", "103 Gbit/s"]
