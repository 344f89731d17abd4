"""Commands for those who label: links, studies, photos whose answer is known."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from genset.cli.common import json_option, opened, show, show_json, show_table
from genset.text.plain import plain


@click.group()
def labelers() -> None:
    """Who may label, and how they are tested."""


@labelers.command()
@click.argument("name")
@click.option(
    "--address",
    default="http://127.0.0.1:8501",
    show_default=True,
    help="Where they reach the labeling page.",
)
@json_option
@click.pass_obj
def invite(folder: Path | None, name: str, address: str, as_json: bool) -> None:
    """Make a link for somebody. It is shown once; a new one replaces it.

    Lets in again whom `block` kept out.

    \b
    genset labelers invite Ann --address https://labels.example.org
    """
    from genset.label import Labelers

    with opened(folder) as (_, store):
        token = Labelers(store).invite(name)
    link = f"{address.rstrip('/')}/?invite={token}"
    show({"name": name, "link": link}, link, as_json)


@labelers.command("list")
@json_option
@click.pass_obj
def list_labelers(folder: Path | None, as_json: bool) -> None:
    """List the labelers and how they sign in.

    \b
    genset labelers list
    """
    from genset.label import Labelers

    with opened(folder) as (_, store):
        everyone = Labelers(store).all()
    head = ("name", "signs in by", "since", "blocked")
    rows = [(each.name, each.kind, each.created_at, each.blocked_at) for each in everyone]
    _show_rows(head, rows, as_json)


@labelers.command()
@click.argument("name")
@json_option
@click.pass_obj
def block(folder: Path | None, name: str, as_json: bool) -> None:
    """Give a labeler nothing more, and take nothing more from them. Their labels stay.

    \b
    genset labelers block Ann
    """
    from genset.label import Labelers

    with opened(folder) as (_, store):
        Labelers(store).block(name)
    show({"blocked": name}, f"{name} is blocked", as_json)


@labelers.group()
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
    _show_rows(head, rows, as_json)


@labelers.group()
def controls() -> None:
    """Photos whose answer is known, hidden among the others at `controls` of genset.toml.

    Beside those added here, photos that labelers or a reviewer settled are used.
    """


@controls.command("add")
@click.argument("task")
@click.option("--correct/--incorrect", required=True, help="What a labeler should say.")
@click.option("--reason", required=True, help="How that is known.")
@click.option("--class", "wnid", help="The class to show it for (default: the task's own).")
@json_option
@click.pass_obj
def add_known(
    folder: Path | None, task: str, correct: bool, reason: str, wnid: str | None, as_json: bool
) -> None:
    """Make a candidate's photo a control.

    \b
    genset labelers controls add n02123045/flickr:6061409035 --correct --reason "my own cat"
    """
    from genset.label import Verdict, add_control

    with opened(folder) as (_, store):
        expected = Verdict.CORRECT if correct else Verdict.INCORRECT
        made = add_control(store, task, expected, reason, wnid)
    show(plain(made), f"control {made.id}: {made.task} is {made.expected}", as_json)


@controls.command("list")
@json_option
@click.pass_obj
def list_known(folder: Path | None, as_json: bool) -> None:
    """List the controls, also those that are shown no more.

    \b
    genset labelers controls list
    """
    from genset.label import list_controls

    with opened(folder) as (_, store):
        known = list_controls(store)
    head = ("id", "task", "expected", "reason", "retired")
    rows = [(each.id, each.task, each.expected, each.reason, each.retired_at) for each in known]
    _show_rows(head, rows, as_json)


@controls.command()
@click.argument("number", type=int)
@json_option
@click.pass_obj
def retire(folder: Path | None, number: int, as_json: bool) -> None:
    """Show a control no more; what labelers said of it stays.

    \b
    genset labelers controls retire 3
    """
    from genset.label import retire_control

    with opened(folder) as (_, store):
        retire_control(store, number)
    show({"retired": number}, f"control {number} is shown no more", as_json)


def _show_rows(head: tuple[str, ...], rows: Sequence[tuple[object, ...]], as_json: bool) -> None:
    if as_json:
        show_json([plain(dict(zip(head, row, strict=True))) for row in rows])
    else:
        show_table(head, [tuple(_in_words(cell) for cell in row) for row in rows])


def _in_words(cell: object) -> object:
    if cell is None:
        return ""
    return f"{cell:%Y-%m-%d %H:%M}" if isinstance(cell, datetime) else cell
