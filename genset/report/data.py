"""Gather everything that a report says. Each form of it is made from this and nothing else."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genset.errors import GensetError
from genset.evaluate.photos import PhotoSet
from genset.evaluate.runs import Prediction, Run, find_runs, load_predictions
from genset.release.reader import MANIFEST, Release, ReleasePhoto
from genset.report.samples import Sample, choose_samples


@dataclass(frozen=True, slots=True)
class LicenseCount:
    """How many photos a licence covers."""

    name: str
    url: str
    photos: int


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """How a release was made.

    Attributes:
        created_at: when it was frozen, ISO 8601.
        strategy: the rule by which photos were chosen, and its parameters.
        labelers: people who labeled, whether or not their candidates are in it.
        labels: labels on its photos, by verdict.
        left_out: candidates that are not in it, by reason.
        licenses: the commonest first.
        sources: photos by source.
        posted_from, posted_to: when its first and last photo were posted, ISO 8601.
    """

    created_at: str
    strategy: dict[str, Any]
    labelers: int
    labels: dict[str, int]
    left_out: dict[str, int]
    licenses: tuple[LicenseCount, ...]
    sources: dict[str, int]
    posted_from: str
    posted_to: str


@dataclass(frozen=True, slots=True)
class SetSummary:
    """What models were scored on.

    `photos_per_class` says how many classes have that many photos. `release` is None for a plain
    folder, of which nothing more is known.
    """

    name: str
    content_hash: str
    classes: int
    photos: int
    photos_per_class: dict[int, int]
    release: ReleaseSummary | None


@dataclass(frozen=True, slots=True)
class ScoredModel:
    """A model's run. `label` is its name, with the run's key where two runs share the name."""

    label: str
    run: Run


@dataclass(frozen=True, slots=True)
class Leaders:
    """The two best models on the photos that both could read.

    `only_first` counts photos whose top answer is right for the first and wrong for the second.
    """

    first: str
    second: str
    photos: int
    only_first: int
    only_second: int


@dataclass(frozen=True, slots=True)
class ReportData:
    """What a report says.

    Attributes:
        set: what was scored on.
        models: the best top-1 first.
        leaders: the first two models side by side; None for fewer.
        samples: the photos to show.
        other_runs: runs left out, because they scored another set that had the same name.
    """

    set: SetSummary
    models: tuple[ScoredModel, ...]
    leaders: Leaders | None
    samples: tuple[Sample, ...]
    other_runs: int


_Answers = Mapping[str, Prediction]

_MEND = "delete the folder and run genset evaluate again"


def collect(photos: PhotoSet, runs: Path) -> ReportData:
    """Gather what is known of a set and of the models scored on it.

    Raises:
        GensetError: a run's files are not what `genset evaluate` wrote.
    """
    release = Release.open(photos.root) if (photos.root / MANIFEST).is_file() else None
    named_so = find_runs(runs, photos.name)
    found = [(folder, run) for folder, run in named_so if run.set_hash == photos.content_hash]
    models = _label([run for _, run in found])
    answers = {
        model.label: _answers(folder, model.run)
        for model, (folder, _) in zip(models, found, strict=True)
    }
    records = {record.file: record for record in release.photos} if release else {}
    return ReportData(
        set=_summarize(photos, release),
        models=models,
        leaders=_leaders(answers),
        samples=choose_samples(photos.photos, records, answers),
        other_runs=len(named_so) - len(found),
    )


def _label(runs: Sequence[Run]) -> tuple[ScoredModel, ...]:
    named_so = Counter(run.model for run in runs)
    return tuple(
        ScoredModel(run.model if named_so[run.model] == 1 else f"{run.model} [{run.key[:8]}]", run)
        for run in runs
    )


def _answers(folder: Path, run: Run) -> _Answers:
    """A run's predictions by photo. They must give its counts: nobody trusts a table otherwise."""
    try:
        predictions = load_predictions(folder)
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise GensetError(f"{folder}: predictions cannot be read ({error}); {_MEND}") from None
    counted = (
        len(predictions),
        sum(said.wnid == said.top[0] for said in predictions),
        sum(said.wnid in said.top for said in predictions),
    )
    if counted != (run.top1.photos, run.top1.correct, run.top5.correct):
        raise GensetError(f"{folder}: predictions do not give the run's counts; {_MEND}")
    return {prediction.image: prediction for prediction in predictions}


def _leaders(answers: Mapping[str, _Answers]) -> Leaders | None:
    if len(answers) < 2:
        return None
    (first, ours), (second, theirs) = list(answers.items())[:2]
    both = [(ours[photo], theirs[photo]) for photo in ours if photo in theirs]
    right = Counter((a.top[0] == a.wnid, b.top[0] == b.wnid) for a, b in both)
    return Leaders(first, second, len(both), right[True, False], right[False, True])


def _summarize(photos: PhotoSet, release: Release | None) -> SetSummary:
    per_class = Counter(photo.wnid for photo in photos.photos)
    return SetSummary(
        name=photos.name,
        content_hash=photos.content_hash,
        classes=len(per_class),
        photos=len(photos.photos),
        photos_per_class=dict(sorted(Counter(per_class.values()).items())),
        release=_summarize_release(release) if release else None,
    )


def _summarize_release(release: Release) -> ReleaseSummary:
    posted = [photo.posted_at for photo in release.photos]
    labels: Counter[str] = Counter()
    for photo in release.photos:
        labels.update(photo.labels)
    return ReleaseSummary(
        created_at=release.created_at,
        strategy=release.strategy,
        labelers=release.labelers,
        labels=dict(sorted(labels.items())),
        left_out=release.left_out,
        licenses=_licenses(release.photos),
        sources=dict(sorted(Counter(photo.source for photo in release.photos).items())),
        posted_from=min(posted, default=""),
        posted_to=max(posted, default=""),
    )


def _licenses(photos: Sequence[ReleasePhoto]) -> tuple[LicenseCount, ...]:
    counts = Counter((photo.license, photo.license_url) for photo in photos)
    by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(LicenseCount(name, url, number) for (name, url), number in by_count)
