"""By source: where a release's photos are from, and how models do on those of each source."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genset.core.numbers import NONE, count
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.release.reader import ReleasePhoto
from genset.reporting.blocks import Block, Grid, Heading, Paragraph, Part, sentences
from genset.reporting.format import (
    all_models,
    claim,
    classes_of,
    matched_accuracy,
    matched_difference,
)
from genset.reporting.report import Inputs, ReportData, ScoredModel, Section
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import FEWEST, Matched, match

MOST_COMPARED = 5  # sources, of which there are 10 pairs
_EACH_MODEL = 3  # of so many models, each has its sentence


@dataclass(frozen=True, slots=True)
class SourcePhotos:
    """What a release has of one source.

    `title` is the source's name for people, and `notice` what must be shown wherever its photos
    are, "" for nothing.
    """

    name: str
    title: str
    notice: str
    photos: int
    classes: int


@dataclass(frozen=True, slots=True)
class ModelAtSources:
    """One model at two sources: its top-1 accuracies."""

    label: str
    top1: Matched


@dataclass(frozen=True, slots=True)
class SourcePair:
    """Two sources, by name, over the classes that both have.

    Attributes:
        first, second: the one with more photos in the release, and the other. A difference is the
            accuracy at the second less that at the first.
        classes: how many both have.
        photos: of these classes, at the first and at the second.
        models: in the report's order.
        mean: of all models on the photos that count for each; None of a single model.
    """

    first: str
    second: str
    classes: int
    photos: tuple[int, int]
    models: tuple[ModelAtSources, ...]
    mean: ModelAtSources | None

    @property
    def rows(self) -> tuple[ModelAtSources, ...]:
        """The models, then their mean."""
        return (*self.models, self.mean) if self.mean else self.models

    @property
    def has_numbers(self) -> bool:
        """Whether there is a number to put in a table."""
        tops = [model.top1 for model in self.rows]
        return any(top.first or top.second or top.difference for top in tops)


@dataclass(frozen=True, slots=True)
class BySource:
    """A release by source.

    Attributes:
        sources: the one with the most photos first.
        pairs: every two of the first sources, by their order; none of a single source.
    """

    sources: tuple[SourcePhotos, ...]
    pairs: tuple[SourcePair, ...]

    def title(self, name: str) -> str:
        """The title of the source of this name."""
        return next(source.title for source in self.sources if source.name == name)

    def titles(self, pair: SourcePair) -> tuple[str, str]:
        """The titles of two sources."""
        return self.title(pair.first), self.title(pair.second)


# The numbers


def gather(inputs: Inputs, data: ReportData) -> BySource | None:
    """Take a release apart by source; None for other sets, of whose sources nothing is known."""
    release, models = inputs.release, data.models
    if release is None:
        return None
    counts = Counter(photo.source for photo in release.photos)
    names = sorted(counts, key=lambda name: (-counts[name], name))
    recorded = release.manifest.get("sources")
    about = recorded if isinstance(recorded, dict) else {}  # a manifest may be anybody's
    compared = names[:MOST_COMPARED] if models else []
    return BySource(
        sources=tuple(_source(name, release.photos, about.get(name)) for name in names),
        pairs=tuple(
            _pair(pair, inputs, models, data.options.resampling)
            for pair in combinations(compared, 2)
        ),
    )


def _source(name: str, photos: Sequence[ReleasePhoto], about: Any) -> SourcePhotos:
    of_source = [photo for photo in photos if photo.source == name]
    return SourcePhotos(
        name=name,
        title=_text(about, "title", 60) or clean(name, 60),
        notice=_text(about, "notice", 1000),
        photos=len(of_source),
        classes=len({photo.wnid for photo in of_source}),
    )


def _text(about: Any, key: str, longest: int) -> str:
    """A text of a manifest; "" where there is none."""
    text = about.get(key) if isinstance(about, dict) else None
    return clean(text, longest) if isinstance(text, str) else ""


def _pair(
    pair: tuple[str, str], inputs: Inputs, models: Sequence[ScoredModel], resampling: Resampling
) -> SourcePair:
    results = inputs.results
    sources = np.array([inputs.records[photo.id].source for photo in results.photos.photos])
    places = np.flatnonzero(np.isin(sources, pair))
    classes = results.classes[places]
    second: NDArray[np.bool_] = sources[places] == pair[1]
    is_shared = np.isin(classes, shared := np.intersect1d(classes[second], classes[~second]))
    right = np.stack([results.right(model)[places] for model in results.models], axis=1)
    counted = np.stack([model.answered[places] for model in results.models], axis=1)
    for_all = counted.all(axis=1, keepdims=True)
    values = np.hstack([right, right.mean(axis=1, keepdims=True) * for_all])
    *tops, mean = match(classes, values, np.hstack([counted, for_all]), second, resampling)
    several = f"mean of {len(models)} models"
    return SourcePair(
        first=pair[0],
        second=pair[1],
        classes=len(shared),
        photos=(int((is_shared & ~second).sum()), int((is_shared & second).sum())),
        models=tuple(
            ModelAtSources(model.label, top) for model, top in zip(models, tops, strict=True)
        ),
        mean=ModelAtSources(several, mean) if len(models) > 1 else None,
    )


# What is shown


def show(found: BySource | None, data: ReportData) -> Iterator[Part]:
    """What a release has of each source, and each model at every two of them."""
    if found is None or len(found.sources) < 2:
        return
    blocks: list[Block] = [Grid(_composition(found))]
    for pair in found.pairs:
        first, second = found.titles(pair)
        blocks += [Heading(f"{second} against {first}"), *sentences(_claims(found, pair))]
        if pair.has_numbers:
            fold = all_models(len(pair.rows))
            blocks += [Paragraph(_shared(found, pair), "note")]
            blocks += [Grid(_table(found, pair), fold, "named")]
    if any(pair.has_numbers for pair in found.pairs):
        blocks.append(Paragraph(_intervals(found, data.options.resampling), "note"))
    yield Part("sources", f"By source{': is it the source?' if data.models else ''}", blocks)


def title_of(record: ReleasePhoto | None, data: ReportData) -> str:
    """The title of the source that a photo is from; "" where it is not known."""
    found = data.of(SECTION)
    return found.title(record.source) if record and found else ""


def _composition(found: BySource) -> Table:
    columns = [
        Column("source", "Source"),
        Column("photos", "Photos", format="{:,}".format),
        Column("classes", "Classes", format="{:,}".format),
    ]
    rows = [[source.title, source.photos, source.classes] for source in found.sources]
    return Table(columns, rows)


def _table(found: BySource, pair: SourcePair) -> Table:
    first, second = found.titles(pair)
    columns = [
        Column("model", "Model"),
        Column("difference", "Difference", "second less first, points"),
        Column(pair.first, f"Top-1, {first}", "%"),
        Column(pair.second, f"Top-1, {second}", "%"),
    ]
    return Table(columns, [_row(pair, model) for model in pair.rows])


def _row(pair: SourcePair, model: ModelAtSources) -> list[object]:
    return [
        Cell(model.label, model.label, _other_photos(pair, model)),
        matched_difference(model.top1),
        *map(matched_accuracy, (model.top1.first, model.top1.second)),
    ]


def _other_photos(pair: SourcePair, model: ModelAtSources) -> str:
    """What a model's accuracies are over, where it is not what the other models' are; else ""."""
    matched = model.top1
    if (matched.classes, matched.photos) == (pair.classes, pair.photos):
        return ""
    first, second = matched.photos
    return f"on {classes_of(matched.classes)}, {first:,} and {second:,} photos"


def _claims(found: BySource, pair: SourcePair) -> list[str]:
    """Whether it is the source: for few models each, for many the best one; and their mean."""
    first, second = found.titles(pair)
    if pair.classes <= FEWEST:
        return [
            f"{first} and {second} have {classes_of(pair.classes)} in common: too few to compare."
        ]
    models = pair.models if len(pair.models) <= _EACH_MODEL else pair.models[:1]
    where = f"on {second} against {first}, over {{}} of both"
    return [
        claim(clean(model.label), model.top1.difference, where.format(classes_of(top.classes)))
        for model in (*models, *filter(None, [pair.mean]))
        if (top := model.top1)
    ]


def _shared(found: BySource, pair: SourcePair) -> str:
    """What accuracies at two sources are over."""
    first, second = (
        f"{count(photos, 'photo')} from {title}"
        for title, photos in zip(found.titles(pair), pair.photos, strict=True)
    )
    return f"{classes_of(pair.classes)} that both have: {first}, {second}."


def _intervals(found: BySource, resampling: Resampling) -> str:
    """How the accuracies and their intervals are meant, and which sources are compared."""
    differences = [model.top1.difference for pair in found.pairs for model in pair.models]
    chance = ""
    if (many := len(differences) - differences.count(None)) >= 20:
        chance = f" By chance about {max(1, round(many / 20))} of {many} intervals leave out 0."
    largest = ""
    if len(found.sources) > MOST_COMPARED:
        number = len(found.sources)
        largest = f" Of {number} sources the {MOST_COMPARED} with the most photos are compared."
    return (
        "Each class of both sources counts once; intervals resample these classes "
        f"({resampling.draws:,} draws, seed {resampling.seed}). Bold: the interval leaves out 0."
        f"{chance} “{NONE}”: too few classes. Sources also differ in years, cameras, licences, and "
        f"in what a search finds.{largest}"
    )


SECTION = Section("by_source", gather, show)
