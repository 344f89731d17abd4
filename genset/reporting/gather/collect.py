"""Gather everything that a report says, from what is kept of the runs and without any model."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite
from pathlib import Path
from statistics import median

import numpy as np

from genset.comparison.classes import by_class, by_record, confusions
from genset.comparison.marks import answered_in_part, whole_first
from genset.comparison.pairs import Bounds, Pair, Rank, compare, place_between, rank_models
from genset.comparison.truths import measure
from genset.core.errors import BadInput
from genset.core.numbers import agree, count
from genset.release.reader import MANIFEST, Release
from genset.reporting.data.options import PLAIN, ReportOptions
from genset.reporting.data.report import Power, ReportData, ScoredModel, TopK
from genset.reporting.gather.again import scored_again
from genset.reporting.gather.baseline import against_known
from genset.reporting.gather.finetuning import gather_finetuned
from genset.reporting.gather.gallery import choose_galleries
from genset.reporting.gather.kinds import by_kind
from genset.reporting.gather.missed import missed_together
from genset.reporting.gather.multilabel import by_truth
from genset.reporting.gather.sources import by_source
from genset.reporting.gather.summary import summarize
from genset.reporting.gather.training import by_training
from genset.reporting.gather.tta.entries import join_entries
from genset.score.results.results import ModelAnswers, Results, load_results
from genset.score.results.runs import Accuracy
from genset.sets.photos import PhotoSet
from genset.sets.truths.files import read_truth
from genset.statistics.bootstrap import class_sums, intervals
from genset.statistics.calibration import Calibration, calibration
from genset.statistics.intervals import Interval, widest


def collect(photos: PhotoSet, runs: Path, options: ReportOptions = PLAIN) -> ReportData:
    """Gather what is known of a set and of the models scored on it.

    Args:
        photos: the set.
        runs: the folder of runs.
        options: what the report is asked for.

    Raises:
        BadInput: an option names what is not there.
        GensetError: a run's files are not what `genset evaluate` or `genset finetune` wrote.
    """
    return collect_results(load_results(photos, runs), runs, options)


def collect_results(results: Results, runs: Path, options: ReportOptions = PLAIN) -> ReportData:
    """Gather what is known of results that are loaded.

    Args:
        results: the models, side by side on one set.
        runs: where runs on other sets, and results of fine-tuning, are kept.
        options: what is asked for beyond them.

    Raises:
        BadInput: an option names what is not there.
        GensetError: a run's files are not what `genset evaluate` or `genset finetune` wrote.
    """
    results = _with_labels(results, options.real_labels)
    if not options.include_flagged:
        results = results.without_flagged()
    results = whole_first(results)
    photos = results.photos
    is_release = not photos.listed and (photos.root / MANIFEST).is_file()
    release = Release(photos.root) if is_release else None
    records = {record.file: record for record in release.photos} if release else {}
    pairs = compare(results, results.models, options.resampling)
    classes, confused = by_class(results), confusions(results)
    in_order = [records[photo.id] for photo in photos.photos] if records else []
    models = summarize_models(results, pairs, options)
    flagged = summarize_flagged(results, options)
    missed = missed_together(results, pairs, records)
    shown = [photo.missed.image for photo in missed.photos if photo.photo] if missed else []
    return ReportData(
        options=options,
        set=summarize(photos, release, options.named),
        models=models,
        flagged=flagged,
        pairs=pairs,
        power=_power(pairs, models),
        reference=against_known(results, runs, options),
        bounds=_bounds(results, options),
        by_truth=by_truth(results, pairs, options.resampling),
        by_source=by_source(results, release, models, options.resampling) if release else None,
        by_training=by_training(results, release, options.resampling),
        top5_bounds=_top5_bounds(results, options),
        entries=join_entries(results, options),
        finetuning=gather_finetuned(results, runs, options.lower),
        classes=classes,
        confusions=confused,
        breakdowns=by_record(results, in_order) if in_order else (),
        missed=missed,
        galleries=choose_galleries(results, records, classes, confused, shown),
        other_runs=results.other_runs,
        again=scored_again(results, (*models, *flagged), options),
        taxonomy=photos.custom_taxonomy,
        kinds=by_kind(results, classes),
    )


def summarize_models(
    results: Results, pairs: Sequence[Pair], options: ReportOptions
) -> tuple[ScoredModel, ...]:
    """Each model's accuracies, with what a reader must know beside them.

    Args:
        results: the models, side by side on one set.
        pairs: every two of them, compared.
        options: what the report is asked for.

    Raises:
        BadInput: more answers are asked for than are kept.
    """
    part = {model.label for model in answered_in_part(results)}
    labels = [model.label for model in results.models if model.label not in part]
    ranks = dict(zip(labels, rank_models(labels, pairs), strict=True))
    return _summaries(results, [ranks.get(model.label) for model in results.models], options)


def summarize_flagged(results: Results, options: ReportOptions) -> tuple[ScoredModel, ...]:
    """The same of the models that are left out, which have no rank.

    Raises:
        BadInput: more answers are asked for than are kept.
    """
    left_out = replace(results, models=results.flagged, flagged=())
    return _summaries(left_out, [None] * len(left_out.models), options)


def _summaries(
    results: Results, ranks: Sequence[Rank | None], options: ReportOptions
) -> tuple[ScoredModel, ...]:
    labels = measure(results, options.resampling) if results.photos.truth else {}
    return tuple(
        ScoredModel(
            label=model.label,
            rank=rank,
            run=model.run,
            tops=tops,
            real=labels[model.label].real.accuracy if labels else None,
            multilabel=labels.get(model.label),
            calibration=_calibration(results, model),
            flags=model.flags,
        )
        for model, rank, tops in zip(results.models, ranks, _tops(results, options), strict=True)
    )


def _tops(results: Results, options: ReportOptions) -> list[tuple[TopK, ...]]:
    """Each model's accuracies: all intervals are drawn at once."""
    if not results.models:
        return []
    asked = [_ks(model, options.k) for model in results.models]
    above, below, found = [], [], []
    for model, ks in zip(results.models, asked, strict=True):
        right = np.stack([results.right(model, k) for k in ks], axis=1)
        photos = class_sums(results.classes, model.answered[:, None])
        above.append(class_sums(results.classes, right))
        below += [photos] * len(ks)
        counted = int(model.answered.sum())
        found += [Accuracy.of(int(hits), counted) for hits in right.sum(axis=0)]
    drawn = options.resampling.ratios_of_sums(np.hstack(above), np.hstack(below))
    ends = intervals(drawn, len(results.wnids))
    wide = [
        widest(Interval(accuracy.low, accuracy.high), each)
        for accuracy, each in zip(found, ends, strict=True)
    ]
    in_order = zip(found, wide, strict=True)
    return [tuple(TopK(k, *next(in_order)) for k in ks) for ks in asked]


