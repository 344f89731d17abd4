"""Commands for the rest of a photo's life, and for other ways in: refresh, remove, pull, add."""

import os
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import click
from click.core import ParameterSource

from genset.cli.common import (
    DAY,
    FOLDER,
    PATH,
    give_up_option,
    json_option,
    min_size_option,
    opened,
    show,
)
from genset.cli.pool.sources import source_option
from genset.core.errors import BadInput, GensetError, NotAWorkspace
from genset.core.numbers import count
from genset.core.progress import say
from genset.workspace import Workspace, checked_contact


@click.command()
@source_option("Whose photos to ask after, instead of all in the pool")
@give_up_option
@json_option
@click.pass_obj
def refresh(
    folder: Path | None, sources: tuple[str, ...], give_up_after: float | None, as_json: bool
) -> None:
    """Ask each source whether the pool's photos are still up, and under the same licence.

    One call of the API a photo. Run it again to go on where it was stopped. A photo that is gone
    stays in the pool and is listed here; coming releases have each photo's new licence.

    \b
    genset refresh
    """
    from genset.net.hosts import Hosts
    from genset.scrape import opt_out
    from genset.scrape.upkeep.refresh import refresh_all, sources_in_pool
    from genset.sources.registry import source_class
    from genset.sources.source import Settings

    with opened(folder) as (workspace, store):
        listed = opt_out.OptOut.of(workspace)
        named = opt_out.honour(store, listed)
        names = sources or sources_in_pool(store) or workspace.sources
        settings = Settings.of(workspace)
        # What any of them lacks, such as a key, is told before any is asked.
        ready = [
            source_class(name).connect(Hosts(store, say, give_up_after), settings) for name in names
        ]
        done, ended = refresh_all(store, ready)
    if len(ready) == 1 and ended:
        raise ended[ready[0].name]
    problems = [f"{name}: {error}" for name, error in ended.items()]
    lines = [
        f"{count(done.checked, 'photo')} checked, {count(len(done.changes), 'change')}, "
        f"{len(done.gone)} gone"
    ]
    for change in done.changes:
        lines.append(" ".join(f"{change.photo}: {change.what} {change.detail}".split()))
        if change.what == "license":
            lines.append(f"  credit: {change.credit}")
    lines += [f"not up now: {photo}  {page}" for photo, page in done.gone.items()]
    if done.gone:
        lines.append("where an owner took a photo down: genset remove PHOTO --reason TEXT")
    lines += opt_out.lines(named, listed)
    show(asdict(done) | opt_out.told(workspace, named), "\n".join(lines), as_json)
    if done.left:
        problems.append(
            f"{count(done.left, 'photo was', 'photos were')} not checked ({done.failure}); "
            "run genset refresh again"
        )
    if problems:
        raise GensetError("; ".join(problems))


@click.command()
@click.argument("what", metavar="PHOTO|OWNER", required=False)
@click.option(
    "--owner", metavar="SOURCE:OWNER", help="An owner, also one of whom no photo is known here yet."
)
@click.option("--reason", required=True, help="Why; kept with the photo.")
@json_option
@click.pass_obj
def remove(
    folder: Path | None, what: str | None, owner: str | None, reason: str, as_json: bool
) -> None:
    """Take a photo, or an owner's photos, out of the pool and coming releases for good.

    The originals are deleted, and no later scrape takes them again. Labels stay. Releases that
    exist never change; those that have the photos are named.

    \b
    genset remove flickr:6061409035 --reason "its owner asked on 3 May"
    genset remove 78733179@N04 --reason "does not want to take part"
    genset remove --owner "city-museum:Ann Ko" --reason "does not want to take part"
    """
    from genset.scrape.upkeep.removal import remove as take_out
    from genset.scrape.upkeep.removal import remove_owner

    with opened(folder, originals="read") as (workspace, store):
        if what is not None and owner is None:
            done = take_out(workspace, store, what, reason)
        elif owner is not None and what is None:
            done = remove_owner(workspace, store, owner, reason)
        else:
            raise BadInput("name one photo or owner, or one --owner SOURCE:OWNER")
    lines = [
        f"{count(len(done.photos), 'photo is', 'photos are')} out, "
        f"{count(done.deleted, 'original')} deleted"
        + (f", {done.kept} kept for other photos of the same bytes" if done.kept else ""),
        *(f"  {photo}" for photo in done.photos),
        *(f"in the pool still, of the same bytes: {photo}" for photo in done.same_bytes),
        *(f"release {name} has {count} of them" for name, count in done.releases.items()),
    ]
    if done.owner:
        lines.append(f"no later scrape takes a photo of {done.owner}")
    show(asdict(done), "\n".join(lines), as_json)


