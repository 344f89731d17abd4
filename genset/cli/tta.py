"""Commands on time to accuracy (TTA): read DAWNBench's logs, compare them, record one's own."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import FILE, FOLDER, json_option, need, show_json
from genset.errors import BadInput, GensetError

if TYPE_CHECKING:
    from genset.text.tables import Grid
    from genset.tta.entries import MalformedLog
    from genset.tta.running import Recorded
    from genset.tta.tasks import Task

_RUNS = click.Path(path_type=Path, exists=True)
_DAY = click.DateTime(["%Y-%m-%d"])

markdown_option = click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
figure_option = click.option(
    "-o", "--output", type=FILE, help="Write a figure too: a .png or .svg file."
)
threshold_option = click.option(
    "--threshold", type=float, metavar="PERCENT", help="Default: the task's own."
)


@click.group()
def tta() -> None:
    """Time to accuracy: DAWNBench's logs, read, compared and recorded."""


@tta.command("table")
@click.argument("folder", type=FOLDER)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="[TASK=]PERCENT",
    help="In place of 93 (ImageNet, top-5), 94 (CIFAR10, top-1), 75 (SQuAD, F1).",
)
@click.option("--until", type=_DAY, metavar="YYYY-MM-DD", help="Leave out what came later.")
@click.option("--by", type=click.Choice(["time", "cost"]), default="time", show_default=True)
@markdown_option
@json_option
def tta_table(
    folder: Path,
    thresholds: Sequence[str],
    until: datetime | None,
    by: str,
    markdown: bool,
    as_json: bool,
) -> None:
    """Print time and cost to accuracy of all entries in a folder.

    An entry's time is that of the first epoch at or over the threshold; its cost is the hours
    times the price of an hour. Files that cannot be read are named with line and reason.

    \b
    genset tta table dawn-bench-entries --until 2018-09-30
    genset tta table dawn-bench-entries --threshold ImageNet=92 --by cost
    """
    from genset.tta.reading import read_entries
    from genset.tta.show import table_grids
    from genset.tta.table import table

    day = until.date() if until else None
    found = table(read_entries(folder), _thresholds(thresholds), day, by == "cost")
    _show(found, table_grids(found), markdown, as_json)
    if not found.tasks and found.refused:
        raise GensetError(f"none of {len(found.refused)} files in {folder} can be counted")


