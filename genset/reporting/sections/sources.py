"""By source: where a release's photos are from, and how models do on those of each source."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from genset.core.numbers import NONE, between, count
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.release.reader import MANIFEST, Release, ReleasePhoto
from genset.reporting.blocks import Block, Grid, Heading, PageCell, Paragraph, Part, sentences
from genset.reporting.format import (
    all_models,
    classes_of,
    matched_accuracy,
    matched_difference,
    sign,
    signed,
)
from genset.reporting.html import link
from genset.reporting.report import Inputs, ReportData, ScoredModel, Section
from genset.reporting.summary import LicenseCount, license_counts
from genset.score.results.results import Results
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import FEWEST, Matched, Mean, match

MOST_COMPARED = 5  # sources, of which there are 10 pairs
_EACH_MODEL = 3  # of so many models, each has its sentence
_LICENSES = 12  # of a source that are listed


@dataclass(frozen=True, slots=True)
class SourcePhotos:
    """What a release has of one source.

    `title` is the source's name for people, and `notice` what must be shown wherever its photos
    are, "" for nothing. `licenses` are those of its photos, the commonest first.
    """

    name: str
    title: str
    notice: str
    photos: int
    classes: int
    licenses: tuple[LicenseCount, ...]


@dataclass(frozen=True, slots=True)
class ModelAtSources:
    """One model at two sources: how often the true class is among its first k answers, by k."""

    label: str
    tops: dict[int, Matched]

    @property
    def top1(self) -> Matched:
        """Its first answers."""
        return self.tops[1]


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
    def ks(self) -> list[int]:
        """For which k there is a number to put in a table."""
        tops = [item for model in self.rows for item in model.tops.items()]
        return sorted({k for k, found in tops if found.first or found.second or found.difference})


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
    recorded = _recorded(release)
    compared = names[:MOST_COMPARED] if models else []
    return BySource(
        sources=tuple(_source(name, release.photos, recorded.get(name)) for name in names),
        pairs=tuple(
            _pair(pair, inputs, models, data.options.resampling)
            for pair in combinations(compared, 2)
        ),
    )


def _recorded(release: Release) -> Mapping[str, Any]:
    """What the manifest records of its sources, by name."""
    manifest = json.loads((release.root / MANIFEST).read_text("utf-8"))
    sources = manifest.get("sources")
    return sources if isinstance(sources, dict) else {}


def _source(name: str, photos: Sequence[ReleasePhoto], about: Any) -> SourcePhotos:
    of_source = [photo for photo in photos if photo.source == name]
    return SourcePhotos(
        name=name,
        title=_text(about, "title", 60) or clean(name, 60),
        notice=_text(about, "notice", 1000),
        photos=len(of_source),
        classes=len({photo.wnid for photo in of_source}),
        licenses=license_counts(of_source),
    )


def _text(about: Any, key: str, longest: int) -> str:
    """A text of a manifest, which may be anybody's; "" where there is none."""
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
    rows, mean = _match(results, models, places, second, resampling)
    return SourcePair(
        first=pair[0],
        second=pair[1],
        classes=len(shared),
        photos=(int((is_shared & ~second).sum()), int((is_shared & second).sum())),
        models=tuple(
            ModelAtSources(model.label, tops) for model, tops in zip(models, rows, strict=True)
        ),
        mean=ModelAtSources(f"mean of {len(models)} models", mean) if mean else None,
    )


def _match(
    results: Results,
    models: Sequence[ScoredModel],
    places: NDArray[np.int64],
    second: NDArray[np.bool_],
    resampling: Resampling,
) -> tuple[list[dict[int, Matched]], dict[int, Matched]]:
    """Each model on photos at some places, and of several models the mean.

    The mean has those k that all models have.
    """
    classes = results.classes[places]
    rows: list[dict[int, Matched]] = [{} for _ in models]
    mean: dict[int, Matched] = {}
    for k in sorted({top.k for model in models for top in model.tops}):
        known = [n for n, model in enumerate(models) if any(top.k == k for top in model.tops)]
        scored = [results.models[n] for n in known]
        right = np.stack([results.right(model, k)[places] for model in scored], axis=1)
        counted = np.stack([model.answered[places] for model in scored], axis=1)
        found = match(classes, right.astype(np.float64), counted, second, resampling)
        for number, matched in zip(known, found, strict=True):
            rows[number][k] = matched
        if len(known) == len(models) > 1:
            for_all = (counted.sum(axis=1) == len(models))[:, None]
            mean_right = right.mean(axis=1)[:, None] * for_all
            (mean[k],) = match(classes, mean_right, for_all, second, resampling)
    return rows, mean


# What is shown


def show(found: BySource | None, data: ReportData) -> Iterator[Part]:
    """What a release has of each source, and each model at every two of them."""
    if found is None or len(found.sources) < 2:
        return
    blocks: list[Block] = [Grid(_composition(found))]
    for pair in found.pairs:
        first, second = found.titles(pair)
        blocks += [Heading(f"{second} against {first}"), *sentences(_claims(found, pair))]
        if pair.ks:
            fold = all_models(len(pair.rows))
            blocks += [Paragraph(_shared(found, pair), "note")]
            blocks += [Grid(_table(found, pair), fold, "named")]
    if any(pair.ks for pair in found.pairs):
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
        Column("licenses", "Licences", "photos"),
    ]
    rows = [
        [source.title, source.photos, source.classes, _licenses(source.licenses)]
        for source in found.sources
    ]
    return Table(columns, rows)


