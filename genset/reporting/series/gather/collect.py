"""Gather everything that a series says."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from genset.comparison.marks import nearly_all
from genset.core.errors import BadInput
from genset.core.safe import clean
from genset.models.spec import parse_spec
from genset.release.reader import MANIFEST, Release
from genset.reporting.data.options import ReportOptions
from genset.reporting.gather.summary import summarize
from genset.reporting.series.data import (
    Among,
    Gap,
    Grouping,
    ModelInSeries,
    OnSet,
    Series,
    SetInSeries,
    SetPair,
)
from genset.reporting.series.gather.conventions import conventions_on, in_order
from genset.reporting.series.gather.groupings import groupings
from genset.reporting.series.gather.identity import Joined, join
from genset.reporting.series.gather.pairs import Side, conventions, pair_of
from genset.reporting.series.gather.scores import (
    chooses_among_all,
    is_of_imagenet,
    is_subset,
    score_all,
    score_subset,
)
from genset.score.results.count import remarks
from genset.score.results.results import ModelAnswers, Results
from genset.sets.photos import PhotoSet


class GivenSet(NamedTuple):
    """A set as it was asked for.

    Attributes:
        name: what it is called in the series; no two sets share one.
        page: the file of its full report.
        evaluate: the set, as `genset evaluate` takes it.
        results: what was scored on it.
    """

    name: str
    page: str
    evaluate: str
    results: Results


def collect_series(sets: Sequence[GivenSet], options: ReportOptions) -> Series:
    """Gather what is known of models on several sets.

    Args:
        sets: two or more.
        options: what is asked for; of these, the resampling and the flagged models matter here.

    Raises:
        GensetError: a run's logits cannot be read.
    """
    given = [each.results for each in sets]
    releases = [release_of(each.photos) for each in given]
    joined, older = join(given)
    flagged = {
        model.label
        for model in joined
        if not options.include_flagged and any(run.flags for run in model.runs if run)
    }
    partial = [_partial(joined, number, flagged) for number in range(len(sets))]
    joined.sort(key=lambda model: (model.label in flagged, model.label in partial[0]))
    pairs = _pairs(sets, joined, options)
    rows = _rows(sets, joined, pairs, partial, options)
    by_convention = _by_convention(given, joined)
    return Series(
        options=options,
        sets=tuple(
            SetInSeries(
                name=each.name,
                page=each.page,
                summary=summarize(each.results.photos, release),
                is_of_imagenet=is_of_imagenet(each.results),
                is_subset=is_subset(each.results),
                models=len(each.results.models),
                evaluate=each.evaluate,
                conventions=conventions_on(each.results),
            )
            for each, release in zip(sets, releases, strict=True)
        ),
        models=tuple(
            ModelInSeries(model.label, model.by_name, tuple(cells))
            for model, cells in zip(joined, rows, strict=True)
        ),
        pairs=pairs,
        groupings=tuple(
            replace(grouping, convention=among)
            for among, of_it in by_convention
            for grouping in _groupings(given, releases, of_it, flagged, partial, options)
        ),
        gaps=_gaps(sets, joined, options.taxonomy),
        older=older,
    )


def release_of(photos: PhotoSet) -> Release | None:
    """The release that a set is; None for a folder, a list and so on."""
    is_release = not photos.listed and (photos.root / MANIFEST).is_file()
    return Release(photos.root) if is_release else None


def _partial(
    joined: Sequence[Joined], number: int, flagged: set[str]
) -> dict[str, tuple[int, int]]:
    """The models that answered a part of one set's photos: how many, and how many any model did."""
    runs = {
        model.label: run
        for model in joined
        if model.label not in flagged and (run := model.runs[number])
    }
    if not runs:
        return {}
    answered = np.stack([run.answered for run in runs.values()], axis=1)
    by_any, whole = int(answered.any(axis=1).sum()), nearly_all(answered)
    return {
        label: (int(run.answered.sum()), by_any)
        for (label, run), is_whole in zip(runs.items(), whole, strict=True)
        if not is_whole
    }


def _rows(
    sets: Sequence[GivenSet],
    joined: Sequence[Joined],
    pairs: Sequence[SetPair],
    partial: Sequence[dict[str, tuple[int, int]]],
    options: ReportOptions,
) -> list[list[OnSet | None]]:
    """For each model, what it does on each set."""
    rows: list[list[OnSet | None]] = [[None] * len(sets) for _ in joined]
    how = options.resampling
    for number, each in enumerate(sets):
        results = each.results
        there = [(place, run) for place, model in enumerate(joined) if (run := model.runs[number])]
        runs = [run for _, run in there]
        scores = score_all(results, runs, how)
        subsets = score_subset(results, runs, how) if is_subset(results) else [None] * len(runs)
        changes = {
            row.label: row.matched
            for pair in pairs
            if (pair.first, pair.second) == (sets[0].name, each.name)
            if pair.among == "all" or not _of_imagenet((sets[0].results, results))
            for row in pair.models
        }
        for (place, run), score, subset in zip(there, scores, subsets, strict=True):
            among_all = chooses_among_all(results, run)
            rows[place][number] = OnSet(
                key=run.run.key,
                spec=run.run.spec,
                all=score if among_all else None,
                subset=subset,
                change=changes.get(joined[place].label),
                flags=() if options.include_flagged else run.flags,
                remarks=tuple(remarks(run.run)),
                partial=partial[number].get(joined[place].label),
            )
    return rows


