"""Files that are no trace, or one that was spoilt: a reading or one line, never anything else."""

import gzip
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.tta.profile.kineto import read_trace
from tests.tta.profile.events import event, kernel, launch, operator, write

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
        (" \n", "it is empty"),
        (lambda: "[" * 100 * MB, "nested too deeply"),
        (lambda: '{"traceEvents": [{"args": ' + '{"a":' * MB, "nested too deeply"),
        (lambda: "hello world " * MB, "it is no JSON"),
        ("\0" * 1000, "it is no JSON"),
        (lambda: " " * 3 * MB + "[", "may not have finished"),
        (lambda: '"' + "a" * 20 * MB, "it is no JSON"),
        (lambda: "[" + '{"name": "' + "a" * 20 * MB, "longer than 16 MB"),
        (lambda: '{"a": [' + "0," * 9 * MB + "0]}", "longer than 16 MB"),
        ("{}", "it has no traceEvents"),
        ('{"nodes": [1]}', "it has no traceEvents"),
        ('{"traceEvents": {}}', "it has no traceEvents"),
        ('{"traceEvents": null}', "it has no traceEvents"),
        ('{"traceEvents": []}', "it has no event: the profiler recorded nothing"),
        ("[]", "it has no event"),
        ("[1, 2]", "an event is no object"),
        ('{"traceEvents": [null]}', "an event is no object"),
        ("[{}]", "none of its events is one of PyTorch's profiler"),
        (f"[{ONE}] [{ONE}]", "something follows"),
        (f"[{ONE} {ONE}]", "it is no JSON after character"),
        (f"[{ONE},]", "it is no JSON after character"),
        (f"[{ONE}", "may not have finished"),
        (f'{{"traceEvents": [{ONE}], "displ', "may not have finished"),
        (f'{{"traceEvents": [{ONE}]', "may not have finished"),
        (ONE[:-9], "may not have finished"),
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


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "FILE cannot be read: Is a directory"
    assert refusal(tmp_path / "none.json") == "FILE cannot be read: No such file or directory"


@pytest.mark.soak
def test_gzip_that_is_cut_off_or_damaged_or_a_bomb(tmp_path: Path) -> None:
    whole = gzip.compress(f"[{','.join([ONE] * 1000)}]".encode())
    path = tmp_path / "trace.json.gz"
    path.write_bytes(whole[:-20])
    assert "it is cut off" in refusal(path)
    path.write_bytes(whole[:40] + b"\0\0\0\0" + whole[44:])
    assert "its gzip is damaged" in refusal(path)
    path.write_bytes(whole + b"more")
    assert "its gzip is damaged" in refusal(path)
    for start, filling, why in (
        (b"", b"\0", "no JSON"),
        (b"", b" ", "it is empty"),
        (b'["', b"a", "16"),
    ):
        path.write_bytes(gzip.compress(start + filling * 64 * MB))
        assert why in refusal(path)


def test_more_events_than_fit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "long.json", [operator(f"op{n}", n, 1) for n in range(1000)])
    monkeypatch.setattr("genset.tta.profile.collect._MOST", 999)
    assert "more events than fit: record fewer steps" in refusal(path)
    monkeypatch.setattr("genset.tta.profile.trace._EVENTS", 100)
    assert "more than 100 events" in refusal(path)
    monkeypatch.setattr("genset.tta.profile.trace._LONGEST", 1000)
    assert "GB of text" in refusal(path)


@pytest.mark.parametrize(
    ("category", "name"),
    [
        ("xpu_runtime", "zeCommandListAppendLaunchKernel"),
        ("hpu_op", "gemm"),
        ("privateuse1_driver", "x"),
    ],
)
def test_other_accelerators_are_named(tmp_path: Path, category: str, name: str) -> None:
    path = write(tmp_path / "other.json", [operator("aten::mm", 1, 2), event(category, name, 1, 2)])
    why = f"it is of another accelerator or profiler ({category}); genset reads PyTorch's"
    assert why in refusal(path)


