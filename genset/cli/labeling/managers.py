"""Commands for those who see the labels and decide about them."""

from pathlib import Path

import click

from genset.cli.common import (
    address_option,
    format_command,
    json_command,
    opened,
    show,
    show_tables,
)
from genset.cli.group import Group
from genset.core.table import Column, Table


@click.group(cls=Group)
def managers() -> None:
    """Invite, list and revoke managers: each has a link of their own to the manager's page.

    The link that `genset label` prints opens it too, for as long as the secret stays.
    """


@managers.command()
@click.argument("name")
@address_option
@json_command
def invite(folder: Path | None, name: str, address: str, as_json: bool) -> None:
    """Make a link to the manager's page. It is shown once; a new one replaces it.

    What they decide is signed with their name. It lets a revoked manager in again.

    \b
    genset managers invite Dana --address https://labels.example.org
    """
    from genset.label.people.access import Managers

    with opened(folder) as (_, store):
        token = Managers(store).invite(name)
    link = f"{address.rstrip('/')}/manage?token={token}"
    show({"name": name.strip(), "link": link}, link, as_json)


@managers.command("list")
@format_command
def list_managers(folder: Path | None, format: str) -> None:
    """List the managers who have or had a link of their own.

    \b
    genset managers list
    """
    from genset.label.people.access import Managers

    with opened(folder) as (_, store):
        everyone = Managers(store).all()
    columns = [
        Column("name"),
        Column("created_at", "since"),
        Column("revoked_at", "revoked", missing=""),
    ]
    rows = [(manager.name, manager.created_at, manager.revoked_at) for manager in everyone]
    show_tables(Table(columns, rows), format)


@managers.command()
@click.argument("name")
@json_command
def revoke(folder: Path | None, name: str, as_json: bool) -> None:
    """Revoke a manager's link: it stops working at once, also in pages that are open.

    What they decided stays, under their name.

    \b
    genset managers revoke Dana
    """
    from genset.label.people.access import Managers

    with opened(folder) as (_, store):
        Managers(store).revoke(name)
    show({"revoked": name}, f"the link of {name} is no longer valid", as_json)
