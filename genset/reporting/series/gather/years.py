"""Tell drift of the photos from progress of models, on the years of one protocol."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from genset.evaluation.models.trained import last_day
from genset.evaluation.results.results import Results, Scored
from genset.release.collected import Collected
from genset.release.reader import Release
from genset.reporting.series.data import SetPair
from genset.reporting.series.gather.identity import Joined, identity_of
from genset.reporting.series.gather.pairs import Side, pair_of
from genset.reporting.series.gather.scores import chooses_among_all
from genset.reporting.series.yearly import Drift, Progress, Year, Years
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


def years_of(
    sets: Sequence[OneSet], joined: Sequence[Joined], pairs: Sequence[SetPair], how: Resampling
) -> tuple[Years, ...]:
    """What the series says of each protocol of which it has two windows or more.

    Args:
        sets: in the series' order.
        joined: the models, each with its runs on the sets.
        pairs: every two sets, which are not computed again.
        how: how classes are resampled.
    """
    places: dict[str, list[tuple[Collected, int]]] = {}
    for place, each in enumerate(sets):
        if (found := _window(each.release)) is not None:
            places.setdefault(found.sha256, []).append((found, place))
    first_run = _first_runs(sets)
    return tuple(
        _years(
            sets,
            sorted(windows, key=lambda each: (each[0].posted_after, sets[each[1]].name)),
            joined,
            pairs,
            first_run,
            how,
        )
        for windows in places.values()
        if len({(each.posted_after, each.posted_before) for each, _ in windows}) > 1
    )


def _window(release: Release | None) -> Collected | None:
    """The window that a release says it is of; None where it is of none, or does not say which."""
    try:
        return Collected.of(release.protocol) if release else None
    except (KeyError, TypeError):
        return None


def _years(
    sets: Sequence[OneSet],
    windows: Sequence[tuple[Collected, int]],
    joined: Sequence[Joined],
    pairs: Sequence[SetPair],
    first_run: dict[tuple[str, ...], datetime],
    how: Resampling,
) -> Years:
    order = [place for _, place in windows]
    on_all = [
        model for model in joined if all(_is_counted(sets[place], model, place) for place in order)
    ]
    since = windows[0][0].posted_after
    drifts = [_drift(sets, (order[0], place), on_all, since, pairs, how) for place in order[1:]]
    return Years(
        protocol=windows[0][0].protocol,
        years=tuple(
            Year(sets[place].name, window.posted_after, window.posted_before, _frozen(sets[place]))
            for window, place in windows
        ),
        drifts=tuple(each for each in drifts if each is not None),
        progress=tuple(
            _progress(sets[place], place, joined, first_run, how) for place in order[1:]
        ),
    )


def _is_counted(each: OneSet, model: Joined, place: int) -> bool:
    run = model.runs[place]
    is_there = run is not None and model.label not in each.left_out
    return is_there and run is not None and chooses_among_all(each.results, run)


def _frozen(each: OneSet) -> str:
    return each.release.created_at if each.release else ""


def _drift(
    sets: Sequence[OneSet],
    places: tuple[int, int],
    models: Sequence[Joined],
    since: str,
    pairs: Sequence[SetPair],
    how: Resampling,
) -> Drift | None:
    """The same models on two years, the first of which begins on the day `since`.

    None where there is no model, or no class that both have.
    """
    first, second = places
    names = sets[first].name, sets[second].name
    labels = [model.label for model in models]
    wnids = (set(sets[place].results.wnids) for place in (first, second))
    if not models or not set.intersection(*wnids):
        return None
    known = (
        each
        for each in pairs
        if (each.first, each.second, each.among) == (*names, "all")
        and {row.label for row in each.models} == set(labels)
    )
    one, other = (
        Side(sets[at].name, sets[at].results, [run for m in models if (run := m.runs[at])])
        for at in (first, second)
    )
    pair = next(known, None) or pair_of(one, other, labels, (), "all", how)
    if not pair.models:
        return None
    return Drift(
        first=names[0],
        second=names[1],
        models=tuple(row.label for row in pair.models),
        seen=tuple(model.label for model in models if _trained_until(model) >= since),
        matched=pair.mean or pair.models[0].matched,
    )


def _trained_until(model: Joined) -> str:
    """The last day of the photos that a model was trained on; "" where nobody said it."""
    said = (run.run.trained_until for run in model.runs if run and run.run.trained_until)
    return max((last_day(each).isoformat() for each in said), default="")


def _progress(
    each: OneSet,
    place: int,
    joined: Sequence[Joined],
    first_run: dict[tuple[str, ...], datetime],
    how: Resampling,
) -> Progress:
    """New and old models on one year."""
    frozen = _moment(_frozen(each))
    older: list[tuple[str, Scored]] = []
    newer: list[tuple[str, Scored]] = []
    for model in joined:
        if (run := model.runs[place]) is not None and _is_counted(each, model, place):
            is_new = frozen is not None and first_run[identity_of(run.run)] >= frozen
            (newer if is_new else older).append((model.label, run))
    found = None
    if older and newer:
        found = _compared(each.results, [run for _, run in older], [run for _, run in newer], how)
    return Progress(
        each.name, tuple(label for label, _ in older), tuple(label for label, _ in newer), found
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


def _first_runs(sets: Sequence[OneSet]) -> dict[tuple[str, ...], datetime]:
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
