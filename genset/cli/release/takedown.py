"""The command that takes photos out of a release."""

from pathlib import Path

import click

from genset.cli.common import json_option, opened, show
from genset.cli.release.common import release_summary


@click.command("takedown")
@click.argument("name")
@json_option
@click.pass_obj
def takedown_command(folder: Path | None, name: str, as_json: bool) -> None:
    """Make NAME.1: release NAME without the photos that genset remove took out of the pool.

    \b
    genset remove flickr:6061409035 --reason "its owner asked on 3 May"
    genset release takedown v1
    """
    from genset.release.reader import Release
    from genset.release.takedown import takedown

    with opened(folder) as (workspace, store):
        done = takedown(workspace, store, Release(workspace.releases / name))
    lines = [
        f"{done.new.root}: {len(done.new.photos)} photos; {len(done.removed)} taken out",
        *(f"  removed: {file}" for file in done.removed),
        f"  {done.old.root} still has them: delete it, and tell those who have a copy",
    ]
    answer = {**release_summary(done.new), "replaces": done.old.name, "removed": done.removed}
    show(answer, "\n".join(lines), as_json)