def _licenses(licenses: Sequence[LicenseCount]) -> PageCell:
    more = len(licenses) - _LICENSES
    end = [f"and {more} more"] if more > 0 else []
    shown = licenses[:_LICENSES]
    texts = [f"{license.name} ({license.photos:,})" for license in shown]
    links = [
        Markup("{} ({:,})").format(link(license.url, clean(license.name, 60)), license.photos)
        for license in shown
    ]
    text = ", ".join([*texts, *end])
    return PageCell(text, text, markup=Markup(", ").join([*links, *end]))


def _table(found: BySource, pair: SourcePair) -> Table:
    columns = [Column("model", "Model")]
    for k in pair.ks:
        first, second = found.titles(pair)
        columns += [
            Column(f"top{k}_difference", f"Top-{k} difference", "second less first, points"),
            Column(f"top{k}_{pair.first}", f"Top-{k}, {first}", "%"),
            Column(f"top{k}_{pair.second}", f"Top-{k}, {second}", "%"),
        ]
    return Table(columns, [_row(pair, model) for model in pair.rows])


def _row(pair: SourcePair, model: ModelAtSources) -> list[object]:
    cells: list[object] = [Cell(model.label, model.label, _other_photos(pair, model))]
    for k in pair.ks:
        if (matched := model.tops.get(k)) is None:
            cells += [None] * 3
        else:
            cells += [_difference(matched), *map(matched_accuracy, (matched.first, matched.second))]
    return cells


def _difference(matched: Matched) -> Cell | None:
    """A difference, bold on the page where its interval leaves out 0."""
    found = matched_difference(matched)
    if found is None or matched.difference is None or not sign(matched.difference):
        return found
    strong = Markup("<strong>{}</strong>").format(found.text)
    return PageCell(found.value, found.text, found.note, strong)


def _other_photos(pair: SourcePair, model: ModelAtSources) -> str:
    """What a model's accuracies are over, where it is not what the other models' are; else ""."""
    matched = model.top1
    if (matched.classes, matched.photos) == (pair.classes, pair.photos):
        return ""
    first, second = matched.photos
    return f"on {classes_of(matched.classes)}, {first:,} and {second:,} photos"


def _claims(found: BySource, pair: SourcePair) -> list[str]:
    """Whether it is the source: for few models each, for many the best one; and on average."""
    first, second = found.titles(pair)
    if pair.classes <= FEWEST:
        few = f"only {classes_of(pair.classes)}" if pair.classes else "no class"
        return [f"{first} and {second} have {few} in common: these photos cannot tell."]
    named = pair.models if len(pair.models) <= _EACH_MODEL else pair.models[:1]
    claims = []
    for model in named:
        is_same = model is not named[0] and model.top1.classes == named[0].top1.classes
        where = "the same classes" if is_same else f"the {classes_of(model.top1.classes)} of both"
        claims.append(f"On {where}, {_claim(model, first, second)}")
    return [*claims, *([_on_average(pair, pair.mean, first, second)] if pair.mean else [])]


def _claim(model: ModelAtSources, first: str, second: str) -> str:
    mean, name = model.top1.difference, clean(model.label)
    if mean is None:
        return (
            f"these photos cannot tell what the source has to do with {name}: fewer than {FEWEST} "
            "classes deviate from the difference that most have."
        )
    if not sign(mean):
        return (
            f"these photos show no difference between {second} and {first} for {name}: "
            f"{signed(mean)}."
        )
    return f"{name} is {_gap(mean, first, second)}: its accuracy depends on the source."


def _on_average(pair: SourcePair, mean: ModelAtSources, first: str, second: str) -> str:
    many, gap = f"the {len(pair.models)} models", mean.top1.difference
    if gap is None:
        return f"What {many} have in common cannot tell more."
    if not sign(gap):
        return f"On average {many} show no difference that these photos can show: {signed(gap)}."
    signs = [sign(model.top1.difference) for model in pair.models if model.top1.difference]
    return (
        f"On average {many} are {_gap(gap, first, second)}; for {signs.count(sign(gap))} of them "
        "alone the photos show it too."
    )


def _gap(mean: Mean, first: str, second: str) -> str:
    """A difference that is there: "3.1 points lower on B than on A (95 % interval 1.2 to 5.0)"."""
    low, high = mean.interval if mean.value > 0 else (-mean.interval.high, -mean.interval.low)
    return (
        f"{abs(100 * mean.value):.1f} points {'higher' if mean.value > 0 else 'lower'} on {second} "
        f"than on {first} (95 % interval {between((low, high))})"
    )


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
        by_chance = max(1, round(many / 20))
        chance = f" By chance about {by_chance} of {many} top-1 intervals would."
    largest = ""
    if len(found.sources) > MOST_COMPARED:
        number = len(found.sources)
        largest = f" Of {number} sources the {MOST_COMPARED} with the most photos are compared."
    return (
        "Each class that both sources have counts once, so an accuracy is not the one above. The "
        f"95 % intervals resample these classes ({resampling.draws:,} draws, seed "
        f"{resampling.seed}). Bold: the interval leaves out 0.{chance} “{NONE}”: fewer than "
        f"{FEWEST} classes deviate from the value that most have. Sources also differ in years, "
        f"cameras, licences, and in what a search finds.{largest}"
    )


SECTION = Section("by_source", gather, show)
