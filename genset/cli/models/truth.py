"""How commands print models by a set's multi-label truth."""

from typing import TYPE_CHECKING

import click

from genset.cli.common import show_table
from genset.core.safe import visible

if TYPE_CHECKING:
    from genset.reporting.truth import MeasuredRuns


def show_truth(found: "MeasuredRuns", replaced: str = "") -> None:
    """Print what the truth is, a table of the models by it, and what must be said beside it.

    `replaced` names the file in whose place it was given.
    """
    click.echo(visible(found.summary(replaced)))
    if rows := found.rows():
        show_table(found.head, rows)
    for remark in found.remarks():
        click.echo(visible(remark))
