"""The command that writes a release for other tools."""

from pathlib import Path

import click

from genset.cli.common import PATH, json_option, show
from genset.cli.release.common import named, said_now


@click.command("export")
@click.argument("name")
@click.option(
    "--format",
    "kind",
    type=click.Choice(
        ["imagefolder", "webdataset", "parquet", "huggingface", "manifest", "fiftyone"]
    ),
    required=True,
    help="The format to write.",
)
@click.option("--to", type=PATH, help="The folder to write (default: NAME-FORMAT, here).")
@json_option
@click.pass_obj
def export_command(
    folder: Path | None, name: str, kind: str, to: Path | None, as_json: bool
) -> None:
    """Write a release (a name, or a folder's path) in a format that other tools load.

    \b
    genset release export v1 --format webdataset
    genset release export v1 --format manifest --to v1-to-share
    """
    from dataclasses import asdict

    from genset.release.export import export

    found = named(folder, name)
    target = to or Path(f"{found.name}-{kind}")
    done = export(found, kind, target, said_now(folder, found))
    text = f"{done.folder}: {done.photos} photos as {done.format}"
    if done.reserved:
        text += (
            f"\n  all rights are reserved in {done.reserved} of them, which are not yours to hand "
            "on: share --format manifest"
        )
    show(asdict(done), text, as_json)
