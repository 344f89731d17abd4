"""Traces as PyTorch has written them over the years, and files that are none or were spoilt."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.tta.profile.kineto import read_trace
from genset.tta.profile.trace import Device
from tests.tta.profile.events import event, kernel, launch, operator, write

V100 = [{"id": 0, "name": "Tesla V100-SXM2-32GB", "computeMajor": 7, "computeMinor": 0}]


def test_members_stand_in_any_order_and_bytes_are_gzipped_or_not(tmp_path: Path) -> None:
    events = [operator("aten::mm", 10, 5), launch(11, 3), kernel("sgemm", 20, 4, 3)]
    about = {"deviceProperties": V100, "distributedInfo": {"rank": 3, "world_size": 8}}
    after = write(tmp_path / "after.json.gz", events, **about)
    before = tmp_path / "before.json"
    before.write_text(json.dumps({**about, "other": [{"deep": [1]}], "traceEvents": events}))
    for path in (after, before):
        trace = read_trace(path)
        assert trace.device == Device("nvidia", "Tesla V100-SXM2-32GB")
        assert (trace.rank, trace.ranks) == (3, 8)
        assert (trace.kernels[0].operator, trace.kernels[0].start) == (0, 10)
    bare = tmp_path / "list.json"
    bare.write_text(json.dumps([operator("aten::mm", 10, 5)]))
    assert [each.name for each in read_trace(bare).operators] == ["aten::mm"]


def test_inputs_are_shapes_types_and_values(tmp_path: Path) -> None:
    listed = {"Input_Dims": [[[2, 3], [4, 3]], []], "Input_type": ["TensorList", "Scalar"]}
    events = [
        operator("aten::cat", 1, 2, **listed, Concrete_Inputs=["", "0"]),
        operator("aten::relu", 4, 1, Input_Dims=[[2, None]], Input_type=["float"]),
        operator("aten::add", 6, 1),
    ]
    cat, relu, add = read_trace(write(tmp_path / "inputs.json", events)).operators
    assert cat.shapes == ((), ())
    assert (cat.types, cat.values) == (("TensorList", "Scalar"), ("", "0"))
    assert (relu.shapes, relu.types) == (None, ())
    assert (add.shapes, add.types, add.values) == (None, (), ())


def test_own_time_is_without_what_was_called_on_the_same_thread(tmp_path: Path) -> None:
    events = [
        operator("aten::conv2d", 0, 100),
        operator("aten::convolution", 10, 60),
        operator("aten::cudnn_convolution", 20, 30),
        operator("aten::add_", 80, 20),  # ends with its parent
        operator("aten::relu", 100, 10),  # begins where another ended
        operator("elsewhere", 10, 60, tid=8),
    ]
    trace = read_trace(write(tmp_path / "own.json", list(reversed(events))))
    by_name = {each.name: each for each in trace.operators}
    assert [by_name[each["name"]].self_time for each in events] == [20, 30, 30, 20, 10, 60]
    assert by_name["elsewhere"].parent is by_name["aten::relu"].parent is None
    # Seconds since 1970 in a float are exact to a quarter of a microsecond.
    year = 1712195495505582.0
    events = [operator("first", year, 10.217), operator("second", year + 10.0, 40.5)]
    first, second = read_trace(write(tmp_path / "rounded.json", events)).operators
    assert (second.parent, first.self_time, second.self_time) == (None, 10.217, 40.5)


def test_several_devices_and_names_of_strangers(tmp_path: Path) -> None:
    events = [
        kernel("a\x1b[31m\nb" + "c" * 20_000, 1, 2, 1, device=1),
        kernel("\ud800", 5, 2, 2, device=1),
        kernel("x", 9, 2, 3, device=0),
    ]
    devices = [*V100, {"id": 1, "name": "\u202eAMD Instinct MI250X", "computeMajor": 9}]
    trace = read_trace(write(tmp_path / "names.json", events, deviceProperties=devices))
    first, second, _ = trace.kernels
    assert first.name.startswith("a[31m bccc")
    assert len(first.name) == 10_000
    assert second.name == "(no name)"
    assert trace.device == Device("amd", "AMD Instinct MI250X")
    text = json.dumps([operator("before", 1, 2), operator("HERE", 5, 2)]).encode()
    path = tmp_path / "bytes.json.gz"  # bytes that are no UTF-8 cost themselves alone
    path.write_bytes(gzip.compress(text.replace(b"HERE", b"\xff\xfe")))
    assert [each.start for each in read_trace(path).operators] == [0, 4]


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
