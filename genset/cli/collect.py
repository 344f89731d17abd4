"""Commands that fill a workspace: init, sandbox, scrape."""

import sys
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import (
    FILE,
    FOLDER,
    PATH,
    counted,
    give_up_option,
    json_option,
    opened,
    show,
)
from genset.cli.dry_run import rates, told
from genset.errors import BadInput, GensetError
from genset.progress import say
from genset.text.numbers import count
from genset.workspace import SETTINGS_FILE, Workspace

if TYPE_CHECKING:
    from genset.scrape.collect.plan import ScrapePlan
    from genset.scrape.keywords.queries import Queries

DAY = click.DateTime(["%Y-%m-%d"])

min_size_option = click.option(
    "--min-size",
    type=click.IntRange(min=1),
    help="Pixels that the shorter side must have (default: 64, and what is stored already stays).",
)


@click.command()
@click.argument("folder", type=PATH, default=".")
@json_option
def init(folder: Path, as_json: bool) -> None:
    """Make FOLDER (default: the current one) a workspace.

    \b
    genset init my-test-set
    """
    workspace = Workspace.create(folder)
    show({"workspace": str(workspace.root)}, f"workspace: {workspace.root}", as_json)


@click.command()
@click.option("--photos", type=FOLDER, required=True, help="A folder of wnid folders of photos.")
@click.option("--records", type=FILE, help="JSON lines, one a photo; made up where not given.")
@click.option("--port", default=8750, show_default=True, help="0 takes any free one.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME=NUMBER",
    help="What goes wrong, and how often (0 to 1), or a setting of it. May be repeated.",
)
@click.option("--seed", default=0, show_default=True, help="Decides whom the faults meet.")
@click.option("--log", type=FILE, help="Append one JSON line for each request to this file.")
def sandbox(
    photos: Path,
    records: Path | None,
    port: int,
    faults: tuple[str, ...],
    seed: int,
    log: Path | None,
) -> None:
    """Serve a Flickr-compatible API from a folder of photos, on loopback.

    Faults that pass when asked again: too_many, server_error, truncated, timeout, unavailable,
    wrong_format. Faults of a photo, for good: gone, redirect_elsewhere, not_image, broken_photos,
    poisoned (HTTP 503 for ever). Photos that move between a search's pages: unstable_pages.

    --fault outage=SECONDS has everything answer HTTP 503 for so long, from --fault
    outage_after=SECONDS (0) after the first request on. --fault retry_after=SECONDS (1) and --fault
    hang=SECONDS (35) set what too_many asks for and how long a timeout takes; with --fault
    retry_after_503=1 every 503 asks for it too, with --fault retry_after_date=1 as a date.

    \b
    genset sandbox --photos DIR
    genset sandbox --photos DIR --fault too_many=0.05 --fault gone=0.02 --log asked.jsonl
    genset sandbox --photos DIR --fault outage=1800 --fault outage_after=10
    """
    from genset.sandbox import Faults, Sandbox

    server = Sandbox(photos, records, port, Faults.parse(faults, seed), log)
    click.echo(f"export GENSET_FLICKR_ENDPOINT={server.endpoint}")
    click.echo("export FLICKR_API_KEY=sandbox")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        server.serve_forever()


