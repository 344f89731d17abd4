"""Commands for those who see the labels and decide about them."""

from pathlib import Path

import click

from genset.cli.common import json_option, opened, show, show_rows
from genset.cli.group import Group


@click.group(cls=Group)
def managers() -> None:
    """Who may open the manager's page, each by a link that can be taken back.

    The link that `genset label` prints opens it too, for as long as the secret stays.
    """


@managers.command()
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
    """Make a link to the manager's page. It is shown once; a new one replaces it.

    What they decide is signed with their name. Lets in again whom `revoke` kept out.

    \b
    genset managers invite Dana --address https://labels.example.org
    """
    from genset.label import Managers

    with opened(folder) as (_, store):
        token = Managers(store).invite(name)
    link = f"{address.rstrip('/')}/manage?token={token}"
    show({"name": name.strip(), "link": link}, link, as_json)


@managers.command("list")
@json_option
@click.pass_obj
def list_managers(folder: Path | None, as_json: bool) -> None:
    """List the managers who have or had a link of their own.

    \b
    genset managers list
    """
    from genset.label import Managers

    with opened(folder) as (_, store):
        everyone = Managers(store).all()
    head = ("name", "since", "revoked")
    rows = [(each.name, each.created_at, each.revoked_at) for each in everyone]
    show_rows(head, rows, as_json)


@managers.command()
@click.argument("name")
@json_option
@click.pass_obj
def revoke(folder: Path | None, name: str, as_json: bool) -> None:
    """Take a manager's link back: it stops working at once, also in pages that are open.

    What they decided stays, under their name.

    \b
    genset managers revoke Dana
    """
    from genset.label import Managers

    with opened(folder) as (_, store):
        Managers(store).revoke(name)
    show({"revoked": name}, f"the link of {name} opens nothing any more", as_json)
