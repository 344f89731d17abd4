"""The command that answers what a reviewer asks of a release."""

from dataclasses import asdict
from pathlib import Path

import click

from genset.cli.common import FILE, json_option, opened, show
from genset.cli.release.common import named
from genset.core.errors import NotAWorkspace


@click.command("audit")
@click.argument("name")
@click.option(
    "--against",
    type=FILE,
    multiple=True,
    help="Hashes of another set that it must share no photo with (genset hash, sha256sum).",
)
@click.option("--no-faces", is_flag=True, help="Do not look for faces, which takes longest.")
@json_option
@click.pass_context
def audit_command(
    context: click.Context,
    name: str,
    against: tuple[Path, ...],
    no_faces: bool,
    as_json: bool,
) -> None:
    """Answer a reviewer's checklist of a release (a name, or a folder's path).

    Each point is pass, fail or not said, with the photos named. Pairs that somebody called
    different (genset duplicates) are no duplicates. Exit code 1 where a point fails.

    \b
    genset release audit v1
    genset release audit v1 --against imagenet.hashes --json
    """
    from genset.release.audit.audit import audit, called_different
    from genset.release.audit.finding import lines

    found = named(context.obj, name)
    try:
        with opened(context.obj) as (_, store):
            different = called_different(store)
    except NotAWorkspace:
        different = frozenset()
    done = audit(found, against, different, faces=not no_faces)
    answer = {**asdict(done), "failed": done.failed}
    show(answer, "\n".join([f"{done.name}, {done.content_hash}", *lines(done.findings)]), as_json)
    if done.failed:
        context.exit(1)
