"""Commands that begin: init, and sandbox."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import click

from genset.classes import IMAGENET, Taxonomy, read_taxonomy
from genset.classes.files import file_of, taxonomy_named
from genset.cli.classes import tell_overlap
from genset.cli.common import FILE, FOLDER, PATH, json_option, opened, show
from genset.core.errors import BadInput, needs_extra
from genset.core.files import write_text
from genset.core.numbers import count
from genset.core.validation import line_of, lines_of_keys
from genset.settings import SETTINGS_FILE
from genset.workspace import TAXONOMY_FILE, Workspace, load_secrets

_SHOWN = 5  # classes that are named in a line


@click.command()
@click.argument("folder", type=PATH, default=lambda: click.get_current_context().obj or Path())
@click.option(
    "--contact",
    default="",
    help="An e-mail address or a web page by which the people whose machines are asked can reach "
    "you; Wikimedia Commons and iNaturalist want one.",
)
@click.option(
    "--taxonomy",
    "requested",
    metavar="FILE|NAME",
    help="A file of classes of your own, or one that comes with genset: imagenet1k (the default), "
    "imagenet100-cmc or cifar10. On a workspace that has one, the classes that are new in it are "
    "added.",
)
@json_option
def init(folder: Path, contact: str, requested: str | None, as_json: bool) -> None:
    """Make FOLDER (default: that of -w, or the current one) a workspace.

    It searches Flickr where FLICKR_API_KEY is set, and Wikimedia Commons, which needs no key, where
    it is not.

    \b
    genset init my-test-set
    genset init my-test-set --contact you@example.org
    genset init my-pets --taxonomy pets.toml
    genset init my-ten --taxonomy cifar10
    """
    file = file_of(requested) if requested and requested != IMAGENET else None
    custom = taxonomy_named(requested) if requested and file else None
    is_new = not (folder / SETTINGS_FILE).exists()
    load_secrets(folder)
    sources = ("flickr",) if os.environ.get("FLICKR_API_KEY") else ("commons",)
    workspace = Workspace.create(folder, sources, contact)
    if contact.strip() not in ("", workspace.scrape.contact):
        raise BadInput(
            f"{workspace.root} is a workspace already, and init leaves its settings alone: set "
            f"contact under [scrape] in its {SETTINGS_FILE}"
        )
    lines = [f"workspace: {workspace.root}"]
    answer: dict[str, Any] = {"workspace": str(workspace.root), "sources": workspace.scrape.sources}
    if requested == IMAGENET and not is_new:
        from genset.db.taxonomies import drop_taxonomy

        with opened(workspace.root) as (_, store), store.begin_alone() as session:
            drop_taxonomy(session)
            # Before others may begin, as in `_take`.
            (workspace.root / TAXONOMY_FILE).unlink(missing_ok=True)
        lines.append(f"classes: ImageNet's 1,000 ({IMAGENET})")
    if file and custom:
        answer["taxonomy"] = _take(workspace, file, custom)
        lines += _taken(answer["taxonomy"])
        tell_overlap(custom)
    if is_new:
        lines += _where(workspace)
    show(answer, "\n".join(lines), as_json)


def _take(workspace: Workspace, file: Path, custom: Taxonomy) -> dict[str, Any]:
    """Make these the workspace's classes, and keep the file as it was written.

    Of a workspace that had classes of its own it tells which are `new` and which are `gone` (where
    nothing has begun), what was `changed` of the others, and how many `labels` those have that
    were shown with another definition.
    """
    from genset.classes.document import changes
    from genset.db import stored_taxonomy
    from genset.db.taxonomies import ClassChanged, labels_of, store_taxonomy, taxonomy_hash

    text = file.read_text("utf-8-sig")
    report: dict[str, Any] = {}
    try:
        with opened(workspace.root) as (_, store), store.begin_alone() as session:
            before = stored_taxonomy(session)
            taxonomy, found = store_taxonomy(session, custom), taxonomy_hash(session)
            if not before.is_imagenet and before.name != taxonomy.name:
                report = {"before": before.name}
            elif not before.is_imagenet:
                report = changes(before, taxonomy)
                defined = [id for id, keys in report["changed"].items() if "definition" in keys]
                report["labels"] = labels_of(session, defined)
            # Before others may begin: the file that is kept is that of the classes that are.
            copy = workspace.root / TAXONOMY_FILE
            if not copy.exists() or copy.read_text("utf-8") != text:
                write_text(copy, text)
    except ClassChanged as changed:
        where = f"{file.name}, line {line_of(lines_of_keys(text), changed.keys)}"
        raise BadInput(f"{where}: {changed}") from None
    return {"name": taxonomy.name, "classes": len(taxonomy), "hash": found, **report}


def _taken(report: dict[str, Any]) -> list[str]:
    """What `_take` tells, in lines."""
    new, changed, labels = (report.get(key, ()) for key in ("new", "changed", "labels"))
    gained = f", {len(new):,} of them new: {_few(new)}" if new else ""
    before = f", in place of {report['before']}" if "before" in report else ""
    lines = [
        f"classes: {report['classes']:,} of {report['name']} ({report['hash']}){gained}{before}"
    ]
    if gone := report.get("gone", ()):
        lines.append(f"no longer there: {_few(gone)}")
    if changed:
        lines.append("changed: " + _few([f"{id} ({', '.join(changed[id])})" for id in changed]))
    if labels:
        labeled = _few([f"{id} ({count(labels[id], 'label')})" for id in labels])
        lines.append(f"labeled already, by the definition before: {labeled}")
    return lines


def _few(words: Sequence[str]) -> str:
    """The first of many, and how many more there are."""
    more = f" and {len(words) - _SHOWN:,} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more


def _where(workspace: Workspace) -> list[str]:
    """Where a new workspace searches, how to change it, and what is to be done before."""
    change = f"to change it, edit sources in {SETTINGS_FILE}"
    if workspace.scrape.sources == ("flickr",):
        return [f"it searches Flickr with FLICKR_API_KEY; {change}"]
    lines = [f"it searches Wikimedia Commons, since FLICKR_API_KEY is not set; {change}"]
    if not workspace.scrape.contact:
        lines.append(f"Commons requires a contact address: set `contact` in {SETTINGS_FILE}")
    return lines


@click.command()
@click.option("--photos", type=FOLDER, required=True, help="A folder of class folders of photos.")
@click.option(
    "--taxonomy",
    "classes",
    type=FILE,
    help="The file of classes by which the folders are named (default: ImageNet's).",
)
@click.option("--records", type=FILE, help="JSON lines, one a photo; made up where not given.")
@click.option(
    "--source",
    type=click.Choice(["flickr", "commons", "inaturalist"]),
    default="flickr",
    show_default=True,
    help="Whose API it is.",
)
@click.option("--port", default=8750, show_default=True, help="0 takes any free one.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME=NUMBER",
    help="What goes wrong, and how often (0 to 1), or a setting of it. May be repeated.",
)
@click.option("--seed", default=0, show_default=True, help="Decides whom the faults meet.")
def sandbox(
    photos: Path,
    classes: Path | None,
    records: Path | None,
    source: str,
    port: int,
    faults: tuple[str, ...],
    seed: int,
) -> None:
    """Serve a folder of photos on loopback, with the API of Flickr or of another source.

    A search finds the photos of a folder by the queries of its class, and by the words of its name.
    Commons insists on a User-Agent with a contact and answers at most three requests at once, as
    Wikimedia does; on iNaturalist are the photos of organisms alone. To have several sources, start
    several sandboxes, each with a --port of its own.

    Faults that pass when a request is repeated: too_many, server_error, truncated, timeout,
    unavailable, wrong_format. Faults of a photo, for good: gone, foreign_redirect, not_image,
    broken_photos, poisoned (HTTP 503 for ever). Photos that move between a search's pages:
    unstable_pages.

    --fault outage=SECONDS has everything answer HTTP 503 for so long, from --fault
    outage_after=SECONDS (0) after the first request on. --fault retry_after=SECONDS (1) sets when
    too_many is to be repeated, and --fault hang=SECONDS (35) how long a timeout takes.

    \b
    genset sandbox --photos DIR
    genset sandbox --photos DIR --source commons --port 8751
    genset sandbox --photos DIR --taxonomy pets.toml
    genset sandbox --photos DIR --fault too_many=0.05 --fault gone=0.02
    genset sandbox --photos DIR --fault outage=1800 --fault outage_after=10
    """
    with needs_extra("the sandbox", "sandbox"):
        from genset.sandbox import Faults, Sandbox
    taxonomy = read_taxonomy(classes) if classes else None
    server = Sandbox(photos, records, port, Faults.parse(faults, seed), source, taxonomy)
    for name, value in server.environment.items():
        click.echo(f"export {name}={value}")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt), server:
        Event().wait()
