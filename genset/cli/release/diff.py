"""The command that compares two releases."""

from pathlib import Path

import click

from genset.cli.common import json_option, show
from genset.cli.release.common import named


@click.command("diff")
@click.argument("one")
@click.argument("other")
@json_option
@click.pass_obj
def diff_command(folder: Path | None, one: str, other: str, as_json: bool) -> None:
    """Print the differences between two releases (names, or folders' paths).

    \b
    genset release diff v1 v1.1
    """
    from dataclasses import asdict

    from genset.release.diff import diff

    found = diff(named(folder, one), named(folder, other))
    show(asdict(found), "\n".join(found.lines()), as_json)
