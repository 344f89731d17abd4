"""Commands on whose votes count: labelers void, unvoid, clear, block."""

import getpass
import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import click

from genset.cli.common import json_command, opened, show

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

    Nothing is deleted: `unvoid` takes it back. Releases that are frozen stay as they are, and are
    named.

    \b
    genset labelers void Ann --reason "pressed one key throughout"
    genset labelers void Ann --since 2026-05-01
    """
    from genset.label.people.labelers import Labelers
    from genset.label.trust.void import void as take_out

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
def unvoid(folder: Path | None, name: str, reason: str, by: str, as_json: bool) -> None:
    """Let the votes of a labeler who is void count again.

    \b
    genset labelers unvoid Ann
    """
    from genset.label.trust.void import unvoid as take_back

    with opened(folder) as (workspace, store):
        effect = take_back(store, workspace, name, by=by, reason=reason)
    show(effect, effect.text("count again"), as_json)


@click.command()
@_decision
def clear(folder: Path | None, name: str, reason: str, by: str, as_json: bool) -> None:
    """Let the votes of a labeler who is held out count again; the same votes are not held twice.

    \b
    genset labelers clear Ann
    """
    from genset.label.trust.void import clear as let_in

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
    from genset.label.people.labelers import Labelers
    from genset.label.trust.decisions import suspensions

    with opened(folder) as (_, store):
        name = Labelers(store).block(name)
        suspension = suspensions(store).get(name)
    is_void = suspension is not None and suspension.what == "void"
    still = f"still count: genset labelers void {shlex.quote(name)} takes them out"
    text = f"{name} is blocked; their votes {'are void already' if is_void else still}"
    show({"blocked": name, "void": is_void}, text, as_json)
