"""The command that writes a page for the owners of a release's photos."""

from pathlib import Path

import click

from genset.cli.common import PATH, json_option, show
from genset.cli.release.common import named
from genset.core.errors import NotAWorkspace
from genset.core.numbers import agree, count
from genset.workspace import Workspace


@click.command("site")
@click.argument("name")
@click.option("--out", type=PATH, required=True, metavar="DIR", help="The folder to write to.")
@click.option(
    "--contact",
    default="",
    help="Whom owners write to (default: the release's contact, else the workspace's).",
)
@json_option
@click.pass_obj
def site_command(folder: Path | None, name: str, out: Path, contact: str, as_json: bool) -> None:
    """Write a static page with all credits of a release (a name, or a folder's path).

    Owners find their photos on it, and how to ask for removal. It is one file without photos, for
    any web server; write it again for each new version.

    \b
    genset site v1 --out public
    genset site v1 --out public --contact you@example.org
    """
    from dataclasses import asdict

    from genset.release.site.write import write_site

    found = named(folder, name)
    try:
        workspaces = Workspace.find(folder).whom_to_ask
    except NotAWorkspace:
        workspaces = ""
    done = write_site(found, out, contact, workspaces)
    text = (
        f"{done.file}: {count(done.photos, 'photo')} of {count(done.owners, 'owner')} "
        f"{agree(done.photos, 'is', 'are')} credited; owners write to {done.contact}"
    )
    show(asdict(done), text, as_json)
