"""The command that fills a workspace: scrape."""

import shlex
import shutil
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset import __version__
from genset.cli.common import (
    DAY,
    classes_option,
    counted,
    give_up_option,
    json_command,
    min_size_option,
    named_classes,
    opened,
    show,
    stoppable,
)
from genset.cli.pool.plans import chosen, license_option, plan_of, possible, source_option
from genset.core.dates import minute
from genset.core.errors import BadInput, GensetError
from genset.core.numbers import agree, count, spoken
from genset.core.progress import say
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.db import Store
    from genset.net.hosts import Hosts
    from genset.scrape.estimate import Estimate
    from genset.scrape.plan import ScrapePlan
    from genset.scrape.results import ScrapeSummary
    from genset.scrape.side_by_side import Outcomes

_WORDS = "genset.scrape.words"


class _ScrapeCommand(click.Command):
    """Remembers its words: `genset status` shows them until the scrape is complete."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = [word for word in args if word not in ("--json", "--retry-failed")]
        ctx.meta[_WORDS] = shlex.join(["genset", "scrape", *words])
        return super().parse_args(ctx, args)


def _command(context: click.Context, option: click.Parameter, value: str) -> list[str]:
    """The words of a command that there is."""
    try:
        words = shlex.split(value)
    except ValueError as error:
        raise click.BadParameter(f"{value}: {error}") from None
    if words and shutil.which(words[0]) is None:
        raise click.BadParameter(f"there is no command {words[0]}")
    return words


@click.command(cls=_ScrapeCommand)
@source_option("Where to search, instead of the workspace's sources; each fills the classes")
@classes_option
@click.option("--per-class", type=click.IntRange(min=1), help="Photos wanted for each class.")
@click.option("--posted-after", type=DAY, help="Keep photos posted on this day (UTC) or later.")
@click.option("--posted-before", type=DAY, help="Keep photos posted before this day (UTC).")
@click.option(
    "--taken-after",
    type=DAY,
    help="Keep photos taken on this day or later (default: --posted-after for Wikimedia Commons "
    "and iNaturalist, any day for Flickr).",
)
@click.option("--taken-unknown", is_flag=True, help="Keep photos with an unknown taken date too.")
@license_option
@min_size_option
@click.option(
    "--no-search",
    is_flag=True,
    help="Download the candidates found so far, without a search; needs no key.",
)
@click.option(
    "--since-last",
    is_flag=True,
    help="Search again, for photos posted since the last search began.",
)
@click.option("--retry-failed", is_flag=True, help="Try rejected photos again.")
@click.option(
    "--no-wait", is_flag=True, help="End instead of waiting for what is due for another try later."
)
@give_up_option
@click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Append what came of each call, in lines of JSON.",
)
@click.option(
    "--notify",
    default="",
    metavar="COMMAND",
    callback=_command,
    help="Run this when the scrape ends or cannot go on, with the summary as input.",
)
@click.option("--dry-run", is_flag=True, help="Show what it would take, and do nothing.")
@json_command
def scrape(
    folder: Path | None,
    /,
    sources: tuple[str, ...],
    since_last: bool,
    retry_failed: bool,
    give_up_after: float | None,
    log: Path | None,
    notify: list[str],
    dry_run: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Search each class's keywords and download its most relevant photos.

    Run it again to continue; several may run at once and share the work. Flickr
    needs FLICKR_API_KEY (several keys, separated by commas, go faster); Wikimedia Commons and
    iNaturalist need a contact.

    \b
    genset scrape --classes tabby,"great white shark",n07930864
    genset scrape --source commons,inaturalist
    genset scrape --per-class 300 --license open --dry-run
    """
    from genset.net.hosts import Hosts
    from genset.scrape.events import EventLog, notifying
    from genset.scrape.queries import workspace_queries
    from genset.scrape.results import photos_stored

    with opened(folder) as (workspace, store):
        queries = workspace_queries(workspace, store, begin=not dry_run)
        requested = chosen(workspace, sources)
        options["classes"] = named_classes(queries.taxonomy, options["classes"])
        plans = possible([plan_of(workspace, queries, source, **options) for source in requested])
        if since_last:
            plans = _further(store, plans)
        several = len(requested) > 1
        if dry_run and retry_failed:
            raise BadInput("--dry-run cannot be combined with --retry-failed")
        if dry_run:
            _show(_estimates(workspace, store, plans), [], several, as_json)
            return
        on_event = EventLog(log).write if log else lambda event: None
        make_hosts = partial(Hosts, store, say, give_up_after, on_event)
        with notifying(notify) as summary:
            summary.append(_heading(plans))
            with stoppable(lambda: f"{count(photos_stored(store), 'photo')} kept"):
                done, ended = _scrape_plans(workspace, store, plans, retry_failed, make_hosts)
            _show(_answers(plans, done), summary, several, as_json)
            _raise_problems(plans, done, ended, several)


