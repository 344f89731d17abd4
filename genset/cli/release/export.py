"""The command that writes a release for other tools."""

from pathlib import Path

import click

from genset.cli.common import PATH, json_option, show
from genset.cli.release.common import named


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
@click.option(
    "--blur-faces",
    is_flag=True,
    help="Write a marked variant with a hash of its own, its faces blurred as far as found.",
)
@json_option
@click.pass_obj
def export_command(
    folder: Path | None, name: str, kind: str, to: Path | None, blur_faces: bool, as_json: bool
) -> None:
    """Write a release (a name, or a folder's path) in a format that other tools load.

    \b
    genset release export v1 --format webdataset
    genset release export v1 --format manifest --to v1-to-share
    genset release export v1 --format imagefolder --blur-faces
    """
    from dataclasses import asdict

    from genset.release.export import export
    from genset.release.faces.centerface import CenterFace
    from genset.release.faces.variant import export_blurred, lines_of

    found = named(folder, name)
    if blur_faces:
        done, variant = export_blurred(
            found, kind, to or Path(f"{found.name}-blurred-{kind}"), CenterFace()
        )
    else:
        done = export(found, kind, to or Path(f"{found.name}-{kind}"))
    text = f"{done.folder}: {done.photos} photos as {done.format}"
    if done.reserved:
        text += (
            f"\n  all rights are reserved in {done.reserved} of them, which are not yours to hand "
            "on: share --format manifest"
        )
    answer = asdict(done)
    if blur_faces:
        answer["variant"] = variant
        text = "\n".join([text, *lines_of(variant)])
    show(answer, text, as_json)
