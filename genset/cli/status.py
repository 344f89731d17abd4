"""Commands that look after a workspace: status, doctor, backup, move."""

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import PATH, counted, format_command, json_command, opened, show, show_tables
from genset.core.errors import BadInput, GensetError
from genset.core.expected import as_toml
from genset.core.files import write_text
from genset.core.numbers import agree, count
from genset.core.table import of_words
from genset.core.validation import at_their_lines, read_text
from genset.settings import SETTINGS_FILE
from genset.workspace import Workspace, store_url

if TYPE_CHECKING:
    from genset.status import Status

_EXAMPLE = "photo is shown to labelers beside its class"
_EXAMPLES = "photos are shown to labelers beside their classes"
_CLASSES = "class", "classes"
_SEARCHES = "search", "searches"
_LIST = ": genset status --failed"
_ENTRIES = "entry of a search rejected", "entries of searches rejected"

# What JSON has only where there is something to say.
_OPTIONAL = (
    "sources",
    "missing_votes",
    "examples",
    "rejected_searches",
    "rejected_entries",
    "unchecked",
    "unfinished",
    "missing",
)


@click.command()
@click.option(
    "--failed",
    is_flag=True,
    help="List what was rejected, and what failed and is to be tried again.",
)
@format_command
def status(folder: Path | None, failed: bool, format: str) -> None:
    """Show how far each stage is, and the next command to type.

    A contested photo is held back until one class is ruled correct (genset labels review), or each
    class that claims it has a majority of votes for or against it.

    \b
    genset status --failed
    """
    from genset.status import failed as list_failed
    from genset.status import status as count_stages

    with opened(folder) as (workspace, store):
        if failed:
            show_tables(list_failed(store), format)
            return
        now = count_stages(workspace, store)
    command = _with_workspace(now.next_command, Path(now.workspace))
    document = asdict(now) | {"next_command": command}
    for name in _OPTIONAL:
        if not document[name]:
            del document[name]
    stages = [*_stages(now), *[("first", now.missing)] * bool(now.missing), ("next", command)]
    lines = "\n".join(f"{stage:<10} {text}" for stage, text in stages)
    show_tables(of_words(("stage", "state"), stages), format, document, text=lines)


def _with_workspace(command: str, root: Path) -> str:
    """The command as it is typed here, which may be outside of the workspace."""
    if Path.cwd().is_relative_to(root):
        return command
    return command.replace("genset", f"genset -w {shlex.quote(str(root))}", 1)


def _stages(now: "Status") -> Iterator[tuple[str, str]]:
    """How far each stage is, in words."""
    from genset.release.documents.words import missing_votes

    yield "workspace", now.workspace
    searches, classes = count(now.searches, *_SEARCHES), count(now.classes, *_CLASSES)
    if others := now.classes - now.chosen:
        classes = count(now.chosen, "chosen class", "chosen classes")
        classes += f" ({others:,} not chosen)"
    in_vain = f", {now.rejected_searches:,} rejected{_LIST}" if now.rejected_searches else ""
    yield "search", f"{now.searched:,} of {classes}, {searches}{in_vain}"
    if now.rejected_entries:
        yield "entries", counted(now.rejected_entries, *_ENTRIES)
    rejected = counted(now.rejected, "rejected")
    contested = f"{now.contested:,} contested"
    yield "photos", f"{now.stored:,} stored, {rejected}, {contested}, {now.found:,} found"
    for name, source in now.sources.items():
        yield (
            "source",
            f"{name}: {source.stored:,} stored, {source.rejected:,} rejected, "
            f"{source.found:,} found; {count(source.candidates, 'candidate')}, "
            f"{count(source.searches, *_SEARCHES)}",
        )
    if now.waiting:
        yield "waiting", f"{now.waiting:,} to be tried again{_LIST}"
    if now.unchecked:
        yield "refresh", f"{count(now.unchecked, 'photo')} failed{_LIST}"
    for outage in now.outages:
        since = f" since {outage.since}" if outage.since else ""
        following = f"at {outage.next_try}" if outage.next_try else "by the next command"
        yield "host", f"{outage.host}{since}: {outage.error}; next try {following}"
    classes = count(now.candidate_classes, *_CLASSES)
    yield (
        "labels",
        f"{now.labeled:,} of {count(now.candidates, 'candidate')} of {classes}; "
        f"labels: {now.labels:,}, labelers: {now.labelers:,}",
    )
    if now.labels and (missing := missing_votes(now.missing_votes)):
        yield "votes", missing
    if now.questions:
        answered = f"{now.questions - now.unanswered:,} of {now.questions:,}"
        lack = count(now.unanswered, "lacks", "lack")
        yield "questions", f"{answered} about further classes answered; {lack} votes"
    if now.examples:
        yield "examples", count(now.examples, _EXAMPLE, _EXAMPLES)
    for name, photos in now.releases.items():
        yield "release", f"{name}: {count(photos, 'photo')}"
    for name, models in now.runs.items():
        if models:
            yield "scored", f"{name}: {', '.join(models)}"