def _heading(plans: "list[ScrapePlan]") -> str:
    """What a summary is of, for those who read it elsewhere."""
    plan, names = plans[0], ", ".join(plan.source.about.name for plan in plans)
    licenses = ", ".join(plan.licenses.words) if plan.licenses else "any"
    return (
        f"genset {__version__} scrape of {names}, begun {minute(datetime.now(UTC))}: "
        f"{plan.per_class:,} photos a class, posted since {plan.posted_after.date()}, "
        f"license {licenses}"
    )


def _further(store: "Store", plans: "list[ScrapePlan]") -> "list[ScrapePlan]":
    """The plans of searches for what was posted since the last ones."""
    from genset.scrape.further import since_last

    if any(plan.posted_before or not plan.search for plan in plans):
        raise BadInput("--since-last cannot be combined with --posted-before or --no-search")
    further = [since_last(store, plan) for plan in plans]
    for plan in further:
        say(f"{plan.source.about.name}: photos posted since {minute(plan.posted_after)}")
    return further


# What is shown of a source: as JSON, and for people.
_Shown = tuple[dict[str, Any], list[str]]


def _show(found: dict[str, _Shown], summary: list[str], several: bool, as_json: bool) -> None:
    """Add to a summary what was found of each source, and print it; by name if several were asked.

    A source that failed has nothing here.
    """
    for name, (_, lines) in found.items():
        summary += [f"{name}: {line}" if several else line for line in lines]
    if documents := {name: document for name, (document, _) in found.items()}:
        show(documents if several else documents.popitem()[1], "\n".join(summary), as_json)


def _scrape_plans(
    workspace: Workspace,
    store: "Store",
    plans: "list[ScrapePlan]",
    retry_failed: bool,
    make_hosts: "Callable[[], Hosts]",
) -> "Outcomes[ScrapeSummary]":
    """Scrape each source as its plan wants."""
    from genset.db.images_folder import claim_images
    from genset.scrape.side_by_side import note_unfinished, scrape_all
    from genset.scrape.state import forget_refusals
    from genset.sources.source import connected

    claim_images(workspace, store)
    # A missing key of any of them ends the command before any begins.
    ready = [
        (connected(plan.source, make_hosts(), workspace.scrape, pictures=not plan.search), plan)
        for plan in plans
    ]
    if retry_failed:
        for plan in plans:
            forget_refusals(store, plan)
    note_unfinished(store, click.get_current_context().meta[_WORDS], plans)
    done, ended = scrape_all(workspace, store, ready)
    if not ended and not any(summary.waiting for summary in done.values()):
        note_unfinished(store, "")
    return done, ended


def _answers(plans: "list[ScrapePlan]", done: "dict[str, ScrapeSummary]") -> dict[str, _Shown]:
    """What a scrape did of each source."""
    return {
        name: (asdict(done[name]), _lines(plan, done[name]))
        for plan in plans
        if (name := plan.source.about.name) in done
    }


