"""The command that says how time depends on the accuracy that is asked for."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import json_option
from genset.cli.tta.common import (
    RUNS,
    all_counted,
    can_draw,
    figure_option,
    markdown_option,
    naming,
    reading_options,
    show,
)

if TYPE_CHECKING:
    from genset.tta.logs.common import ReadAs
    from genset.tta.runs import MalformedLog


@click.command("thresholds")
@click.argument("entries", type=RUNS, nargs=-1, required=True)
@click.option(
    "--from",
    "low",
    type=float,
    metavar="SCORE",
    help="In per cent, or the unit that the score has. Default: three points less than --to.",
)
@click.option(
    "--to", "high", type=float, metavar="SCORE", help="Default: the task's own threshold."
)
@click.option(
    "--step",
    type=float,
    metavar="STEP",
    help="Default: an even part of the way, half a point or more.",
)
@figure_option
@reading_options
@markdown_option
@json_option
def thresholds_command(
    entries: Sequence[Path],
    low: float | None,
    high: float | None,
    step: float | None,
    output: Path | None,
    read_as: "ReadAs",
    markdown: bool,
    as_json: bool,
) -> None:
    """Print the time of entries to each of several thresholds, and who stops short of which.

    ENTRIES are logs, or folders of them. An entry of several runs has the mean of those that get
    there. Logs that cannot be read are named, and the exit code is 1.

    \b
    genset tta thresholds ImageNet/train --to 93.5 -o thresholds.svg
    """
    from genset.tta.logs.reading import read_runs
    from genset.tta.thresholds import draw_thresholds, thresholds, thresholds_grids
    from genset.tta.words import refused_grids

    can_draw(output)
    refused: list[MalformedLog] = []
    runs = read_runs(entries, refused, read_as)
    with naming(refused):
        found = thresholds(runs, low, high, step)
    if output:
        draw_thresholds(found, output)
    show(found, thresholds_grids(found) + refused_grids(refused), markdown, as_json, refused)
    all_counted(runs, refused)
