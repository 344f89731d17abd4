"""Commands for releases: freeze labeled photos, look after what is frozen, hand it on."""

import click

from genset.cli.group import Group
from genset.cli.release.create import create_command
from genset.cli.release.share import cite_command, export_command, push_command
from genset.cli.release.verify import verify_command
from genset.cli.release.versions import diff_command, takedown_command


@click.group(cls=Group)
def release() -> None:
    """Frozen test sets."""


for command in (
    create_command,
    verify_command,
    takedown_command,
    diff_command,
    export_command,
    push_command,
    cite_command,
):
    release.add_command(command)
