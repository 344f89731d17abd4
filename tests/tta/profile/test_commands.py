"""`genset tta profile`: what it prints, draws and refuses, and that docs/profiling.md says so."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.tta.figures import line_style
from genset.tta.profile.kineto import read_trace
from genset.tta.profile.peaks import KNOWN_DEVICES, find_peaks
from genset.tta.profile.trace import HOW
from tests.tta.answers import answer, printed, refusal, texts
from tests.tta.profile.recorded import PRODUCT, write_host, write_rank


@pytest.fixture
def ranks(tmp_path: Path) -> list[Path]:
    """Two ranks, of which the second waits less for the first."""
    one = write_rank(tmp_path / "rank0.json.gz", 0)
    return [one, write_rank(tmp_path / "rank1.json", 1, talk=200.0)]


def row(text: str, title: str, begins: str) -> list[str]:
    """The cells of a line of the table that has this title."""
    lines = text[text.index(title) :].splitlines()[3:]
    line = next(line for line in lines if line.lstrip().startswith(begins))
    return [cell for cell in line.split("  ") if cell.strip()]


def test_three_lines_say_how_busy_the_device_was_and_what_to_do(
    ranks: list[Path], tmp_path: Path
) -> None:
    bare = write_rank(tmp_path / "bare.json", shapes=False)
    slow = "run: hinders most: products slower than the device's peak, 58 %"
    for path, hinders, then in (
        (ranks[0], slow, "multiples of 8"),
        (bare, "operators beside", "record_shapes"),
    ):
        title, _, busy, worst, then_line, more = printed("profile", f"run={path}").splitlines()
        assert title == "Summary"
        assert busy.startswith("run: busy: computing ")
        assert hinders in worst
        assert then in then_line
        assert "genset tta profile --all" in more


@pytest.mark.realdata
def test_counters_in_place_of_times_are_named(realdata: Path) -> None:
    text = printed("profile", realdata / "cases" / "tta" / "cupti_counters.json.gz")
    assert "hardware counters of 77: record without experimental_config" in text


def test_runs_stand_side_by_side_and_a_trace_alone_is_named_after_its_file(
    ranks: list[Path], tmp_path: Path
) -> None:
    plain = write_rank(tmp_path / "b" / "plain.pt.trace.json.gz", ranks=1, talk=0.0)
    found = answer("profile", f"two={ranks[0]}", f"two={ranks[1]}", plain)["runs"]
    assert [run["name"] for run in found] == ["two", "plain"]
    assert [len(run["shares"]) for run in found] == [2, 1]
    assert found[1]["shares"][0]["communication"] == 0
    text = printed("profile", f"two={ranks[0]}", f"two={ranks[1]}", plain, "--format", "markdown")
    assert "## Kernel time by family" in text
    assert "| kernels | generation | use them | two | plain |" in text


def test_what_a_trace_does_not_hold_is_named_by_rank_with_what_to_record(tmp_path: Path) -> None:
    paths = [write_rank(tmp_path / f"{at}.json", at, shapes=at > 0, steps=False) for at in range(2)]
    text = printed("profile", "--all", *(f"run={path}" for path in paths))
    assert "run: rank 0: No shapes of inputs: record with record_shapes=True." in text
    assert "run: each rank: No steps" in text
    assert text.count("No steps") == 1
    assert text.endswith("genset tta profile --how prints how to record it\n")
    assert printed("profile", "--how") == f"{HOW}\n"


def test_points_need_no_trace() -> None:
    words = ["--point", "tpu=4.6e14,1e13,20", "--device", "tpu=TPUv2"]
    assert "by hand" in row(printed("profile", "--all", *words), "Achieved", "tpu")[1]
    (point,) = answer("profile", *words)["points"]
    assert point["point"]["tflops"] == pytest.approx(23)
    assert point["point"]["of_peak"] == pytest.approx(0.5)


def test_own_peaks_are_of_all_runs_or_of_one(ranks: list[Path]) -> None:
    words = ["profile", f"a={ranks[0]}", f"b={ranks[1]}"]

    def peaks(*more: object) -> list[Any]:
        return [run["roofline"]["peaks"] for run in answer(*words, *more)["runs"]]

    assert [each["tflops"] for each in peaks("--peak-tflops", 40)] == [{"given": 40}] * 2
    both = peaks("--peak-tflops", 40, "--peak-tflops", "b=50", "--peak-gbs", "a=600")
    assert [each["tflops"] for each in both] == [{"given": 40}, {"given": 50}]
    assert [each["gbs"] for each in both] == [600, 900]
    assert [each["source"] for each in both] == ["as given", "as given and NVIDIA V100 datasheet"]
    assert peaks("--device", "a=H100 PCIe")[0]["device"] == "H100 PCIe"


def test_what_profile_does_not_take_is_said_in_one_line(ranks: list[Path]) -> None:
    run = f"run={ranks[0]}"
    for words, message in (
        ([f"={ranks[0]}"], "write NAME=FILE"),
        ([run, run], "are one file"),
        ([run, f"other={ranks[0]}"], "is given for run and for other"),
        ([run, "--point", "run=1,1,1"], "another run is called run"),
        ([run, "--peak-tflops", "0"], "write a number above 0"),
        ([run, "--peak-gbs", "other=5"], "no run is called other (run)"),
        ([run, "--peak-gbs", "5", "--peak-gbs", "6"], "once for all"),
        ([run, "--device", "run=Abacus"], "Abacus"),
        (["run=missing.json"], "missing.json"),
        ([__file__], "it is no JSON, as torch.profiler's export_chrome_trace"),
        ([run, "-o", "a.gif"], "written as .png or .svg"),
    ):
        said = refusal("profile", *words)
        assert message in said
        assert "\n" not in said
    for words, message in (
        (["profile", run, "--json", "--format", "markdown"], "exclude each other"),
        (["profile", run, "--how"], "--how takes no other options"),
        (["profile"], "Missing argument"),
        (["scaling"], "Missing argument"),
    ):
        result = CliRunner().invoke(cli, ["tta", *words])
        assert result.exit_code == 2
        assert message in result.output


def test_a_run_on_a_device_without_kernels_has_no_rates(tmp_path: Path) -> None:
    """Its operators' times are those of launches."""
    path = write_rank(tmp_path / "gpu.json", talk=0.0)
    found = json.loads(path.read_text())
    events = [each for each in found["traceEvents"] if each["cat"] not in ("kernel", "gpu_memcpy")]
    launched = [each for each in events if each["cat"] != "cuda_runtime"]
    for kept, device, says in (
        (events, [], "it launched 4 kernels"),
        (launched, found["deviceProperties"], "it names Tesla V100-SXM2-16GB"),
        (launched, [], ""),
    ):
        path.write_text(json.dumps({**found, "traceEvents": kept, "deviceProperties": device}))
        (run,) = answer("profile", f"run={path}")["runs"]
        assert (run["roofline"]["run"] is None) == bool(says)
        text = printed("profile", "--all", f"run={path}")
        assert ("Achieved: " in text) != bool(says)
        assert (f"but {says}: an operator's time there is that of its launch" in text) == bool(says)
        assert "No kernels" in text


