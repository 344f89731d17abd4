"""Commands that bring photos in from elsewhere: add, import imagenetv2."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click
from click.core import ParameterSource

from genset.cli.common import DAY, FOLDER, json_command, json_option, min_size_option, opened, show
from genset.cli.group import Group
from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.core.photo import PhotoOrigin


@click.command()
@click.argument("photos", type=FOLDER, metavar="DIR")
@click.option("--source", help="Name of their source (default: DIR's name, in lower case).")
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
    help="The day they were published (default: today, for unpublished photos).",
)
@click.option(
    "--examples",
    is_flag=True,
    help="Show them to labelers beside their classes, as photos known to be correct. They are not "
    "candidates and enter no release, so they need no licence.",
)
@click.option(
    "--dry-run", is_flag=True, help="With --examples: show the result, and store nothing."
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
    """Add your own photos as candidates: DIR has a folder for each class, named by its wnid.

    In a workspace with classes of its own the folders are named by their ids. The photos go through
    the same checks as scraped ones. Adding a folder again adds what is new in it.

    \b
    genset add my-photos --owner "Ann Ko" --license "CC BY 4.0"
    genset add dump --source city-museum --posted 2019-05-01 --license "Public Domain Mark"
    genset add --examples known-right --dry-run
    """
    folder: Path | None = context.obj
    if examples and posted is not None:
        raise BadInput("--posted does not apply to --examples")
    if examples:
        has_license = context.get_parameter_source("license_name") is not ParameterSource.DEFAULT
        licensed = license_name if has_license else ""
        origin_words = (source, owner, licensed, license_url)
        _add_examples(folder, photos, origin_words, min_size, dry_run, as_json)
        return
    if dry_run:
        raise BadInput("--dry-run applies to --examples only")
    from genset.db import now
    from genset.licenses import license_named
    from genset.scrape import opt_out
    from genset.scrape.add import add as take_in

    if posted is not None and posted.replace(tzinfo=UTC) > now():
        raise BadInput(f"--posted is {posted.date()}, which is in the future")
    known = license_named(license_name)
    origin = PhotoOrigin(
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
        f"{done.already:,} already there, {len(done.rejected):,} rejected",
        *(f"{file}: {reason}" for file, reason in done.rejected.items()),
        *opt_out.lines(named, listed),
    ]
    show(asdict(done) | opt_out.as_json(workspace, named), "\n".join(lines), as_json)


def _add_examples(
    folder: Path | None,
    photos: Path,
    origin_words: tuple[str | None, str, str, str | None],
    min_size: int | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Add examples; `origin_words` are the source, the owner, the licence and its address."""
    from genset.db import now
    from genset.licenses import license_named
    from genset.scrape.add import SOURCE, add_examples

    source, owner, license_name, license_url = origin_words
    known = license_named(license_name) if license_name else None
    origin = PhotoOrigin(
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
        f"{would}added, {done.already:,} already there, {len(done.rejected):,} rejected",
        *(f"{file}: {reason}" for file, reason in done.rejected.items()),
    ]
    show(asdict(done) | {"dry_run": dry_run}, "\n".join(lines), as_json)


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
