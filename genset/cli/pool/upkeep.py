"""Commands that look after the pool: refresh, remove, pull, hash, duplicates."""

import getpass
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import structs

from genset.cli.common import (
    FILE,
    FOLDER,
    PATH,
    format_command,
    give_up_option,
    json_command,
    json_option,
    opened,
    show,
    show_tables,
    stoppable,
)
from genset.cli.group import Group
from genset.cli.pool.plans import source_option
from genset.core.errors import BadInput, GensetError, NotAWorkspace, ReleaseIncomplete
from genset.core.numbers import count
from genset.core.progress import say
from genset.core.table import Column, Table
from genset.workspace import Workspace, checked_contact

if TYPE_CHECKING:
    from genset.scrape.pull import PullSummary
    from genset.scrape.refresh import RefreshSummary


@click.command()
@source_option("Whose photos to ask after, instead of all in the pool")
@click.option(
    "--pictures", is_flag=True, help="Download each photo too, and compare it with the stored one."
)
@give_up_option
@json_command
def refresh(
    folder: Path | None,
    sources: tuple[str, ...],
    pictures: bool,
    give_up_after: float | None,
    as_json: bool,
) -> None:
    """Ask each source whether the pool's photos are still up, and under the same licence.

    Run it again to continue. A photo that is gone stays in the pool and is listed; later releases
    have each photo's new licence. With --pictures, a photo of which its source has other bytes now
    is "rerendered" if the picture is the same, else "changed"; the stored one stays as it is.

    \b
    genset refresh
    """
    from genset.db import now
    from genset.net.hosts import Hosts
    from genset.scrape import opt_out
    from genset.scrape.refresh import refresh_all, sources_in_pool
    from genset.scrape.results import photos_stored
    from genset.sources.source import connected, source_class

    with opened(folder) as (workspace, store):
        listed = opt_out.OptOut.of(workspace)
        named = opt_out.honour(store, listed)
        names = sources or sources_in_pool(store) or workspace.scrape.sources
        # A missing key of any of them ends the command before any is asked.
        ready = [
            connected(source_class(name), Hosts(store, say, give_up_after), workspace.scrape)
            for name in names
        ]
        begun = now()
        with stoppable(lambda: f"{count(photos_stored(store, begun), 'photo')} checked"):
            done, ended = refresh_all(store, ready, pictures=pictures)
    if len(ready) == 1 and ended:
        raise ended[ready[0].name]
    problems = [f"{name}: {error}" for name, error in ended.items()]
    lines = [*_refresh_lines(done), *opt_out.lines(named, listed)]
    show(asdict(done) | opt_out.as_json(workspace, named), "\n".join(lines), as_json)
    if done.failed:
        problems.append(f"{count(len(done.failed), 'photo')} failed: run genset refresh again")
    if problems:
        raise GensetError("; ".join(problems))


def _refresh_lines(done: "RefreshSummary") -> list[str]:
    lines = [
        f"{count(done.checked, 'photo')} checked, {count(len(done.changes), 'change')}, "
        f"{len(done.gone):,} gone, {len(done.failed):,} failed"
    ]
    for change in done.changes:
        if change.what != "gone":  # these are listed with all others that are gone
            lines.append(" ".join(f"{change.photo}: {change.what} {change.detail}".split()))
    lines += [f"gone: {photo}  {page}" for photo, page in done.gone.items()]
    lines += [f"failed: {photo}: {error}" for photo, error in done.failed.items()]
    if done.gone:
        lines.append("after an owner took a photo down: genset remove PHOTO --reason TEXT")
    return lines