def test_products_that_may_be_tf32_or_not_have_no_peak(tmp_path: Path) -> None:
    path = write_rank(tmp_path / "a.json", device="NVIDIA A100-SXM4-40GB")
    names = {
        "my_product_kernel": None,
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3": "float32",
        "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x64x32_stage3": "tf32",
    }
    text = path.read_text()
    for name, roof in names.items():
        path.write_text(text.replace(PRODUCT, name))
        (run,) = answer("profile", f"run={path}")["runs"]
        slow = run["roofline"]["operators"][0]
        assert (slow["roof"], slow["of_peak"] is None) == (roof, roof is None)
        said = printed("profile", "--all", f"run={path}")
        assert ("it is 19.5 TFLOP/s without and 156 with them" in said) == (roof is None)


def test_what_torch_compile_times_of_itself_is_no_operator(tmp_path: Path) -> None:
    path = write_host(tmp_path / "host.json")
    found = json.loads(path.read_text())
    timed = {**found["traceEvents"][0], "name": "_compile.compile_inner (dynamo_timed)", "ts": 900}
    found["traceEvents"].append(timed)
    path.write_text(json.dumps(found))
    (run,) = answer("profile", path)["runs"]
    assert [each["name"] for each in run["roofline"]["operators"]] == ["aten::mm"]
    assert run["roofline"]["other_work"] == []


