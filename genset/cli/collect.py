"""Commands that fill a workspace: init, keywords, sandbox, scrape."""

import sys
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import click

from genset.cli.common import FILE, FOLDER, PATH, counted, json_option, opened, show, show_json
from genset.errors import GensetError
from genset.taxonomy import imagenet1k
from genset.workspace import Workspace


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
    from genset.scrape.sandbox import Faults, Sandbox

    server = Sandbox(photos, records, port, Faults.parse(faults, seed), log)
    click.echo(f"export GENSET_FLICKR_ENDPOINT={server.endpoint}")
    click.echo("export FLICKR_API_KEY=sandbox FLICKR_API_SECRET=sandbox")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        server.serve_forever()


@click.command()
@click.option("--classes", help="WNIDs, separated by commas (default: all 1,000).")
@click.option("--per-class", type=click.IntRange(min=1), help="Photos wanted for each class.")
@click.option(
    "--posted-after",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Keep photos posted on this day (UTC) or later.",
)
@json_option
@click.pass_obj
def scrape(
    folder: Path | None,
    classes: str | None,
    per_class: int | None,
    posted_after: datetime | None,
    as_json: bool,
) -> None:
    """Search each class's keywords and download its most relevant photos.

    Run it again to go on where it was stopped. Needs FLICKR_API_KEY and FLICKR_API_SECRET.

    \b
    genset scrape --classes n02123045,n07930864
    """
    from genset.scrape.flickr import Flickr
    from genset.scrape.pool import scrape as fill

    chosen = imagenet1k().select([wnid for wnid in (classes or "").split(",") if wnid])
    with opened(folder) as (workspace, store):
        if per_class is not None:
            workspace = replace(workspace, per_class=per_class)
        if posted_after is not None:
            workspace = replace(workspace, posted_after=posted_after.replace(tzinfo=UTC))
        done = fill(workspace, store, Flickr.from_environment(), chosen)
    lines = [
        f"{done.full} of {len(chosen)} classes are full: "
        f"{done.stored} stored, {counted(done.refused, 'refused')}, {done.searches} searches"
    ]
    lines += [f"{wnid}: {held} photos, its results ended" for wnid, held in done.short.items()]
    lines += [f"{wnid}: {reason}" for wnid, reason in done.failed.items()]
    show(asdict(done), "\n".join(lines), as_json)
    if done.failed:
        raise GensetError(f"{len(done.failed)} classes failed; run the same command again")
