"""Scrape several sources at once: none waits for another's hosts, and none ends with another's."""

import threading
from collections import Counter
from collections.abc import Sequence

from sqlalchemy import func, select

from genset.errors import GensetError
from genset.scrape.collect.plan import ScrapePlan
from genset.scrape.collect.results import ScrapeSummary
from genset.scrape.collect.scraper import scrape
from genset.scrape.sources.source import Source
from genset.store import Photo, Store
from genset.workspace import Workspace

_LOOK_AGAIN = 0.2  # seconds

# A source that is ready to be asked, with hosts of its own, and what is wanted of it.
Wanted = tuple[Source, ScrapePlan]
# What came of a source: what the scrape did, or why it ended early.
Came = ScrapeSummary | GensetError


def scrape_all(workspace: Workspace, store: Store, wanted: Sequence[Wanted]) -> dict[str, Came]:
    """Scrape each source as `scrape` does, side by side; return what came of each, by its name.

    What ends one source's scrape is in its place, and the others go on.

    Args:
        workspace: where originals are kept.
        store: the workspace's.
        wanted: each source once; no two share their `Hosts`.
    """
    came = _side_by_side(workspace, store, wanted)
    # Photos of two sources may be the same, and so be claimed by two classes, each of which was
    # full by what its own source knew.
    if len(wanted) > 1 and _have_same_bytes(store):
        for source, plan in wanted:
            before = came[source.name]
            if isinstance(before, ScrapeSummary):
                came[source.name] = _together(before, _scrape(workspace, store, source, plan))
    return came


def _side_by_side(workspace: Workspace, store: Store, wanted: Sequence[Wanted]) -> dict[str, Came]:
    if len(wanted) == 1:
        [(source, plan)] = wanted
        return {source.name: _scrape(workspace, store, source, plan)}
    came: dict[str, Came] = {}
    broken: list[BaseException] = []

    def work(source: Source, plan: ScrapePlan) -> None:
        try:
            came[source.name] = _scrape(workspace, store, source, plan)
            if len(came) < len(wanted):
                source.api.hosts.say(f"{source.name}: {_in_short(came[source.name], plan)}")
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            broken.append(error)

    threads = [threading.Thread(target=work, args=each, daemon=True) for each in wanted]
    for thread in threads:
        thread.start()
    try:
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(_LOOK_AGAIN)
            if broken:
                raise broken[0]
    except BaseException:  # the user may have had enough
        for source, _ in wanted:
            source.api.hosts.end()
        for thread in threads:
            thread.join()
        raise
    return {source.name: came[source.name] for source, _ in wanted}


def _in_short(came: Came, plan: ScrapePlan) -> str:
    """What came of a source, for who waits for the others."""
    if isinstance(came, GensetError):
        return str(came)
    return f"done, {came.full} of {len(plan.classes)} classes are full; others go on"


def _scrape(workspace: Workspace, store: Store, source: Source, plan: ScrapePlan) -> Came:
    try:
        return scrape(workspace, store, source, plan)
    except GensetError as error:
        return error


def _have_same_bytes(store: Store) -> bool:
    """Whether photos of two sources have the same bytes."""
    shared = select(Photo.sha256).where(Photo.sha256.is_not(None)).group_by(Photo.sha256)
    with store.session() as session:
        twice = shared.having(func.min(Photo.source) != func.max(Photo.source)).limit(1)
        return session.scalar(twice) is not None


def _together(before: ScrapeSummary, after: Came) -> Came:
    """What two scrapes did, one after the other."""
    if isinstance(after, ScrapeSummary):
        after.stored += before.stored
        after.searches += before.searches
        after.refused = dict(Counter(before.refused) + Counter(after.refused))
    return after
