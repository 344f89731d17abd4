"""`genset evaluate --latency`: its options, and its times as tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.core.table import Cell, Column, Table

if TYPE_CHECKING:
    from genset.score.latency import Latency
    from genset.score.latency_entries import ModelTimes


def check_latency(folder: Path | None, price: float | None) -> None:
    """Check the options before hours of scoring.

    Raises:
        BadInput: the folder cannot be made, or there is a price but no folder.
    """
    if folder is None:
        if price is not None:
            raise BadInput("--price-per-hour is for --latency FOLDER, which is not asked for")
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--latency {folder}: {error.strerror}") from None


def latency_tables(found: "Sequence[ModelTimes]", untimed: "Sequence[str]") -> list[Table]:
    """Times and costs with the accuracies, and which models (`untimed`) have no times."""
    from genset.core.numbers import dollars, percent
    from genset.score.latency_entries import FROM_FILE, NETWORK

    priced = any(timing.price is not None for timing in found)
    columns = [
        Column("model", "one photo at a time"),
        *(Column(f"top{rank}", f"top-{rank} %", align="right") for rank in (1, 5)),
    ]
    for name in ("network", "from file"):
        key = name.replace(" ", "_")
        columns += [
            Column(f"{key}_ms", f"{name} ms", format="{:.4g}".format),
            Column(f"{key}_p95_ms", "p95 ms", format="{:.4g}".format),
        ]
        if priced:
            columns.append(Column(f"{key}_cost_10k", "10,000 photos", format=dollars))
    rows = []
    for timing in found:
        row: list[object] = [timing.run.model]
        for top in (timing.run.top1, timing.run.top5):
            row.append(top and Cell(top.share, percent(top.share, top.photos)))
        for times in (timing.latency.network, timing.latency.from_file):
            row += [times.median, times.p95, *([timing.cost_10k(times)] if priced else [])]
        rows.append(row)
    notes = [f"network: {NETWORK}.", f"from file: {FROM_FILE}."] if rows else []
    for timing in found:
        described = _described(timing.latency)
        notes.append(f"{timing.run.model}: {described} Written to {timing.entry}.")
    notes += [f"{model}: not timed, its answers come from elsewhere" for model in untimed]
    return [Table(columns, rows, notes=notes)]


def _described(found: "Latency") -> str:
    from genset.score.engines import ENGINES

    threads = f"{count(found.threads, 'thread')} of the CPU"
    where = threads if found.device == "cpu" else f"{found.device}, {threads}"
    network, whole = found.network, found.from_file
    text = (
        f"Medians of {network.timings} and {whole.timings} timings of "
        f"{count(found.photos, 'photo')}, {ENGINES[found.engine].title} {found.engine_version}, "
        f"{found.precision}, {where}."
    )
    if found.batch > 1:
        text += f" The network takes {found.batch} photos at once, and that is its time."
    if not (network.steady and whole.steady):
        text += " Not steady: is the machine at rest?"
    if found.same < found.compared:
        photos = count(found.compared, "photo")
        text += f" {found.same} of {photos} got the five classes of the run."
    return text
