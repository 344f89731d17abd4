"""Commands for those who label."""

from pathlib import Path

import click

from genset.cli.common import json_option, opened, show, show_rows
from genset.cli.group import Group
from genset.cli.labeling.gold import gold
from genset.cli.labeling.studies import study
from genset.cli.labeling.trust import block, clear, unvoid, void


@click.group(cls=Group)
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
    """List the labelers, how they sign in, and whose votes are void or held out.

    \b
    genset labelers list
    """
    from genset.label import Labelers
    from genset.label.trust.standing import standings

    with opened(folder) as (_, store):
        everyone, out = Labelers(store).all(), standings(store)
    head = ("name", "signs in by", "since", "blocked", "votes")
    rows: list[tuple[object, ...]] = [
        (
            each.name,
            each.kind,
            each.created_at,
            each.blocked_at,
            out.pop(each.name).words if each.name in out else None,
        )
        for each in everyone
    ]
    # Whose labels came in a table signs in nowhere.
    rows += [(name, None, None, None, each.words) for name, each in out.items()]
    show_rows(head, rows, as_json)


labelers.add_command(void)
labelers.add_command(unvoid)
labelers.add_command(clear)
labelers.add_command(block)
labelers.add_command(study)
labelers.add_command(gold)
