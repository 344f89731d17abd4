"""Before a release is chosen: the list of who opted out is read again, as it is now."""

from typing import TYPE_CHECKING, Any

from genset.core.numbers import count
from genset.scrape import opt_out
from genset.workspace import Workspace

if TYPE_CHECKING:
    from genset.db import Store


def honour(workspace: Workspace, store: "Store") -> tuple[dict[str, Any], list[str]]:
    """Refuse what the list names, so that no release takes it.

    Returns:
        What --json says of it, and what is printed.
    """
    listed = opt_out.OptOut.of(workspace)
    named = opt_out.honour(store, listed)
    there = f"  {count(len(named), 'photo')} of the pool left out by {listed.file}"
    return opt_out.told(workspace, named), [there] if named else []
