"""docs/profiling.md says what the code does: how to record, and the peaks that are known."""

from pathlib import Path
from textwrap import indent

from genset.tta.profile.peaks import KNOWN_DEVICES, Peaks, Roof
from genset.tta.traces.trace import HOW

TEXT = (Path(__file__).parents[3] / "docs" / "profiling.md").read_text("utf-8")

ROOFS: tuple[Roof, ...] = ("float32", "tf32", "float16", "bfloat16", "float8", "int8")


def test_the_document_has_the_lines_that_how_prints() -> None:
    assert f"\n\n{indent(HOW, '    ')}\n\n" in TEXT


def test_the_document_has_the_peaks_that_are_known() -> None:
    head = f"| device | {' | '.join(ROOFS)} | GB/s | source |"
    table = TEXT.split(f"{head}\n")[1].split("\n\n")[0].splitlines()[1:]
    assert table == [_row(peaks) for peaks in KNOWN_DEVICES]


def _row(peaks: Peaks) -> str:
    tflops = [peaks.tflops.get(roof) for roof in ROOFS]
    numbers = ["–" if each is None else f"{each:,g}" for each in (*tflops, peaks.gbs)]
    return f"| {' | '.join([peaks.device, *numbers, peaks.source])} |"
