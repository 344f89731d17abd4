"""The votes of a workspace brought together by a method, and that as a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from genset.aggregators import METHODS
from genset.core.errors import BadInput
from genset.db import Store, Verdict, digest_of_votes
from genset.label.aggregate import aggregate, confidences
from genset.label.aggregate.votes import Opinion
from genset.label.ballots import votes_table
from genset.label.exchange.sheet import write_sheet

COLUMNS = ("task", "label", "votes", *Verdict)
FILE_COLUMNS = (*COLUMNS, "confidence", "method", "panel", "without", "votes_digest")


@dataclass(frozen=True, slots=True)
class Opinions:
    """What the labelers of each candidate say together, and what that was made of.

    Attributes:
        method: one of `genset.aggregators.METHODS`.
        by_task: the opinions.
        confidence: of each one's label, 0 to 1, to six digits, by task.
        panel, without: whose votes: of one panel, of all but one, or (both None) of all.
        digest: the `genset.db.digest_of_votes` of these votes.
    """

    method: str
    by_task: dict[str, Opinion]
    confidence: dict[str, float]
    panel: str | None
    without: str | None
    digest: str


def opinions(
    store: Store, method: str, panel: str | None = None, without: str | None = None
) -> Opinions:
    """Bring the votes in force together: of one panel, of all but the one `without`, or of all.

    Raises:
        BadInput: there is no such method, no label of one of the panels, or both are given.
    """
    if method not in METHODS:
        raise BadInput(f"a method is {', '.join(METHODS)}, not {method!r}")
    if panel is not None and without is not None:
        raise BadInput("give --panel or --without: of one panel, no other is to be left out")
    votes = votes_table(store, panel, without)
    found = aggregate(method, votes)
    sure = confidences(method, votes, found)
    return Opinions(
        method=method,
        by_task=found,
        confidence={task: round(value, 6) for task, value in sure.items()},
        panel=panel,
        without=without,
        digest=digest_of_votes(votes),
    )


def rows(found: Mapping[str, Opinion]) -> Iterator[tuple[str, str, int, *tuple[str, ...]]]:
    """The cells of `COLUMNS`: a task's label (empty for a tie), votes, each verdict's weight."""
    for task, opinion in found.items():
        weights = [f"{opinion.weights.get(verdict, 0.0):.6f}" for verdict in Verdict]
        yield task, opinion.label or "", opinion.votes, *weights


def write_opinions(path: Path, found: Opinions) -> int:
    """Write the table as a CSV file, and return how many rows it has.

    Its last columns, `FILE_COLUMNS`, say what it was made of, so that a release can be made of it.

    Raises:
        BadInput: the file cannot be written.
    """
    facts = (found.method, found.panel, found.without, found.digest)
    return write_sheet(
        path,
        FILE_COLUMNS,
        ((*cells, f"{found.confidence[cells[0]]:.6f}", *facts) for cells in rows(found.by_task)),
    )
