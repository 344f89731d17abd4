"""What commands on time to accuracy have in common: options, figures, printing."""

from collections.abc import Callable, Mapping, Sequence
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
    from genset.tta.runs import MalformedLog

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

# Those of `ReadAs` that name something.
_NAMES = {
    "--log-format": ("log_format", "[default: by their content]"),
    "--metric": ("metric", "The column or tag of the score."),
    "--epoch-column": ("epoch", "The column of epochs."),
    "--time-column": ("time", "The column with the time since training began."),
    "--run-column": ("run", "The column that tells a table's runs apart."),
}
_READING = (
    *(
        click.option(option, name, metavar="NAME", default="", help=words)
        for option, (name, words) in _NAMES.items()
    ),
    click.option(
        "--lower-is-better",
        is_flag=True,
        default=None,
        help="A lower metric is better. [default for losses]",
    ),
    click.option(
        "--starts-at",
        metavar="SECONDS",
        default="",
        help="Training before the logs that are the rest of a resumed run, as 5400 or 1:30:00.",
    ),
    click.option(
        "--pattern",
        metavar="REGEX",
        default="",
        help="What a console's lines say: a regular expression with groups epoch or step, s, ms, "
        "time or adds, and score; or a ready one: keras, modded-nanogpt, torchvision.",
    ),
)


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how logs are read; the command takes them as `read_as`."""

    @wraps(command)
    def read(log_format: str, starts_at: str, pattern: str, **rest: Any) -> None:
        from genset.tta.logs.common import OPTIONS, ReadAs

        named = {name: rest.pop(name) for name in OPTIONS if name != "pattern"}
        log_format = log_format or ("console" if pattern else "")
        before = _seconds(starts_at) if starts_at else None
        read_as = ReadAs(log_format, **named, starts_at=before, pattern=pattern)
        command(read_as=read_as, **rest)

    for option in reversed(_READING):
        read = option(read)
    return read


def _seconds(text: str) -> float:
    from genset.tta.logs.common import number, seconds

    found = number(text)
    found = seconds(text) if found is None else found
    if found is None or found <= 0:
        raise BadInput(f"--starts-at {text}: write seconds above 0, as 5400, or 1:30:00")
    return found


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


def show_analysis(
    read: "Callable[[list[MalformedLog]], Any]",
    analyse: Callable[[Any], Any],
    tables: "Callable[[Any], list[Table]]",
    draw: Callable[[Any, Any, Path], None],
    output: Path | None,
    format: str,
) -> None:
    """Read logs, analyse them, and print and draw what was found, with the logs that are refused.

    Raises:
        BadInput: what `read` and `analyse` raise; the reason names a log that is not counted.
        GensetError: after the answer, if some logs are not counted.
    """
    from genset.tta.words import refused_tables

    refused: list[MalformedLog] = []
    logs = read(refused)
    try:
        found = analyse(logs)
    except BadInput as error:
        if not refused:
            raise
        more = f"; and {len(refused) - 1} more" if len(refused) > 1 else ""
        raise BadInput(f"{error}. Not counted: {refused[0]}{more}") from None
    show(found, tables(found) + refused_tables(refused), format, refused=refused)
    if output:
        draw(found, logs, output)
    if paths := {error.path for error in refused}:
        several = logs.values() if isinstance(logs, Mapping) else [logs]
        all_logs = paths | {run.about.path for runs in several for run in runs}
        raise GensetError(f"{len(paths):,} of {count(len(all_logs), 'log')} cannot be counted")


def check_output(output: Path | None) -> None:
    """Refuse a figure that cannot be written, before the work for it begins."""
    from genset.tta.figures import check_figure

    if output:
        need("report", "A figure", "matplotlib")
        check_figure(output)