@pytest.mark.parametrize(
    ("process", "what"),
    [
        ("/device:TPU:0", "/device:TPU"),
        ("/device:GPU:0", "/device:GPU"),
        ("Ascend Hardware", "Ascend Hardware"),
    ],
)
def test_traces_of_other_profilers_are_named(tmp_path: Path, process: str, what: str) -> None:
    named = {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": process}}
    path = write(tmp_path / "other.json", [named])
    assert f"it is of another accelerator or profiler ({what});" in refusal(path)


@pytest.mark.parametrize("time", [None, "1", True, [], -1, 1e30, 10**400, float("nan"), 90_000e6])
def test_an_event_without_a_right_time_is_left_out_and_counted(
    tmp_path: Path, time: object
) -> None:
    path = write(
        tmp_path / "times.json",
        [
            {**kernel("broken", 1, 2, 1), "dur": time},
            {**operator("far", 1, 2), "ts": time if time != -1 else 5e15},
            *[kernel("whole", at, 2, at) for at in (5, 9, 20)],
        ],
    )
    trace = read_trace(path)
    assert [(each.name, each.start, each.length) for each in trace.kernels] == [
        ("whole", 0, 2),
        ("whole", 4, 2),
        ("whole", 15, 2),
    ]
    assert trace.operators == []
    assert trace.missing[0].startswith("2 events left out")
    alone = write(tmp_path / "alone.json", [{**kernel("broken", 1, 2, 1), "dur": time}])
    assert "none of its events has a right time" in refusal(alone)


# What may stand where a number, a word or a list is due.
ODD = [None, -1, 10**30, float("nan"), float("inf"), "x", "\ud800", True, [], {}, [None], [[[]]]]


def test_odd_values_give_a_reading_or_one_line(tmp_path: Path) -> None:
    chance = random.Random(22)
    path = tmp_path / "odd.json"
    readings = 0
    for _ in range(300):
        events = [
            operator("aten::mm", 1, 9, Input_Dims=[[1, 2], [2, 3]], Input_type=["float", ""]),
            launch(2, 1),
            kernel("k", 4, 2, 1, External_id=1),
            event("user_annotation", "nccl:all_reduce", 20, 5, Input_Dims=[[9]]),
            event("gpu_memcpy", "Memcpy", 30, 2, bytes=9),
        ]
        members = {"distributedInfo": {"rank": 0, "world_size": 2}, "deviceProperties": [{}]}
        for each in (*events, *(each["args"] for each in events), members):
            for key in each:
                if chance.random() < 0.1:
                    each[key] = chance.choice(ODD)
        write(path, events, **members)
        try:
            trace = read_trace(path)
        except BadInput as error:
            assert "\n" not in str(error)
            continue
        readings += 1
        for one in trace.operators:
            assert one.shapes is None or len(one.types) == len(one.shapes)
            assert len(one.values) in (0, len(one.shapes or ()))
        assert all(each.length >= 0 <= each.start < 1e9 for each in trace.kernels)
    assert readings > 200


@pytest.mark.realdata
def test_a_real_trace_spoilt_anywhere_gives_a_reading_or_one_line(
    realdata: Path, tmp_path: Path
) -> None:
    packed = (realdata / "traces" / "amd_mi250.json.gz").read_bytes()
    text = gzip.decompress(packed)
    chance = random.Random(22)
    path = tmp_path / "spoilt.json"
    for round_ in range(200):
        whole = packed if round_ % 4 > 1 else text
        at = chance.randrange(len(whole))
        if round_ % 2:
            spoilt = whole[:at]
        else:
            spoilt = whole[:at] + bytes([chance.randrange(256)]) + whole[at + 1 :]
        path.write_bytes(spoilt)
        if round_ % 2:  # cut off: all but the last byte matter, and that is a blank or a bracket
            assert re.search("cut off|empty|no JSON", refusal(path))
            continue
        try:
            assert read_trace(path).kernels
        except BadInput as error:
            assert "\n" not in str(error)
