"""New models beside old ones, on the photos of one year of a protocol."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from genset.release.reader import Release
from genset.reporting.series.gather.identity import Joined, identity_of
from genset.reporting.series.gather.scores import chooses_among_all
from genset.reporting.series.yearly import Progress
from genset.score.results.results import Results, Scored
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import Matched, match


class OneSet(NamedTuple):
    """A set of the series.

    Attributes:
        name: the set's.
        results: what was scored on it.
        release: the release that it is; None for what is none.
        left_out: labels of models that enter no mean on it.
    """

    name: str
    results: Results
    release: Release | None
    left_out: frozenset[str]


class Newer(NamedTuple):
    """What is asked of models on every year.

    Attributes:
        joined: the models.
        newer: labels of those that are new; empty: see `first_run`.
        first_run: when each was first scored on any set.
        how: how classes are resampled.
    """

    joined: Sequence[Joined]
    newer: frozenset[str]
    first_run: dict[tuple[str, ...], datetime]
    how: Resampling

    def is_new(self, model: Joined, run: Scored, frozen: datetime | None) -> bool:
        """Whether a model is new on a year that was frozen then."""
        if self.newer:
            return model.label in self.newer
        return frozen is not None and self.first_run[identity_of(run.run)] >= frozen


def is_counted(each: OneSet, model: Joined, place: int) -> bool:
    """Whether a model has a mean on a set, which is in this place of the series."""
    run = model.runs[place]
    is_there = run is not None and model.label not in each.left_out
    return is_there and run is not None and chooses_among_all(each.results, run)


def frozen_at(each: OneSet) -> str:
    """When a set's release was made; "" for what is none."""
    return each.release.created_at if each.release else ""


def progress_on(each: OneSet, place: int, of: Newer) -> Progress:
    """New and old models on one year."""
    frozen = _moment(frozen_at(each))
    older: list[tuple[str, Scored]] = []
    newer: list[tuple[str, Scored]] = []
    for model in of.joined:
        if (run := model.runs[place]) is not None and is_counted(each, model, place):
            (newer if of.is_new(model, run, frozen) else older).append((model.label, run))
    found = None
    if older and newer:
        found = _compared(
            each.results, [run for _, run in older], [run for _, run in newer], of.how
        )
    return Progress(
        set=each.name,
        older=tuple(label for label, _ in older),
        newer=tuple(label for label, _ in newer),
        named=bool(of.newer),
        matched=found,
    )


def _compared(
    results: Results, older: Sequence[Scored], newer: Sequence[Scored], how: Resampling
) -> Matched:
    """The means of two groups of models, on the photos that all of them answered."""
    counted = np.logical_and.reduce([model.answered for model in (*older, *newer)])
    means = [
        np.mean([results.right(model) for model in models], axis=0) * counted
        for models in (older, newer)
    ]
    (found,) = match(
        np.concatenate([results.classes] * 2),
        np.concatenate(means)[:, None],
        np.concatenate([counted] * 2)[:, None],
        np.repeat([False, True], len(counted)),
        how,
    )
    return found


def first_runs(sets: Sequence[OneSet]) -> dict[tuple[str, ...], datetime]:
    """When each model was first scored on any of the sets."""
    found: dict[tuple[str, ...], datetime] = {}
    for each in sets:
        for model in each.results.models:
            key = identity_of(model.run)
            at = _moment(model.run.created_at) or datetime.min.replace(tzinfo=UTC)
            found[key] = min(at, found.get(key, at))
    return found


def _moment(text: str) -> datetime | None:
    """A time in ISO 8601, in UTC where it does not say; None for what is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
