"""Commands on people: the labeling page, who labels, whose votes count, who decides."""

import getpass
import shlex
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import click

from genset.cli.common import (
    address_option,
    format_command,
    json_command,
    opened,
    page_address,
    show,
    show_tables,
)
from genset.cli.group import Group
from genset.cli.labeling.studies import study
from genset.core.table import Column, Table
from genset.core.to_json import to_json


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
    from genset.label.gold import gold_share
    from genset.label.server import serve

    # What is wrong with the photos is better said here than on the page.
    with opened(folder, originals="read") as (workspace, store):
        for line in gold_share(store, workspace.label).lines():
            click.echo(line, err=True)
    if workspace.label.address:
        page_address(None, workspace)  # refuses one whose links would lead nowhere
    sys.exit(serve(workspace, port, address))


@click.group(cls=Group)
def labelers() -> None:
    """Invite, list, block and void labelers; gold questions and paid studies."""


@labelers.command()
@click.argument("name")
@address_option
@json_command
def invite(folder: Path | None, name: str, address: str | None, as_json: bool) -> None:
    """Make a link for somebody. It is shown once; a new one replaces it.

    It lets a blocked labeler in again.

    \b
    genset labelers invite Ann --address https://labels.example.org
    """
    from genset.label.labelers import Labelers

    with opened(folder) as (workspace, store):
        site = page_address(address, workspace, local=True)
        name, note = Labelers(store).before_invite(name)
        token = Labelers(store).invite(name)
    link = f"{site}/?invite={token}"
    if note:
        click.echo(note, err=True)
    show({"name": name, "link": link}, link, as_json)


@labelers.command("list")
@format_command
def list_labelers(folder: Path | None, format: str) -> None:
    """List the labelers, how they sign in, and whose votes are void or held out.

    \b
    genset labelers list
    """
    from genset.label.decisions import suspensions
    from genset.label.labelers import Labelers

    with opened(folder) as (_, store):
        everyone, out = Labelers(store).all(), suspensions(store)
    columns = [
        Column("name"),
        Column("kind", "signs in by"),
        Column("created_at", "since"),
        Column("blocked_at", "blocked", missing=""),
        Column("votes", missing=""),
    ]
    rows: list[tuple[object, ...]] = [
        (
            labeler.name,
            labeler.kind,
            labeler.created_at,
            labeler.blocked_at,
            out.pop(labeler.name).words if labeler.name in out else None,
        )
        for labeler in everyone
    ]
    # Labels that were imported are under names that do not sign in here.
    rows += [(name, None, None, None, suspension.words) for name, suspension in out.items()]
    show_tables(Table(columns, rows), format)


@labelers.group(cls=Group)
def gold() -> None:
    """Photos whose answer is known, hidden among the others at `gold` of genset.toml.

    Photos that labelers agree on or a reviewer ruled on are used, too.
    """


@gold.command("add")
@click.argument("task")
@click.option("--correct/--incorrect", required=True, help="What a labeler should say.")
@click.option("--reason", required=True, help="How that is known.")
@click.option("--class", "wnid", help="The class to show it for (default: the task's own).")
@json_command
def add_known(
    folder: Path | None, task: str, correct: bool, reason: str, wnid: str | None, as_json: bool
) -> None:
    """Make a candidate's photo a gold question.

    \b
    genset labelers gold add n02123045/flickr:6061409035 --correct --reason "my own cat"
    """
    from genset.db import Verdict
    from genset.label.gold import add_gold_question

    with opened(folder) as (_, store):
        expected = Verdict.CORRECT if correct else Verdict.INCORRECT
        made = add_gold_question(store, task, expected, reason, wnid)
    show(to_json(made), f"gold question {made.id}: {made.task} is {made.expected}", as_json)


@gold.command("list")
@format_command
def list_known(folder: Path | None, format: str) -> None:
    """List the gold questions, also those that are shown no more.

    \b
    genset labelers gold list
    """
    from genset.label.gold import list_gold_questions

    with opened(folder) as (_, store):
        questions = list_gold_questions(store)
    names = ("id", "task", "expected", "reason")
    columns = [*map(Column, names), Column("retired_at", "retired", missing="")]
    rows = [
        (question.id, question.task, question.expected, question.reason, question.retired_at)
        for question in questions
    ]
    show_tables(Table(columns, rows), format)


@gold.command()
@click.argument("number", type=int)
@json_command
def retire(folder: Path | None, number: int, as_json: bool) -> None:
    """Show a gold question no more; what labelers said of it stays.

    \b
    genset labelers gold retire 3
    """
    from genset.label.gold import retire_gold_question

    with opened(folder) as (_, store):
        retire_gold_question(store, number)
    show({"retired": number}, f"gold question {number} is shown no more", as_json)


