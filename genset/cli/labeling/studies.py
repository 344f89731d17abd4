"""Commands for paid studies on crowd platforms."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import (
    FILE,
    address_option,
    format_command,
    json_command,
    opened,
    page_address,
    show,
    show_tables,
)
from genset.cli.group import Group
from genset.core.numbers import count
from genset.core.table import Cell, Column, Table
from genset.core.to_json import to_json

if TYPE_CHECKING:
    from genset.label.crowd.visits import VisitReport

_PLATFORM = click.Choice(["prolific", "mturk"])


@click.group(cls=Group)
def study() -> None:
    """Paid studies on Prolific or Mechanical Turk."""


@study.command("add")
@click.argument("platform", type=_PLATFORM)
@click.argument("key")
@click.option("--screens", required=True, type=int, help="Screens that each labeler does.")
@click.option("--pay", metavar="TEXT", help="What they are paid; shown before the first screen.")
@click.option(
    "--consent",
    "consent_file",
    type=FILE,
    help="A text (Markdown) that they agree to before the first screen.",
)
@click.option(
    "--gold-needed",
    type=float,
    metavar="SHARE",
    help="Gold questions to have right, such as 0.8; 0: nobody fails (default).",
)
@click.option("--signed/--not-signed", default=None, help="Take only links that Prolific signed.")
@click.option("--code", help="The completion code (default: a random one, as for the others).")
@click.option("--code-failed", metavar="CODE", help="Code if too many gold questions were missed.")
@click.option("--code-declined", metavar="CODE", help="Code if consent was refused.")
@click.option("--code-nothing", metavar="CODE", help="Code if no photos were left.")
@address_option
@json_command
def add_study(
    folder: Path | None,
    /,
    platform: str,
    key: str,
    screens: int,
    consent_file: Path | None,
    address: str | None,
    as_json: bool,
    **terms: Any,
) -> None:
    """Let a study's workers in: KEY is its STUDY_ID on Prolific, on MTurk a name of your own.

    Prints the codes, and what to give the platform: the study's address for Prolific, the
    ExternalQuestion for MTurk. Run it again to change something: what is not given stays.

    \b
    genset labelers study add prolific 60d9aadeb86739de712faee0 --screens 40 \\
        --pay "£3 for about 20 minutes" --consent consent.md --gold-needed 0.8 --signed
    genset labelers study add mturk birds-1 --screens 10 --address https://labels.example.org
    """
    from genset.label.crowd.mturk import mturk_question
    from genset.label.crowd.studies import Studies, Terms, consent_in, prolific_address

    consent = None if consent_file is None else consent_in(consent_file)
    with opened(folder) as (workspace, store):
        site = page_address(address, workspace)
        link = prolific_address(site) if platform == "prolific" else None
        question = mturk_question(site, key) if platform == "mturk" else None
        made = Studies(store).add(platform, key, screens, Terms(consent=consent, **terms))
    answer = {"study": made, "address": link, "question": question}
    lines = [
        f"{made.platform} study {made.key}: {count(made.screens, 'screen')} each, completion code "
        f"{made.code}",
    ]
    others = {
        "gold questions failed": made.code_failed,
        "consent refused": made.code_declined,
        "no photos left": made.code_nothing,
    }
    lines.append("other codes: " + ", ".join(f"{code} {what}" for what, code in others.items()))
    if link is not None:
        lines.append(f"the study's address: {link}")
    if question is not None:
        lines.append(f"the HIT's question, to give MTurk as it stands:\n{question.rstrip()}")
    show(to_json(answer), "\n".join(lines), as_json)


@study.command("list")
@format_command
def list_studies(folder: Path | None, format: str) -> None:
    """List the studies.

    \b
    genset labelers study list
    """
    from genset.label.crowd.studies import Studies

    with opened(folder) as (_, store):
        studies = Studies(store).all()
    columns = [
        *map(Column, ("platform", "key", "screens", "code")),
        Column("code_failed", "gold failed"),
        Column("code_declined", "consent refused"),
        Column("code_nothing", "no photos left"),
        Column("signed", format=_yes_no),
    ]
    rows = [[getattr(study, column.name) for column in columns] for study in studies]
    show_tables(Table(columns, rows), format)


@study.command("show")
@click.argument("key")
@click.option("--platform", type=_PLATFORM, help="Where both platforms have a study KEY.")
@click.option("--export", type=FILE, help="Write whom to approve, in the platform's own form.")
@format_command
def show_study(
    folder: Path | None, key: str, platform: str | None, export: Path | None, format: str
) -> None:
    """Show a study's visits, what was done in each, and a proposal to approve or reject it.

    \b
    genset labelers study show 60d9aadeb86739de712faee0
    genset labelers study show 60d9aadeb86739de712faee0 --export approve.csv
    """
    from genset.label.crowd.studies import Studies
    from genset.label.crowd.visits import report_visits, write_decisions
    from genset.label.gold import gold_share

    with opened(folder) as (workspace, store):
        studied = Studies(store).find(key, platform)
        reports = report_visits(store, studied)
        share = gold_share(store, workspace.label, studied.id)
    rows = [_visit_row(report) for report in reports]
    table = Table(_VISIT_COLUMNS, rows, notes=share.lines() if rows else [])
    document = {"study": studied, "visits": reports, "gold": share}
    show_tables(table, format, document)
    if export is not None:
        written = write_decisions(export, studied, reports)
        click.echo(f"{count(written, 'row')} in {export}", err=True)


@study.command("reconcile")
@click.argument("export", type=FILE)
@click.option("--study", "key", metavar="KEY", help="The study (default: whose visits it lists).")
@json_command
def reconcile_study(folder: Path | None, export: Path, key: str | None, as_json: bool) -> None:
    """Hold out the votes of visits that the platform's EXPORT of a study does not list.

    And of those that it lists as returned, rejected or timed out. EXPORT is Prolific's CSV of
    submissions or MTurk's of batch results. By a newer export visits may count again.

    \b
    genset labelers study reconcile prolific_export_60d9aadeb86739de712faee0.csv
    """
    from genset.label.crowd.visits import reconcile

    with opened(folder) as (_, store):
        found = reconcile(store, export, key)
    lines = [
        f"{found.platform} study {found.study}: {found.listed:,} of "
        f"{count(found.visits, 'visit')} listed"
        + "".join(f", {number:,} {status}" for status, number in sorted(found.statuses.items()))
    ]
    for words, names in (
        ("held out now", found.held_out),
        ("count again", found.cleared),
        ("not listed", found.unlisted),
        ("returned, rejected or timed out", found.taken_back),
    ):
        lines.append(f"{words}: {len(names):,}" + "".join(f"\n  {name}" for name in names))
    if found.unknown:
        lines.append(f"listed, but never here: {found.unknown:,}")
    show(found, "\n".join(lines), as_json)


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


_VISIT_COLUMNS = [
    *map(Column, ("visit", "labeler", "screens", "photos", "verdicts", "gold")),
    Column("seconds", "s/photo", format="{:.2f}".format),
    Column("began_at", "began"),
    Column("ended_at", "ended"),
    Column("outcome"),
    Column("verified", format=_yes_no),
    Column("listed", format=_yes_no),
    Column("status"),
    Column("counts", format=_yes_no),
    Column("proposal"),
    Column("reason", "why"),
]


def _visit_row(report: "VisitReport") -> tuple[object, ...]:
    visit, gold = report.visit, report.gold
    interval = gold and f"{gold.right}/{gold.of} ({gold.low:.0%} to {gold.high:.0%})"
    return (
        visit.key,
        report.worker,
        report.screens,
        report.photos,
        ", ".join(f"{number} {verdict}" for verdict, number in report.verdicts.items()),
        gold and Cell(gold.share, interval or ""),
        report.seconds,
        visit.began_at,
        visit.ended_at,
        visit.outcome,
        visit.verified,
        visit.listed,
        visit.status or None,
        not report.out,
        report.proposal,
        report.reason,
    )