@click.command()
@click.argument("manifest", type=click.Path(path_type=Path, exists=True))
@click.option("--to", type=PATH, help="The set's folder (default: one of its name, here).")
@click.option(
    "--contact",
    default="",
    help="Your e-mail address or web page, which Wikimedia Commons and iNaturalist want to know "
    "(default: GENSET_CONTACT, or the workspace's).",
)
@give_up_option
@json_option
@click.pass_obj
def pull(
    folder: Path | None,
    manifest: Path,
    to: Path | None,
    contact: str,
    give_up_after: float | None,
    as_json: bool,
) -> None:
    """Rebuild a set from its MANIFEST: download each photo, and check that its bytes are the same.

    Run it again to go on where it was stopped. Needs neither a workspace nor a key. Exits with 1
    where the set is not whole. A folder with photos, as of genset release export --format mixed, is
    completed in its place, or with --to in another one, which its photos are copied to.

    \b
    genset pull manifest.json --to v1
    genset pull v1-mixed
    """
    from genset.db import Store
    from genset.net.hosts import Hosts, own_store
    from genset.scrape.upkeep.pull import pull as rebuild
    from genset.sources.registry import source_class
    from genset.sources.source import Settings, Source

    try:
        workspace = Workspace.find(folder)
        store, settings = Store.open(workspace.store_url), Settings.of(workspace)
    except NotAWorkspace:
        store, settings = own_store(), Settings()
    if contact or not settings.contact:
        said = checked_contact(contact or os.environ.get("GENSET_CONTACT", ""))
        settings = replace(settings, contact=said)

    def open_source(name: str) -> Source:
        return source_class(name).for_pictures(Hosts(store, say, give_up_after), settings)

    with closing(store):
        done = rebuild(manifest, open_source, to)
    lines = [
        f"{done.folder}: {done.pulled:,} of {count(done.photos, 'photo')} pulled, "
        f"{count(done.present, 'was', 'were')} there, {len(done.gone):,} gone, "
        f"{len(done.changed):,} changed, {len(done.failed):,} failed",
        *(f"gone: {file}  {page}" for file, page in done.gone.items()),
        *(f"changed: {file}  {page}" for file, page in done.changed.items()),
        *(f"failed: {file}  {reason}" for file, reason in done.failed.items()),
    ]
    show(asdict(done), "\n".join(lines), as_json)
    if done.missing:
        raise GensetError(f"{done.folder} is not whole: it lacks {count(done.missing, 'photo')}")