@tta.command("stability")
@click.argument("runs", type=_RUNS, nargs=-1, required=True)
@threshold_option
@figure_option
@markdown_option
@json_option
def tta_stability(
    runs: Sequence[Path],
    threshold: float | None,
    output: Path | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Say how much the time to accuracy differs over several runs of one entry.

    RUNS are .tsv files, or folders of them. Printed are the share of runs that reach the
    threshold and the coefficient of variation of the time of those that do, each with an interval
    that holds for 4 to 10 runs.

    \b
    genset tta stability run1.tsv run2.tsv run3.tsv run4.tsv run5.tsv -o runs.png
    """
    from genset.tta.figures import draw_stability
    from genset.tta.reading import read_runs
    from genset.tta.show import refused_grids, stability_grids
    from genset.tta.stability import stability

    _can_draw(output)
    refused: list[MalformedLog] = []
    logs = read_runs(runs, refused)
    found = stability(logs, threshold)
    if output:
        draw_stability(found, logs, output)
    _show(found, stability_grids(found) + refused_grids(refused), markdown, as_json, refused)


@tta.command("thresholds")
@click.argument("entries", type=_RUNS, nargs=-1, required=True)
@click.option("--from", "low", default=90.0, show_default=True, metavar="PERCENT")
@click.option("--to", "high", default=93.0, show_default=True, metavar="PERCENT")
@click.option("--step", default=0.5, show_default=True, metavar="POINTS")
@figure_option
@markdown_option
@json_option
def tta_thresholds(
    entries: Sequence[Path],
    low: float,
    high: float,
    step: float,
    output: Path | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Print the time of entries to each of several thresholds, and who stops short of which.

    ENTRIES are .json or .tsv files, or folders of them.

    \b
    genset tta thresholds ImageNet/train --to 93.5 -o thresholds.svg
    """
    from genset.tta.figures import draw_thresholds
    from genset.tta.reading import read_runs
    from genset.tta.show import refused_grids, thresholds_grids
    from genset.tta.thresholds import levels, thresholds

    _can_draw(output)
    refused: list[MalformedLog] = []
    found = thresholds(read_runs(entries, refused), levels(low, high, step))
    if output:
        draw_thresholds(found, output)
    _show(found, thresholds_grids(found) + refused_grids(refused), markdown, as_json, refused)


@tta.command("scaling")
@click.argument("logs", metavar="WORKERS=LOG...", nargs=-1, required=True)
@threshold_option
@figure_option
@markdown_option
@json_option
def tta_scaling(
    logs: Sequence[str],
    threshold: float | None,
    output: Path | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Say what more workers brought: logs of one entry, each with its number of workers.

    Printed are the speed-ups of the time per epoch and of the time to accuracy over the smallest
    number, and the share of time in communication where a log has it.

    \b
    genset tta scaling 4=four-machines.tsv 8=eight-machines.tsv 16=sixteen.tsv
    """
    from genset.tta.figures import draw_scaling
    from genset.tta.reading import read_run
    from genset.tta.scaling import scaling
    from genset.tta.show import scaling_grids

    _can_draw(output)
    paths = _by_workers(logs)
    found = scaling({workers: read_run(path) for workers, path in paths.items()}, threshold)
    if output:
        draw_scaling(found, output)
    _show(found, scaling_grids(found), markdown, as_json)


@tta.command("record", context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, metavar="FOLDER/NAME"
)
@click.option("--model", required=True, help="Its name.")
@click.option("--task", "name", default="ImageNet", show_default=True, help="Or a name of yours.")
@click.option(
    "--score",
    type=click.Choice(["top1", "top5", "f1"]),
    default="top1",
    show_default=True,
    help="What a task of yours is judged by.",
)
@threshold_option
@click.option("--author", default="", help="Default: your login name.")
@click.option("--email", "author_email", default="", help="Of the author.")
@click.option("--framework", default="", help="Default: what genset.tta.Recorder sees.")
@click.option("--hardware", default="", help="Default: what is found on this machine.")
@click.option("--cost-per-hour", type=click.FloatRange(min=0), help="Of all machines, in dollars.")
@click.option("--code-url", default="", help="Where the training program is.")
@json_option
def tta_record(
    command: Sequence[str],
    output: Path,
    name: str,
    score: str,
    threshold: float | None,
    as_json: bool,
    **said: Any,
) -> None:
    """Run a training COMMAND and record it as an entry: NAME.json and NAME.tsv, as DAWNBench's.

    The command tells of each epoch by a line such as "tta epoch=3 top1=71.25 top5=90.1" on its
    standard output, or in Python by genset.tta.Recorder. What was told is kept whatever happens;
    the same command goes on with a run that was cut off, or else begins NAME-2, a further run.

    \b
    genset tta record -o ImageNet/train/ann_resnet50_1t4 --model ResNet-50 python train.py
    """
    from getpass import getuser

    from genset.text.plain import plain
    from genset.tta.machine import hardware
    from genset.tta.recording import Header
    from genset.tta.running import record

    said["author"] = said["author"] or getuser()
    said["hardware"] = said["hardware"] or hardware()
    header = Header(task=_task_of(name, score, threshold), **said)
    # A JSON document stands alone on the standard output.
    passed_on = sys.stderr if as_json else sys.stdout
    done = record(
        command, output, header, passed_on.buffer, lambda line: click.echo(line, err=True)
    )
    if as_json:
        show_json(plain(done))
    elif done.path:
        click.echo(_told(done, header.task))
    if done.path is None:
        line = "tta epoch=1 top1=71.2"
        raise GensetError(f"no epoch was recorded: the command printed no line such as {line}")
    if done.exit_code:
        ended = f"exit code {done.exit_code}" if done.exit_code > 0 else f"signal {-done.exit_code}"
        raise GensetError(f"the command ended with {ended}; {done.path} holds what it told")


def _task_of(name: str, score: str, threshold: float | None) -> "Task":
    from genset.tta.lines import SCORE_WORDS
    from genset.tta.reading import threshold_of
    from genset.tta.tasks import TASKS, Task

    task = TASKS.get(name.lower()) or Task(name, SCORE_WORDS[score], None)
    return replace(task, threshold=threshold_of(task, threshold))


def _told(done: "Recorded", task: "Task") -> str:
    from genset.text.numbers import duration

    if done.reached:
        told = f"reached at epoch {done.reached.epoch:g}, after {duration(done.reached.hours)}"
    else:
        told = "not reached"
    refused = f"; {done.refused} lines not recorded" if done.refused else ""
    return f"{done.path}: {done.epochs} epochs; {task.threshold:g} % {told}{refused}"


def _show(
    found: Any,
    grids: "Sequence[Grid]",
    markdown: bool,
    as_json: bool,
    refused: "Sequence[MalformedLog] | None" = None,
) -> None:
    from genset.text.plain import plain
    from genset.text.tables import as_markdown, as_text

    if as_json:
        show_json(plain(found) | ({} if refused is None else {"refused": plain(list(refused))}))
    else:
        click.echo(as_markdown(grids) if markdown else as_text(grids))


def _can_draw(output: Path | None) -> None:
    """Refuse a figure that cannot be written before the work for it begins."""
    from genset.tta.figures import check_figure

    if output:
        need("evaluate", "A figure", "matplotlib")
        check_figure(output)


def _thresholds(words: Sequence[str]) -> dict[str, float]:
    found = {}
    for word in words:
        task, _, percent = word.rpartition("=")
        try:
            found[task] = float(percent)
        except ValueError:
            raise BadInput(f"--threshold {word}: write 93, or ImageNet=93") from None
    return found


def _by_workers(words: Sequence[str]) -> dict[int, Path]:
    found: dict[int, Path] = {}
    for word in words:
        workers, _, path = word.partition("=")
        if not (workers.isascii() and workers.isdigit() and path):
            raise BadInput(f"{word}: write the number of workers before the log, 4=four.tsv")
        if int(workers) in found:
            raise BadInput(f"two logs of {workers} workers: name one a size")
        found[int(workers)] = Path(path)
    return found
