"""Commands for labels: in and out, in numbers, brought together, settled."""

import getpass
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genset.aggregators import METHODS
from genset.cli.common import FILE, PATH, json_option, opened, show, show_json, show_table
from genset.cli.group import Group
from genset.cli.labeling import reviews
from genset.cli.labeling.proposals import propose, show_proposal_stats
from genset.core.errors import BadInput
from genset.core.numbers import count

if TYPE_CHECKING:
    from genset.classes import Taxonomy
    from genset.label.review import Dispute
    from genset.label.stats import Share, Stats

panel_option = click.option(
    "--panel", help="Only the votes in force of this panel (default: of all panels)."
)


@click.group(cls=Group)
def labels() -> None:
    """Export, import, summarize, aggregate and review labels."""


labels.add_command(propose)


@labels.command("export")
@click.argument("target", type=PATH)
@click.option("--rulings", is_flag=True, help="Instead of labels, the reviewers' rulings in force.")
@click.option(
    "--unlabeled", is_flag=True, help="Instead, a table to fill in: the candidates without a label."
)
@json_option
@click.pass_obj
def labels_export(
    folder: Path | None, target: Path, rulings: bool, unlabeled: bool, as_json: bool
) -> None:
    """Write the labels in force to a CSV file: task, worker, label, and when and how it was given.

    crowd-kit reads it, and so does `genset labels import`, also in another workspace.

    \b
    genset labels export labels.csv
    genset labels export rulings.csv --rulings
    genset labels export to-label.csv --unlabeled
    """
    from genset.label.exchange import labels as tables

    if rulings and unlabeled:
        raise BadInput("give --rulings or --unlabeled: each writes a table of its own")
    if target.suffix.lower() != ".csv":
        raise BadInput(f"labels are written as one table: give a name that ends in .csv: {target}")
    with opened(folder) as (workspace, store):
        if rulings:
            name, number = "rulings", tables.export_rulings(store, target)
            text = f"{count(number, 'ruling')} in force: {target}"
        elif unlabeled:
            name, number = "candidates", tables.export_unlabeled(store, workspace.images, target)
            text = f"{count(number, 'candidate')} without a label: {target}"
            if number:
                text += "; fill in worker and label (correct, incorrect, unsure or broken), then "
                text += f"run: genset labels import {target}"
        else:
            name, number = "labels", tables.export_labels(store, target)
            text = f"{count(number, 'label')} in force: {target}"
    show({"file": str(target), name: number}, text, as_json)


@labels.command("import")
@click.argument("source", type=FILE)
@click.option("--panel", default="main", show_default=True, help="For rows that name no panel.")
@json_option
@click.pass_obj
def labels_import(folder: Path | None, source: Path, panel: str, as_json: bool) -> None:
    """Add the labels of a CSV file with task, worker, label; or the rulings that were exported.

    What is stored already is not added again.

    \b
    genset labels import labels.csv
    genset labels import crowd.csv --panel fresh
    genset labels import rulings.csv
    """
    from genset.label.exchange.labels import import_table

    with opened(folder) as (_, store):
        rows = import_table(store, source, panel)
    added = count(rows.new, rows.table.removesuffix("s"))
    text = f"{added} added, {rows.known:,} known already"
    if rows.older:
        text += f", {rows.older:,} left out: a later decision is stored"
    show(rows, text, as_json)


@labels.command("stats")
@panel_option
@json_option
@click.pass_obj
def labels_stats(folder: Path | None, panel: str | None, as_json: bool) -> None:
    """Say how far labeling is, how far labelers agree, and whom to look at.

    With --json there is also every class, every candidate's selection frequency with its interval,
    and every candidate to adjudicate. Where further classes were proposed, both say how far the
    questions about them are answered.

    \b
    genset labels stats --panel fresh
    """
    from genset.label.stats import collect

    with opened(folder) as (workspace, store):
        stats = collect(store, workspace, panel)
    if as_json:
        answer = asdict(stats)
        if stats.proposals is None:
            del answer["proposals"]
        show_json(answer)
    else:
        _show_stats(stats)


@labels.command("aggregate")
@click.option(
    "--method",
    type=click.Choice(tuple(METHODS)),
    required=True,
    help="By most votes, by share of votes, or weighing labelers by estimated error rates.",
)
@click.option("-o", "--output", type=FILE, help="A CSV file to write (default: print).")
@panel_option
@click.option("--without", help="All labels but those of this panel.")
@json_option
@click.pass_obj
def labels_aggregate(
    folder: Path | None,
    method: str,
    output: Path | None,
    panel: str | None,
    without: str | None,
    as_json: bool,
) -> None:
    """Bring each candidate's votes together into one label, with the weight of each verdict.

    The file can choose a release: genset release create NAME --labels FILE.

    \b
    genset labels aggregate --method dawid-skene -o labels-together.csv
    genset labels aggregate --method majority --without fresh
    """
    from genset.label.exchange.opinions import COLUMNS, opinions, rows, write_opinions

    with opened(folder) as (_, store):
        found = opinions(store, method, panel, without)
    if output is not None:
        number = write_opinions(output, found)
        text = f"{count(number, 'candidate')}: {output}"
        show({"file": str(output), "candidates": number}, text, as_json)
    elif as_json:
        show_json(found.by_task)
    else:
        show_table(COLUMNS, rows(found.by_task))