def _pairs(
    sets: Sequence[GivenSet], joined: Sequence[Joined], options: ReportOptions
) -> tuple[SetPair, ...]:
    found: list[SetPair] = []
    for i, j in combinations(range(len(sets)), 2):
        results = sets[i].results, sets[j].results
        ways = conventions(*results)
        if not ways or _of_imagenet(results):
            found += _pairs_of(sets, (i, j), joined, ways, options)
            continue
        for among in in_order(model.convention for model in joined):
            of_it = [model for model in joined if model.convention == among]
            found += _pairs_of(sets, (i, j), of_it, [among], options)
    return tuple(found)


def _pairs_of(
    sets: Sequence[GivenSet],
    places: tuple[int, int],
    joined: Sequence[Joined],
    ways: Sequence[Among],
    options: ReportOptions,
) -> list[SetPair]:
    """Two sets, in each of some ways; nothing without a model that is on both."""
    i, j = places
    first, second = sets[i], sets[j]
    both = [
        (model.label, one, two)
        for model in joined
        if (one := model.runs[i]) and (two := model.runs[j])
    ]
    flagged = [
        label
        for label, one, two in both
        if (one.flags or two.flags) and not options.include_flagged
    ]
    kept = [each for each in both if each[0] not in flagged]
    if not kept:
        return []
    sides = (
        Side(first.name, first.results, [one for _, one, _ in kept]),
        Side(second.name, second.results, [two for _, _, two in kept]),
    )
    return [
        pair_of(*sides, [label for label, *_ in kept], flagged, among, options.resampling)
        for among in ways
    ]


def _of_imagenet(sets: Sequence[Results]) -> bool:
    return all(map(is_of_imagenet, sets))


def _by_convention(
    sets: Sequence[Results], joined: Sequence[Joined]
) -> list[tuple[Among | None, list[Joined]]]:
    """The models of each convention; all together where there is none."""
    there = in_order(among for each in sets for among in conventions_on(each))
    by_it: list[tuple[Among | None, list[Joined]]] = [
        (among, [model for model in joined if model.convention == among]) for among in there
    ]
    return by_it or [(None, list(joined))]


def _groupings(
    sets: Sequence[Results],
    releases: Sequence[Release | None],
    joined: Sequence[Joined],
    flagged: set[str],
    partial: Sequence[dict[str, tuple[int, int]]],
    options: ReportOptions,
) -> tuple[Grouping, ...]:
    """By what releases record, for the models that answered nearly all photos of each release."""
    places = [number for number, release in enumerate(releases) if release]
    common = [
        (model.label, runs)
        for model in joined
        if model.label not in flagged
        and len(runs := [run for n in places if (run := model.runs[n])]) == len(places)
    ]
    in_part = {label for number in places for label in partial[number]}
    whole = [(label, runs) for label, runs in common if label not in in_part]
    of_set: list[list[ModelAnswers]] = [[] for _ in sets]
    for place, number in enumerate(places):
        of_set[number] = [runs[place] for _, runs in whole]
    found = groupings(sets, releases, of_set, options.resampling)
    labels = tuple(label for label, _ in whole)
    left_out = tuple(label for label, _ in common if label in in_part)
    return tuple(Grouping(by, labels, left_out, rows) for by, rows in found.items())


def _gaps(sets: Sequence[GivenSet], joined: Sequence[Joined], taxonomy: str) -> tuple[Gap, ...]:
    found = []
    for number, each in enumerate(sets):
        is_own = not is_of_imagenet(each.results)
        missing = [
            model for model in joined if model.runs[number] is None and (is_own or model.is_first)
        ]
        for among in in_order(model.convention for model in missing):
            of_it = [model for model in missing if model.convention == among]
            found.append(_gap(each, of_it, among if is_own else "all", taxonomy))
    return tuple(found)


def _gap(each: GivenSet, missing: Sequence[Joined], among: Among, taxonomy: str) -> Gap:
    specs = {model.label: _spec(model) for model in missing}
    usable = [spec for spec in specs.values() if spec]
    choice, _, pool = among.partition(", ")
    words = [f"genset evaluate {_quoted(each.evaluate)}"]
    words += [f"--taxonomy {_quoted(taxonomy)}"] if taxonomy else []
    words += [f"--among {choice}"] if choice != "all" else []
    words += [f"--pool {pool}"] if pool else []
    words += [f"--model {_quoted(spec)}" for spec in usable]
    command = " \\\n    ".join(words)
    return Gap(
        set=each.name,
        models=tuple(specs),
        command=command if usable else "",
        by_hand=tuple(label for label, spec in specs.items() if not spec),
    )


def _spec(model: Joined) -> str:
    """The spec that scores a model on a further set; "" where its answers came from elsewhere."""
    text = next(run for run in model.runs if run).run.spec
    try:
        return "" if model.by_name or parse_spec(text).is_predictions else text
    except BadInput:
        return ""  # a network that was handed over in Python


def _quoted(text: str) -> str:
    return shlex.quote(clean(text, longest=2000))
