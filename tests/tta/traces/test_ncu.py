"""What Nsight Compute prints of its counters, in each of its forms."""

import gzip
from pathlib import Path

import pytest

from genset.core.errors import BadInput
from genset.tta.traces.ncu import METRICS, MeasuredKernel, Measurement, read_counters

BEFORE = "==PROF== Connected to process 7 (python3.11)\nepoch 1, loss 0.5\n"
LONG = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",'
    '"Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"\n'
)
TENSOR = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
ELAPSED = TENSOR.removesuffix("active") + "elapsed"


def row(launch: int, name: str, metric: str, unit: str, value: str) -> str:
    return (
        f'"{launch}","7","python3.11","host","{name}","1","7","(256, 1, 1)","(8, 1, 1)","0","8.0",'
        f'"Command line profiler metrics","{metric}","{unit}","{value}"\n'
    )


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_row_for_each_metric(tmp_path: Path) -> None:
    text = (
        BEFORE
        + LONG
        + row(0, "void gemm<half>(int, float)", "dram__bytes.sum", "Mbyte", "1,234.5")
        + row(0, "void gemm<half>(int, float)", "gpu__time_duration.sum", "usecond", "1,500.25")
        + row(0, "void gemm<half>(int, float)", TENSOR, "%", "45.42")
        + "epoch 2, loss 0.25\n"
        + row(1, "relu", "gpu__time_duration.sum", "nsecond", "2,848")
        + row(1, "relu", TENSOR, "%", "n/a")
        + row(2, "relu", "gpu__time_duration.sum", "ms", "2")
        + row(2, "relu", "dram__bytes_read.sum", "Kbyte", "1")
        + row(2, "relu", "dram__bytes_write.sum", "byte", "24")
        + row(2, "relu", "sm__inst_executed_pipe_tensor.sum", "inst", "5")
        + "==PROF== Disconnected from process 7\n"
    )
    expected = [
        MeasuredKernel("void gemm<half>(int, float)", 1500.25 * 1e-6, 1_234_500_000, 0.4542),
        MeasuredKernel("relu", 2848 * 1e-9, None, None),
        MeasuredKernel("relu", 2e-3, 1024, None),
    ]
    assert read_counters(written(tmp_path / "long.csv", text)) == Measurement(TENSOR, [], expected)
    packed = tmp_path / "long.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_counters(packed).kernels == expected
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):  # as PowerShell's > writes it
        wide = tmp_path / f"{encoding}.csv"
        mark = "" if encoding == "utf-16" else "\ufeff"
        wide.write_bytes((mark + text).encode(encoding))
        assert read_counters(wide).kernels == expected
        packed.write_bytes(gzip.compress(wide.read_bytes()))
        assert read_counters(packed).kernels == expected


def test_a_row_for_each_launch_below_a_row_of_units(tmp_path: Path) -> None:
    text = (
        f'"ID","Kernel Name","Device","dram__bytes.sum","gpu__time_duration.sum","{ELAPSED}"\n'
        '"","","","Gbyte","msecond","%"\n'
        '"0","volta_h884gemm","0","1.5","2.5","100.2"\n'
        '"1","volta_h884gemm","0","","0.5","0"\n'
    )
    found = read_counters(written(tmp_path / "raw.csv", BEFORE + text))
    assert found.metric == ELAPSED
    assert found.kernels == [
        MeasuredKernel("volta_h884gemm", 2.5e-3, 1.5e9, 1.0),
        MeasuredKernel("volta_h884gemm", 0.5e-3, None, 0.0),
    ]


def test_of_several_metrics_one_is_read_for_all_kernels(tmp_path: Path) -> None:
    """Shares of different cycles do not compare, and are not joined."""
    older = TENSOR.replace("tensor_cycles", "tensor_op_hmma_cycles")
    rows = [(0, ELAPSED, "10"), (0, TENSOR, "90"), (0, older, "20"), (1, ELAPSED, "30")]
    text = "".join(row(at, "k", metric, "%", value) for at, metric, value in rows)
    times = "".join(row(at, "k", "gpu__time_duration.sum", "us", "5") for at in (0, 1))
    found = read_counters(written(tmp_path / "a.csv", LONG + text + times))
    assert (found.metric, found.passed_over) == (TENSOR, [ELAPSED, older])
    assert [each.matrix_units for each in found.kernels] == [pytest.approx(0.9), None]
    alone = written(tmp_path / "b.csv", LONG + GOOD + row(0, "k", older, "%", "45.4"))
    found = read_counters(alone)
    assert (found.metric, found.kernels[0].matrix_units) == (older, pytest.approx(0.454))


GOOD = row(0, "k", "gpu__time_duration.sum", "us", "5")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no row of columns with 'Kernel Name': record it with ncu --csv --metrics"),
        (
            BEFORE + "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n",
            "NVreg_RestrictProfilingToAdminUsers=0",
        ),
        (
            LONG + row(0, "k", "sm__throughput.avg", "%", "5"),
            f"has none of the metrics {TENSOR}, dram__bytes.sum, gpu__time_duration.sum: measure "
            f"them, ncu --csv --metrics {TENSOR},",
        ),
        (LONG, "has no kernel"),
        (LONG + row(0, "k", TENSOR, "%", "5"), "has no time of 'k': record gpu__time_duration"),
        (LONG + GOOD.replace('"5"', '"0"'), "has no time of 'k'"),
        (LONG + GOOD.replace('"5"', '"-5"'), "is no number of ncu's: '-5'"),
        (LONG + GOOD.replace('"5"', '"1.234,5"'), "is no number of ncu's"),
        (LONG + GOOD.replace('"us"', '"fortnight"'), "in a unit that is not known: 'fortnight'"),
        (LONG + GOOD + row(0, "k", TENSOR, "%", "400"), "are more than all"),
        (LONG + GOOD, f"has no value of {TENSOR}: measure it, ncu --csv --metrics {METRICS} "),
        (LONG + GOOD + row(0, "k", "dram__bytes.sum", "Kbyte", "5"), f"no value of {TENSOR}"),
        (LONG + GOOD + row(0, "k", TENSOR, "%", "n/a"), f"no value of {TENSOR}"),
        (LONG + GOOD + row(0, "k", f"{TENSOR[:29]}.sum", "cycle", "90"), f"no value of {TENSOR}"),
        (LONG + GOOD + GOOD[:60] + "\n", "cut off or damaged"),
        (LONG + GOOD + '"' + "a" * 300_000, "no CSV file of Nsight Compute's"),
        ("\0\1\2" * 1000, "has no row of columns"),
        ("ID,Kernel Name,gpu__time_duration.sum\n0,k,5\n1,k,5\n", "has no row of units"),
    ],
    ids=lambda value: value[-40:] if len(value) < 5000 else "long",
)
def test_what_is_no_such_file_is_refused_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = written(tmp_path / "bad.csv", text)
    with pytest.raises(BadInput) as caught:
        read_counters(path)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_metrics_to_ask_for_are_those_that_are_read() -> None:
    assert METRICS.split(",") == [TENSOR, "dram__bytes.sum", "gpu__time_duration.sum"]