@labels.command("review")
@panel_option
@click.option("--votes", is_flag=True, help="Show what labelers said: after your own ruling.")
@json_option
@click.pass_obj
def labels_review(folder: Path | None, panel: str | None, votes: bool, as_json: bool) -> None:
    """List the candidates and questions that wait for somebody's ruling, the most divided first.

    It is blind: who rules sees neither votes nor names before.

    \b
    genset labels review
    """
    from genset.label.review import queue

    with opened(folder) as (workspace, store):
        waiting, taxonomy = queue(store, panel, workspace.label), store.taxonomy
    if as_json:
        show_json(waiting if votes else [each.blind() for each in waiting])
    elif not waiting:
        click.echo("nothing waits for a ruling")
    elif votes:
        head = ("task", "why", "votes", "page")
        show_table(
            head, [(each.task, each.detail, _votes(each), each.page_url) for each in waiting]
        )
    else:
        rows = [(each.task, _why(each, taxonomy), each.page_url) for each in waiting]
        show_table(("task", "why", "page"), rows)


def _why(case: "Dispute", taxonomy: "Taxonomy") -> str:
    """Why it is to be settled; of a question, what it asks."""
    from genset.label.review import FurtherDispute

    if not isinstance(case, FurtherDispute):
        return case.why
    asked, home = (taxonomy[wnid].name for wnid in (case.wnid, case.home))
    return f"{case.why}: is {asked} in this photo of {home}, too?"


@labels.command("rule")
@click.argument("task")
@click.argument("verdict", type=click.Choice(["correct", "incorrect", "unsure", "broken"]))
@click.option("--reason", required=True, help="Why, for whoever asks later.")
@click.option("--by", default=getpass.getuser, help="Who says so (default: the user's name).")
@json_option
@click.pass_obj
def labels_rule(
    folder: Path | None, task: str, verdict: str, reason: str, by: str, as_json: bool
) -> None:
    """Settle a candidate: the ruling wins over all votes, and changes none of them.

    \b
    genset labels rule n02123045/flickr:6061409035 correct --reason "a tabby, seen from behind"
    """
    from genset.db import Verdict
    from genset.label.review import rule

    with opened(folder) as (_, store):
        rule(store, task, Verdict(verdict), by, reason)
    answer = {"task": task, "verdict": verdict, "by": by, "reason": reason}
    show(answer, f"{task}: {verdict}", as_json)


labels.add_command(reviews.request_review)
labels.add_command(reviews.suspects)


def _show_stats(stats: "Stats") -> None:
    click.echo(
        f"{stats.labeled:,} of {count(stats.candidates, 'candidate')} labeled, "
        f"{stats.done:,} done; {count(stats.votes, 'vote')} of "
        f"{count(stats.labelers, 'labeler')}; {stats.ruled:,} settled in review"
    )
    if len(stats.panels) > 1:
        named = ", ".join(f"{name} {number:,}" for name, number in stats.panels.items())
        click.echo(f"labels by panel: {named}")
    agreement = stats.agreement
    if agreement.observed is not None:
        click.echo(
            f"Krippendorff's alpha {_number(agreement.alpha)}; two labelers of a candidate agree "
            f"in {agreement.observed:.0%} of cases ({count(agreement.tasks, 'candidate')})"
        )
    if stats.by_labeler:
        click.echo()
        asked = any(each.answers for each in stats.by_labeler)  # about further classes
        names = ("s a photo", "with others", "gold questions", "look, because")
        show_table(
            ("labeler", "labels", *(["answers"] if asked else []), *names),
            [
                (
                    each.name,
                    each.labels,
                    *([each.answers] if asked else []),
                    _number(each.seconds),
                    _share(each.consensus),
                    _share(each.gold),
                    "; ".join(each.look),
                )
                for each in stats.by_labeler
            ],
        )
    if stats.taken_out:
        click.echo("\nVotes of these labelers do not count:")
        show_table(
            ("labeler", "votes", "labels", "by", "because"),
            [
                (each.name, each.standing, each.labels, each.by, each.reason)
                for each in stats.taken_out
            ],
        )
    divided = sorted(
        (cls for cls in stats.classes if cls.agreement.alpha is not None),
        key=lambda each: each.agreement.alpha or 0.0,
    )
    if divided:
        click.echo("\nThe classes that labelers agree on least:")
        head = ("wnid", "class", "candidates", "votes", "frequency", "alpha")
        show_table(
            head,
            [
                (
                    each.wnid,
                    each.name,
                    each.candidates,
                    each.votes,
                    _number(each.frequency),
                    _number(each.agreement.alpha),
                )
                for each in divided[:10]
            ],
        )
    if stats.proposals is not None:
        show_proposal_stats(stats.proposals)
    click.echo(f"\n{count(len(stats.disputes), 'candidate')} to adjudicate: genset labels review")


def _votes(dispute: "Dispute") -> str:
    return ", ".join(f"{worker}: {verdict}" for worker, verdict in dispute.votes)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _share(share: "Share | None") -> str:
    return "-" if share is None else f"{share.right}/{share.of} {share.share:.0%}"
