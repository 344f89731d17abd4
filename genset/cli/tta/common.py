"""What commands on time to accuracy have in common: options, figures, printing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import FILE, need, show_json
from genset.core.errors import BadInput, GensetError
from genset.core.numbers import count

if TYPE_CHECKING:
    from genset.core.tables import Grid
    from genset.tta.runs import MalformedLog, Training

RUNS = click.Path(path_type=Path, exists=True)

markdown_option = click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
figure_option = click.option(
    "-o", "--output", type=FILE, help="Write a figure too: a .png or .svg file."
)
mixed_option = click.option(
    "--mixed",
    is_flag=True,
    help="Take runs of different models, hardware, frameworks or schedules for one entry's.",
)
threshold_option = click.option(
    "--threshold",
    type=float,
    metavar="SCORE",
    help="In per cent, or the unit that the score has. Default: the task's own.",
)


_READING = (
    click.option(
        "--format", metavar="NAME", default="", help="Of the logs. Default: their content says it."
    ),
    click.option("--metric", metavar="NAME", default="", help="The column or tag that counts."),
    click.option(
        "--lower-is-better",
        is_flag=True,
        default=None,
        help="The less of the metric, the better. Known of losses.",
    ),
    click.option("--epoch-column", "epoch", metavar="NAME", default="", help="Of a table."),
    click.option(
        "--time-column", "time", metavar="NAME", default="", help="With the time since the start."
    ),
    click.option(
        "--run-column", "run", metavar="NAME", default="", help="What tells a table's runs apart."
    ),
)


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how logs are to be read; the command takes them as `read_as`."""

    @wraps(command)
    def read(
        format: str,
        metric: str,
        epoch: str,
        time: str,
        run: str,
        lower_is_better: bool | None,
        **rest: Any,
    ) -> None:
        from genset.tta.logs.common import ReadAs

        command(read_as=ReadAs(format, metric, epoch, time, run, lower_is_better), **rest)

    for option in reversed(_READING):
        read = option(read)
    return read


def show(
    found: Any,
    grids: "Sequence[Grid]",
    markdown: bool,
    as_json: bool,
    refused: "Sequence[MalformedLog] | None" = None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Print an answer; `refused`, or `more`, joins it in JSON alone, as the grids have it."""
    from genset.core.tables import as_markdown, as_text
    from genset.core.to_json import to_json

    if as_json:
        beside = dict(more or {}) if refused is None else {"refused": list(refused)}
        show_json(to_json(found) | to_json(beside))
    else:
        click.echo(as_markdown(grids) if markdown else as_text(grids))


@contextmanager
def naming(refused: "Sequence[MalformedLog]") -> Iterator[None]:
    """Let what cannot be said of the logs that are left name what was refused of them."""
    try:
        yield
    except BadInput as error:
        if not refused:
            raise
        more = f"; and {len(refused) - 1} more" if len(refused) > 1 else ""
        raise BadInput(f"{error}. Not counted: {refused[0]}{more}") from None


def all_counted(runs: "Sequence[Training]", refused: "Sequence[MalformedLog]") -> None:
    """End with exit code 1, after the answer, where it is of a part of the logs.

    Raises:
        GensetError: some were refused.
    """
    paths = {error.path for error in refused}
    if paths:
        logs = paths | {run.about.path for run in runs}
        raise GensetError(f"{len(paths):,} of {count(len(logs), 'log')} cannot be counted")


def one_form(markdown: bool, as_json: bool) -> None:
    """Refuse to print an answer in two forms at once."""
    if markdown and as_json:
        raise click.UsageError("--markdown and --json are two forms of the answer: say one.")


def can_draw(output: Path | None) -> None:
    """Refuse a figure that cannot be written before the work for it begins."""
    from genset.tta.figures import check_figure

    if output:
        need("evaluate", "A figure", "matplotlib")
        check_figure(output)
