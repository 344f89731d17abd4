"""Commands for paid studies on crowd platforms."""

from pathlib import Path

import click

from genset.cli.common import json_option, opened, show, show_rows


@click.group()
def study() -> None:
    """Paid studies on Prolific or Mechanical Turk."""


@study.command("add")
@click.argument("platform", type=click.Choice(["prolific", "mturk"]))
@click.argument("key")
@click.option("--screens", required=True, type=int, help="Screens that each labeler does.")
@click.option("--code", help="The completion code (default: a random one).")
@json_option
@click.pass_obj
def add_study(
    folder: Path | None, platform: str, key: str, screens: int, code: str | None, as_json: bool
) -> None:
    """Let a study's workers in: KEY is its STUDY_ID, or the HIT's or its group's id.

    \b
    genset labelers study add prolific 60d9aadeb86739de712faee0 --screens 40
    """
    from genset.label import Labelers

    with opened(folder) as (_, store):
        made = Labelers(store).add_study(platform, key, screens, code)
    text = f"{platform} study {key}: {screens} screens each, completion code {made.code}"
    show(made, text, as_json)


@study.command("list")
@json_option
@click.pass_obj
def list_studies(folder: Path | None, as_json: bool) -> None:
    """List the studies.

    \b
    genset labelers study list
    """
    from genset.label import Labelers

    with opened(folder) as (_, store):
        studies = Labelers(store).studies()
    head = ("platform", "key", "screens", "code")
    rows = [(each.platform, each.key, each.screens, each.code) for each in studies]
    show_rows(head, rows, as_json)
