"""The command that keeps a protocol."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.aggregators import METHODS
from genset.cli.common import DAY, json_option, min_size_option, opened, show
from genset.cli.protocol.show import lines_of, summary
from genset.cli.release.create import create_command
from genset.cli.release.plan import read_plan
from genset.core.errors import BadInput

if TYPE_CHECKING:
    from genset.protocols.protocol import Window

# The words of `genset release create` that choose photos.
_CHOOSING = (
    "strategy",
    "per_class",
    "min_labels",
    "threshold",
    "relax",
    "reference",
    "fill_up",
    "balance",
    "max_per_owner",
    "licenses",
    "sources",
    "exclude",
    "panel",
    "labels",
    "min_confidence",
    "seed",
)


@click.command("save", params=[param for param in create_command.params if param.name in _CHOOSING])
@click.argument("name")
@click.option("--classes", help="Ids of classes (wnids), separated by commas (default: all).")
@click.option(
    "--candidates",
    type=click.IntRange(min=1),
    help="Photos collected of each class and source (default: [scrape] per_class).",
)
@click.option(
    "--posted-after",
    type=DAY,
    help="The first release has photos posted on this day (UTC) or later (default: [scrape] "
    "posted_after).",
)
@click.option(
    "--posted-before", type=DAY, help="... and before this day (default: the day it is saved)."
)
@click.option(
    "--taken-in-window",
    is_flag=True,
    help="Keep photos only that were taken since the window began, of Flickr too.",
)
@click.option(
    "--taken-unknown", is_flag=True, help="Keep photos too whose taken date nobody knows."
)
@min_size_option
@json_option
@click.pass_obj
def save_command(
    folder: Path | None,
    /,
    name: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Keep in protocols/NAME how a release is made: what is searched, labeled and chosen.

    It keeps the workspace's sources, classes with their queries, the window of posting times, the
    settings on labels, the words by which photos are chosen (as genset release create takes them),
    seeds, copies of the files that these name, and the version of genset. It never changes.

    \b
    genset protocol save imagenet-2026
    genset protocol save imagenet-2026 --strategy threshold --per-class 10 --max-per-owner 2
    genset protocol save small --classes n02123045,n07930864 --candidates 30 --exclude duplicates
    """
    from genset.protocols.protocol import Collecting
    from genset.protocols.save import save
    from genset.protocols.windows import rule_of, searched
    from genset.scrape.keywords.queries import workspace_queries

    with opened(folder) as (workspace, store):
        queries = workspace_queries(workspace, store, begin=True)
        collect = Collecting(
            sources=options["sources"] or workspace.sources,
            per_class=options["candidates"] or workspace.per_class,
            licenses=options["licenses"],
            min_size=options["min_size"],
            taken_in_window=options["taken_in_window"],
            taken_unknown=options["taken_unknown"],
            seed=workspace.seed,
            query_list=queries.version,
        )
        classes = queries.select(wnid for wnid in (options["classes"] or "").split(",") if wnid)
        searched(collect, classes)
        words = {word: options[word] for word in _CHOOSING if word != "sources"}
        if words["labels"] not in (None, *METHODS):
            raise BadInput(
                f"a protocol's --labels is {', '.join(METHODS)}: a file has the labels of one year"
            )
        # What a method makes of the votes is another thing each year.
        unlabeled = {**options, "labels": None, "sources": ()}
        if words["labels"]:
            unlabeled["min_confidence"] = None
        rule = rule_of(read_plan(unlabeled, store))
        words["reference"] = options["reference"] and str(options["reference"])
        found = save(
            workspace,
            name,
            _window(options, workspace.posted_after),
            collect,
            classes,
            words,
            rule,
            queries.taxonomy,
        )
    show(summary(found), "\n".join(lines_of(found)), as_json)


def _window(options: dict[str, Any], since: datetime) -> "Window":
    """The window that the words name."""
    from genset.protocols.protocol import Window

    after: datetime = options["posted_after"] or since
    before: datetime = options["posted_before"] or datetime.now(UTC)
    return Window(after.date().isoformat(), before.date().isoformat())
