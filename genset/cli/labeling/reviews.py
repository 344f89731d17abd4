"""Commands for review: what waits for a ruling, rulings, and photos with doubtful labels."""

import getpass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import format_command, json_command, opened, runs_option, show, show_tables
from genset.core.numbers import count
from genset.core.table import Column, Table

if TYPE_CHECKING:
    from genset.classes import Taxonomy
    from genset.label.review import Dispute
    from genset.label.suspects import Suspect, Suspects

panel_option = click.option(
    "--panel", help="Only the votes in force of this panel (default: of all panels)."
)


@click.command("review")
@panel_option
@click.option("--votes", is_flag=True, help="Show what labelers said: after your own ruling.")
@format_command
def review(folder: Path | None, panel: str | None, votes: bool, format: str) -> None:
    """List the candidates and questions that wait for a ruling, the most divided first.

    The list is blind: it shows neither votes nor names.

    \b
    genset labels review
    """
    from genset.label.review import queue

    with opened(folder) as (workspace, store):
        waiting, taxonomy = queue(store, panel, workspace.label), store.taxonomy
    document = list(waiting) if votes else [case.blind() for case in waiting]
    if not waiting and format == "text":
        click.echo("nothing waits for a ruling")
    elif votes:
        columns = [Column(name) for name in ("task", "why", "votes", "page")]
        rows = [(case.task, case.detail, _votes(case), case.page_url) for case in waiting]
        show_tables(Table(columns, rows), format, document)
    else:
        columns = [Column(name) for name in ("task", "why", "page")]
        blind = [(case.task, _why(case, taxonomy), case.page_url) for case in waiting]
        show_tables(Table(columns, blind), format, document)


@click.command("rule")
@click.argument("task")
@click.argument("verdict", type=click.Choice(["correct", "incorrect", "unsure", "broken"]))
@click.option("--reason", required=True, help="Why, for whoever asks later.")
@click.option("--by", default=getpass.getuser, help="Who rules (default: the user's name).")
@json_command
def rule(folder: Path | None, task: str, verdict: str, reason: str, by: str, as_json: bool) -> None:
    """Rule on a candidate: the ruling overrides all votes, and changes none of them.

    \b
    genset labels rule n02123045/flickr:6061409035 correct --reason "a tabby, seen from behind"
    """
    from genset.db import Verdict
    from genset.label.review import rule as store_ruling

    with opened(folder) as (_, store):
        store_ruling(store, task, Verdict(verdict), by, reason)
    answer = {"task": task, "verdict": verdict, "by": by, "reason": reason}
    show(answer, f"{task}: {verdict}", as_json)


@click.command("request-review")
@click.argument("task")
@click.option("--reason", required=True, help="Why; reviewers see it after their ruling.")
@click.option("--by", default=getpass.getuser, help="Who asks for it (default: the user's name).")
@json_command
def request_review(folder: Path | None, task: str, reason: str, by: str, as_json: bool) -> None:
    """Send a candidate to review: it waits for a ruling, and goes to more labelers meanwhile.

    Votes and earlier rulings stay in force until then.

    \b
    genset labels request-review n02123045/flickr:6061409035 --reason "a lynx?"
    """
    from genset.label.review import send_to_review

    with opened(folder) as (workspace, store):
        labelers = send_to_review(store, task, workspace.label, by, reason)
    answer = {"task": task, "by": by, "reason": reason, "labelers": labelers}
    show(answer, f"{task}: in review, and goes to {count(labelers, 'labeler')} in all", as_json)


@click.command("suspects")
@click.argument("release")
@runs_option
@click.option(
    "--sort",
    "order",
    type=click.Choice(["severity", "agreement"]),
    default="severity",
    show_default=True,
    help="First the answers farthest from the label, or those that most models give.",
)
@click.option(
    "--most", type=click.IntRange(min=0), default=20, show_default=True, help="Lines to print."
)
@format_command
def suspects(
    folder: Path | None, release: str, runs: Path | None, order: str, most: int, format: str
) -> None:
    """List the photos of a release that every leading model gets wrong: look for wrong labels here.

    The list is stored in the workspace (suspects.json), for the manager's page (Review, Errors).
    Leading are the best model and those that cannot be told apart from it, and at least the best
    three. Answers are ranked by the height of the lowest common ancestor in WordNet of the answer
    and the nearest right class.

    \b
    genset labels suspects v1
    genset labels suspects v1 --sort agreement --most 50
    """
    from genset.label.suspects import missing_photos, undecided, write_suspects
    from genset.reporting.suspects import find_suspects
    from genset.sets.open import locate_set

    with opened(folder) as (workspace, store):
        runs = runs or workspace.runs
        found = find_suspects(locate_set(release, folder, runs=runs), runs, order)
        path = write_suspects(workspace.root, found)
        open_cases, missing = len(undecided(store, found)), missing_photos(store, found)
        taxonomy = store.taxonomy
    document = {
        "file": path,
        "undecided": open_cases,
        "missing_photos": sorted(missing),
        **found.document(),
    }
    rows = [_row(suspect, missing, taxonomy) for suspect in found.suspects[:most]]
    show_tables(_suspects_tables(found, rows, open_cases), format, document)


def _why(case: "Dispute", taxonomy: "Taxonomy") -> str:
    """Why it waits for a ruling; of a question, what it asks."""
    if case.home is None:
        return case.why
    cls, home = (taxonomy[wnid].name for wnid in (case.wnid, case.home))
    return f"{case.why}: is {cls} in this photo of {home}, too?"


def _votes(dispute: "Dispute") -> str:
    return ", ".join(f"{worker}: {verdict}" for worker, verdict in dispute.votes)


def _suspects_tables(
    found: "Suspects", rows: list[tuple[str, str, int, str]], open_cases: int
) -> list[Table]:
    columns = [*map(Column, ("task", "class")), Column("severity", "steps off")]
    table = Table([*columns, Column("answers", "models say")], rows)
    end = [f"{open_cases:,} to decide: genset label, the manager's page, Review, Errors"]
    end *= bool(found.suspects)
    return [Table(notes=found.summary()), table, *(Table(notes=[text]) for text in end)]


def _row(suspect: "Suspect", missing: set[str], taxonomy: "Taxonomy") -> tuple[str, str, int, str]:
    from genset.reporting.format import class_name

    name = partial(class_name, taxonomy=taxonomy)
    answers = dict.fromkeys(guess.wnid for guess in suspect.guesses)
    words = [
        f"{name(wnid)} ({sum(guess.wnid == wnid for guess in suspect.guesses)})"
        for wnid in sorted(answers, key=lambda wnid: wnid != suspect.common)
    ]
    right = " or ".join(map(name, suspect.right))
    right += " (photo no longer in the pool)" if suspect.task in missing else ""
    return suspect.task, right, suspect.severity, ", ".join(words)
