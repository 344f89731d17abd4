"""Gather everything that a report says, from what is stored of runs and without any model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite
from pathlib import Path
from statistics import median

import numpy as np

from genset.comparison.marks import copies, whole_first
from genset.comparison.pairs import Pair, Rank, compare, rank_models
from genset.comparison.truths import measure
from genset.core.errors import BadInput
from genset.core.numbers import agree, count
from genset.release.reader import MANIFEST, Release
from genset.reporting.options import PLAIN, ReportOptions
from genset.reporting.report import Inputs, Power, ReportData, ScoredModel, TopK
from genset.reporting.sections.order import SECTIONS
from genset.reporting.summary import summarize
from genset.score.results.results import ModelAnswers, Results, load_results
from genset.sets.photos import PhotoSet
from genset.statistics.calibration import Calibration, calibration


def collect(
    photos: PhotoSet,
    runs: Path,
    options: ReportOptions = PLAIN,
    others: Sequence[tuple[str, PhotoSet]] = (),
) -> ReportData:
    """Gather what is known of a set and of the models scored on it.

    Args:
        photos: the set.
        runs: the folder of runs.
        options: what the report is asked for.
        others: further sets to compare with, each with its name.

    Raises:
        BadInput: an option names what is not there.
        GensetError: a run's files are not what `genset evaluate` or `genset finetune` wrote.
    """
    loaded = [(name, load_results(other, runs)) for name, other in others]
    return collect_results(load_results(photos, runs), runs, options, loaded)


def collect_results(
    results: Results,
    runs: Path,
    options: ReportOptions = PLAIN,
    others: Sequence[tuple[str, Results]] = (),
) -> ReportData:
    """Gather what is known of results that are loaded.

    Args:
        results: the models, side by side on one set.
        runs: where runs on other sets, and results of fine-tuning, are kept.
        options: what is asked for beyond them.
        others: the models on further sets.

    Raises:
        BadInput: an option names what is not there.
        GensetError: a run's files are not what `genset evaluate` or `genset finetune` wrote.
    """
    results = results.with_classes(options.classes)
    if not options.include_flagged:
        results = results.without_flagged()
    results = whole_first(results)
    photos = results.photos
    is_release = not photos.listed and (photos.root / MANIFEST).is_file()
    release = Release(photos.root) if is_release else None
    records = {record.file: record for record in release.photos} if release else {}
    pairs = compare(results, results.models)
    models = _scored(results, rank_models(results, pairs), options)
    flagged = replace(results, models=results.flagged, flagged=())
    data = ReportData(
        options=options,
        set=summarize(photos, release, options.named),
        models=models,
        flagged=_scored(flagged, {}, options),
        pairs=pairs,
        power=_power(pairs, models),
        copies=copies(results.models),
        other_runs=results.other_runs,
        fixed=results.fixed,
        taxonomy=photos.custom_taxonomy,
        found={},
    )
    inputs = Inputs(results, runs, release, records, others)
    for section in SECTIONS:
        data.found[section.name] = section.gather(inputs, data)
    return data


def _scored(
    results: Results, ranks: Mapping[str, Rank], options: ReportOptions
) -> tuple[ScoredModel, ...]:
    labels = measure(results) if results.photos.truth else {}
    return tuple(
        ScoredModel(
            label=model.label,
            rank=ranks.get(model.label),
            run=model.run,
            tops=tuple(TopK(k, results.accuracy(model, k)) for k in _ks(model, options.k)),
            real=labels[model.label].real if labels else None,
            multilabel=labels.get(model.label),
            calibration=_calibration(results, model),
            flags=model.flags,
        )
        for model in results.models
    )


def _ks(model: ModelAnswers, further: int) -> list[int]:
    """Among how many answers a hit counts, in turn."""
    known = model.answers.shape[1]
    if further > known and model.run.mapping is not None and model.run.classes <= further:
        raise BadInput(
            f"{model.label}: it chooses among {model.run.classes:,} classes, so top-{further} says "
            "nothing: leave out --k, or the model"
        )
    if further > known:
        raise BadInput(
            f"{model.label}: {count(known, 'answer')} a photo {agree(known, 'is', 'are')} kept, "
            f"not {further}; score it again with --k {further}"
        )
    return sorted({1, further, *([5] if known >= 5 else [])} - {0})


def _calibration(results: Results, model: ModelAnswers) -> Calibration | None:
    known = model.answered & ~np.isnan(model.confidence)
    if not known.any():
        return None
    return calibration(model.confidence[known], results.right(model)[known])


def _power(pairs: Sequence[Pair], models: Sequence[ScoredModel]) -> Power | None:
    """What the set shows: by the models that answered nearly all of it."""
    ranked = {model.label for model in models if model.rank}
    # Copies of one model differ on no photo, which says nothing of others.
    pairs = [p for p in pairs if {p.first, p.second} <= ranked and p.only_first + p.only_second]
    if not pairs:
        return None
    shown = median(inf if pair.detectable is None else pair.detectable for pair in pairs)
    return Power(
        difference=shown if isfinite(shown) else None,
        discordant=median(pair.discordant for pair in pairs),
    )
