"""Before a release is frozen: ask sources again for old licences, and read who opted out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from genset.core.errors import BadInput, GensetError, SourceUnavailable
from genset.core.numbers import count
from genset.core.progress import say
from genset.net.hosts import Hosts
from genset.scrape import opt_out
from genset.scrape.refresh import refresh
from genset.sources.source import connected, source_class, source_names
from genset.workspace import Workspace

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from genset.db import Store
    from genset.release.reader import ReleasePhoto

_OLD = "were last seen more than 30 days ago"
PATIENCE = 120.0
"""Seconds for which a source that is down is waited for where nothing else is said."""


@dataclass
class Recheck:
    """What came of asking again.

    Attributes:
        checked: photos whose licence was asked for.
        changes: what is not as it was, as ``flickr:1: license CC BY 2.0 -> All Rights Reserved``.
        gone: the pages of photos that are not up now, by photo.
        unchecked: how many of the chosen photos could not be asked after, by source.
        because: what each source that could not be asked said.
    """

    checked: int = 0
    changes: list[str] = field(default_factory=list)
    gone: dict[str, str] = field(default_factory=dict)
    unchecked: dict[str, int] = field(default_factory=dict)
    because: dict[str, str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """What is printed of it."""
        if self.checked:
            yield f"  licences asked for again: {self.checked:,}, seen more than 30 days ago"
        yield from (f"  {change}" for change in self.changes)
        yield from (f"  not up now: {photo}  {page}" for photo, page in self.gone.items())
        for source, number in self.unchecked.items():
            because = f"could not be asked for again: {self.because[source]}"
            yield f"  licences of {count(number, 'photo')} of {source} {_OLD}, and {because}"


Chosen = Callable[["Session"], Sequence["ReleasePhoto"]]
"""Gives the photos that would be frozen now."""


def due(store: "Store", chosen: Chosen) -> Iterator[str]:
    """What a dry run prints: whom the release's making would ask."""
    from genset.release.facts import long_ago

    with store.session() as session:
        old = long_ago(session, chosen(session))
    for source, ids in sorted(old.items()):
        then = "they are asked for again before it is frozen, and may change this"
        yield f"  licences of {count(len(ids), 'photo')} of {source} {_OLD}: {then}"


def recheck(
    workspace: Workspace,
    store: "Store",
    chosen: Chosen,
    give_up_after: float | None,
    without: str = "--no-refresh",
) -> Recheck:
    """Ask after the photos that are chosen, and after those that are chosen then, and so on.

    Another licence may lead to other photos. No photo is asked after twice.

    Args:
        workspace: whose settings say how sources are asked.
        store: its database.
        chosen: gives the photos that would be frozen now.
        give_up_after: seconds for which a host that does not answer is waited for.
        without: the option that asks nobody.

    Raises:
        GensetError: a source did not answer, or refuses to. A release never changes, so nothing
            may be frozen under licences that may be old.
    """
    from genset.release.facts import long_ago

    done = Recheck()
    queried: dict[str, set[str]] = {}
    while True:
        with store.session() as session:
            old = long_ago(session, chosen(session))
        due = {source: ids - queried.get(source, set()) for source, ids in sorted(old.items())}
        if not any(due.values()):
            done.unchecked = {source: len(ids) for source, ids in sorted(old.items())}
            return done
        for source, ids in due.items():
            if not ids:
                continue
            queried[source] = queried.get(source, set()) | ids
            try:
                _ask(done, workspace, store, source, ids, give_up_after or PATIENCE)
            except GensetError as error:
                raise GensetError(
                    f"nothing was frozen: licences of photos of {source} {_OLD}, and could not be "
                    f"asked for again: {error}; or take them as they were last seen, with {without}"
                ) from None


def _ask(
    done: Recheck, workspace: Workspace, store: "Store", source: str, ids: set[str], patience: float
) -> None:
    """Ask one source after these photos, and note what came of it, or that it lacks a key.

    Raises:
        GensetError: it did not answer, or refuses to.
    """
    try:
        if source not in source_names():
            raise BadInput("no source of this name is installed here")
        hosts = Hosts(store, say, patience)
        ready = connected(source_class(source), hosts, workspace.scrape)
    except BadInput as error:
        done.because[source] = str(error)
        return
    found = refresh(store, ready, sorted(ids))
    done.checked += found.checked
    done.gone |= found.gone
    done.changes += [
        f"{change.photo}: {change.what} {change.detail}".rstrip() for change in found.changes
    ]
    for words in found.failed.values():
        if found.unavailable:
            raise SourceUnavailable(f"{words}: run the same command again later")
        done.because[source] = words


def honour(workspace: Workspace, store: "Store") -> tuple[dict[str, Any], list[str]]:
    """Refuse what the list names, so that no release takes it.

    Returns:
        What --json says of it, and what is printed.
    """
    listed = opt_out.OptOut.of(workspace)
    named = opt_out.honour(store, listed)
    there = f"  {count(len(named), 'photo')} of the pool left out by {listed.file}"
    return opt_out.as_json(workspace, named), [there] if named else []
