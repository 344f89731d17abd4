"""The command that checks a release."""

from pathlib import Path

import click

from genset.cli.common import json_option, show
from genset.cli.release.common import named, release_summary
from genset.errors import ReleaseDamaged


@click.command("verify")
@click.argument("name")
@json_option
@click.pass_obj
def verify_command(folder: Path | None, name: str, as_json: bool) -> None:
    """Compare every byte of a release (a name, or a folder's path) with its manifest.

    \b
    genset release verify v1
    """
    found = named(folder, name)
    try:
        found.verify()
    except ReleaseDamaged as damage:
        click.echo("\n".join(damage.problems), err=True)
        raise
    text = f"{found.name}: {len(found.photos)} photos are what the manifest says"
    show(release_summary(found), text, as_json)
