"""By source: where a release's photos are from, and how models do on those of each source."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from genset.comparison.classes import TwoGroups, two_groups
from genset.comparison.marks import mark, mean_of
from genset.core.safe import clean
from genset.core.table import Column, Table
from genset.release.reader import ReleasePhoto
from genset.reporting.blocks import Block, Grid, Paragraph, Part
from genset.reporting.format import group_claim, groups_shown, resampled
from genset.reporting.report import Inputs, ReportData, Section
from genset.statistics.bootstrap import Resampling
from genset.statistics.matched import FEWEST

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
class BySource:
    """A release by source.

    Attributes:
        sources: the one with the most photos first.
        pairs: every two of the first sources, by their order, the one with more photos first; of
            several models also their mean.
    """

    sources: tuple[SourcePhotos, ...]
    pairs: tuple[TwoGroups, ...]

    def title(self, name: str) -> str:
        """The title of the source of this name."""
        return next(source.title for source in self.sources if source.name == name)


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
    return BySource(
        sources=tuple(_source(name, release.photos, about.get(name)) for name in names),
        pairs=tuple(_pairs(names[:MOST_COMPARED], inputs, data)) if models else (),
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


def _pairs(names: Sequence[str], inputs: Inputs, data: ReportData) -> Iterator[TwoGroups]:
    results = inputs.results
    marks = {model.label: mark(results, model) for model in results.models}
    if len(marks) > 1:
        marks[f"mean of {len(marks)} models"] = mean_of(list(marks.values()))
    sources = np.array([inputs.records[photo.id].source for photo in results.photos.photos])
    for pair in combinations(names, 2):
        groups = {name: sources == name for name in pair}
        yield two_groups(results.classes, marks, groups, data.options.resampling)


# What is shown


def show(found: BySource | None, data: ReportData) -> Iterator[Part]:
    """What a release has of each source, and each model at every two of them."""
    if found is None or len(found.sources) < 2:
        return
    columns = [
        Column("source", "Source"),
        Column("photos", "Photos", format="{:,}".format),
        Column("classes", "Classes", format="{:,}".format),
    ]
    rows = [[source.title, source.photos, source.classes] for source in found.sources]
    blocks: list[Block] = [Grid(Table(columns, rows))]
    for pair in found.pairs:
        first, second = found.title(pair.first), found.title(pair.second)
        labels = list(pair.models)  # of many models, the best one and their mean
        if len(labels) > _EACH_MODEL + 1:
            labels = [labels[0], labels[-1]]
        claims = [group_claim(pair, label, f"on {second} against {first}") for label in labels]
        blocks += groups_shown(pair, f"{second} against {first}", (first, second), claims)
    if any(pair.largest.classes > FEWEST for pair in found.pairs):
        blocks.append(Paragraph(_intervals(found, data.options.resampling), "note"))
    yield Part("sources", f"By source{': is it the source?' if data.models else ''}", blocks)


def title_of(record: ReleasePhoto | None, data: ReportData) -> str:
    """The title of the source that a photo is from; "" where it is not known."""
    found = data.of(SECTION)
    return found.title(record.source) if record and found else ""


def _intervals(found: BySource, resampling: Resampling) -> str:
    """How the accuracies and their intervals are meant, and which sources are compared."""
    tops = [top1 for pair in found.pairs for top1 in pair.models.values()]
    chance = ""
    if (many := sum(top1.difference is not None for top1 in tops)) >= 20:
        chance = f" By chance about {max(1, round(many / 20))} of {many} intervals leave out 0."
    largest = ""
    if len(found.sources) > MOST_COMPARED:
        number = len(found.sources)
        largest = f" Of {number} sources the {MOST_COMPARED} with the most photos are compared."
    return (
        f"{resampled(resampling)}{chance} Sources also differ in years, cameras, licences, and in "
        f"what a search finds.{largest}"
    )


SECTION = Section("by_source", gather, show)
