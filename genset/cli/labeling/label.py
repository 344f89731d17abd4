"""The command that serves the labeling page."""

import sys
from pathlib import Path

import click

from genset.cli.common import opened


@click.command()
@click.option("--port", default=8501, show_default=True)
@click.option("--address", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.pass_obj
def label(folder: Path | None, port: int, address: str) -> None:
    """Open the labeling page on this machine, or to others.

    Others need links of their own, and the page a secret: GENSET_LABEL_SECRET in the environment
    or in the workspace's .env.

    \b
    genset label --port 8501
    genset label --address 0.0.0.0
    """
    from genset.label.server import serve

    with opened(folder, originals="read") as (workspace, _):
        pass  # what is wrong with them is better said here than on the page
    sys.exit(serve(workspace, port, address))
