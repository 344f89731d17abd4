"""The command that prints time and cost to accuracy."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import DAY, format_option
from genset.cli.tta.common import RUNS, reading_options, show
from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count

if TYPE_CHECKING:
    from genset.tta.logs.common import ReadAs


@click.command("table")
@click.argument("folder", type=RUNS)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="[TASK=]SCORE",
    help="[default: 93 (ImageNet, top-5), 94 (CIFAR10, top-1), 75 (SQuAD, F1), or the log's own]",
)
@click.option("--until", type=DAY, help="Leave out entries submitted later.")
@click.option(
    "--exclude-author",
    "excluded",
    multiple=True,
    metavar="AUTHOR",
    help='Leave out the entries of an author; "*" stands for any letters; repeatable.',
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="ENTRY",
    help='Show how many times as fast and as cheap as this entry each is; "seed" is the earliest '
    "entry of each task.",
)
@click.option("--by", type=click.Choice(["time", "cost"]), default="time", show_default=True)
@reading_options
@format_option
def table_command(
    folder: Path,
    thresholds: Sequence[str],
    until: datetime | None,
    excluded: Sequence[str],
    baselines: Sequence[str],
    by: str,
    read_as: "ReadAs",
    format: str,
) -> None:
    """Print time and cost to accuracy of all entries in a folder, or of a log.

    An entry's time is that of the first epoch at or over the threshold; its cost is the hours
    times the price of an hour; an entry of several runs has their means. Logs that cannot be
    read are listed with line and reason, and the exit code is 1.

    \b
    genset tta table dawn-bench-entries --until 2018-09-30
    genset tta table dawn-bench-entries --threshold ImageNet=92 --by cost
    genset tta table dawn-bench-entries --exclude-author "Stanford DAWN" --baseline seed
    """
    from genset.tta.logs.reading import read_entries
    from genset.tta.table import Selection, entry_tables, table

    selection = Selection(until.date() if until else None, excluded, baselines)
    entries = read_entries(folder, read_as)
    found = table(entries, _thresholds(thresholds), selection, by == "cost")
    show(found, entry_tables(found, everything=format == "csv"), format)
    if refused := {entries.found.get(error.path, error.path) for error in found.refused}:
        logs = refused | set(entries.found.values())
        part = f"{len(refused):,} of {count(len(logs), 'log')} in {folder}"
        raise GensetError(f"{part} cannot be counted")


def _thresholds(words: Sequence[str]) -> dict[str, float]:
    found = {}
    for word in words:
        task, _, score = word.rpartition("=")
        try:
            found[task] = float(score)
        except ValueError:
            raise BadInput(f"--threshold {word}: write 93, or ImageNet=93") from None
    return found
