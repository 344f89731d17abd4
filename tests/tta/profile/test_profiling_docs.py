"""docs/profiling.md says what the code does: how to record, and the peaks that are known."""

from pathlib import Path
from textwrap import indent

from genset.tta.profile.peaks import KNOWN_DEVICES, Peaks
from genset.tta.traces.trace import HOW

TEXT = (Path(__file__).parents[3] / "docs" / "profiling.md").read_text("utf-8")


def test_the_document_has_the_lines_that_how_prints() -> None:
    assert f"\n\n{indent(HOW, '    ')}\n\n" in TEXT


def test_the_document_has_the_peaks_that_are_known() -> None:
    head = "| device | float32 | tf32 | float16 | bfloat16 | GB/s | source |"
    table = TEXT.split(f"{head}\n")[1].split("\n\n")[0].splitlines()[1:]
    assert table == [_row(peaks) for peaks in KNOWN_DEVICES]


def _row(peaks: Peaks) -> str:
    known = peaks.tflops
    tflops = (known.get("float32"), known.get("tf32"), known.get("float16"), known.get("bfloat16"))
    numbers = ["–" if each is None else f"{each:,g}" for each in (*tflops, peaks.gbs)]
    return f"| {' | '.join([peaks.device, *numbers, peaks.source])} |"