def test_runs_of_several_sizes_show_what_communication_nothing_hides(
    ranks: list[Path], tmp_path: Path
) -> None:
    larger = write_rank(tmp_path / "larger.json", 0, 4, 400.0)
    words = [*(f"2={rank}" for rank in ranks), f"4={larger}"]
    two, four = answer("profile", *words)["runs"]
    assert [line["exposed"] for line in two["shares"]] == pytest.approx([0.2, 0.1])
    assert [line["exposed"] for line in four["shares"]] == pytest.approx([0.3])
    cells = row(printed("profile", "--all", *words), "Shares of time by rank", "4 ")
    assert cells[5].strip() == "30.0 %"


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """A run of two ranks, one of one rank, and one of the host alone."""
    ranks = [write_rank(tmp_path / f"rank{rank}.json", rank) for rank in (0, 1)]
    alone = write_rank(tmp_path / "alone.json", ranks=1, talk=0.0)
    host = write_host(tmp_path / "host.json")
    return [*(f"two={path}" for path in ranks), f"one={alone}", f"host={host}"]


@pytest.mark.soak
def test_a_profile_has_all_runs_in_one_figure(runs: list[str], tmp_path: Path) -> None:
    path = tmp_path / "profile.svg"
    words = ["profile", *runs, "--point", "tpu=1e15,1e13,30", "--device", "tpu=TPUv2"]
    printed(*words, "-o", path)
    said = texts(path)
    for title in ("what the device did", "roofline"):
        assert any(title in each for each in said), title
    for name in ("two, rank 0", "two, rank 1", "one", "1: two", "2: one", "3: host", "4: tpu"):
        assert name in said, name
    assert any("float16 125" in each for each in said)
    assert "TPUv2: bfloat16 46 TFLOP/s, 700 GB/s" in said
    first = path.read_bytes()
    printed(*words, "-o", path)
    assert path.read_bytes() == first


def test_of_what_is_not_known_there_is_no_panel(tmp_path: Path) -> None:
    plain = write_rank(tmp_path / "plain.json", shapes=False)
    path = tmp_path / "a.svg"
    printed("profile", "--all", plain, "-o", path)
    assert not any("roofline" in each for each in texts(path))
    printed("profile", "--all", "--point", "tpu=1e15,1e13,30", "-o", path)
    said = texts(path)
    assert "tpu" in said
    assert not any("what the device did" in each for each in said)
    points = [word for at in range(21) for word in ("--point", f"p{at}=1e12,1e10,1")]
    assert "at most 20 runs" in refusal("profile", *points, "-o", path)
    assert len({line_style(at) for at in range(20)}) == 20


TEXT = (Path(__file__).parents[3] / "docs" / "profiling.md").read_text("utf-8")


def test_the_document_has_the_lines_that_how_prints_and_counts_the_peaks() -> None:
    assert f"The peaks of {len(KNOWN_DEVICES)} devices" in TEXT
    assert all(peaks.source for peaks in KNOWN_DEVICES)
    assert f"\n\n{indent(HOW, '    ')}\n\n" in TEXT


def test_the_lines_run_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, stride=2, padding=1), torch.nn.ReLU())
    monkeypatch.chdir(tmp_path)
    batches = [torch.ones(2, 3, 8, 8)] * 11
    exec(HOW, {"batches": batches, "train": lambda batch: net(batch).sum().backward()})
    trace = read_trace(tmp_path / "rank0.json.gz")
    assert len(trace.steps) == 3
    convolutions = [each for each in trace.operators if each.name == "aten::convolution"]
    assert len(convolutions) == 3
    assert convolutions[0].shapes is not None
    assert convolutions[0].shapes[:3] == ((2, 3, 8, 8), (4, 3, 3, 3), (4,))
    assert convolutions[0].values[3:5] == ("[2, 2]", "[1, 1]")
    assert [said for said in trace.missing if "No kernels" not in said] == []
    assert len(HOW.splitlines()) == 6


