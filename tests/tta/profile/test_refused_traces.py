"""Files that are no trace, or one that was spoilt: a reading or one line, never anything else."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.tta.profile.kineto import read_trace
from tests.tta.profile.events import event, kernel, operator, write

MB = 2**20
ONE = json.dumps(operator("aten::mm", 1, 2))


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_trace(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message.replace(str(path), "FILE")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        (lambda: '{"traceEvents": [{"args": ' + '{"a":' * MB, "nested too deeply"),
        (lambda: "hello world " * MB, "it is no JSON"),
        (lambda: "[" + '{"name": "' + "a" * 20 * MB, "longer than 16 MB"),
        ("{}", "it has no traceEvents"),
        ('{"traceEvents": []}', "it has no event: the profiler recorded nothing"),
        ("[1, 2]", "an event is no object"),
        ("[{}]", "none of its events is one of PyTorch's profiler"),
        (f"[{ONE},]", "it is no JSON after character"),
        (f"[{ONE}", "may not have finished"),
        ("[" + ONE.replace("2", "9" * 5000) + "]", "thousands of digits"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "long",
)
def test_what_is_no_trace_is_refused_in_one_line(
    tmp_path: Path, text: str | Callable[[], str], why: str
) -> None:
    path = tmp_path / "trace.json"
    path.write_text(text if isinstance(text, str) else text())
    assert why in refusal(path)


def test_files_that_are_none_cut_off_damaged_or_a_bomb(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "FILE cannot be read: Is a directory"
    assert refusal(tmp_path / "none.json") == "FILE cannot be read: No such file or directory"
    whole = gzip.compress(f"[{','.join([ONE] * 1000)}]".encode())
    path = tmp_path / "trace.json.gz"
    path.write_bytes(whole[:-20])
    assert "it is cut off" in refusal(path)
    path.write_bytes(whole[:40] + b"\0\0\0\0" + whole[44:])
    assert "its gzip is damaged" in refusal(path)
    for start, filling, why in ((b"", b" ", "it is empty"), (b'["', b"a", "16")):
        path.write_bytes(gzip.compress(start + filling * 64 * MB))
        assert why in refusal(path)


def test_traces_of_other_accelerators_and_profilers_are_named(tmp_path: Path) -> None:
    why = "it is of another accelerator or profiler ({}); genset reads PyTorch's"
    for category in ("xpu_runtime", "hpu_op", "privateuse1_driver"):
        events = [operator("aten::mm", 1, 2), event(category, "gemm", 1, 2)]
        assert why.format(category) in refusal(write(tmp_path / "other.json", events))
    for process, what in (("/device:TPU:0", "/device:TPU"), ("Ascend Hardware", "Ascend Hardware")):
        named = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": process}}
        assert why.format(what) in refusal(write(tmp_path / "other.json", [named]))


@pytest.mark.parametrize("time", [None, "1", -1, 10**400, float("nan"), 90_000e6])
def test_an_event_without_a_right_time_is_left_out_and_counted(
    tmp_path: Path, time: object
) -> None:
    broken = {**kernel("broken", 1, 2, 1), "dur": time}
    far = {**operator("far", 1, 2), "ts": 5e15}
    whole = [kernel("whole", at, 2, at) for at in (5, 9)]
    trace = read_trace(write(tmp_path / "times.json", [broken, far, *whole]))
    assert [(each.start, each.length) for each in trace.kernels] == [(0, 2), (4, 2)]
    assert trace.operators == []
    assert trace.missing[0].startswith("2 events left out")
    alone = write(tmp_path / "alone.json", [broken])
    assert "none of its events has a right time" in refusal(alone)