@click.command()
@click.argument("photo", metavar="PHOTO", required=False)
@click.option(
    "--owner", metavar="SOURCE:OWNER", help="An owner, even one without photos in the pool."
)
@click.option("--reason", required=True, help="Why; stored with the photo.")
@json_command
def remove(
    folder: Path | None, photo: str | None, owner: str | None, reason: str, as_json: bool
) -> None:
    """Remove a photo, or an owner's photos, from the pool and all later releases.

    The originals are deleted, and no later scrape downloads them. Labels stay. Existing releases do
    not change; those that contain the photos are named.

    \b
    genset remove flickr:6061409035 --reason "its owner asked on 3 May"
    genset remove --owner flickr:78733179@N04 --reason "does not want to take part"
    genset remove --owner "city-museum:Ann Ko" --reason "does not want to take part"
    """
    from genset.scrape.removal import remove as take_out
    from genset.scrape.removal import remove_owner

    with opened(folder, originals="read") as (workspace, store):
        if photo is not None and owner is None:
            done = take_out(workspace, store, photo, reason)
        elif owner is not None and photo is None:
            done = remove_owner(workspace, store, owner, reason)
        else:
            raise BadInput("name one photo, or one --owner SOURCE:OWNER")
    lines = [
        f"{count(len(done.photos), 'photo')} removed, "
        f"{count(done.deleted, 'original')} deleted"
        + (f", {done.already:,} removed before" if done.already else "")
        + (f", {done.in_use} still used by photos with the same bytes" if done.in_use else ""),
        *(f"  {photo}" for photo in done.photos),
        *(f"same bytes, still in the pool: {photo}" for photo in done.same_bytes),
        *(
            f"release {name} contains {count} of them: genset release takedown {name}"
            for name, count in done.releases.items()
        ),
    ]
    if done.owner:
        lines.append(f"no photo of {done.owner} will be scraped again")
    show(asdict(done), "\n".join(lines), as_json)


class Manifest(click.Path):
    """A path that is there, or an address (`genset.scrape.manifests.is_remote`)."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or the address as it is."""
        from genset.scrape.manifests import is_remote

        return value if is_remote(value) else super().convert(value, param, ctx)