@click.command()
@click.argument("photos", type=FOLDER, metavar="DIR")
@click.option("--source", help="Where they are from (default: DIR's name, in lower case).")
@click.option("--owner", default="", help="Whose they are.")
@click.option(
    "--license",
    "license_name",
    default="All Rights Reserved",
    show_default=True,
    help="The licence that they are under, such as 'CC BY 4.0'.",
)
@click.option("--license-url", help="Where its text is (known for the licences that Flickr has).")
@click.option(
    "--posted",
    type=DAY,
    help="Since when they are public; today where not given, for photos that never were.",
)
@click.option(
    "--examples",
    is_flag=True,
    help="Show them to labelers beside their classes, as photos that are known to be right. They "
    "are no candidates and come into no release, so they need no licence.",
)
@click.option(
    "--dry-run", is_flag=True, help="With --examples: say what would come of it, and do nothing."
)
@min_size_option
@json_option
@click.pass_context
def add(
    context: click.Context,
    /,
    photos: Path,
    source: str | None,
    owner: str,
    license_name: str,
    license_url: str | None,
    posted: datetime | None,
    examples: bool,
    dry_run: bool,
    min_size: int | None,
    as_json: bool,
) -> None:
    """Make photos of your own candidates: DIR has a folder for each class, named by its wnid.

    In a workspace with classes of its own the folders are named by their ids. The photos go through
    the same checks as scraped ones. Adding a folder again adds what is new in it.

    \b
    genset add my-photos --owner "Ann Ko" --license "CC BY 4.0"
    genset add dump --source city-museum --posted 2019-05-01 --license "Public Domain Mark"
    genset add --examples known-right --dry-run
    """
    folder: Path | None = context.obj
    if examples and posted is not None:
        raise BadInput("--posted is for candidates: examples come into no release")
    if examples:
        given = context.get_parameter_source("license_name") is not ParameterSource.DEFAULT
        licensed = license_name if given else ""
        told = (source, owner, licensed, license_url)
        _add_examples(folder, photos, told, min_size, dry_run, as_json)
        return
    if dry_run:
        raise BadInput("--dry-run goes with --examples")
    from genset.db import now
    from genset.licenses import license_named
    from genset.scrape import opt_out
    from genset.scrape.imports.folder import Origin
    from genset.scrape.imports.folder import add as take_in

    if posted is not None and posted.replace(tzinfo=UTC) > now():
        raise BadInput(f"--posted is {posted.date()}, a day to come")
    known = license_named(license_name)
    origin = Origin(
        source=source or photos.resolve().name.lower(),
        owner=owner,
        license=known.name,
        license_url=known.url if license_url is None else license_url,
        posted_at=posted.replace(tzinfo=UTC) if posted else now(),
    )
    with opened(folder, originals="store") as (workspace, store):
        listed = opt_out.OptOut.of(workspace)
        done = take_in(workspace, store, photos, origin, min_size)
        named = opt_out.honour(store, listed)
    lines = [
        f"{count(done.added, 'photo')} added (source: {done.source}), "
        f"{count(done.already, 'was', 'were')} there, {len(done.refused):,} refused",
        *(f"{file}: {reason}" for file, reason in done.refused.items()),
        *opt_out.lines(named, listed),
    ]
    show(asdict(done) | opt_out.told(workspace, named), "\n".join(lines), as_json)


def _add_examples(
    folder: Path | None,
    photos: Path,
    told: tuple[str | None, str, str, str | None],
    min_size: int | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Add the photos as examples; `told` are the source, the owner, the licence and its address."""
    from genset.db import now
    from genset.licenses import license_named
    from genset.scrape.imports.examples import SOURCE, add_examples
    from genset.scrape.imports.folder import Origin

    source, owner, license_name, license_url = told
    known = license_named(license_name) if license_name else None
    origin = Origin(
        source=source or SOURCE,
        owner=owner,
        license=known.name if known else "",
        license_url=license_url or (known.url if known else ""),
        posted_at=now(),
    )
    with opened(folder, originals="store") as (workspace, store):
        done = add_examples(workspace, store, photos, origin, min_size=min_size, dry_run=dry_run)
    would = "would be " if dry_run else ""
    lines = [
        f"{count(done.added, 'example')} of {count(len(done.classes), 'class', 'classes')} "
        f"{would}added, {count(done.already, 'was', 'were')} there, {len(done.refused):,} refused",
        *(f"{file}: {reason}" for file, reason in done.refused.items()),
    ]
    show(asdict(done) | {"dry_run": dry_run}, "\n".join(lines), as_json)
