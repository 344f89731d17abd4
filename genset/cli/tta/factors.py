"""The command that says which optimization mattered."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import FILE, json_option
from genset.cli.tta.common import (
    can_draw,
    figure_option,
    markdown_option,
    mixed_option,
    reading_options,
    show,
    threshold_option,
)

if TYPE_CHECKING:
    from genset.tta.logs.common import ReadAs


@click.command("factors")
@click.argument("runs", type=FILE, metavar="RUNS.toml")
@threshold_option
@mixed_option
@figure_option
@reading_options
@markdown_option
@json_option
def factors_command(
    runs: Path,
    threshold: float | None,
    mixed: bool,
    output: Path | None,
    read_as: "ReadAs",
    markdown: bool,
    as_json: bool,
) -> None:
    """Say which optimization mattered, from runs with and without each.

    RUNS.toml names the logs and what each run had: [[run]] log = "runs/fast", on = ["amp",
    "warmup"], set = {batch = 256}. Printed are the factor analysis (one added after another, in the
    file's order), the lesion study (all but one), how factors work together where all combinations
    were run, and a table by each number that was set. What is missing for each is named.

    \b
    genset tta factors RUNS.toml -o factors.svg
    """
    from genset.tta.factors.factors import factors, factors_grids
    from genset.tta.factors.figure import draw_factors
    from genset.tta.factors.study import read_study

    can_draw(output)
    found = factors(read_study(runs), threshold, read_as, mixed)
    if output:
        draw_factors(found, output)
    show(found, factors_grids(found), markdown, as_json)
