"""Errors that matter: photos that every leading model gets wrong, shown or named."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from markupsafe import Markup

from genset.classes import Taxonomy
from genset.comparison.marks import answered_in_part
from genset.comparison.missed import (
    FEWEST_LEADING,
    CommonMiss,
    MissedByAll,
    height_of,
    leading,
    missed_by_all,
)
from genset.core.numbers import count
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.core.to_json import to_json
from genset.release.reader import ReleasePhoto
from genset.reporting.blocks import Block, Grid, Html, Paragraph, Part, sentences
from genset.reporting.format import class_name, some_of
from genset.reporting.html import folded, grid, link
from genset.reporting.report import Inputs, ReportData, Section

_LISTED = 112
_IN_TEXT = 8


@dataclass(frozen=True, slots=True)
class MissedTogether:
    """Photos that every leading model gets wrong.

    Attributes:
        by_all: what they get wrong, the most severe first.
        aside: models that do not lead, because they answered a part of the photos.
        height: the largest severity that there can be; 0 where the set's classes have no hypernyms.
        records: what a release knows of its photos, by their files; empty for other sets.
    """

    by_all: MissedByAll
    aside: tuple[str, ...]
    height: int
    records: Mapping[str, ReleasePhoto]


# The numbers


def gather(inputs: Inputs, data: ReportData) -> MissedTogether | None:
    """What the leading models all get wrong; None where fewer than two lead."""
    results = inputs.results
    if len(first := leading(results, data.pairs)) < 2:
        return None
    aside = tuple(model.label for model in answered_in_part(results))
    height = height_of(results.photos.taxonomy)
    return MissedTogether(missed_by_all(results, first), aside, height, inputs.records)


def _json(found: MissedTogether | None, _: ReportData) -> dict[str, Any]:
    """The first photos by their ids, without where they lie."""
    if found is None:
        return {}
    by_all = found.by_all
    numbers = {
        "leading": by_all.leading,
        "aside": found.aside,
        "counted": by_all.photos,
        "without": by_all.without,
        "missed": len(by_all.missed),
        "unanimous": by_all.unanimous,
        "height": found.height,
        "photos": [asdict(photo) for photo in by_all.missed[:_LISTED]],
    }
    return {"missed": to_json(numbers)}


# What is shown


def show(found: MissedTogether | None, data: ReportData) -> Iterator[Part]:
    """The first photos, and folded those that follow; pictures are among the page's photos."""
    if found is None:
        return
    blocks: list[Block] = [*sentences(claims(found))]
    if photos := found.by_all.missed[:_LISTED]:
        first, rest = (
            Table(_COLUMNS, [_row(photo, found.records, data.taxonomy) for photo in some])
            for some in (photos[:_IN_TEXT], photos[_IN_TEXT:])
        )
        blocks += [Paragraph(_definition(found), "note"), Grid(first)]
        if rest.rows:
            summary = f"The next {len(rest.rows):,} of {len(found.by_all.missed):,}"
            blocks.append(Html(lambda: folded(summary, grid(rest, "list"))))
        if data.set.release:
            blocks.append(Paragraph(_review(data.set.name), "note"))
    title = "Errors that matter: photos that every leading model gets wrong"
    yield Part("missed", title, blocks)


_COLUMNS = (
    Column("photo", "Photo"),
    Column("right", "Right"),
    Column("answers", "Leading models answer"),
    Column("severity", "Steps off"),
)


def _row(
    missed: CommonMiss, records: Mapping[str, ReleasePhoto], taxonomy: Taxonomy | None
) -> list[object]:
    record = records.get(missed.image)
    name = f"{record.source}:{record.source_id}" if record else missed.image
    address = record.page_url if record else ""
    wnids = [answer.wnid for answer in missed.answers]
    different = sorted(set(wnids), key=lambda wnid: (-wnids.count(wnid), wnid))
    answers = (f"{class_name(wnid, taxonomy)} ({wnids.count(wnid)})" for wnid in different)
    return [
        Cell(name, name, html=link(address, clean(name, 60))),
        ", ".join(class_name(wnid, taxonomy) for wnid in missed.right),
        ", ".join(answers),
        missed.severity or None,
    ]


def agreement(missed: CommonMiss) -> str:
    """How far off the answers are, and how many are the same."""
    models = len(missed.answers)
    if missed.unanimous:
        text = f"all {models} give the same answer"
    elif missed.agreeing > 1:
        text = f"{missed.agreeing} of {models} give the same answer"
    else:
        text = "all answers differ"
    return f"{count(missed.severity, 'step')} off; {text}" if missed.severity else text


def claims(found: MissedTogether) -> list[str]:
    """How many they are, and on how many the models are of one mind."""
    aside = f" Fewer photos answered: {some_of(found.aside)}." if found.aside else ""
    by_all = found.by_all
    without = f"; {by_all.without:,} without a right class left out" if by_all.without else ""
    texts = [
        f"Leading models: {some_of(by_all.leading)}. All of them get {len(by_all.missed):,} of "
        f"{count(by_all.photos, 'photo')} wrong{without}.{aside}"
    ]
    if not by_all.unanimous:
        return texts
    return [
        *texts,
        f"On {by_all.unanimous:,} of these they give the same answer: look there first for wrong "
        "labels, and for classes that are right too.",
    ]


def _definition(found: MissedTogether) -> str:
    """How the photos are sorted, and what that can lead to."""
    random = "Labels mended only where models err flatter these models: look at others, too."
    leading = (
        "Leading are the best model, those that cannot be told apart from it, and of the best "
        f"{FEWEST_LEADING} those at least half as accurate."
    )
    if not found.height:
        return (
            f"{leading} Classes of this set have no hypernyms, so that it is not known how severe "
            f"an error is: those come first on which more models agree. {random}"
        )
    return (
        f"{leading} How severe an error is: the distance in WordNet between the nearest answer and "
        "the right class, from 1 (two kinds of one thing) to "
        f"{found.height}; among equals those come first on which more models agree. {random}"
    )


def _review(name: str) -> Markup:
    return Markup(
        "To decide about them one by one, and to send photos to review: <code>genset labels "
        "suspects {}</code>, then Review, Errors on the manager’s page."
    ).format(clean(name))


SECTION = Section("missed", gather, show, _json)
