"""Before a release is frozen: ask sources again for licences that were seen long ago."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from genset.errors import GensetError
from genset.progress import say
from genset.scrape.fetch.hosts import Hosts
from genset.scrape.sources.registry import is_source, source_class
from genset.scrape.sources.source import Settings
from genset.scrape.upkeep.refresh import refresh_some
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.release.choosing.plan import ReleasePlan
    from genset.store import Store

# A release is not held up for ever by a source that is down.
_PATIENCE = 120.0


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
        for source, count in self.unchecked.items():
            yield (
                f"  licences of {count:,} photos of {source} were last seen more than 30 days ago, "
                f"and could not be asked for again: {self.because[source]}"
            )


def recheck(
    workspace: Workspace, store: "Store", plan: "ReleasePlan", give_up_after: float | None
) -> Recheck:
    """Ask after the photos that a plan chooses, and after those that it chooses then, and so on.

    Another licence may lead to other photos. No photo is asked after twice.
    """
    from genset.release.freeze import chosen_photos
    from genset.release.seen import long_ago

    done = Recheck()
    asked: dict[str, set[str]] = {}
    while True:
        old = long_ago(store, chosen_photos(workspace, store, plan))
        due = {source: ids - asked.get(source, set()) for source, ids in sorted(old.items())}
        if not any(due.values()):
            done.unchecked = {source: len(ids) for source, ids in sorted(old.items())}
            return done
        for source, ids in due.items():
            if ids:
                asked[source] = asked.get(source, set()) | ids
                _ask(done, workspace, store, source, ids, give_up_after or _PATIENCE)


def _ask(
    done: Recheck, workspace: Workspace, store: "Store", source: str, ids: set[str], patience: float
) -> None:
    """Ask one source after these photos, and note what came of it."""
    try:
        if not is_source(source):
            raise GensetError("no source of this name is installed here")
        hosts = Hosts(store, say, patience)
        found = refresh_some(
            store, source_class(source).connect(hosts, Settings.of(workspace)), sorted(ids)
        )
    except GensetError as error:
        done.because[source] = str(error)
        return
    done.checked += found.checked
    done.gone |= found.gone
    done.changes += [f"{each.photo}: {each.what} {each.detail}".rstrip() for each in found.changes]
    if found.left:
        done.because[source] = found.failure