@click.command()
@click.option("--classes", help="WNIDs, separated by commas (default: all 1,000).")
@click.option("--per-class", type=click.IntRange(min=1), help="Photos wanted for each class.")
@click.option("--posted-after", type=DAY, help="Keep photos posted on this day (UTC) or later.")
@click.option("--posted-before", type=DAY, help="Keep photos posted before this day (UTC).")
@click.option(
    "--license",
    "licenses",
    default="any",
    show_default=True,
    help="any, open (ids 4, 5, 7 to 12), or names or ids separated by commas.",
)
@click.option(
    "--safe-search",
    type=click.IntRange(1, 3),
    default=1,
    show_default=True,
    help="1: safe photos only, 2: moderate ones too, 3: all. Flickr shows others than safe ones "
    "only to who is logged in, which genset is not: 2 and 3 change nothing.",
)
@min_size_option
@click.option(
    "--no-search",
    is_flag=True,
    help="Download candidates that there are, and ask for no others; needs no key.",
)
@click.option("--retry-failed", is_flag=True, help="Try photos again that were refused.")
@click.option(
    "--no-wait", is_flag=True, help="End, where all that is left is to be tried again later."
)
@give_up_option
@click.option("--dry-run", is_flag=True, help="Say what it would take, and do nothing.")
@json_option
@click.pass_obj
def scrape(
    folder: Path | None,
    /,
    retry_failed: bool,
    give_up_after: float | None,
    dry_run: bool,
    as_json: bool,
    **wanted: Any,
) -> None:
    """Search each class's keywords and download its most relevant photos.

    Run it again to go on where it was stopped; several may run at once and share the work. Needs
    FLICKR_API_KEY (several keys, separated by commas, go faster).

    \b
    genset scrape --classes n02123045,n07930864
    genset scrape --per-class 300 --license open --dry-run
    """
    from genset.scrape.collect.contested import explain
    from genset.scrape.collect.estimate import estimate
    from genset.scrape.collect.scraper import scrape as fill
    from genset.scrape.collect.state import forget_refusals, lacking_first
    from genset.scrape.fetch.hosts import Hosts
    from genset.scrape.keywords.queries import workspace_queries
    from genset.scrape.sources.flickr import Flickr
    from genset.store.images_folder import claim_images

    with opened(folder) as (workspace, store):
        queries = workspace_queries(workspace, store, begin=not dry_run)
        plan = _plan(workspace, queries, **wanted)
        if plan.safe_search > 1:
            click.echo(
                f"genset: --safe-search {plan.safe_search} finds no more than 1: Flickr shows "
                "photos that are not safe only to who is logged in, which genset is not",
                err=True,
            )
        if dry_run and retry_failed:
            raise BadInput("a dry run tells of what was not tried yet: leave out --retry-failed")
        if dry_run:
            takes = estimate(store, Flickr.name, plan, rates(workspace))
            show(asdict(takes), "\n".join(told(takes, plan)), as_json)
            return
        claim_images(workspace, store)
        hosts = Hosts(store, say, give_up_after)
        source = (
            Flickr.from_environment(workspace, hosts)
            if plan.search
            else Flickr.for_pictures(hosts, workspace.images_per_second)
        )
        if retry_failed:
            forget_refusals(store, plan)
        done = fill(workspace, store, source, lacking_first(store, plan))
        with store.session() as session:
            rivals = explain(session, done.contested)
    lines = [
        f"{done.full} of {len(plan.classes)} classes are full: "
        f"{done.stored} stored, {counted(done.refused, 'refused')}, {done.searches} searches"
    ]
    lines += [f"{wnid}: {held} photos, its results ended" for wnid, held in done.short.items()]
    lines += [
        f"{wnid}: {rivals.get(wnid, f'{held} photos held back, another class claims them too')}"
        for wnid, held in done.contested.items()
    ]
    lines += [f"{wnid}: {reason}" for wnid, reason in done.failed.items()]
    show(asdict(done) | {"rivals": rivals}, "\n".join(lines), as_json)
    if done.waiting:
        raise GensetError(
            f"{count(len(done.waiting), 'class waits', 'classes wait')} for another try of what "
            f"failed (genset status --failed): run the same command again after "
            f"{min(done.waiting.values())}"
        )
    if done.failed:
        raise GensetError(
            f"{count(len(done.failed), 'class', 'classes')} failed; to try again: genset scrape "
            "--retry-failed"
        )
    if not done.full:
        raise GensetError("no class is full: the lines above say why")


def _plan(
    workspace: Workspace,
    queries: "Queries",
    *,
    classes: str | None,
    per_class: int | None,
    posted_after: datetime | None,
    posted_before: datetime | None,
    licenses: str,
    safe_search: int,
    min_size: int | None,
    no_search: bool,
    no_wait: bool,
) -> "ScrapePlan":
    """The options, and where one is not given what the workspace says."""
    from genset.licenses import choose_licenses
    from genset.scrape.collect.plan import ScrapePlan
    from genset.scrape.fetch.pauses import RetryPolicy

    since = posted_after.replace(tzinfo=UTC) if posted_after else workspace.posted_after
    until = posted_before.replace(tzinfo=UTC) if posted_before else None
    if since > datetime.now(UTC):
        settings = f"{workspace.root / SETTINGS_FILE}: posted_after"
        where = "--posted-after" if posted_after else settings
        raise BadInput(f"{where} is {since.date()}, a day to come: no photo is posted since")
    if until is not None and until <= since:
        raise BadInput(f"no photo is posted after {since.date()} and before {until.date()}")
    return ScrapePlan(
        classes=queries.select(wnid for wnid in (classes or "").split(",") if wnid),
        per_class=per_class or workspace.per_class,
        posted_after=since,
        posted_before=until,
        licenses=choose_licenses(licenses),
        safe_search=safe_search,
        min_size=min_size,
        search=not no_search,
        retries=RetryPolicy(workspace.tries, workspace.retry_hours),
        wait=not no_wait,
        query_list=queries.version,
    )
