"""Points given by hand, and counters: what is printed of them, and what they are of."""

from pathlib import Path

import pytest

from tests.tta.analysis.answers import answer, printed, refusal
from tests.tta.profile.test_commands import row

BUSY = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained"


def write_counters(path: Path, **percents: str) -> str:
    """What was measured of two launches of a kernel, of 3 and 1 microseconds, by metric."""
    head = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    rows = [
        f'"{at}","gemm","{metric}","{unit}","{value}"\n'
        for at, time in enumerate(("3", "1"))
        for metric, unit, value in (
            ("gpu__time_duration.sum", "us", time),
            ("dram__bytes.sum", "Kbyte", "900"),
            *((f"{BUSY}_{of}", "%", several.split()[at]) for of, several in percents.items()),
        )
    ]
    path.write_text(head + "".join(rows))
    return f"{path.stem}={path}"


def test_what_counters_are_of_is_named_by_run(tmp_path: Path) -> None:
    one = write_counters(tmp_path / "one.csv", active="80 40", elapsed="60 20")
    other = write_counters(tmp_path / "other.csv", elapsed="60 20")
    text = printed("profile", "--counters", one)
    table = "Measured by the hardware's counters"
    assert "matrix units work, mean weighted by time" in text
    cells = [cell.strip() for cell in row(text, table, "one")]
    assert cells[3:5] == ["70.0 %", f"{BUSY}_active"]
    assert f"{BUSY}_active: of the cycles in which an SM was active" in text
    assert f"one: {BUSY}_active is taken, and {BUSY}_elapsed in its file passed over" in text
    assert "do not compare" not in text
    text = printed("profile", "--counters", one, "--counters", other)
    assert [cell.strip() for cell in row(text, table, "other")][3:5] == [
        "50.0 %",
        f"{BUSY}_elapsed",
    ]
    assert f"{BUSY}_elapsed: of all cycles of a kernel" in text
    assert "runs were measured by different metrics, which do not compare" in text
    found = answer("profile", "--counters", one)["counters"][0]
    assert (found["metric"], found["passed_over"]) == (f"{BUSY}_active", [f"{BUSY}_elapsed"])


def test_counters_that_measured_bytes_alone_say_so(tmp_path: Path) -> None:
    none = write_counters(tmp_path / "none.csv", active="n/a n/a")
    text = printed("profile", "--counters", none)
    assert "none: of no kernel the matrix units were measured" in text
    assert "1.8 MB" in text
    bytes_alone = write_counters(tmp_path / "bytes.csv")
    assert f"has no value of {BUSY}_active: measure it, ncu --csv" in refusal(
        "profile", "--counters", bytes_alone
    )


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ("2.1e20,3.2e13,60", "big: the point is above the roof, 76,086.96 times: its FLOPs"),
        ("2.1e14,3.2e15,60", "big: the point is above the roof, 76.19 times: what it read was"),
        ("2.1e14,3.2e13,60", ""),
    ],
)
def test_a_point_above_the_roof_is_said(numbers: str, says: str) -> None:
    words = ["profile", "--point", f"big={numbers}", "--device", "TPUv2"]
    assert ("above the roof" in printed(*words)) == bool(says)
    assert says in printed(*words)
    (point,) = answer(*words)["points"]
    assert bool(point["remarks"]) == bool(says)


def test_a_peak_is_quoted_as_the_table_has_it() -> None:
    words = ["profile", "--point", "a=1e15,1e13,30", "--device"]
    assert "memory 2,039 GB/s" in printed(*words, "NVIDIA A100-SXM4-80GB")
    text = printed(*words, "H100 SXM")
    assert "tf32 494.7 TFLOP/s, float16 989.4 TFLOP/s" in text
    assert "whitepaper (matrix units, dense), NVIDIA H100 datasheet (float32, memory))" in text
