"""From the options of a scrape to a plan for each source."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from genset.core.errors import BadInput
from genset.core.progress import say
from genset.settings import SETTINGS_FILE
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.scrape.plan import ScrapePlan
    from genset.scrape.queries import Queries
    from genset.sources.source import Source

license_option = click.option(
    "--license",
    "licenses",
    default="any",
    show_default=True,
    help="any, open (attribution or share-alike at most), or names, SPDX ids or Flickr's ids, "
    "separated by commas.",
)


def plan_of(
    workspace: Workspace,
    queries: "Queries",
    source: "type[Source]",
    *,
    classes: Sequence[str],
    per_class: int | None = None,
    posted_after: datetime | None = None,
    posted_before: datetime | None = None,
    taken_after: datetime | None = None,
    taken_unknown: bool = False,
    licenses: str,
    min_size: int | None = None,
    no_search: bool = False,
    no_wait: bool = False,
) -> "ScrapePlan":
    """The options, and where one is not given what the workspace says."""
    from genset.licenses import choose_licenses
    from genset.net.pace import RetryPolicy
    from genset.scrape.opt_out import OptOut
    from genset.scrape.plan import ScrapePlan

    where = "--posted-after" if posted_after else f"{workspace.root / SETTINGS_FILE}: posted_after"
    since = _past(posted_after or workspace.posted_after, where)
    until = posted_before.replace(tzinfo=UTC) if posted_before else None
    if until is not None and until <= since:
        raise BadInput(f"--posted-before {until.date()} must be later than {since.date()}")
    requested = queries.select(classes)
    found = tuple(cls for cls in requested if source.queries(cls))
    if 0 < len(found) < len(requested):
        others = f"{len(requested) - len(found):,} of {len(requested):,} classes"
        say(f"{source.about.name}: {others} have no `{source.query_key}` and are skipped{_SET}")
    return ScrapePlan(
        classes=found,
        per_class=per_class or workspace.scrape.per_class,
        posted_after=since,
        posted_before=until,
        licenses=choose_licenses(licenses),
        min_size=min_size,
        search=not no_search,
        retries=RetryPolicy(workspace.scrape.tries, workspace.scrape.retry_hours),
        wait=not no_wait,
        query_list=queries.version,
        source=source,
        taken_after=_past(taken_after, "--taken-after") if taken_after else None,
        taken_unknown=taken_unknown,
        opt_out=OptOut.of(workspace),
    )


def _past(day: datetime, where: str) -> datetime:
    """The beginning of a day (UTC).

    Raises:
        BadInput: it is in the future, as `where` says it.
    """
    moment = day.replace(tzinfo=UTC)
    if moment > datetime.now(UTC):
        raise BadInput(f"{where} is {moment.date()}, which is in the future")
    return moment


_SET = ": classes of your own can set it (docs/your-classes.md)"


def possible(plans: "list[ScrapePlan]") -> "list[ScrapePlan]":
    """Those of the plans that their source can follow; why not the others is told.

    Raises:
        BadInput: none can be followed.
    """
    followed, reasons = [], []
    for plan in plans:
        try:
            if not plan.classes:
                lacking = f"these classes have no `{plan.source.query_key}`{_SET}"
                raise BadInput(f"{lacking}; or name other classes or another source")
            if plan.licenses is not None:
                plan.source.licenses(plan.licenses)
            followed.append(plan)
        except BadInput as error:
            reasons.append(f"{plan.source.about.name}: {error}")
    if not followed:
        raise BadInput("; ".join(reasons))
    for reason in reasons:
        say(reason)
    return followed


def source_option(help: str) -> Callable[..., Any]:
    """The option --source, as `sources`: the names that it gives."""
    words = f"{help} (docs/sources.md)."
    return click.option("--source", "sources", metavar="NAME,...", callback=_names, help=words)


def _names(context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(str.strip, (value or "").split(",")))))


def chosen(workspace: Workspace, names: tuple[str, ...]) -> "list[type[Source]]":
    """The sources of these names; those of the workspace's settings for no names.

    Raises:
        BadInput: there is no such source.
    """
    from genset.sources.source import source_class

    return [source_class(name) for name in names or workspace.scrape.sources]
