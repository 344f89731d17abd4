"""The command that says how stable a recipe's time to accuracy is."""

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
    mixed_option,
    naming,
    reading_options,
    show,
    threshold_option,
)

if TYPE_CHECKING:
    from genset.tta.logs.common import ReadAs
    from genset.tta.runs import MalformedLog


@click.command("stability")
@click.argument("runs", type=RUNS, nargs=-1, required=True)
@threshold_option
@mixed_option
@figure_option
@reading_options
@markdown_option
@json_option
def stability_command(
    runs: Sequence[Path],
    threshold: float | None,
    mixed: bool,
    output: Path | None,
    read_as: "ReadAs",
    markdown: bool,
    as_json: bool,
) -> None:
    """Say how much the time to accuracy differs over several runs of one entry.

    RUNS are logs, or folders of them. Printed are the share of runs that reach the threshold, the
    coefficient of variation of the time of those that do and of the time per epoch, and the time
    to expect until a run gets there, each with an interval that holds for 4 to 10 runs. The curve
    of the epochs is in the figure and in --json. Runs of different models, hardware, frameworks or
    schedules are refused. Logs that cannot be read are named, and the exit code is 1.

    \b
    genset tta stability run1.tsv run2.tsv run3.tsv run4.tsv run5.tsv -o runs.png
    """
    from genset.tta.logs.reading import read_runs
    from genset.tta.one_entry import counted
    from genset.tta.stability import draw_stability, stability, stability_grids
    from genset.tta.words import refused_grids

    can_draw(output)
    refused: list[MalformedLog] = []
    logs = read_runs(runs, refused, read_as)
    with naming(refused):
        found = stability(logs, threshold, mixed)
    if output:
        draw_stability(found, counted(logs, found.threshold), output)
    show(found, stability_grids(found) + refused_grids(refused), markdown, as_json, refused)
    all_counted(logs, refused)
