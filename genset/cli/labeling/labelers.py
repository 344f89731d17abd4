"""Commands for those who label."""

from pathlib import Path

import click

from genset.cli.common import json_option, opened, show, show_rows
from genset.cli.group import Group
from genset.cli.labeling.studies import study
from genset.cli.labeling.trust import block, clear, unvoid, void
from genset.core.to_json import to_json


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


@labelers.group(cls=Group)
def gold() -> None:
    """Photos whose answer is known, hidden among the others at `gold` of genset.toml.

    Beside those added here, photos that labelers or a reviewer settled are used.
    """


@gold.command("add")
@click.argument("task")
@click.option("--correct/--incorrect", required=True, help="What a labeler should say.")
@click.option("--reason", required=True, help="How that is known.")
@click.option("--class", "wnid", help="The class to show it for (default: the task's own).")
@json_option
@click.pass_obj
def add_known(
    folder: Path | None, task: str, correct: bool, reason: str, wnid: str | None, as_json: bool
) -> None:
    """Make a candidate's photo a gold question.

    \b
    genset labelers gold add n02123045/flickr:6061409035 --correct --reason "my own cat"
    """
    from genset.label import Verdict, add_gold_question

    with opened(folder) as (_, store):
        expected = Verdict.CORRECT if correct else Verdict.INCORRECT
        made = add_gold_question(store, task, expected, reason, wnid)
    show(to_json(made), f"gold question {made.id}: {made.task} is {made.expected}", as_json)


@gold.command("list")
@json_option
@click.pass_obj
def list_known(folder: Path | None, as_json: bool) -> None:
    """List the gold questions, also those that are shown no more.

    \b
    genset labelers gold list
    """
    from genset.label import list_gold_questions

    with opened(folder) as (_, store):
        known = list_gold_questions(store)
    head = ("id", "task", "expected", "reason", "retired")
    rows = [(each.id, each.task, each.expected, each.reason, each.retired_at) for each in known]
    show_rows(head, rows, as_json)


@gold.command()
@click.argument("number", type=int)
@json_option
@click.pass_obj
def retire(folder: Path | None, number: int, as_json: bool) -> None:
    """Show a gold question no more; what labelers said of it stays.

    \b
    genset labelers gold retire 3
    """
    from genset.label import retire_gold_question

    with opened(folder) as (_, store):
        retire_gold_question(store, number)
    show({"retired": number}, f"gold question {number} is shown no more", as_json)


labelers.add_command(void)
labelers.add_command(unvoid)
labelers.add_command(clear)
labelers.add_command(block)
labelers.add_command(study)