@click.command()
@click.argument("manifest", type=Manifest(path_type=Path, exists=True))
@click.option("--to", type=PATH, help="The set's folder (default: one of its name, here).")
@click.option("--expect", metavar="HASH", help="The hash that was published with the set.")
@click.option(
    "--contact",
    default="",
    help="Your e-mail address or web page, which Wikimedia Commons and iNaturalist require "
    "(default: GENSET_CONTACT, or the workspace's).",
)
@click.option(
    "--accept-rerendered",
    is_flag=True,
    help="Write a variant, NAME-rerendered beside the folder, with photos whose source has other "
    "bytes of the same picture now. It has hashes of its own.",
)
@give_up_option
@json_command
def pull(
    folder: Path | None,
    manifest: Path | str,
    to: Path | None,
    contact: str,
    give_up_after: float | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Rebuild a set from its MANIFEST: download each photo, and check that its bytes are the same.

    MANIFEST is a file, the folder of a set or an export, a web address, or a DOI of Zenodo. With
    --expect no photo is asked for unless that hash is its content's or the manifest's.

    Run it again to continue. Needs neither a workspace nor a key. If photos are missing, it exits
    with 3: the others are a part of the set with a hash of its own, which genset evaluate and all
    other commands take; or with 1, if none came. Photos of which their source has other bytes now
    are "rerendered" if the picture is the same, by its fingerprint, else "changed"; neither is in
    the set. A folder, as genset release export --format mixed writes it, is completed in place.

    \b
    genset pull 10.5281/zenodo.7 --expect sha256:HASH
    genset pull https://example.org/v1/manifest.json
    genset pull manifest.json --to v1
    genset pull v1-mixed
    """
    from genset.db import Store
    from genset.net.host_state import user_store
    from genset.net.hosts import Hosts
    from genset.scrape.pull import pull as rebuild
    from genset.sources.source import Settings, Source, connected, source_class

    try:
        workspace = Workspace.find(folder)
        store, settings = Store.open(workspace.store_url), workspace.scrape
    except NotAWorkspace:
        store, settings = user_store(), Settings()
    if contact or not settings.contact:
        settings = structs.replace(settings, contact=checked_contact(contact))

    def open_source(name: str) -> Source:
        return connected(source_class(name), Hosts(store, say, give_up_after), settings, True)

    with closing(store), stoppable(lambda: "the photos that came stay in the set's folder"):
        done = rebuild(manifest, open_source, to, **options)
    show(asdict(done), "\n".join(_pull_lines(done)), as_json)
    if done.missing and done.title:
        raise ReleaseIncomplete(f"{done.folder} has {done.title}; {done.missing:,} missing")
    if done.missing:
        raise GensetError(f"{done.folder} has no photo: {count(done.missing, 'photo')} missing")


def _pull_lines(done: "PullSummary") -> list[str]:
    lines = [
        f"{done.folder}: {done.pulled:,} of {count(done.photos, 'photo')} pulled, "
        f"{done.present:,} already there, {len(done.gone):,} gone, {len(done.changed):,} changed, "
        f"{len(done.rerendered):,} rerendered, {len(done.failed):,} failed",
        *(
            f"{what}: {file}  {detail}"
            for what in ("gone", "changed", "rerendered", "failed")
            for file, detail in getattr(done, what).items()
        ),
    ]
    if done.content_hash:
        lines.append(f"{done.title}: {done.content_hash}")
    if done.variant:
        lines.append(f"with the rerendered photos, as a set with hashes of its own: {done.variant}")
    elif done.rerendered:
        lines.append("rerendered photos have other bytes: take them with --accept-rerendered")
    return lines


@click.command("hash")
@click.argument("folder", type=FOLDER)
@click.option("-o", "--output", type=FILE, required=True, help="The file of hashes to write.")
@json_option
def hash_folder(folder: Path, output: Path, as_json: bool) -> None:
    """Write the fingerprints of all photos below FOLDER, to exclude these from a pool.

    The file may be published: no photo can be made from it.

    \b
    genset hash imagenet/train -o imagenet.hashes
    """
    from genset.scrape.near_duplicates import hash_folder as write

    hashes, unreadable = write(folder, output)
    answer = {"file": str(output), "hashes": hashes, "unreadable": unreadable}
    show(answer, f"{output}: {count(hashes, 'photo')}", as_json)
    if unreadable:
        some = ", ".join(unreadable[:3])
        raise GensetError(f"{count(len(unreadable), 'photo')} could not be read: {some}")


@click.group(cls=Group)
def duplicates() -> None:
    """Find photos that look alike, and decide what to do."""


@duplicates.command()
@click.option(
    "--against",
    "files",
    type=FILE,
    multiple=True,
    help="A file that genset hash wrote: photos that the pool must not share.",
)
@json_command
def find(folder: Path | None, files: tuple[Path, ...], as_json: bool) -> None:
    """Look for pairs within the pool and against files of hashes.

    \b
    genset duplicates find --against imagenet.hashes
    """
    from genset.core.hashes import read_hashes
    from genset.label.duplicates import open_pairs
    from genset.scrape.near_duplicates import propose

    excluded = [read_hashes(path) for path in files]
    with opened(folder, originals="read") as (workspace, store):
        new = propose(workspace, store, excluded)
        undecided = len(open_pairs(store))
    text = f"{count(new, 'new pair')}, {undecided:,} to decide: genset duplicates list"
    show({"new": new, "undecided": undecided}, text, as_json)


@duplicates.command("list")
@format_command
def list_pairs(folder: Path | None, format: str) -> None:
    """List undecided pairs: look at both photos.

    An example that looks like a candidate is hidden from labelers until they are called different.

    \b
    genset duplicates list
    """
    from genset.label.duplicates import examples_in, open_pairs

    with opened(folder) as (workspace, store):
        pairs = open_pairs(store)
        examples = examples_in(store, pairs)

    columns = [*map(Column, ("pair", "bits", "image", "photo", "looks like", "example"))]
    rows = [
        (
            pair.id,
            pair.distance,
            workspace.images / pair.photo.file,
            pair.photo.name,
            pair.other,
            next((name for name in (pair.photo.name, pair.other) if name in examples), ""),
        )
        for pair in pairs
    ]
    show_tables(Table(columns, rows), format)


@duplicates.command()
@click.argument("pairs", type=int, nargs=-1, required=True)
@click.option("--same/--different", required=True, help="Whether they show the same photo.")
@click.option(
    "--keep",
    metavar="first|second|PHOTO",
    help="Which of two same photos stays, as duplicates list has them (default: second).",
)
@click.option("--by", default=getpass.getuser, help="Who decides (default: the user's name).")
@json_command
def decide(
    folder: Path | None,
    pairs: tuple[int, ...],
    same: bool,
    keep: str | None,
    by: str,
    as_json: bool,
) -> None:
    """Decide pairs by their numbers: of two photos that are the same, one is rejected.

    \b
    genset duplicates decide 3 7 --same --keep first
    """
    from genset.label.duplicates import decide as settle

    with opened(folder) as (_, store):
        settle(store, pairs, same=same, by=by, keep=keep)
    word = "same" if same else "different"
    text = f"{count(len(pairs), 'pair')}: {word}"
    show({"pairs": pairs, "verdict": word, "by": by}, text, as_json)