def _lines(plan: "ScrapePlan", done: "ScrapeSummary") -> list[str]:
    """What a scrape did, for people."""
    news = (done.full, done.stored, any(done.short.values()), done.contested, done.waiting)
    losses = (done.failed, done.rejected, done.rejected_by_plan, done.rejected_queries)
    if plan.first_rank > 1 and not any(news + losses):
        return [f"no photos posted since {minute(plan.posted_after)}"]
    failed = f", {done.failed:,} failed (genset status --failed)" if done.failed else ""
    if entries := done.rejected_entries:
        failed = f", {counted(entries, 'search entry', 'search entries')}{failed}"
    if by_plan := done.rejected_by_plan:
        failed = f", {counted(by_plan, 'rejected by the plan')}{failed}"
    lines = [
        f"{done.full:,} of {count(len(plan.classes), 'class', 'classes')} "
        f"full: {done.stored:,} stored, "
        f"{counted(done.rejected, 'rejected')}{failed}, "
        f"{count(done.searches, 'search', 'searches')} in {spoken(done.seconds / 3600)}"
    ]
    if done.early:
        were = agree(done.early, "was", "were")
        early = f"{done.early:,} of those stored {were} taken before {plan.posted_after.date()}"
        lines.append(f"{early}; --taken-after rejects such photos")
    for wnid, queries in done.rejected_queries.items():
        lines += [f"{wnid}: query {query} is rejected: {why}" for query, why in queries.items()]
    for wnid, photos in done.short.items():
        found = f"only {count(photos, 'photo')} found" if photos else "no photo found"
        if rejected := done.rejected_in.get(wnid):
            found = f"no photo left: {rejected:,} rejected (genset status --failed)"
        lines.append(f"{wnid}: {found}")
    for wnid, photos in done.contested.items():
        them = agree(photos, "it", "them")
        lines.append(
            f"{wnid}: {count(photos, 'photo')} contested: another class claims {them} too "
            f"(genset keywords --yield {wnid})"
        )
    if done.rejected_queries:
        lines.append("to ask for rejected queries and photos again, add --retry-failed")
    return lines


def _raise_problems(
    plans: "list[ScrapePlan]",
    done: "dict[str, ScrapeSummary]",
    ended: dict[str, GensetError],
    several: bool,
) -> None:
    """End with an error where a source failed, or filled no class."""
    problems: dict[str, GensetError] = {}
    for plan in plans:
        name = plan.source.about.name
        if problem := ended.get(name) or _problem(plan, done[name]):
            problems[name] = problem
    if problems and not several:
        raise problems.popitem()[1]
    if problems:
        raise GensetError("; ".join(f"{name}: {problem}" for name, problem in problems.items()))


def _problem(plan: "ScrapePlan", done: "ScrapeSummary") -> GensetError | None:
    if done.waiting:
        return GensetError(
            f"{count(len(done.waiting), 'class waits', 'classes wait')} for the next try of what "
            f"failed (genset status --failed): run the same command again after "
            f"{min(done.waiting.values())}"
        )
    if not done.full and plan.first_rank == 1:  # a further search may well find little
        return GensetError("no class is full: the lines above say why")
    return None


def _estimates(
    workspace: Workspace, store: "Store", plans: "list[ScrapePlan]"
) -> dict[str, _Shown]:
    """What a scrape of each source takes."""
    from genset.scrape.estimate import estimate

    found = {}
    for plan in plans:
        takes = estimate(store, plan, plan.source.rates(workspace.scrape))
        found[plan.source.about.name] = asdict(takes), _estimate_lines(takes, plan)
    return found


def _estimate_lines(takes: "Estimate", plan: "ScrapePlan") -> list[str]:
    """What a scrape takes, in words."""
    calls, images = takes.rates.calls_an_hour, takes.rates.images_per_second
    lines = [
        f"at least {count(takes.calls, 'API call')}, for {takes.classes:,} of "
        f"{count(len(plan.classes), 'class', 'classes')}: "
        + (f"{spoken(takes.call_hours)} at {calls:,.0f} an hour" if calls else "no rate limit"),
        f"{count(takes.photos, 'photo')} to download: "
        + (f"{spoken(takes.image_hours)} at {images:g} a second" if images else "no rate limit"),
    ]
    if takes.hours:
        slower = "API calls" if takes.call_hours > takes.image_hours else "downloads"
        lines.append(f"at least {spoken(takes.hours)} in total ({slower} take longest)")
    if takes.photos:
        basis = "this pool's mean" if takes.is_measured else "a typical size"
        size = takes.bytes / 1e6
        room = f"{size / 1000:,.1f} GB" if size >= 1000 else f"{size:,.0f} MB"
        mean = f"{takes.bytes_a_photo / 1000:,.0f} kB a photo ({basis})"
        lines.append(f"{room} of disk space, at {mean}")
    return lines
