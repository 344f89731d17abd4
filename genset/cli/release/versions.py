"""Commands on what is frozen: verify it, take photos out, compare two releases."""

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import DAY, format_command, json_command, opened, show, show_tables
from genset.cli.release.common import is_of_workspace, named, release, release_summary
from genset.core.errors import ReleaseDamaged, ReleaseIncomplete
from genset.core.junk import junk_note
from genset.core.numbers import count
from genset.release.exports import manifest_of
from genset.release.reader import MANIFEST, Release
from genset.release.reader.release import check_expected

if TYPE_CHECKING:
    from genset.release.preview import Checks
    from genset.release.reader import ReleasePhoto


@release.command("verify")
@click.argument("name")
@click.option(
    "--expect",
    metavar="HASH",
    help="The content hash that was published with a score, or the hash of the manifest.",
)
@json_command
def verify_command(folder: Path | None, name: str, expect: str | None, as_json: bool) -> None:
    """Compare every byte of a release (a name, or the path of it or an export) with its manifest.

    That shows that it is complete and unchanged. --expect shows that it is the release you mean:
    whoever changes photos can write a manifest that fits them.

    Where genset pull could not get all photos, it names those that are missing, and exits with 3 if
    all others are as they should be: genset evaluate takes these as a part of the release.

    It also names photos that no licence lets you share or that credit no owner; and it fails (exit
    code 1) where photos are gone at their source, their owners took the licence back, or they were
    removed from the pool since.

    \b
    genset release verify v1
    genset release verify v1 --expect sha256:HASH
    genset release verify ./v1-webdataset
    """
    from genset.release.documents import CARD
    from genset.sets.open import open_set

    found = named(folder, name)
    answer, lines = release_summary(found), list[str]()
    if expect is not None:
        answer["expected"] = check_expected(found.root, found.manifest, expect)
        lines.append(f"  its {answer['expected'].replace('_', ' ')} is the expected one")
    is_export = not found.path_of(CARD).exists() and manifest_of(found.root.parent) == (
        found.root / MANIFEST
    )
    passed_over, missing = list[str](), found.missing()
    try:
        if is_export:
            present = {photo.id: photo for photo in open_set(str(found.root.parent)).photos}
            missing += [photo.file for photo in found.photos if photo.file not in present]
            found.keep([photo for photo in found.photos if photo.file in present])
        else:
            passed_over = found.verify()
    except ReleaseDamaged as damage:
        click.echo("\n".join(damage.problems), err=True)
        raise
    answer |= {**release_summary(found), "missing": missing}
    photos = count(len(found.photos), "photo is", "photos are")
    lines.insert(0, f"{found.title}: {photos} what the manifest says")
    lines += [f"  missing: {file}" for file in missing]
    checks = _checks(folder, found)
    answer["passed_over"], answer["checks"] = passed_over, asdict(checks)
    lines += [f"  {note}" for note in junk_note(passed_over)]
    show(answer, "\n".join([*lines, *checks.lines(name)]), as_json)
    checks.refuse_changed(found.name)
    if missing:
        next_step = "export it again" if is_export else f"genset pull {found.root} goes on"
        raise ReleaseIncomplete(f"{found.root} has {found.title}: {next_step}")


def _checks(folder: Path | None, release: Release) -> "Checks":
    """What is wrong with its photos, as far as its manifest and its workspace know."""
    from genset.release.preview import check_photos

    def path_of(photo: "ReleasePhoto") -> Path:
        return release.root / photo.file

    if not is_of_workspace(folder, release):
        return check_photos(release.photos, path_of)
    with opened(folder) as (_, store), store.session() as session:
        return check_photos(release.photos, path_of, session)


@release.command("takedown")
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
    from genset.release.versions import takedown

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


@release.command("diff")
@click.argument("one")
@click.argument("other")
@format_command
def diff_command(folder: Path | None, /, one: str, other: str, format: str) -> None:
    """Print the differences between two releases (names, or folders' paths).

    \b
    genset release diff v1 v1.1
    genset release diff v1 v1.1 --format markdown
    """
    from genset.release.versions import diff

    found = diff(named(folder, one), named(folder, other))
    show_tables(found.table(), format, found)
