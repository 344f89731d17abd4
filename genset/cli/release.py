"""Commands for releases."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import json_option, opened, show
from genset.errors import ReleaseDamaged
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.release.reader import Release


@click.group()
def release() -> None:
    """Frozen test sets."""


@release.command("create")
@click.argument("name")
@json_option
@click.pass_obj
def release_create(folder: Path | None, name: str, as_json: bool) -> None:
    """Freeze what was labeled correct into releases/NAME.

    \b
    genset release create v1
    """
    from genset.release.freeze import create

    with opened(folder) as (workspace, store):
        made = create(workspace, store, name)
    lines = [
        f"{made.root}: {len(made.photos)} photos of {len(made.wnids)} classes",
        f"  {made.content_hash}",
        *(f"  left out: {count} {reason}" for reason, count in made.left_out.items()),
    ]
    show(_release_summary(made), "\n".join(lines), as_json)


@release.command("verify")
@click.argument("name")
@json_option
@click.pass_obj
def release_verify(folder: Path | None, name: str, as_json: bool) -> None:
    """Compare every byte of a release (a name, or a folder's path) with its manifest.

    \b
    genset release verify v1
    """
    from genset.release.reader import MANIFEST, Release

    path = Path(name)
    if not (path / MANIFEST).is_file():
        path = Workspace.find(folder).releases / name
    found = Release.open(path)
    try:
        found.verify()
    except ReleaseDamaged as damage:
        click.echo("\n".join(damage.problems), err=True)
        raise
    text = f"{found.name}: {len(found.photos)} photos are what the manifest says"
    show(_release_summary(found), text, as_json)


def _release_summary(found: "Release") -> dict[str, Any]:
    return {
        "name": found.name,
        "path": str(found.root),
        "content_hash": found.content_hash,
        "photos": len(found.photos),
        "classes": len(found.wnids),
        "left_out": found.left_out,
    }
