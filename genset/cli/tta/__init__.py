"""Commands on time to accuracy (TTA): read logs, compare them, record one's own."""

import click

from genset.cli.group import Group
from genset.cli.tta.analyses import (
    factors_command,
    report_command,
    scaling_command,
    stability_command,
    table_command,
    thresholds_command,
)
from genset.cli.tta.profile import profile_command
from genset.cli.tta.record import record_command


@click.group(cls=Group)
def tta() -> None:
    """Time to accuracy: training logs, read, compared and recorded."""


for command in (
    table_command,
    stability_command,
    thresholds_command,
    scaling_command,
    factors_command,
    profile_command,
    report_command,
    record_command,
):
    tta.add_command(command)
