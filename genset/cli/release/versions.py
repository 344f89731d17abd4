"""The command that takes photos out of a release."""

from datetime import datetime
from pathlib import Path

import click

from genset.cli.common import DAY, format_command, json_command, opened, show, show_tables
from genset.cli.release.common import named, release_summary
from genset.core.numbers import count


@click.command("takedown")
@click.argument("name")
@click.option(
    "--requested", type=DAY, help="The day on which the owner asked for it, for the manifest."
)
@json_command
def takedown_command(
    folder: Path | None, name: str, requested: datetime | None, as_json: bool
) -> None:
    """Make NAME.1: release NAME without the photos that genset remove took out of the pool.

    It prints what to answer to the owner, and to those who have a copy of NAME.

    \b
    genset remove flickr:6061409035 --reason "its owner asked on 3 May"
    genset release takedown v1 --requested 2026-05-03
    """
    from genset.release.reader import Release
    from genset.release.takedown import takedown

    with opened(folder) as (workspace, store):
        old = Release(workspace.releases / name)
        done = takedown(workspace, store, old, requested and requested.date())
    lines = [
        f"{done.new.root}: {count(len(done.new.photos), 'photo')}; {len(done.removed):,} taken out",
        *(f"  removed: {file}" for file in done.removed),
        f"  {done.old.root} still has them: delete it. What to answer:",
        "",
        done.answer,
    ]
    answer = {
        **release_summary(done.new),
        "replaces": done.old.name,
        "removed": done.removed,
        "requested": done.requested,
        "answer": done.answer,
    }
    show(answer, "\n".join(lines), as_json)


@click.command("diff")
@click.argument("one")
@click.argument("other")
@format_command
def diff_command(folder: Path | None, /, one: str, other: str, format: str) -> None:
    """Print the differences between two releases (names, or folders' paths).

    \b
    genset release diff v1 v1.1
    genset release diff v1 v1.1 --format markdown
    """
    from genset.release.diff import diff

    found = diff(named(folder, one), named(folder, other))
    show_tables(found.table(), format, found)
