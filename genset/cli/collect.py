"""Commands that fill a workspace: init, keywords, sandbox, scrape."""

import sys
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import FILE, FOLDER, PATH, counted, json_option, opened, show, show_json
from genset.errors import BadInput, GensetError
from genset.taxonomy import imagenet1k
from genset.workspace import SETTINGS_FILE, Workspace

if TYPE_CHECKING:
    from genset.scrape.collect.plan import ScrapePlan

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
@click.argument("wnids", nargs=-1, metavar="[WNID]...")
@json_option
def keywords(wnids: tuple[str, ...], as_json: bool) -> None:
    """Show what would be searched for each class, and why.

    \b
    genset keywords n02012849 n03126707
    """
    classes = imagenet1k().select(wnids)
    if as_json:
        show_json([asdict(cls) for cls in classes])
        return
    for cls in classes:
        click.echo(f"{cls.wnid}  {', '.join(cls.lemmas)}: {cls.gloss}")
        for query in cls.queries:
            click.echo(f"           {query.text:<32}  {query.why}")


@click.command()
@click.option("--photos", type=FOLDER, required=True, help="A folder of wnid folders of photos.")
@click.option("--records", type=FILE, help="JSON lines, one a photo; made up where not given.")
@click.option("--port", default=8750, show_default=True, help="0 takes any free one.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="KIND=RATE",
    help="What goes wrong, and how often (0 to 1). May be repeated.",
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
    wrong_format. Faults of a photo, for good: gone, redirect_elsewhere, not_image, broken_photos.
    Photos that move between a search's pages: unstable_pages. --fault retry_after=SECONDS and
    --fault hang=SECONDS set what too_many asks for and how long a timeout takes.

    \b
    genset sandbox --photos DIR
    genset sandbox --photos DIR --fault too_many=0.05 --fault gone=0.02 --log asked.jsonl
    """
    from genset.sandbox import Faults, Sandbox

    server = Sandbox(photos, records, port, Faults.parse(faults, seed), log)
    click.echo(f"export GENSET_FLICKR_ENDPOINT={server.endpoint}")
    click.echo("export FLICKR_API_KEY=sandbox FLICKR_API_SECRET=sandbox")
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
@click.option("--dry-run", is_flag=True, help="Say what it would take, and do nothing.")
@json_option
@click.pass_obj
def scrape(
    folder: Path | None, /, retry_failed: bool, dry_run: bool, as_json: bool, **wanted: Any
) -> None:
    """Search each class's keywords and download its most relevant photos.

    Run it again to go on where it was stopped; several may run at once and share the work. Needs
    FLICKR_API_KEY and FLICKR_API_SECRET (several of each, separated by commas, go faster).

    \b
    genset scrape --classes n02123045,n07930864
    genset scrape --per-class 300 --license open --dry-run
    """
    from genset.scrape.collect.scraper import scrape as fill
    from genset.scrape.collect.state import estimate, forget_refusals
    from genset.scrape.sources.flickr import CALLS_AN_HOUR, Flickr

    with opened(folder) as (workspace, store):
        plan = _plan(workspace, **wanted)
        if plan.safe_search > 1:
            click.echo(
                f"genset: --safe-search {plan.safe_search} finds no more than 1: Flickr shows "
                "photos that are not safe only to who is logged in, which genset is not",
                err=True,
            )
        if dry_run:
            takes = estimate(store, Flickr.name, plan)
            text = (
                f"{takes.calls:,} calls of the API at least, for {takes.classes:,} of "
                f"{len(plan.classes):,} classes: {timedelta(hours=takes.calls / CALLS_AN_HOUR)} "
                f"at {CALLS_AN_HOUR:,} an hour"
            )
            show(asdict(takes), text, as_json)
            return
        source = (
            Flickr.from_environment(workspace)
            if plan.search
            else Flickr.for_pictures(workspace.images_per_second)
        )
        if retry_failed:
            forget_refusals(store, plan)
        done = fill(workspace, store, source, plan)
    lines = [
        f"{done.full} of {len(plan.classes)} classes are full: "
        f"{done.stored} stored, {counted(done.refused, 'refused')}, {done.searches} searches"
    ]
    lines += [f"{wnid}: {held} photos, its results ended" for wnid, held in done.short.items()]
    lines += [
        f"{wnid}: {held} photos held back, another class claims them too"
        for wnid, held in done.contested.items()
    ]
    lines += [f"{wnid}: {reason}" for wnid, reason in done.failed.items()]
    show(asdict(done), "\n".join(lines), as_json)
    if done.failed:
        raise GensetError(f"{len(done.failed)} classes failed; run the same command again")


def _plan(
    workspace: Workspace,
    *,
    classes: str | None,
    per_class: int | None,
    posted_after: datetime | None,
    posted_before: datetime | None,
    licenses: str,
    safe_search: int,
    min_size: int | None,
    no_search: bool,
) -> "ScrapePlan":
    """The options, and where one is not given what the workspace says."""
    from genset.licenses import choose_licenses
    from genset.scrape.collect.plan import ScrapePlan

    since = posted_after.replace(tzinfo=UTC) if posted_after else workspace.posted_after
    until = posted_before.replace(tzinfo=UTC) if posted_before else None
    if since > datetime.now(UTC):
        settings = f"{workspace.root / SETTINGS_FILE}: posted_after"
        where = "--posted-after" if posted_after else settings
        raise BadInput(f"{where} is {since.date()}, a day to come: no photo is posted since")
    if until is not None and until <= since:
        raise BadInput(f"no photo is posted after {since.date()} and before {until.date()}")
    return ScrapePlan(
        classes=imagenet1k().select(wnid for wnid in (classes or "").split(",") if wnid),
        per_class=per_class or workspace.per_class,
        posted_after=since,
        posted_before=until,
        licenses=choose_licenses(licenses),
        safe_search=safe_search,
        min_size=min_size,
        search=not no_search,
    )
