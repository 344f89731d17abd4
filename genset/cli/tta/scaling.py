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
    one_form,
    reading_options,
    show,
)
from genset.cli.tta.named import traces_by_workers
from genset.core.errors import BadInput

if TYPE_CHECKING:
    from genset.tta.logs.common import ReadAs
    from genset.tta.profile.by_workers import ByWorkers
    from genset.tta.runs import MalformedLog


@click.command("scaling")
@click.argument("logs", metavar="WORKERS=LOG...", nargs=-1)
@click.option(
    "--trace",
    "traces",
    metavar="WORKERS=RANK0,RANK1",
    multiple=True,
    help="Traces of PyTorch's profiler, of some or all ranks: communication by number of workers.",
)
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
    traces: Sequence[str],
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

    With --trace, and with or without logs, it is said how much of the time ranks communicated, and
    how much of that no computing hid.

    \b
    genset tta scaling 4=four-machines.tsv 8=eight-machines.tsv 16=sixteen.tsv
    genset tta scaling 1=runs-1/ 4=runs-4/ --threshold 90 --threshold 93
    genset tta scaling --trace 8=rank0.json.gz,rank1.json.gz --trace 16=sixteen.json.gz
    """
    from genset.tta.logs.reading import read_runs
    from genset.tta.profile.by_workers import by_workers_grids, draw_by_workers
    from genset.tta.scaling import draw_scaling, scaling, scaling_grids
    from genset.tta.words import refused_grids

    if not logs and not traces:
        raise click.UsageError("Missing argument 'WORKERS=LOG...'.")
    one_form(markdown, as_json)
    can_draw(output)
    talk = _communication(traces) if traces else None
    grids, more = (by_workers_grids(talk), {"traces": talk}) if talk else ([], {})
    if not logs:
        show({}, grids, markdown, as_json, more=more)
        if talk and output:
            draw_by_workers(talk, output)
        return
    refused: list[MalformedLog] = []
    runs = {
        workers: read_runs(paths, refused, read_as) for workers, paths in _by_workers(logs).items()
    }
    with naming(refused):
        found = scaling(runs, thresholds, mixed)
    grids = [*scaling_grids(found), *grids, *refused_grids(refused)]
    show(found, grids, markdown, as_json, more={"refused": refused, **more})
    if output:
        draw_scaling(found, output, talk)
    all_counted([run for logs in runs.values() for run in logs], refused)


def _communication(words: Sequence[str]) -> "ByWorkers":
    from genset.tta.profile.by_workers import by_workers
    from genset.tta.profile.compared import read_devices

    return by_workers(read_devices(traces_by_workers(words)))


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
