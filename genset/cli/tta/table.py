"""The command that prints time and cost to accuracy."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import json_option
from genset.cli.tta.common import (
    RUNS,
    can_draw,
    figure_option,
    markdown_option,
    reading_options,
    show,
)
from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count

if TYPE_CHECKING:
    from genset.tta.logs.common import ReadAs

_DAY = click.DateTime(["%Y-%m-%d"])


@click.command("table")
@click.argument("folder", type=RUNS)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="[TASK=]SCORE",
    help="In place of 93 (ImageNet, top-5), 94 (CIFAR10, top-1), 75 (SQuAD, F1), or a log's own.",
)
@click.option("--until", type=_DAY, metavar="YYYY-MM-DD", help="Leave out what came later.")
@click.option(
    "--exclude-author",
    "without",
    multiple=True,
    metavar="AUTHOR",
    help='Leave out the entries of an author; "*" stands for any letters. May be given several '
    "times.",
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="ENTRY",
    help='Say how many times as fast and as cheap as this entry each is; "seed" is the earliest '
    "entry of each task.",
)
@click.option(
    "--over-time", "by_day", is_flag=True, help="Show how the best came down, day by day."
)
@figure_option
@click.option("--by", type=click.Choice(["time", "cost"]), default="time", show_default=True)
@reading_options
@markdown_option
@json_option
def table_command(
    folder: Path,
    thresholds: Sequence[str],
    until: datetime | None,
    without: Sequence[str],
    baselines: Sequence[str],
    by_day: bool,
    output: Path | None,
    by: str,
    read_as: "ReadAs",
    markdown: bool,
    as_json: bool,
) -> None:
    """Print time and cost to accuracy of all entries in a folder, or of a log.

    An entry's time is that of the first epoch at or over the threshold; its cost is the hours
    times the price of an hour; an entry of several runs has their means. Logs that cannot be
    read are named with line and reason, the rest is printed, and the exit code is 1.

    \b
    genset tta table dawn-bench-entries --until 2018-09-30
    genset tta table dawn-bench-entries --threshold ImageNet=92 --by cost
    genset tta table dawn-bench-entries --exclude-author "Stanford DAWN" --baseline seed
    genset tta table dawn-bench-entries --over-time -o best.png
    """
    from genset.tta.logs.reading import read_entries
    from genset.tta.over_time import draw_over_time, over_time, over_time_grids
    from genset.tta.table import Chosen, table, table_grids

    if output and not by_day:
        raise BadInput("the figure of a table is the best by date: say --over-time too")
    can_draw(output)
    chosen = Chosen(until.date() if until else None, without, baselines)
    entries = read_entries(folder, read_as)
    found = table(entries, _thresholds(thresholds), chosen, by == "cost")
    grids, more = table_grids(found), {}
    if by_day:
        best = over_time(found, by == "cost")
        grids, more = [*over_time_grids(best), *grids], {"over_time": best}
        if output:
            draw_over_time(best, output)
    show(found, grids, markdown, as_json, more=more)
    if refused := {entries.found.get(error.path, error.path) for error in found.refused}:
        logs = refused | set(entries.found.values())
        part = f"{len(refused):,} of {count(len(logs), 'log')} in {folder}"
        raise GensetError(f"{part} cannot be counted")


def _thresholds(words: Sequence[str]) -> dict[str, float]:
    found = {}
    for word in words:
        task, _, percent = word.rpartition("=")
        try:
            found[task] = float(percent)
        except ValueError:
            raise BadInput(f"--threshold {word}: write 93, or ImageNet=93") from None
    return found
