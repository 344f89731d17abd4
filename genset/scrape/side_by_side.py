"""Scrape several sources at once."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import partial
from typing import TypeVar

from genset.core.errors import GensetError
from genset.db import Fact, Store
from genset.net.hosts import Hosts
from genset.scrape.plan import ScrapePlan
from genset.scrape.results import ScrapeSummary
from genset.scrape.scraper import scrape
from genset.sources.source import Source
from genset.workspace import Workspace

UNFINISHED = "unfinished_scrape"
"""The `Fact` that has the command of a scrape that was stopped, or "" where none was."""

# A source that is ready to be asked, with hosts of its own, and what is wanted of it.
SourcePlan = tuple[Source, ScrapePlan]
# What came of a source: what the scrape did, or why it ended early.
Outcome = ScrapeSummary | GensetError


def note_unfinished(store: Store, command: str) -> None:
    """Store the command of a scrape that has begun, for `genset status`; "" when it is complete."""
    with store.begin() as session:
        session.merge(Fact(name=UNFINISHED, value=command))


def scrape_all(
    workspace: Workspace, store: Store, plans: Sequence[SourcePlan]
) -> dict[str, Outcome]:
    """Scrape each source as `scrape` does, side by side; return what came of each, by its name.

    What ends one source's scrape is in its place, and the others go on.

    Args:
        workspace: where originals are kept.
        store: the workspace's.
        plans: each source once; no two share their `Hosts`.
    """
    work = {
        source.name: (source.api.hosts, partial(scrape, workspace, store, source, plan))
        for source, plan in plans
    }
    outcomes = side_by_side(work)
    if len(plans) == 1:
        return outcomes
    # Photos of two sources may be the same, and so be claimed by two classes, each of which was
    # full by what its own source knew.
    again = {name: work[name] for name in work if isinstance(outcomes[name], ScrapeSummary)}
    for name, after in side_by_side(again).items():
        outcomes[name] = _together(outcomes[name], after)
    return outcomes


def _together(before: Outcome, after: Outcome) -> Outcome:
    """What two scrapes did, one after the other."""
    if isinstance(before, ScrapeSummary) and isinstance(after, ScrapeSummary):
        for name in ("stored", "early", "searches", "seconds"):
            setattr(after, name, getattr(after, name) + getattr(before, name))
        after.rejected = dict(Counter(before.rejected) + Counter(after.rejected))
    return after


T = TypeVar("T")


def side_by_side(work: Mapping[str, tuple[Hosts, Callable[[], T]]]) -> dict[str, T | GensetError]:
    """Do each work in a thread of its own; return what came of each, by its name.

    What ends one of them is in its place, and the others go on. An interrupt ends them all.

    Args:
        work: by a source's name, the hosts that it calls, which no other does, and what to do. It
            ends with KeyboardInterrupt soon after its hosts are ending (`Hosts.is_ending`).
    """
    if len(work) == 1:
        [(name, (_, do))] = work.items()
        return {name: _outcome(do)}
    with ThreadPoolExecutor(max(1, len(work))) as threads:
        running = {name: threads.submit(_outcome, do) for name, (_, do) in work.items()}
        try:
            for done in wait(running.values(), return_when=FIRST_EXCEPTION).done:
                done.result()  # raises what broke one of them
            return {name: future.result() for name, future in running.items()}
        except BaseException:  # the user may have had enough
            for hosts, _ in work.values():
                hosts.end()
            raise


def _outcome(do: Callable[[], T]) -> T | GensetError:
    try:
        return do()
    except GensetError as error:
        return error