def numbers(found: Any, name: str = "") -> Iterator[str]:
    """The names of all numbers in an answer; those in a list have the list's."""
    if isinstance(found, dict):
        for key, value in found.items():
            # Peaks stand by precision: TFLOP/s each.
            yield from numbers(value, name if name == "tflops" else key)
    elif isinstance(found, list):
        for value in found:
            yield from numbers(value, name)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield name


def test_the_document_says_of_every_number_what_it_is(tmp_path: Path) -> None:
    words = [f"run={write_rank(tmp_path / f'{at}.json', at)}" for at in (0, 1)]
    words += [f"host={write_host(tmp_path / 'host.json')}", "--point", "tpu=1e15,1e13,30"]
    answered = answer("profile", *words, "--device", "tpu=TPUv2")
    text = TEXT.split("## The numbers as JSON")[1].split("\n## ")[0]
    said = set(re.findall(r"`(\w+)`", text))
    found = set(numbers(answered))
    assert len(found) > 30
    assert found - said == set()


# Names as CUDA's runtime gives them; TFLOP/s on matrix units in half precision, GB/s.
NAMES = [
    ("Tesla V100-SXM2-16GB", "V100 SXM2", 125, 900),
    ("Tesla V100S-PCIE-32GB", "V100S PCIe", 130, 1134),
    ("NVIDIA A100-SXM4-80GB", "A100 SXM 80 GB", 312, 2039),
    ("NVIDIA A100-PG509-200", "A100", 312, None),
    ("NVIDIA H100 80GB HBM3", "H100 SXM", 989.4, 3350),
    ("NVIDIA H100 PCIe", "H100 PCIe", 756.5, 2000),
    ("NVIDIA H200", "H200 SXM", 989.4, 4800),
    ("NVIDIA H200 NVL", "H200 NVL", 835.5, 4800),
    ("NVIDIA GeForce RTX 4090", "RTX 4090", 165.2, 1008),
    ("AMD Instinct MI300X", "MI300X", 1307.4, 5300),
    ("Tesla V100-SXM3-32GB", "V100 SXM2", 125, 900),
]


def test_a_device_is_known_by_its_runtimes_name_and_one_like_it_is_not() -> None:
    for name, device, half, gbs in NAMES:
        found = find_peaks(name)
        assert found is not None
        assert (found.device, found.tflops["float16"], found.gbs) == (device, half, gbs)
        assert "datasheet" in found.source or "whitepaper" in found.source
    for name in (
        "",
        "NVIDIA A100",
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "Tesla T40",
        "NVIDIA GH200 144G HBM3e",
        "TPUv6",
    ):
        assert find_peaks(name) is None


def test_matrix_units_are_faster_than_vector_units_and_lower_precision_no_slower() -> None:
    for peaks in KNOWN_DEVICES:
        told = [peaks.tflops.get(roof) for roof in ("float32", "tf32", "float16")]
        rates = [rate for rate in told if rate is not None]
        assert rates == sorted(rates), peaks.device
        assert peaks.tflops.get("bfloat16") in (None, *rates[-1:]) or "TPU" in peaks.device


@pytest.mark.realdata
def test_each_product_is_compared_with_the_peak_of_its_own_precision(realdata: Path) -> None:
    (run,) = answer("profile", realdata / "cases" / "tta" / "h100_fp8.json.gz")["runs"]
    points, (product,) = run["roofline"]["operators"], run["roofline"]["kinds"]
    fp8 = [point for point in points if point["name"] == "aten::_scaled_mm"]
    assert {point["roof"] for point in fp8} == {"float8"}
    assert all(point["of_peak"] < 1 for point in points)
    assert product["roof"] == run["roofline"]["busy"]["roof"] == "mixed"
    assert product["of_peak"] < 0.75
