"""`genset evaluate --latency`: check its options, and print its times."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import show_table
from genset.core.errors import BadInput
from genset.core.numbers import count

if TYPE_CHECKING:
    from genset.reporting.latency import Timed
    from genset.score.latency import Latency


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


def show_timed(found: "Sequence[Timed]", untimed: "Sequence[str]") -> None:
    """Print times and costs with the accuracies, and which models (`untimed`) have no times."""
    from genset.core.numbers import dollars, percent
    from genset.reporting.latency import FROM_FILE, NETWORK

    priced = any(timing.price is not None for timing in found)
    head = ["one photo at a time", "top-1 %", "top-5 %"]
    for what in ("network", "from file"):
        head += [f"{what} ms", "p95 ms", *(["10,000 photos"] if priced else [])]
    rows = []
    for timing in found:
        tops = (timing.run.top1, timing.run.top5)
        cells = [
            timing.run.model,
            *(percent(top.share, top.photos) if top else "-" for top in tops),
        ]
        for times in (timing.latency.network, timing.latency.from_file):
            cells += [f"{times.median:.4g}", f"{times.p95:.4g}"]
            cells += [dollars(timing.cost_10k(times))] if priced else []
        rows.append(cells)
    if rows:
        show_table(head, rows)
        click.echo(f"network: {NETWORK}.\nfrom file: {FROM_FILE}.")
    for timing in found:
        click.echo(f"{timing.run.model}: {_described(timing.latency)} Written to {timing.entry}.")
    for model in untimed:
        click.echo(f"{model}: not timed, its answers come from elsewhere")


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
