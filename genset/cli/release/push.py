"""The command that pushes a release to the Hugging Face Hub."""

from pathlib import Path

import click

from genset.cli.common import json_option, show
from genset.cli.release.common import named, restricted_option, said_now
from genset.core.numbers import count


@click.command("push")
@click.argument("name")
@click.option("--to", required=True, metavar="hf:OWNER/NAME", help="The repository of the Hub.")
@click.option("--publish", is_flag=True, help="Let everybody see it (default: its owner alone).")
@click.option(
    "--forget",
    is_flag=True,
    help="Delete what earlier pushes left in the repository's history, for good.",
)
@restricted_option
@json_option
@click.pass_obj
def push_command(
    folder: Path | None,
    name: str,
    to: str,
    publish: bool,
    forget: bool,
    include_restricted: bool,
    as_json: bool,
) -> None:
    """Push a release (a name, or a folder's path) to a repository of the Hugging Face Hub.

    It is what genset release export --format huggingface writes. Run it again to go on where it was
    stopped: nobody sees anything of it before it is complete. Set HF_TOKEN to a token that may
    write. After a takedown, say --forget: else the Hub shows to whoever asks for an earlier commit
    what was taken out.

    \b
    genset release push v1 --to hf:ann/birds-2026
    genset release push v1 --to hf:ann/birds-2026 --publish
    genset release push v1.1 --to hf:ann/birds-2026 --forget
    """
    from dataclasses import asdict
    from functools import partial

    from genset.release.push import push

    found = named(folder, name)
    said = partial(said_now, folder, found)
    done = push(
        found, to, said, publish=publish, include_restricted=include_restricted, forget=forget
    )
    part = f"{done.photos:,} of " if done.photos < done.of else ""
    lines = [
        f"{done.url}: {part}{count(done.of, 'photo')}, {'private' if done.private else 'public'}",
        f"  {done.content_hash}",
    ]
    if done.restricted:
        lines.append(f"  {done.restricted} left out, which no licence lets you hand on")
    if done.earlier:
        lines.append(
            "  its history still has what was there before: --forget deletes that for good"
        )
    show(asdict(done), "\n".join(lines), as_json)
