"""Commands for releases: freeze labeled photos, look after what is frozen, hand it on."""

import click

from genset.cli.group import Group
from genset.cli.release.cite import cite_command
from genset.cli.release.create import create_command
from genset.cli.release.diff import diff_command
from genset.cli.release.export import export_command
from genset.cli.release.push import push_command
from genset.cli.release.takedown import takedown_command
from genset.cli.release.verify import verify_command


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
