"""Tell drift of the photos from progress of models, on the years of one protocol."""

from collections.abc import Sequence

from genset.core.errors import BadInput
from genset.models.trained import last_day
from genset.release.collected import Collected
from genset.release.reader import Release
from genset.reporting.series.data import SetPair
from genset.reporting.series.gather.identity import Joined
from genset.reporting.series.gather.labeled import labeled
from genset.reporting.series.gather.newer import (
    Newer,
    OneSet,
    first_runs,
    frozen_at,
    is_counted,
    progress_on,
)
from genset.reporting.series.gather.pairs import Side, pair_of
from genset.reporting.series.yearly import Drift, Year, Years
from genset.statistics.bootstrap import Resampling


def years_of(
    sets: Sequence[OneSet],
    joined: Sequence[Joined],
    pairs: Sequence[SetPair],
    newer: Sequence[str],
    how: Resampling,
) -> tuple[Years, ...]:
    """What the series says of each protocol of which it has two windows or more.

    Args:
        sets: in the series' order.
        joined: the models, each with its runs on the sets.
        pairs: every two sets, which are not computed again.
        newer: labels of the models that are new; none: those whose first run is later than a year.
        how: how classes are resampled.

    Raises:
        BadInput: no model is called so, or there are no two windows to compare.
    """
    there = [model.label for model in joined]
    if unknown := next((label for label in newer if label not in there), None):
        raise BadInput(
            f"--new {unknown}: no model is called so here; there are {', '.join(there) or 'none'}"
        )
    places: dict[str, list[tuple[Collected, int]]] = {}
    for place, each in enumerate(sets):
        if (found := _window(each.release)) is not None:
            places.setdefault(found.sha256, []).append((found, place))
    progress = Newer(joined, frozenset(newer), first_runs(sets), how)
    made = tuple(
        _years(
            sets,
            sorted(windows, key=lambda window: (window[0].posted_after, sets[window[1]].name)),
            pairs,
            progress,
        )
        for windows in places.values()
        if len({(each.posted_after, each.posted_before) for each, _ in windows}) > 1
    )
    if newer and not made:
        raise BadInput("--new is of the years of a protocol: name two of its releases or more")
    return made


def _window(release: Release | None) -> Collected | None:
    """The window that a release says it is of; None where it is of none, or does not say which."""
    try:
        return Collected.of(release.protocol) if release else None
    except (KeyError, TypeError):
        return None


def _years(
    sets: Sequence[OneSet],
    windows: Sequence[tuple[Collected, int]],
    pairs: Sequence[SetPair],
    of: Newer,
) -> Years:
    order = [place for _, place in windows]
    on_all = [
        model
        for model in of.joined
        if all(is_counted(sets[place], model, place) for place in order)
    ]
    since = windows[0][0].posted_after
    drifts = [_drift(sets, (order[0], place), on_all, since, pairs, of.how) for place in order[1:]]
    return Years(
        protocol=windows[0][0].protocol,
        years=tuple(
            Year(
                sets[place].name, window.posted_after, window.posted_before, frozen_at(sets[place])
            )
            for window, place in windows
        ),
        drifts=tuple(drift for drift in drifts if drift is not None),
        progress=tuple(progress_on(sets[place], place, of) for place in order[1:]),
        others=_others(sets, order),
    )


def _others(sets: Sequence[OneSet], years: Sequence[int]) -> tuple[tuple[str, int], ...]:
    """The other releases, each with how many of its photos are in one of the years."""
    known = {
        photo.sha256
        for place in years
        if (release := sets[place].release)
        for photo in release.photos
    }
    return tuple(
        (each.name, sum(photo.sha256 in known for photo in each.release.photos))
        for place, each in enumerate(sets)
        if place not in years and each.release
    )


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
        pair
        for pair in pairs
        if (pair.first, pair.second, pair.among) == (*names, "all")
        and {row.label for row in pair.models} == set(labels)
    )
    one, other = (
        Side(sets[at].name, sets[at].results, [run for m in models if (run := m.runs[at])])
        for at in (first, second)
    )
    releases = [release for at in places if (release := sets[at].release)]
    pair = next(known, None) or pair_of(one, other, labels, (), "all", how)
    if not pair.models:
        return None
    return Drift(
        first=names[0],
        second=names[1],
        models=tuple(row.label for row in pair.models),
        seen=tuple(model.label for model in models if _trained_until(model) >= since),
        matched=pair.mean or pair.models[0].matched,
        labels=labeled(releases[0], releases[1], how),
    )


def _trained_until(model: Joined) -> str:
    """The last day of the photos that a model was trained on; "" where nobody said it."""
    said = (run.run.trained_until for run in model.runs if run and run.run.trained_until)
    return max((last_day(each).isoformat() for each in said), default="")
