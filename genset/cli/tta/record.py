"""The command that runs a training program and records it as an entry."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import PATH, json_option, show_json
from genset.cli.tta.common import threshold_option
from genset.core.errors import GensetError
from genset.core.numbers import agree, count, duration

if TYPE_CHECKING:
    from genset.tta.record.running import Job, Outcome, Output
    from genset.tta.runs import Task


@click.command("record", context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    metavar="FOLDER/NAME",
    help="The entry; of several runs the folder for them.",
)
@click.option("--model", required=True, help="Its name.")
@click.option(
    "--task",
    "name",
    default="",
    help="ImageNet, CIFAR10, SQuAD or a name of yours (default: what the folders above the entry, "
    "or earlier recordings there, say).",
)
@click.option(
    "--score",
    type=click.Choice(["top1", "top5", "f1"]),
    help="What a task of yours is judged by (default: top1).",
)
@threshold_option
@click.option("--runs", type=click.IntRange(min=1, max=1000), help="Run it so often, one by one.")
@click.option(
    "--seeds",
    default="",
    metavar="0..4",
    help="Of the runs, put for {seed} in the command's words (default: from 0 on).",
)
@click.option(
    "--checkpoint", type=PATH, help="The file of weights that it leaves: its hash is kept."
)
@click.option("--author", default="", help="Default: your login name.")
@click.option("--email", "author_email", default="", help="Of the author.")
@click.option("--framework", default="", help="Default: what genset.tta.Recorder sees.")
@click.option("--hardware", default="", help="Default: what is found on this machine.")
@click.option("--cost-per-hour", type=click.FloatRange(min=0), help="Of all machines, in dollars.")
@click.option("--code-url", default="", help="Where the training program is.")
@click.option("--energy", is_flag=True, help="Record watt hours of NVIDIA's GPUs, CPUs and memory.")
@json_option
def record_command(
    command: Sequence[str],
    output: Path,
    name: str,
    score: str | None,
    threshold: float | None,
    runs: int | None,
    seeds: str,
    checkpoint: Path | None,
    energy: bool,
    as_json: bool,
    **header: Any,
) -> None:
    """Run a training COMMAND and record it as an entry: NAME.json and NAME.tsv, as DAWNBench's.

    The command prints a line after each epoch, in per cent, as "tta epoch=3 top1=71.25 top5=90.1".
    In Python these two lines print it:

    \b
        recorder = genset.tta.Recorder()        # before the data is loaded: time runs from here
        recorder.epoch(top1=71.25, top5=90.1)   # after each epoch

    What was told is kept whatever happens; the same command goes on with a run that was cut off, or
    else begins NAME-2, a further run.

    --runs runs it several times, each with a seed of its own where the command says {seed}, and
    keeps the runs in one folder. One that fails does not end the others, and the same command
    again runs those that are missing.

    \b
    genset tta record -o ImageNet/train/ann_resnet50_1t4 --model ResNet-50 python train.py
    genset tta record -o digits/small --model Small --task digits --threshold 97 --runs 5 \\
      --checkpoint out/{seed}.pth -- python train.py --seed {seed} --save out/{seed}.pth
    """
    from getpass import getuser

    from genset.core.to_json import to_json
    from genset.tta.record.header import Header, choose_task, hardware
    from genset.tta.record.running import Job, Output, record
    from genset.tta.record.series import choose_runs

    chosen = choose_runs([*command, str(checkpoint or "")], runs, seeds)
    header["author"] = header["author"] or getuser()
    header["hardware"] = header["hardware"] or hardware()
    task = choose_task(name, score or "", threshold, output)
    job = Job(command, Header(task=task, **header), checkpoint, energy=energy)
    # A JSON document stands alone on the standard output. A closed one is None.
    passed_on = sys.stderr if as_json else sys.stdout
    report = Output(getattr(passed_on, "buffer", None), lambda line: click.echo(line, err=True))
    if chosen:
        _record_several(job, output, chosen, report, as_json)
        return
    done = record(job, output, report)
    if as_json:
        show_json(to_json(done))
    elif done.path:
        click.echo(_summary(done, job.header.task))
    if done.failure:
        raise GensetError(done.failure)


def _record_several(
    job: "Job", folder: Path, runs: "Mapping[str, int | None]", report: "Output", as_json: bool
) -> None:
    from genset.core.to_json import to_json
    from genset.tta.record.series import MissingRuns, record_series

    series = record_series(job, folder, runs, report)
    if as_json:
        show_json(to_json(series))
    else:
        for outcome in series.recorded.values():
            if outcome.path:
                click.echo(_summary(outcome, job.header.task))
        done = len(runs) - len(series.missing)
        are = agree(done if len(runs) > 1 else 1, "is", "are")
        click.echo(f"{folder}: {done:,} of {count(len(runs), 'run')} {are} recorded")
    if series.failures or series.missing:
        raise MissingRuns(series)


def _summary(done: "Outcome", task: "Task") -> str:
    from genset.tta.words import quantity

    reached = "not reached"
    if done.reached:
        reached = f"reached at epoch {done.reached.epoch:g}, after {duration(done.reached.hours)}"
        if done.reached.watt_hours is not None:
            reached += f" and {quantity(done.reached.watt_hours, 'Wh')}"
    refused = f"; {count(done.refused, 'line')} not recorded" if done.refused else ""
    return f"{done.path}: {count(done.epochs, 'epoch')}; {task.threshold:g} % {reached}{refused}"