@click.command()
@click.option(
    "--repair",
    is_flag=True,
    help="Let the next scrape download what is lost; delete files that belong to no photo.",
)
@click.option(
    "--images-lost",
    is_flag=True,
    help="Begin the folder of originals again: the one that several machines shared is lost.",
)
@json_command
def doctor(folder: Path | None, repair: bool, images_lost: bool, as_json: bool) -> None:
    """Check the database, and every stored photo's bytes against it.

    \b
    genset doctor
    """
    from genset.db.failures import refuse_damaged
    from genset.db.images_folder import check_files, claim_images, files_of_nobody

    with opened(folder, originals="" if images_lost else "read") as (workspace, store):
        if images_lost:
            claim_images(workspace, store, again=True)
        refuse_damaged(workspace.store_url)
        problems = check_files(workspace, store, repair=repair)
        garbage = files_of_nobody(workspace, store)
    lines = problems or ["every photo is in order"]
    if garbage:
        megabytes = sum(path.stat().st_size for path in garbage) / 1e6
        files, were = count(len(garbage), "file"), agree(len(garbage), "was", "were")
        done = f"{were} deleted" if repair else "can be deleted: genset doctor --repair"
        lines = [*lines, f"{files} of no photo ({megabytes:,.1f} MB) {done}"]
    if repair:
        for path in garbage:
            path.unlink(missing_ok=True)
    show({"problems": problems, "files_of_nobody": len(garbage)}, "\n".join(lines), as_json)
    if problems and not repair:
        lost = count(len(problems), "photo is", "photos are")
        them = agree(len(problems), "it", "them")
        raise GensetError(
            f"{lost} lost; genset doctor --repair lets the next scrape download {them} again"
        )


@click.command()
@click.argument("file", type=PATH, required=False)
@json_command
def backup(folder: Path | None, file: Path | None, as_json: bool) -> None:
    """Copy the database to FILE while other commands work, check the copy, and say how to restore.

    Without FILE it goes to backups/ beside the database, with the time in its name; git ignores
    that folder. Photos, releases and runs are files that never change: copy them after this.

    \b
    genset backup
    genset backup /mnt/safe/genset.db
    """
    from genset.db.failures import explained
    from genset.db.sqlite import back_up

    workspace = Workspace.find(folder)
    with explained(workspace.store_url, "no backup was made of the store {}"):
        done = back_up(workspace.store_url, file)
    lines = [
        f"{done.file}: {done.bytes / 1e6:,.1f} MB, checked",
        "to restore it, end what works on this workspace, then:",
        *(f"  {command}" for command in done.restore),
    ]
    show(asdict(done), "\n".join(lines), as_json)


@click.command()
@click.argument("url")
@json_command
def move(folder: Path | None, url: str, as_json: bool) -> None:
    """Move the database to URL, an empty one, and set url in genset.toml.

    End what works on the workspace first. The old database stays as it is; a password belongs into
    PGPASSWORD.

    \b
    genset move postgresql+psycopg://genset@/genset
    """
    from genset.db.database import copy_database
    from genset.label.server import alone_with

    if os.environ.get("GENSET_STORE_URL"):
        raise BadInput("GENSET_STORE_URL names the database, before genset.toml: unset it")
    workspace = Workspace.find(folder)
    file = workspace.root / SETTINGS_FILE
    line = f"url = {as_toml(url)}"
    text, found = re.subn(r"(?m)^url = .*", lambda _: line, read_text(file), count=1)
    if not found:
        raise BadInput(f"{file} has no line 'url = ...' under [store]: add one")
    with at_their_lines("", "URL"):
        target = store_url(workspace.root, url)
    with alone_with(workspace.store_url):  # what is labeled meanwhile would be lost
        rows = copy_database(workspace.store_url, target)
        write_text(file, text)
    show({"rows": rows}, f"{count(rows, 'row')} moved from {workspace.store_url}", as_json)
