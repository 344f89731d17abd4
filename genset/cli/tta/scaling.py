"""The command that says what more workers bring."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import json_option
from genset.cli.tta.common import (
    all_counted,
    can_draw,
    figure_option,
    markdown_option,
    mixed_option,
    naming,
    reading_options,
    show,
)
from genset.errors import BadInput

if TYPE_CHECKING:
    from genset.tta.logs.entries import MalformedLog
    from genset.tta.logs.read_as import ReadAs


@click.command("scaling")
@click.argument("logs", metavar="WORKERS=LOG...", nargs=-1, required=True)
@click.option(
    "--threshold",
    "thresholds",
    type=float,
    multiple=True,
    metavar="SCORE",
    help="In per cent, or the unit that the score has; may be given several times. Default: the "
    "task's own.",
)
@mixed_option
@figure_option
@reading_options
@markdown_option
@json_option
def scaling_command(
    logs: Sequence[str],
    thresholds: Sequence[float],
    mixed: bool,
    output: Path | None,
    read_as: "ReadAs",
    markdown: bool,
    as_json: bool,
) -> None:
    """Say what more workers brought: logs of one entry, each with its number of workers.

    A LOG is a file, or a folder with several runs; a number that stands several times has them
    all. Printed are the speed-ups of the time per epoch and of the time to accuracy over the
    smallest number, and the share of time in communication where a log has it. Logs of different
    models, types of hardware, frameworks or schedules are refused. Logs that cannot be read are
    named, and the exit code is 1.

    \b
    genset tta scaling 4=four-machines.tsv 8=eight-machines.tsv 16=sixteen.tsv
    genset tta scaling 1=runs-1/ 4=runs-4/ --threshold 90 --threshold 93
    """
    from genset.tta.analysis.scaling import scaling
    from genset.tta.logs.reading import read_runs
    from genset.tta.plots.scaling import draw_scaling
    from genset.tta.show.scaling import scaling_grids
    from genset.tta.show.words import refused_grids

    can_draw(output)
    refused: list[MalformedLog] = []
    runs = {
        workers: read_runs(paths, refused, read_as) for workers, paths in _by_workers(logs).items()
    }
    with naming(refused):
        found = scaling(runs, thresholds, mixed)
    show(found, scaling_grids(found) + refused_grids(refused), markdown, as_json, refused)
    if output:
        draw_scaling(found, output)
    all_counted([run for logs in runs.values() for run in logs], refused)


def _by_workers(words: Sequence[str]) -> dict[int, list[Path]]:
    found: dict[int, list[Path]] = {}
    for word in words:
        workers, _, path = word.partition("=")
        if not (workers.isascii() and workers.isdigit() and path):
            raise BadInput(f"{word}: write the number of workers before the log, 4=four.tsv")
        if int(workers) == 0:
            raise BadInput(f"{word}: 0 is no number of workers: it begins at 1")
        found.setdefault(int(workers), []).append(Path(path))
    return found
