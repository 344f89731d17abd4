"""Forms of traces that PyTorch has written over the years, and what happens inside them."""

import gzip
import json
from pathlib import Path

from genset.tta.profile.kineto import read_trace
from genset.tta.profile.trace import Device
from tests.tta.profile.events import kernel, launch, operator, write

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
