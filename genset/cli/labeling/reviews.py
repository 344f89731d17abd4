"""Commands for labels that somebody doubts: where models all disagree with them, and review."""

import getpass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.cli.common import json_option, opened, runs_option, show, show_json, show_table
from genset.core.numbers import count

if TYPE_CHECKING:
    from genset.classes import Taxonomy
    from genset.label.suspects import Suspect, Suspects


@click.command("suspects")
@click.argument("release")
@runs_option
@click.option(
    "--sort",
    "order",
    type=click.Choice(["severity", "agreement"]),
    default="severity",
    show_default=True,
    help="First those that are farthest off, or those on which most models agree.",
)
@click.option(
    "--most", type=click.IntRange(min=0), default=20, show_default=True, help="Lines to print."
)
@json_option
@click.pass_obj
def suspects(
    folder: Path | None, release: str, runs: Path | None, order: str, most: int, as_json: bool
) -> None:
    """List the photos of a release that every leading model gets wrong: look for wrong labels here.

    The list is kept in the workspace (suspects.json), where the view Errors of the manager's page
    goes through it, photo by photo. Leading are the best model and those that cannot be told apart
    from it, and at least the best three. How far off an answer is, is the height of the lowest
    common ancestor in WordNet of it and the nearest right class.

    \b
    genset labels suspects v1
    genset labels suspects v1 --sort agreement --most 50
    """
    from genset.label.suspects import gone, undecided, write_suspects
    from genset.reporting.suspects import find_suspects
    from genset.sets.open import locate_set

    with opened(folder) as (workspace, store):
        kept = runs or workspace.runs
        found = find_suspects(locate_set(release, folder, runs=kept), kept, order)
        path = write_suspects(workspace.root, found)
        left, without = len(undecided(store, found)), gone(store, found)
        taxonomy = store.taxonomy
    if as_json:
        show_json(
            {"file": str(path), "undecided": left, "gone": sorted(without), **_as_json(found)}
        )
    else:
        _show(found, left, most, without, taxonomy)


@click.command("request-review")
@click.argument("task")
@click.option("--reason", required=True, help="Why; whoever rules sees it only afterwards.")
@click.option("--by", default=getpass.getuser, help="Who asks for it (default: the user's name).")
@json_option
@click.pass_obj
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


def _as_json(found: "Suspects") -> dict[str, object]:
    from dataclasses import asdict

    return {
        **asdict(found),
        "made_at": found.made_at.isoformat(),
        "unanimous": found.unanimous,
    }


def _show(found: "Suspects", left: int, most: int, gone: set[str], taxonomy: "Taxonomy") -> None:
    missed, models = len(found.suspects), len(found.leading)
    who = f"all {models} leading models get" if models > 1 else "the one model gets"
    click.echo(
        f"{found.release}: {who} {missed:,} of {count(found.photos, 'photo')} wrong"
        + (f"; {found.without:,} without a right class left out" if found.without else "")
    )
    click.echo(f"leading: {', '.join(found.leading)}")
    if models > 1 and missed:
        click.echo(f"On {found.unanimous:,} of them all give one and the same answer.")
    if most and missed:
        click.echo()
        show_table(
            ("task", "class", "steps off", "models say"),
            [_row(suspect, gone, taxonomy) for suspect in found.suspects[:most]],
        )
    if missed:
        click.echo(f"\n{left:,} to decide: genset label, the manager's page, Errors")


def _row(each: "Suspect", gone: set[str], taxonomy: "Taxonomy") -> tuple[str, str, int, str]:
    def name(wnid: str) -> str:
        return taxonomy[wnid].name if wnid in taxonomy else wnid or "no class"

    said = dict.fromkeys(guess.wnid for guess in each.guesses)
    words = [
        f"{name(wnid)} ({sum(guess.wnid == wnid for guess in each.guesses)})"
        for wnid in sorted(said, key=lambda wnid: wnid != each.common)
    ]
    right = " or ".join(map(name, each.right))
    right += " (photo not in the pool any more)" if each.task in gone else ""
    return each.task, right, each.severity, ", ".join(words)
