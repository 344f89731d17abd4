"""Commands about further classes in a release's photos."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import counted, json_command, opened, runs_option, show
from genset.core.numbers import count

if TYPE_CHECKING:
    from genset.label.proposals.rounds import Proposed


@click.command()
@click.argument("release")
@runs_option
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME",
    help="A model by its name in the tables (default: all that were scored on RELEASE).",
)
@click.option("--most", default=8, show_default=True, help="Classes asked of a photo, 1 to 8.")
@click.option("--seed", default=0, show_default=True, help="Seed of the order of the questions.")
@click.option("--dry-run", is_flag=True, help="Print what it would ask, and store nothing.")
@json_command
def propose(folder: Path | None, /, release: str, as_json: bool, **options: Any) -> None:
    """Ask labelers which further classes the photos of RELEASE show.

    A photo's questions are the five best answers of each model, and the classes that its own may be
    taken for; those that most propose come first.

    A release has one round of questions: see it first with --dry-run.

    \b
    genset labels propose v1 --dry-run
    genset labels propose v1 --model resnet50 --model vgg16
    """
    from genset.label.proposals.choose import ModelAnswers
    from genset.label.proposals.rounds import propose as propose_now
    from genset.release.reader import Release
    from genset.score.results.results import best_answers

    with opened(folder) as (workspace, store):
        found = Release(workspace.releases / release)
        runs = options["runs"] or workspace.runs
        answers = [
            ModelAnswers(answer.name, answer.key, answer.by_photo)
            for answer in best_answers(runs, found.name, found.content_hash, options["models"])
        ]
        most, seed, keep = options["most"], options["seed"], not options["dry_run"]
        done = propose_now(store, found, answers, workspace.label, most, seed, keep=keep)
    lines = list(_lines(done, would=options["dry_run"]))
    show(done, "\n".join(lines), as_json)


def _lines(done: "Proposed", *, would: bool) -> list[str]:
    asks = "would ask" if would else "asks"
    lines = [
        f"{done.release}: {asks} {count(done.questions, 'new question')} of "
        f"{count(done.photos, 'photo')}"
    ]
    if done.questions:
        lines.append(f"  they take {count(done.votes, 'vote')}, and more where votes may grow")
        lines.append(
            "  proposed by: " + ", ".join(f"{name} {number:,}" for name, number in done.by.items())
        )
    if done.claimed:
        lines.append(
            f"  {done.claimed:,} of them are of photos that another class's search found: the "
            "labels that they have count"
        )
    if done.known:
        lines.append(f"  {count(done.known, 'question')} asked already")
    if done.left_out:
        lines.append(f"  left out: {counted(done.left_out, 'photo', 'photos')}")
    return lines
