"""The command that checks a release."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import json_command, opened, show
from genset.cli.release.common import is_of_workspace, named, release_summary
from genset.core.errors import ReleaseDamaged
from genset.core.numbers import count

if TYPE_CHECKING:
    from genset.release.preview import Checks
    from genset.release.reader import Release


@click.command("verify")
@click.argument("name")
@click.option(
    "--expect",
    metavar="sha256:HASH",
    help="The content hash that was published with a score, or the hash of the manifest.",
)
@json_command
def verify_command(folder: Path | None, name: str, expect: str | None, as_json: bool) -> None:
    """Compare every byte of a release (a name, or a folder's path) with its manifest.

    That shows that it is complete and unchanged. --expect shows that it is the release you mean:
    whoever changes photos can write a manifest that fits them.

    It also names photos that no licence lets you share or that credit no owner; and it fails (exit
    code 1) where photos are gone at their source, their owners took the licence back, or they were
    removed from the pool since.

    \b
    genset release verify v1
    genset release verify v1 --expect sha256:HASH
    """
    from genset.release.reader.release import check_expected

    found = named(folder, name)
    answer, lines = release_summary(found), list[str]()
    if expect is not None:
        answer["expected"] = check_expected(found, expect)
        lines.append(f"  its {answer['expected'].replace('_', ' ')} is the expected one")
    try:
        found.verify()
    except ReleaseDamaged as damage:
        click.echo("\n".join(damage.problems), err=True)
        raise
    photos = count(len(found.photos), "photo is", "photos are")
    lines.insert(0, f"{found.name}: {photos} what the manifest says")
    checks = _checks(folder, found)
    answer["checks"] = asdict(checks)
    show(answer, "\n".join([*lines, *checks.lines(found.name)]), as_json)
    checks.refuse_changed(found.name)


def _checks(folder: Path | None, release: "Release") -> "Checks":
    """What is wrong with its photos, as far as its manifest and its workspace know."""
    from genset.release.preview import check_photos

    if not is_of_workspace(folder, release):
        return check_photos(release.photos)
    with opened(folder) as (_, store), store.session() as session:
        return check_photos(release.photos, session)
