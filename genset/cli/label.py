"""Commands for labels: the page, and the table."""

import sys
from pathlib import Path

import click

from genset.cli.common import FILE, json_option, opened, show
from genset.workspace import Workspace


@click.command()
@click.option("--port", default=8501, show_default=True)
@click.pass_obj
def label(folder: Path | None, port: int) -> None:
    """Open the labeling page on this machine.

    \b
    genset label --port 8501
    """
    from genset.label.server import serve

    sys.exit(serve(Workspace.find(folder), port))


@click.group()
def labels() -> None:
    """Labels as a table: task, worker, label."""


@labels.command("import")
@click.argument("file", type=FILE)
@json_option
@click.pass_obj
def labels_import(folder: Path | None, file: Path, as_json: bool) -> None:
    """Add the labels of a CSV file with columns task, worker, label.

    \b
    genset labels import labels.csv
    """
    from genset.label import import_labels

    with opened(folder) as (_, store):
        new, known = import_labels(store, file)
    show({"new": new, "known": known}, f"{new} labels added, {known} known already", as_json)


@labels.command("export")
@click.argument("file", type=FILE)
@json_option
@click.pass_obj
def labels_export(folder: Path | None, file: Path, as_json: bool) -> None:
    """Write every labeler's labels to a CSV file, as crowd-kit reads it.

    \b
    genset labels export labels.csv
    """
    from genset.label import export_labels

    with opened(folder) as (_, store):
        count = export_labels(store, file)
    show({"labels": count, "file": str(file)}, f"{count} labels: {file}", as_json)
