"""What entries are held against: "477 times as fast, 19 times as cheap as the first entry"."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from genset.core.errors import BadInput
from genset.tta.analysis.rows import InferenceRow, TrainingRow

# The word for the entry that a task began with.
SEED = "seed"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entry that others are held against. Of a number that it lacks there is no ratio.

    Attributes:
        time: hours to the threshold, or milliseconds of one inference.
        cost: US dollars to the threshold, or of 10,000 inferences.
    """

    name: str
    time: float | None
    cost: float | None

    def faster(self, time: float | None) -> float | None:
        """How many times as fast another is."""
        return _ratio(self.time, time)

    def cheaper(self, cost: float | None) -> float | None:
        """How many times as cheap another is."""
        return _ratio(self.cost, cost)


def find_baseline(
    asked: Sequence[str], rows: Sequence[TrainingRow] | Sequence[InferenceRow]
) -> Baseline | None:
    """The entry of `rows` that was asked for by its name, or as `SEED`; None if none of them was.

    The seed entry is the earliest; of several of that day, the fastest. Without any day there is
    none.

    Raises:
        BadInput: several entries have the name.
    """
    for word in asked:
        named = [row for row in rows if row.name.casefold() == word.casefold()]
        if len(named) > 1:
            raise BadInput(f"--baseline {word}: {len(named)} entries of one task have this name")
        if named:
            return _of(named[0])
    days = [row.submitted for row in rows if row.submitted is not None]
    if SEED in (word.casefold() for word in asked) and days:
        first = [_of(row) for row in rows if row.submitted == min(days)]
        return min(first, key=lambda found: (found.time is None, found.time or 0.0))
    return None


def check_names(asked: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a baseline that no entry is called.

    Raises:
        BadInput: no entry has one of the names.
    """
    known = {name.casefold(): name for name in names}
    for word in asked:
        if word.casefold() not in known and word.casefold() != SEED:
            near = get_close_matches(word.casefold(), known, n=3, cutoff=0.5)
            mend = f": did you mean {', '.join(known[each] for each in near)}?" if near else ""
            raise BadInput(f"--baseline {word}: no entry has this name{mend}")


def _of(row: TrainingRow | InferenceRow) -> Baseline:
    if isinstance(row, TrainingRow):
        return Baseline(row.name, row.hours, row.cost)
    return Baseline(row.name, row.latency, row.cost_10k)


def _ratio(base: float | None, value: float | None) -> float | None:
    return base / value if base and value else None
