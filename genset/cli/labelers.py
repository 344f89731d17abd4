"""Commands for those who label."""

from pathlib import Path

import click

from genset.cli.common import json_option, opened, show, show_rows
from genset.cli.gold import controls, gold
from genset.cli.studies import study


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
    show_rows(head, rows, as_json)


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


labelers.add_command(study)
labelers.add_command(gold)
labelers.add_command(controls)
