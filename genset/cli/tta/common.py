"""What commands on time to accuracy have in common: options, figures, printing."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import FILE, format_option, need, show_tables
from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count
from genset.core.to_json import to_json

if TYPE_CHECKING:
    from genset.core.table import Table
    from genset.tta.runs import MalformedLog, Training

RUNS = click.Path(path_type=Path, exists=True)

figure_option = click.option(
    "-o", "--output", type=FILE, help="Also draw a figure, a .png or .svg file."
)
mixed_option = click.option(
    "--mixed",
    is_flag=True,
    help="Accept runs of different models, hardware, frameworks or schedules as one entry's.",
)
threshold_option = click.option(
    "--threshold",
    type=float,
    metavar="SCORE",
    help="In per cent, or in the score's own unit. [default: the task's own]",
)

_READING = (
    click.option("--log-format", metavar="NAME", default="", help="[default: by their content]"),
    click.option("--metric", metavar="NAME", default="", help="The column or tag of the score."),
    click.option(
        "--lower-is-better",
        is_flag=True,
        default=None,
        help="A lower metric is better. [default for losses]",
    ),
    click.option(
        "--epoch-column", "epoch", metavar="NAME", default="", help="The column of epochs."
    ),
    click.option(
        "--time-column",
        "time",
        metavar="NAME",
        default="",
        help="The column with the time since training began.",
    ),
    click.option(
        "--run-column",
        "run",
        metavar="NAME",
        default="",
        help="The column that tells a table's runs apart.",
    ),
)


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how logs are read; the command takes them as `read_as`."""

    @wraps(command)
    def read(
        log_format: str,
        metric: str,
        epoch: str,
        time: str,
        run: str,
        lower_is_better: bool | None,
        **rest: Any,
    ) -> None:
        from genset.tta.logs.common import ReadAs

        command(read_as=ReadAs(log_format, metric, epoch, time, run, lower_is_better), **rest)

    for option in reversed(_READING):
        read = option(read)
    return read


def analysis_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add what all that compares runs takes: how logs are read, a figure, how to print it."""

    @wraps(command)
    def checked(output: Path | None, **rest: Any) -> None:
        check_output(output)
        command(output=output, **rest)

    return figure_option(reading_options(format_option(checked)))


def show(found: Any, tables: "Sequence[Table]", format: str, **more: Any) -> None:
    """Print an answer: its tables, or as JSON the whole of it, with `more` of what tables show."""
    show_tables(tables, format, to_json(found) | to_json(more) if format == "json" else None)


@contextmanager
def naming_refused(refused: "Sequence[MalformedLog]") -> Iterator[None]:
    """Add to an error in the block that some logs are not counted, and why."""
    try:
        yield
    except BadInput as error:
        if not refused:
            raise
        more = f"; and {len(refused) - 1} more" if len(refused) > 1 else ""
        raise BadInput(f"{error}. Not counted: {refused[0]}{more}") from None


def end_if_refused(runs: "Sequence[Training]", refused: "Sequence[MalformedLog]") -> None:
    """End with exit code 1, after the answer, if some logs are not counted.

    Raises:
        GensetError: some were refused.
    """
    paths = {error.path for error in refused}
    if paths:
        logs = paths | {run.about.path for run in runs}
        raise GensetError(f"{len(paths):,} of {count(len(logs), 'log')} cannot be counted")


def check_output(output: Path | None) -> None:
    """Refuse a figure that cannot be written, before the work for it begins."""
    from genset.tta.figures import check_figure

    if output:
        need("evaluate", "A figure", "matplotlib")
        check_figure(output)
