"""Commands for labels: export and import them, summarize them, aggregate them."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.aggregators import METHODS
from genset.cli.common import (
    FILE,
    PATH,
    counted,
    format_command,
    json_command,
    opened,
    runs_option,
    show,
    show_tables,
)
from genset.cli.group import Group
from genset.cli.labeling.reviews import panel_option, request_review, review, rule, suspects
from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.core.table import Cell, Column, Table

if TYPE_CHECKING:
    from genset.label.proposals import ProposalStats, Proposed
    from genset.label.stats import Share, Stats


@click.group(cls=Group)
def labels() -> None:
    """Export, import, summarize, aggregate and review labels."""


@labels.command("export")
@click.argument("target", type=PATH)
@click.option("--rulings", is_flag=True, help="Instead of labels, the reviewers' rulings in force.")
@click.option("--comments", is_flag=True, help="Instead, what labelers remarked on photos.")
@click.option(
    "--unlabeled", is_flag=True, help="Instead, a table to fill in: the candidates without a label."
)
@json_command
def labels_export(
    folder: Path | None,
    target: Path,
    rulings: bool,
    comments: bool,
    unlabeled: bool,
    as_json: bool,
) -> None:
    """Write the labels in force to a CSV file: task, worker, label, and when and how it was given.

    crowd-kit reads it, and so does `genset labels import`, also in another workspace.

    \b
    genset labels export labels.csv
    genset labels export rulings.csv --rulings
    genset labels export comments.csv --comments
    genset labels export to-label.csv --unlabeled
    """
    from genset.label import exchange as tables
    from genset.label.comments import export_comments

    if rulings + comments + unlabeled > 1:
        raise BadInput("give --rulings, --comments or --unlabeled: each writes a table of its own")
    if target.suffix.lower() != ".csv":
        raise BadInput(f"labels are written as one table: give a name that ends in .csv: {target}")
    with opened(folder) as (workspace, store):
        if rulings:
            name, number = "rulings", tables.export_rulings(store, target)
            text = f"{count(number, 'ruling')} in force: {target}"
        elif comments:
            name, number = "comments", export_comments(store, target)
            text = f"{count(number, 'comment')}: {target}"
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
@click.option("--panel", help="For rows that name no panel. [default: main]")
@json_command
def labels_import(folder: Path | None, source: Path, panel: str | None, as_json: bool) -> None:
    """Add the labels of a CSV file with task, worker, label; or the rulings that were exported.

    Or the labels that a labeler downloaded because they were not saved yet. What is stored already
    is not added again.

    \b
    genset labels import labels.csv
    genset labels import crowd.csv --panel fresh
    genset labels import rulings.csv
    genset labels import "unsaved labels of Ann.json"
    """
    from genset.label.exchange import import_table

    if source.suffix.lower() == ".json":
        if panel is not None:
            raise BadInput(f"--panel is for tables: the labels in {source} have their screen's")
        _import_unsaved(folder, source, as_json)
        return
    with opened(folder) as (_, store):
        rows = import_table(store, source, panel or "main")
    added = count(rows.new, rows.table.removesuffix("s"))
    text = f"{added} added, {rows.known:,} known already"
    if rows.older:
        text += f", {rows.older:,} left out: a later decision is stored"
    if rows.empty:
        text += f", {count(rows.empty, 'row')} without worker and label"
    show(rows, text, as_json)


def _import_unsaved(folder: Path | None, source: Path, as_json: bool) -> None:
    """Store what a labeler downloaded; it failed where every label is refused."""
    from genset.label.exchange import import_unsaved

    with opened(folder) as (workspace, store):
        receipts = import_unsaved(workspace, store, source)
    refused = [receipt.reason for receipt in receipts if not receipt.ok]
    stored = len(receipts) - len(refused)
    text = f"{count(stored, 'label')} stored"
    if refused:
        text += f", {len(refused):,} refused: {', '.join(sorted(set(refused)))}"
    show({"stored": stored, "refused": refused}, text, as_json)
    if refused and not stored:
        sys.exit(1)


@labels.command("stats")
@panel_option
@format_command
def labels_stats(folder: Path | None, panel: str | None, format: str) -> None:
    """Summarize the labels: progress, agreement, and labelers to check.

    With --json there is also every class, every candidate's selection frequency with its interval,
    and every candidate to review. Both say how far questions about further classes are answered.

    \b
    genset labels stats --panel fresh
    """
    from genset.label.stats import collect

    with opened(folder) as (workspace, store):
        stats = collect(store, workspace, panel)
    show_tables(list(_stats_tables(stats)), format, asdict(stats))


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
@format_command
def labels_aggregate(
    folder: Path | None,
    method: str,
    output: Path | None,
    panel: str | None,
    without: str | None,
    format: str,
) -> None:
    """Aggregate each candidate's votes into one label, with the weight of each verdict.

    \b
    genset labels aggregate --method dawid-skene -o aggregated.csv
    genset labels aggregate --method majority --without fresh
    """
    from genset.db import Verdict
    from genset.label.ballots import COLUMNS, opinions, rows, write_opinions

    with opened(folder) as (_, store):
        found = opinions(store, method, panel, without)
    if output is not None:
        number = write_opinions(output, found)
        text = f"{count(number, 'candidate')}: {output}"
        show({"file": str(output), "candidates": number}, text, format == "json")
    else:
        columns = [Column(name, align="right" if name in [*Verdict] else "") for name in COLUMNS]
        show_tables(Table(columns, list(rows(found.by_task))), format, found.by_task)


def _stats_tables(stats: "Stats") -> Iterator[Table]:
    yield Table(notes=list(_summary(stats)))
    yield _labelers_table(stats)
    columns = [Column("name", "labeler"), *map(Column, ("votes", "labels", "by", "reason"))]
    rows = [
        (labeler.name, labeler.state, labeler.labels, labeler.by, labeler.reason)
        for labeler in stats.suspended
    ]
    yield Table(columns, rows, "Labelers whose votes do not count")
    yield _least_agreed(stats)
    ends = [
        *stats.gold.lines(),
        f"{count(len(stats.disputes), 'candidate')} to review: genset labels review",
    ]
    if stats.proposals.questions:
        ends.insert(0, _proposals_line(stats.proposals))
    yield Table(notes=ends)


def _summary(stats: "Stats") -> Iterator[str]:
    yield (
        f"{stats.labeled:,} of {count(stats.candidates, 'candidate')} labeled, "
        f"{stats.done:,} done; {count(stats.votes, 'vote')} of "
        f"{count(stats.labelers, 'labeler')}; {count(stats.ruled, 'ruling')}"
    )
    if len(stats.panels) > 1:
        panels = ", ".join(f"{name} {number:,}" for name, number in stats.panels.items())
        yield f"labels by panel: {panels}"
    agreement = stats.agreement
    if agreement.observed is not None:
        alpha = "-" if agreement.alpha is None else f"{agreement.alpha:.2f}"
        yield (
            f"Krippendorff's alpha {alpha}; two labelers of a candidate agree "
            f"in {agreement.observed:.0%} of cases ({count(agreement.tasks, 'candidate')})"
        )


def _labelers_table(stats: "Stats") -> Table:
    with_answers = any(labeler.answers for labeler in stats.by_labeler)  # on further classes
    columns = [
        Column("name", "labeler"),
        Column("labels"),
        *([Column("answers")] if with_answers else []),
        Column("seconds", "s a photo", format="{:.2f}".format),
        Column("consensus", "with others"),
        Column("gold", "gold questions"),
        Column("reasons", "check, because", missing=""),
    ]
    rows = [
        (
            labeler.name,
            labeler.labels,
            *([labeler.answers] if with_answers else []),
            labeler.seconds,
            _share(labeler.consensus),
            _share(labeler.gold),
            "; ".join(labeler.reasons),
        )
        for labeler in stats.by_labeler
    ]
    return Table(columns, rows)


def _least_agreed(stats: "Stats") -> Table:
    """The ten classes that labelers agree on least."""
    columns = [
        *map(Column, ("wnid", "class", "candidates", "votes")),
        Column("frequency", format="{:.2f}".format),
        Column("alpha", format="{:.2f}".format),
    ]
    rows = [
        (cls.wnid, cls.name, cls.candidates, cls.votes, cls.frequency, cls.alpha)
        for cls in stats.classes
        if cls.alpha is not None
    ]
    rows.sort(key=lambda row: row[-1] or 0.0)
    return Table(columns, rows[:10], "The classes that labelers agree on least")


def _proposals_line(stats: "ProposalStats") -> str:
    missing = stats.questions - stats.answered
    return (
        f"Further classes: {stats.answered:,} of {count(stats.questions, 'question')} answered, "
        f"{missing:,} need {count(stats.votes_missing, 'more vote')}"
    )


def _share(share: "Share | None") -> Cell | None:
    if share is None:
        return None
    return Cell(share.share, f"{share.right}/{share.of} {share.share:.0%}")


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
    from genset.label.proposals import ModelAnswers
    from genset.label.proposals import propose as propose_now
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
    show(done, "\n".join(_lines(done, would=options["dry_run"])), as_json)


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


for command in (propose, request_review, review, rule, suspects):
    labels.add_command(command)
