"""Commands that bring photos in from elsewhere: add, import imagenetv2."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli import common
from genset.cli.common import DAY, FOLDER, json_command, min_size_option, opened, show
from genset.cli.group import Group
from genset.cli.pool.plans import license_option, plan_of, possible
from genset.core.errors import BadInput
from genset.core.junk import junk_note
from genset.core.numbers import count
from genset.core.photo import PhotoOrigin

if TYPE_CHECKING:
    from genset.scrape.add import AddSummary


@click.command()
@click.argument("photos", type=FOLDER, metavar="DIR")
@click.option("--source", help="Name of their source (default: DIR's name, in lower case).")
@click.option("--owner", help="Whose they are.")
@click.option(
    "--license",
    "license_name",
    help="The licence that they are under, such as 'CC BY 4.0' (default: All Rights Reserved).",
)
@click.option("--license-url", help="Where its text is (known for the licences that Flickr has).")
@click.option(
    "--posted",
    type=DAY,
    help="The day they were published (default: today, for unpublished photos).",
)
@click.option(
    "--examples",
    is_flag=True,
    help="Show them to labelers beside their classes, as photos known to be correct. They are no "
    "candidates and enter no release, so they need no licence.",
)
@click.option(
    "--gold",
    is_flag=True,
    help="Make them gold questions: DIR has a folder of classes for each answer, correct and "
    "incorrect. They are no candidates either.",
)
@click.option("--reason", help="How the answers of --gold are known: training shows it.")
@click.option("--dry-run", is_flag=True, help="Show the result, and store nothing.")
@min_size_option
@json_command
def add(
    folder: Path | None,
    /,
    photos: Path,
    source: str | None,
    owner: str | None,
    license_name: str | None,
    license_url: str | None,
    posted: datetime | None,
    examples: bool,
    gold: bool,
    reason: str | None,
    dry_run: bool,
    min_size: int | None,
    as_json: bool,
) -> None:
    """Add your own photos as candidates: DIR has a folder for each class, named by its wnid.

    In a workspace with classes of its own the folders are named by their ids. The photos are
    checked as scraped ones, but one owner may have many. Adding a folder again adds what is new in
    it, and gives the photos that are there the owner, licence or day that you name now.

    \b
    genset add my-photos --owner "Ann Ko" --license "CC BY 4.0"
    genset add dump --source city-museum --posted 2019-05-01 --license "Public Domain Mark"
    genset add --examples known-right --dry-run
    genset add --gold known --owner "Ann Ko" --license "CC BY 4.0" --reason "Ann's own pets"
    """
    from genset.scrape import opt_out
    from genset.scrape.add import SOURCE
    from genset.scrape.add import add as take_in

    if examples + gold + (posted is not None) > 1:
        raise BadInput("--examples, --gold and --posted do not go together")
    if reason is not None and not gold:
        raise BadInput("--reason goes with --gold only")
    kind = "example" if examples else "gold question" if gold else "photo"
    if license_name is not None and not license_name.strip():
        raise BadInput('--license names no licence: give its name, such as "CC BY 4.0"')
    fields = ("owner", "license", "license_url", "posted_at")
    values = (owner, license_name, license_name or license_url, posted)
    update = {field for field, value in zip(fields, values, strict=True) if value is not None}
    name = photos.resolve().name.lower() if kind == "photo" else SOURCE
    license_name = license_name or ("All Rights Reserved" if kind == "photo" else "")
    origin = _origin(source or name, owner or "", license_name, license_url, posted)
    options: Any = {"examples": examples, "gold": gold, "min_size": min_size, "dry_run": dry_run}
    options["reason"] = " ".join((reason or "").split())
    with opened(folder, originals="store") as (workspace, store):
        done = take_in(workspace, store, photos, origin, update=update, **options)
        listed = opt_out.OptOut.of(workspace)
        out = [] if dry_run else opt_out.honour(store, listed)
    answer = asdict(done) | {"dry_run": dry_run} | opt_out.as_json(workspace, out)
    lines = [*_lines(done, kind, dry_run), *opt_out.lines(out, listed)]
    show(answer, "\n".join(lines), as_json)


def _origin(
    source: str, owner: str, license_name: str, url: str | None, posted: datetime | None
) -> PhotoOrigin:
    from genset.db import now
    from genset.licenses import License, license_named

    if posted is not None and posted.replace(tzinfo=UTC) > now():
        raise BadInput(f"--posted is {posted.date()}, which is in the future")
    if url and not url.startswith(("https://", "http://")):
        raise BadInput(f"--license-url must start with https:// or http://: {url}")
    license = license_named(license_name, url or "") if license_name else License("", "")
    return PhotoOrigin(
        source=source,
        owner=owner,
        license=license.name,
        license_url=license.url if url is None else url,
        posted_at=posted.replace(tzinfo=UTC) if posted else now(),
    )


def _lines(done: "AddSummary", kind: str, dry_run: bool) -> list[str]:
    would = "would be " if dry_run else ""
    what = count(done.added, kind)
    updated = f" ({done.updated:,} updated)" if done.updated else ""
    return [
        f"{what} {would}added (source: {done.source}), {done.already:,} already there{updated}, "
        f"{len(done.rejected):,} rejected",
        *(f"{file}: {reason}" for file, reason in done.rejected.items()),
        *junk_note(done.passed_over),
    ]


@click.group("import", cls=Group)
def imports() -> None:
    """Start from what another project collected."""


@imports.command()
@click.argument("checkout", type=FOLDER, metavar="DIR")
@click.option("--dataset", help="Only this selection's photos, ruled correct: imagenetv2-b-33.")
@json_command
def imagenetv2(folder: Path | None, checkout: Path, dataset: str | None, as_json: bool) -> None:
    """Import ImageNetV2's candidate photos; DIR is a checkout of its repository.

    It imports all or nothing; importing again adds nothing. The files hold no votes, owners,
    licences or hashes: each photo counts as All Rights Reserved until genset refresh asks Flickr.

    \b
    genset import imagenetv2 ImageNetV2 --dataset imagenetv2-b-33
    genset scrape --no-search --per-class 10 --posted-after 2004-01-01
    """
    from genset.scrape.imagenetv2 import take_in

    with opened(folder) as (workspace, store):
        done = take_in(workspace, store, checkout, dataset)
    lines = [
        f"{count(done.candidates, 'candidate')} added, {done.already:,} already there; "
        f"{count(done.photos, 'new photo')}"
    ]
    if done.excluded:
        lines.append(f"{done.excluded:,} skipped: ImageNetV2 removed them from its pool")
    if dataset is not None:
        lines.append(f"{done.selected:,} ruled correct: selected for {dataset}")
    if done.early:
        lines.append(
            f"{count(done.early, 'was', 'were')} posted before {workspace.posted_after.date()}: "
            "models may have seen them; genset scrape skips them without --posted-after"
        )
    lines.append("download them: genset scrape --no-search")
    show(asdict(done), "\n".join(lines), as_json)


@imports.command()
@click.argument("tables", type=FOLDER, metavar="DIR")
@common.classes_option
@license_option
@json_command
def inaturalist(
    folder: Path | None,
    tables: Path,
    classes: tuple[tuple[str, ...], ...],
    licenses: str,
    as_json: bool,
) -> None:
    """Draw candidates from iNaturalist's open data; DIR has its four tables.

    It calls no API, reads the tables from end to end, and draws ten times per_class of each class:
    every observation of research grade with the same chance, by the seed in genset.toml. A photo
    counts by the day on which it was taken: the tables do not say when it was uploaded.

    \b
    genset import inaturalist inaturalist-open-data --license open
    genset scrape --source inaturalist --no-search
    """
    common.need("export", "iNaturalist's open data", "pyarrow")
    from genset.scrape.inaturalist_dump import take_in
    from genset.scrape.queries import workspace_queries
    from genset.sources.inaturalist import INaturalist

    with opened(folder) as (workspace, store):
        queries = workspace_queries(workspace, store, begin=True)
        wnids = common.named_classes(queries.taxonomy, classes)
        plan = plan_of(workspace, queries, INaturalist, classes=wnids, licenses=licenses)
        [plan] = possible([plan])
        done = take_in(store, plan, tables, min(10 * plan.per_class, 10_000), workspace.scrape.seed)
    lines = [
        f"{count(done.drawn, 'photo')} drawn",
        *(f"{wnid}: {reason}" for wnid, reason in done.short.items()),
        *(f"{name}: {count(rows, 'bad row')} skipped" for name, rows in done.unread.items()),
        "download them: genset scrape --source inaturalist --no-search",
    ]
    show(asdict(done), "\n".join(lines), as_json)
