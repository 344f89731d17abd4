"""Commands that compare training runs: a table, stability, thresholds, scaling, factors, a page."""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import DAY, FILE, format_option, need
from genset.cli.tta.common import (
    RUNS,
    analysis_options,
    mixed_option,
    reading_options,
    show,
    show_analysis,
    threshold_option,
)
from genset.cli.tta.profile import compared
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
    show(found, entry_tables(found), format)
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


@click.command("stability")
@click.argument("runs", type=RUNS, nargs=-1, required=True)
@threshold_option
@mixed_option
@analysis_options
def stability_command(
    runs: Sequence[Path],
    threshold: float | None,
    mixed: bool,
    read_as: "ReadAs",
    **shown: Any,
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
    from genset.tta.stability import draw_stability, stability, stability_tables

    show_analysis(
        lambda refused: read_runs(runs, refused, read_as),
        lambda logs: stability(logs, threshold, mixed),
        stability_tables,
        draw_stability,
        **shown,
    )


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
    read_as: "ReadAs",
    **shown: Any,
) -> None:
    """Print the time of entries to each of several thresholds, and which they do not reach.

    ENTRIES are logs, or folders of them. An entry of several runs has the mean of those that reach
    the threshold. Logs that cannot be read are listed, and the exit code is 1.

    \b
    genset tta thresholds ImageNet/train --to 93.5 -o thresholds.svg
    """
    from genset.tta.logs.reading import read_runs
    from genset.tta.thresholds import draw_thresholds, thresholds, thresholds_tables

    show_analysis(
        lambda refused: read_runs(entries, refused, read_as),
        lambda runs: thresholds(runs, low, high, step),
        thresholds_tables,
        draw_thresholds,
        **shown,
    )


@click.command("scaling")
@click.argument("logs", metavar="WORKERS=LOG...", nargs=-1, required=True)
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
    thresholds: Sequence[float],
    mixed: bool,
    read_as: "ReadAs",
    **shown: Any,
) -> None:
    """Show what more workers bring, from logs of one entry with different numbers of workers.

    A LOG is a file, or a folder with several runs; a number may be given several times. Prints the
    speed-ups of the time per epoch and of the time to accuracy over the smallest number.
    Logs of different models, types of hardware, frameworks or schedules are refused. Logs that
    cannot be read are listed, and the exit code is 1.

    How much ranks communicate, genset tta profile 8=RANK0 16=RANK0 shows from traces.

    \b
    genset tta scaling 4=four-machines.tsv 8=eight-machines.tsv 16=sixteen.tsv
    genset tta scaling 1=runs-1/ 4=runs-4/ --threshold 90 --threshold 93
    """
    from genset.tta.logs.reading import read_runs
    from genset.tta.scaling import draw_scaling, scaling, scaling_tables

    sizes: dict[int, list[Path]] = {}
    for word in logs:
        number, _, path = word.partition("=")
        if not (re.fullmatch(r"0*[1-9]\d{0,8}", number, re.ASCII) and path):
            raise BadInput(f"{word}: write the number of workers before the log, 4=four.tsv")
        sizes.setdefault(int(number), []).append(Path(path))
    show_analysis(
        lambda refused: {size: read_runs(paths, refused, read_as) for size, paths in sizes.items()},
        lambda runs: scaling(runs, thresholds, mixed),
        scaling_tables,
        draw_scaling,
        **shown,
    )


@click.command("report")
@click.argument("runs", type=RUNS)
@threshold_option
@click.option("--trace", "traces", metavar="NAME=TRACE", multiple=True, help="As of profile.")
@click.option("-o", "--output", type=FILE, help="The page. [default: tta-report-NAME.html]")
@reading_options
def report_command(
    runs: Path,
    threshold: float | None,
    traces: Sequence[str],
    output: Path | None,
    read_as: "ReadAs",
) -> None:
    """Write a page on training runs: times, costs, curves, stability, what the hardware did.

    RUNS is a folder of logs, or one log. The page is one HTML file that needs nothing beside it.
    Logs that cannot be read are listed on it.

    \b
    genset tta report runs --trace fast=rank0.json.gz
    """
    need("report", "The report", "jinja2", "matplotlib")
    from genset.reporting.training_page import training_page
    from genset.reporting.write import check_page, write_page
    from genset.tta.logs.reading import read_entries
    from genset.tta.table import table

    output = output or Path(f"tta-report-{runs.resolve().stem}.html")
    check_page(output)
    entries = read_entries(runs, read_as)
    found = table(entries, {} if threshold is None else {"": threshold})
    hardware = compared(traces, (), (), (), ()) if traces else None
    write_page(output, training_page(runs.resolve().stem, entries, found, hardware))
    click.echo(output)


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
