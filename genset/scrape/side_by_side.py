"""Scrape several sources at once."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import partial
from typing import TypeVar

from genset.core.errors import GensetError
from genset.db import CHOSEN_CLASSES, Fact, Store, chosen_classes
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


def note_unfinished(store: Store, command: str, plans: Sequence[ScrapePlan] = ()) -> None:
    """Store the command of a scrape that has begun, for `genset status`; "" when it is complete.

    And the classes that its `plans` search.
    """
    with store.begin_alone() as session:
        session.merge(Fact(name=UNFINISHED, value=command))
        if wnids := {cls.wnid for plan in plans if plan.search for cls in plan.classes}:
            every = " ".join(sorted(wnids | chosen_classes(session)))
            session.merge(Fact(name=CHOSEN_CLASSES, value=every))


def scrape_all(
    workspace: Workspace, store: Store, plans: Sequence[SourcePlan]
) -> "Outcomes[ScrapeSummary]":
    """Scrape each source as `scrape` does, side by side.

    Args:
        workspace: where originals are kept.
        store: the workspace's.
        plans: each source once; no two share their `Hosts`.
    """
    work = {
        source.name: (source.api.hosts, partial(scrape, workspace, store, source, plan))
        for source, plan in plans
    }
    return side_by_side(work)


T = TypeVar("T")
Outcomes = tuple[dict[str, T], dict[str, GensetError]]
"""What came of each work, and what ended one early, by name."""


def side_by_side(work: Mapping[str, tuple[Hosts, Callable[[], T]]]) -> Outcomes[T]:
    """Do each work in a thread of its own.

    What ends one of them ends no other. An interrupt ends them all.

    Args:
        work: by a source's name, the hosts that it calls, which no other does, and what to do. It
            ends with KeyboardInterrupt soon after its hosts are ending (`Hosts.is_ending`).
    """
    done: dict[str, T] = {}
    ended: dict[str, GensetError] = {}

    def run(name: str) -> None:
        try:
            done[name] = work[name][1]()
        except GensetError as error:
            ended[name] = error

    with ThreadPoolExecutor(max(1, len(work))) as threads:
        running = [threads.submit(run, name) for name in work]
        try:
            for one in wait(running, return_when=FIRST_EXCEPTION).done:
                one.result()  # raises what broke one of them
        except BaseException:  # the user may have had enough
            for hosts, _ in work.values():
                hosts.end()
            raise
    return done, ended