def _ks(model: ModelAnswers, asked: int) -> list[int]:
    """Among how many answers a hit counts, in turn."""
    kept = model.answers.shape[1]
    if asked > kept and model.run.mapping is not None and model.run.classes <= asked:
        raise BadInput(
            f"{model.label}: it chooses among {model.run.classes:,} classes, so top-{asked} says "
            "nothing: leave out --k, or the model"
        )
    if asked > kept:
        raise BadInput(
            f"{model.label}: {count(kept, 'answer')} a photo {agree(kept, 'is', 'are')} kept, "
            f"not {asked}; score it again with --k {asked}"
        )
    return sorted({1, asked, *([5] if kept >= 5 else [])} - {0})


def _with_labels(results: Results, labels: Path | None) -> Results:
    """The results by the truth that the report is asked for, in the place of the set's own."""
    if labels is None:
        return results
    truth = read_truth(labels, results.photos, others=True)
    return replace(results, photos=replace(results.photos, truth=truth))


def _calibration(results: Results, model: ModelAnswers) -> Calibration | None:
    known = model.answered & ~np.isnan(model.confidence)
    if not known.any():
        return None
    return calibration(model.confidence[known], results.right(model)[known])


def _power(pairs: Sequence[Pair], models: Sequence[ScoredModel]) -> Power | None:
    """What the set shows: by the models that answered nearly all of it."""
    ranked = {model.label for model in models if model.rank}
    pairs = [pair for pair in pairs if {pair.first, pair.second} <= ranked]
    if not pairs:
        return None
    shown = median(inf if pair.detectable is None else pair.detectable for pair in pairs)
    return Power(
        difference=shown if isfinite(shown) else None,
        discordant=median(pair.discordant for pair in pairs),
    )


def _bounds(results: Results, options: ReportOptions) -> Bounds | None:
    if not (options.lower or options.upper):
        return None
    if not (options.lower and options.upper):
        raise BadInput("a model is placed between two: name both --lower and --upper")
    lower, upper = results.find(options.lower), results.find(options.upper)
    return place_between(results, lower, upper, options.resampling)


def _top5_bounds(results: Results, options: ReportOptions) -> Bounds | None:
    """The same in top-5, for the models of trainings; None where there is no gap in that."""
    if not (options.tta and options.lower and options.upper):
        return None
    ends = results.find(options.lower), results.find(options.upper)
    if any(model.answers.shape[1] < 5 for model in results.models):
        return None
    try:
        return place_between(results, *ends, options.resampling, k=5)
    except BadInput:
        return None
