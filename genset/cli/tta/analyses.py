"""Commands that compare training runs: stability, thresholds, scaling, factors."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import FILE
from genset.cli.tta.common import (
    RUNS,
    analysis_options,
    end_if_refused,
    mixed_option,
    naming_refused,
    show,
    threshold_option,
)
from genset.core.errors import BadInput

if TYPE_CHECKING:
    from genset.tta.logs.common import ReadAs
    from genset.tta.profile.by_workers import ByWorkers
    from genset.tta.runs import MalformedLog


@click.command("stability")
@click.argument("runs", type=RUNS, nargs=-1, required=True)
@threshold_option
@mixed_option
@analysis_options
def stability_command(
    runs: Sequence[Path],
    threshold: float | None,
    mixed: bool,
    output: Path | None,
    read_as: "ReadAs",
    format: str,
) -> None:
    """Show how much the time to accuracy varies over several runs of one entry.

    RUNS are logs, or folders of them. Prints the share of runs that reach the threshold, the
    coefficient of variation of their time and of the time per epoch, and the expected time until
    a run reaches it, each with an interval that holds for 4 to 10 runs. Runs of different models,
    hardware, frameworks or schedules are refused. Logs that cannot be read are listed, and the
    exit code is 1.

    \b
    genset tta stability run1.tsv run2.tsv run3.tsv run4.tsv run5.tsv -o runs.png
    """
    from genset.tta.logs.reading import read_runs
    from genset.tta.one_entry import counted
    from genset.tta.stability import draw_stability, stability, stability_tables
    from genset.tta.words import refused_tables

    refused: list[MalformedLog] = []
    logs = read_runs(runs, refused, read_as)
    with naming_refused(refused):
        found = stability(logs, threshold, mixed)
    if output:
        draw_stability(found, counted(logs, found.threshold), output)
    show(found, stability_tables(found) + refused_tables(refused), format, refused=refused)
    end_if_refused(logs, refused)


@click.command("thresholds")
@click.argument("entries", type=RUNS, nargs=-1, required=True)
@click.option(
    "--from",
    "low",
    type=float,
    metavar="SCORE",
    help="In per cent, or in the score's own unit. [default: three points below --to]",
)
@click.option("--to", "high", type=float, metavar="SCORE", help="[default: the task's threshold]")
@click.option(
    "--step", type=float, metavar="STEP", help="[default: for about eight, half a point or more]"
)
@analysis_options
def thresholds_command(
    entries: Sequence[Path],
    low: float | None,
    high: float | None,
    step: float | None,
    output: Path | None,
    read_as: "ReadAs",
    format: str,
) -> None:
    """Print the time of entries to each of several thresholds, and which they do not reach.

    ENTRIES are logs, or folders of them. An entry of several runs has the mean of those that reach
    the threshold. Logs that cannot be read are listed, and the exit code is 1.

    \b
    genset tta thresholds ImageNet/train --to 93.5 -o thresholds.svg
    """
    from genset.tta.logs.reading import read_runs
    from genset.tta.thresholds import draw_thresholds, thresholds, thresholds_tables
    from genset.tta.words import refused_tables

    refused: list[MalformedLog] = []
    runs = read_runs(entries, refused, read_as)
    with naming_refused(refused):
        found = thresholds(runs, low, high, step)
    if output:
        draw_thresholds(found, runs, output)
    show(found, thresholds_tables(found) + refused_tables(refused), format, refused=refused)
    end_if_refused(runs, refused)


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
    help="In per cent, or in the score's own unit; repeatable. [default: the task's own]",
)
@mixed_option
@analysis_options
def scaling_command(
    logs: Sequence[str],
    traces: Sequence[str],
    thresholds: Sequence[float],
    mixed: bool,
    output: Path | None,
    read_as: "ReadAs",
    format: str,
) -> None:
    """Show what more workers bring, from logs of one entry with different numbers of workers.

    A LOG is a file, or a folder with several runs; a number may be given several times. Prints the
    speed-ups of the time per epoch and of the time to accuracy over the smallest number, and the
    share of time in communication if a log has it. Logs of different models, types of hardware,
    frameworks or schedules are refused. Logs that cannot be read are listed, and the exit code is
    1.

    --trace, with or without logs, shows how much of the time ranks communicate, and how much of
    that no computing hides.

    \b
    genset tta scaling 4=four-machines.tsv 8=eight-machines.tsv 16=sixteen.tsv
    genset tta scaling 1=runs-1/ 4=runs-4/ --threshold 90 --threshold 93
    genset tta scaling --trace 8=rank0.json.gz,rank1.json.gz --trace 16=sixteen.json.gz
    """
    from genset.tta.logs.reading import read_runs
    from genset.tta.profile.by_workers import by_workers_tables, draw_by_workers
    from genset.tta.scaling import draw_scaling, scaling, scaling_tables
    from genset.tta.words import refused_tables

    if not logs and not traces:
        raise click.UsageError("Missing argument 'WORKERS=LOG...'.")
    communication = _communication(traces) if traces else None
    tables = by_workers_tables(communication) if communication else []
    more = {"traces": communication} if communication else {}
    if not logs:
        show({}, tables, format, **more)
        if communication and output:
            draw_by_workers(communication, output)
        return
    refused: list[MalformedLog] = []
    runs = {
        workers: read_runs(paths, refused, read_as) for workers, paths in _by_workers(logs).items()
    }
    with naming_refused(refused):
        found = scaling(runs, thresholds, mixed)
    tables = [*scaling_tables(found), *tables, *refused_tables(refused)]
    show(found, tables, format, refused=refused, **more)
    if output:
        draw_scaling(found, output, communication)
    end_if_refused([run for several in runs.values() for run in several], refused)


def _communication(words: Sequence[str]) -> "ByWorkers":
    from genset.tta.profile.by_workers import by_workers
    from genset.tta.profile.profile import read_devices

    return by_workers(read_devices(_by_workers(words, "--trace ")))


def _by_workers(words: Sequence[str], option: str = "") -> dict[int, list[Path]]:
    """The logs of each number of workers, 8=LOG; of an option the traces, 8=RANK0,RANK1.

    Raises:
        BadInput: a number is none, or a path is empty.
    """
    found: dict[int, list[Path]] = {}
    for word in words:
        number, _, paths = word.partition("=")
        several = [paths] if not option or Path(paths).is_file() else paths.split(",")
        if not (re.fullmatch(r"0*[1-9]\d{0,8}", number, re.ASCII) and all(several)):
            which = "the ranks' traces, 8=RANK0,RANK1" if option else "the log, 4=four.tsv"
            raise BadInput(f"{option}{word}: write the number of workers before {which}")
        found.setdefault(int(number), []).extend(map(Path, several))
    return found


@click.command("factors")
@click.argument("runs", type=FILE, metavar="RUNS.toml")
@threshold_option
@mixed_option
@analysis_options
def factors_command(
    runs: Path,
    threshold: float | None,
    mixed: bool,
    output: Path | None,
    read_as: "ReadAs",
    format: str,
) -> None:
    """Show which optimization mattered, from runs with and without each.

    RUNS.toml lists the logs and what each run had: [[run]] log = "runs/fast", on = ["amp",
    "warmup"], set = {batch = 256}. Prints the factor analysis (one added after another, in the
    file's order), the lesion study (all but one), the interactions of factors if all combinations
    were run, and a table for each number that was set. Missing runs are listed.

    \b
    genset tta factors RUNS.toml -o factors.svg
    """
    from genset.tta.factors.factors import factors, factors_tables
    from genset.tta.factors.figure import draw_factors
    from genset.tta.factors.study import read_study

    found = factors(read_study(runs), threshold, read_as, mixed)
    if output:
        draw_factors(found, output)
    show(found, factors_tables(found), format)
