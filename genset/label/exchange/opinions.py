"""The votes of a workspace brought together by a method, and that as a table."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from genset.errors import BadInput
from genset.label.exchange.sheet import write_sheet
from genset.label.quality.aggregate import METHODS, Opinion
from genset.label.quality.in_force import votes_table
from genset.store import Store, Verdict

COLUMNS = ("task", "label", "votes", *Verdict)


def opinions(store: Store, method: str, panel: str | None = None) -> dict[str, Opinion]:
    """What the labelers of each candidate say together, by its task.

    `method` is one of `genset.label.quality.aggregate.METHODS`; the votes are those in force, of
    one panel or of all.

    Raises:
        BadInput: there is no such method, or no label of this panel.
    """
    if method not in METHODS:
        raise BadInput(f"a method is {', '.join(METHODS)}, not {method!r}")
    return METHODS[method](votes_table(store, panel))


def rows(found: Mapping[str, Opinion]) -> Iterator[tuple[str, str, int, *tuple[str, ...]]]:
    """The cells of `COLUMNS`: a task's label (empty for a tie), votes, each verdict's weight."""
    for task, opinion in found.items():
        weights = [f"{opinion.weights.get(verdict, 0.0):.6f}" for verdict in Verdict]
        yield task, opinion.label or "", opinion.votes, *weights


def write_opinions(path: Path, found: Mapping[str, Opinion]) -> int:
    """Write the table as a CSV file, and return how many rows it has.

    Raises:
        BadInput: the file cannot be written.
    """
    return write_sheet(path, COLUMNS, rows(found))