@click.group(cls=Group)
def managers() -> None:
    """Invite, list and revoke managers: each has a link of their own to the manager's page.

    The link that `genset label` prints opens it too, for as long as the secret stays.
    """


@managers.command("invite")
@click.argument("name")
@address_option
@json_command
def invite_manager(folder: Path | None, name: str, address: str | None, as_json: bool) -> None:
    """Make a link to the manager's page. It is shown once; a new one replaces it.

    What they decide is signed with their name. It lets a revoked manager in again.

    \b
    genset managers invite Dana --address https://labels.example.org
    """
    from genset.label.access import Managers

    with opened(folder) as (workspace, store):
        site = page_address(address, workspace, local=True)
        token = Managers(store).invite(name)
    link = f"{site}/manage?token={token}"
    show({"name": name.strip(), "link": link}, link, as_json)


@managers.command("list")
@format_command
def list_managers(folder: Path | None, format: str) -> None:
    """List the managers who have or had a link of their own.

    \b
    genset managers list
    """
    from genset.label.access import Managers

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
    from genset.label.access import Managers

    with opened(folder) as (_, store):
        Managers(store).revoke(name)
    show({"revoked": name}, f"the link of {name} is no longer valid", as_json)


_name = click.argument("name")
_by = click.option("--by", default=getpass.getuser, help="Who says so (default: the user's name).")
_reason = click.option("--reason", default="no reason given", help="Why, for whoever asks later.")


def _decision(command: Callable[..., None]) -> Callable[..., None]:
    """What the decisions on a labeler's votes take: whose, why, and who says so."""
    return _name(_reason(_by(json_command(command))))


def _moment(text: str) -> datetime:
    """A day, or a time with its zone; a day begins at midnight, UTC.

    Raises:
        click.BadParameter: it is neither.
    """
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is None and len(text) > len("2026-05-01"):
            raise click.BadParameter(f"{text} needs a time zone: {text}Z is UTC")
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except ValueError:
        message = f"{text!r} is no time: write 2026-05-01 or 2026-05-01T10:30Z"
        raise click.BadParameter(message) from None
    except OverflowError:
        raise click.BadParameter(f"{text} is before all time") from None


@click.command()
@click.option(
    "--since",
    type=_moment,
    metavar="TIME",
    help="Only votes decided then or later, such as 2026-05-01T10:30Z (default: all).",
)
@_decision
def void(
    folder: Path | None, name: str, since: datetime | None, reason: str, by: str, as_json: bool
) -> None:
    """Take a labeler's votes out of every count and release to come, and open their photos again.

    Nothing is deleted: `clear` takes it back. Releases that are frozen stay as they are, and are
    named.

    \b
    genset labelers void Ann --reason "pressed one key throughout"
    genset labelers void Ann --since 2026-05-01
    """
    from genset.label.decisions import void as take_out
    from genset.label.labelers import Labelers

    with opened(folder) as (workspace, store):
        effect = take_out(store, workspace, name, by=by, reason=reason, since=since)
        still = any(
            labeler.name == effect.worker and labeler.blocked_at is None
            for labeler in Labelers(store).all()
        )
    lines = [effect.text("are void")]
    if still:
        why = "they can go on labeling, but it will not count; to end it: genset labelers block"
        lines.append(f"{why} {shlex.quote(effect.worker)}")
    show(effect, "\n".join(lines), as_json)


@click.command()
@_decision
def clear(folder: Path | None, name: str, reason: str, by: str, as_json: bool) -> None:
    """Let the votes of a labeler who is void or held out count again; they are not held twice.

    \b
    genset labelers clear Ann
    """
    from genset.label.decisions import clear as let_in

    with opened(folder) as (workspace, store):
        effect = let_in(store, workspace, name, by=by, reason=reason)
    show(effect, effect.text("count again"), as_json)


@click.command()
@_name
@json_command
def block(folder: Path | None, name: str, as_json: bool) -> None:
    """Give a labeler nothing more, and take nothing more from them.

    \b
    genset labelers block Ann
    """
    from genset.label.decisions import suspensions
    from genset.label.labelers import Labelers

    with opened(folder) as (_, store):
        name = Labelers(store).block(name)
        suspension = suspensions(store).get(name)
    is_void = suspension is not None and suspension.what == "void"
    still = f"still count: genset labelers void {shlex.quote(name)} takes them out"
    text = f"{name} is blocked; their votes {'are void already' if is_void else still}"
    show({"blocked": name, "void": is_void}, text, as_json)


for command in (void, clear, block, study):
    labelers.add_command(command)
