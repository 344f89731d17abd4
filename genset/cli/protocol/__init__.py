"""Commands for protocols: keep how a release is made, and make the next one in the same way."""

import click

from genset.cli.group import Group
from genset.cli.protocol.run import run_command
from genset.cli.protocol.save import save_command
from genset.cli.protocol.show import list_command, show_command


@click.group(cls=Group)
def protocol() -> None:
    """How a series of releases is made, in the same way each time."""


for command in (save_command, run_command, list_command, show_command):
    protocol.add_command(command)
