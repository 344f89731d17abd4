"""Errors that matter: photos that every leading model gets wrong, shown or named."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from genset.classes import Taxonomy
from genset.comparison.marks import answered_in_part
from genset.comparison.missed import FEWEST_LEADING, CommonMiss, height_of, leading, missed_by_all
from genset.core.numbers import count
from genset.core.safe import clean
from genset.core.table import Cell, Column, Table
from genset.core.to_json import to_json
from genset.release.reader import ReleasePhoto
from genset.reporting.blocks import Block, Fold, Grid, Paragraph, Part, sentences
from genset.reporting.format import class_and_id, class_name, probability, some_of
from genset.reporting.html import link
from genset.reporting.pictures import answer, card, credit, picture
from genset.reporting.report import Inputs, ReportData, Section
from genset.reporting.sections.sources import title_of
from genset.sets.photos import HasBytes

MOST_ANSWERS = 6  # models whose answers stand below each photo
_SHOWN = 12
_LISTED = 100  # after those that are shown
_IN_TEXT = 10


@dataclass(frozen=True, slots=True)
class MissedPhoto:
    """A photo to show, or to name.

    Attributes:
        missed: its right classes, and what the leading models say.
        photo: its bytes, for making its picture; None where it is only named.
        record: what a release knows of it; None in a plain folder.
    """

    missed: CommonMiss
    photo: HasBytes | None
    record: ReleasePhoto | None


@dataclass(frozen=True, slots=True)
class MissedTogether:
    """Photos that every leading model gets wrong, the most severe first.

    Attributes:
        leading: the models, the best first.
        aside: models that do not lead, because they answered a part of the photos.
        counted: photos that count for all of them.
        without: photos that do not, because no class is right for them.
        missed: how many of those counted all of them get wrong.
        unanimous: on how many of these all of them, being several, give one and the same answer.
        height: the largest severity that there can be; 0 where the set's classes have no hypernyms.
        photos: the first of the missed ones.
    """

    leading: tuple[str, ...]
    aside: tuple[str, ...]
    counted: int
    without: int
    missed: int
    unanimous: int
    height: int
    photos: tuple[MissedPhoto, ...]

    @property
    def pictured(self) -> list[MissedPhoto]:
        """Those that are shown, not named alone."""
        return [photo for photo in self.photos if photo.photo is not None]


# The numbers


def gather(inputs: Inputs, data: ReportData) -> MissedTogether | None:
    """What the leading models all get wrong; None of fewer than two, and where none leads."""
    results = inputs.results
    if len(results.models) < 2 or not (first := leading(results, data.pairs)):
        return None
    found = missed_by_all(results, first)
    photos = {photo.id: photo for photo in results.photos.photos}
    shown = 0 if results.photos.listed else _SHOWN
    return MissedTogether(
        leading=found.leading,
        aside=tuple(model.label for model in answered_in_part(results)),
        counted=found.photos,
        without=found.without,
        missed=len(found.missed),
        unanimous=found.unanimous,
        height=height_of(results.photos.taxonomy),
        photos=tuple(
            MissedPhoto(
                missed=missed,
                photo=photos[missed.image] if place < shown else None,
                record=inputs.records.get(missed.image),
            )
            for place, missed in enumerate(found.missed[: shown + _LISTED])
        ),
    )


def _json(found: MissedTogether | None, _: ReportData) -> dict[str, Any]:
    """The photos by their ids, without where they lie."""
    if found is None:
        return {}
    numbers = {key: value for key, value in asdict(found).items() if key != "photos"}
    photos = [asdict(photo.missed) for photo in found.photos]
    return {"missed": to_json({**numbers, "photos": photos})}


# What is shown


def show(found: MissedTogether | None, data: ReportData) -> Iterator[Part]:
    """The first photos, as pictures on the page; those that follow are listed."""
    if found is None:
        return
    blocks: list[Block] = [*sentences(claims(found))]
    if found.missed:
        pictured = len(found.pictured)
        first = _table(found.photos[:_IN_TEXT], data)
        cards = partial(_cards, found.pictured, data) if pictured else None
        rest = found.photos[pictured or _IN_TEXT :]
        blocks += [Paragraph(_definition(found), "note"), Grid(first, page=cards)]
        if rest:
            summary = f"The next {len(rest):,} of {found.missed:,}"
            blocks.append(Fold(summary, [Grid(_table(rest, data))]))
        if data.set.release:
            blocks.append(Paragraph(_review(data.set.name), "note"))
    title = "Errors that matter: photos that every leading model gets wrong"
    yield Part("missed", title, blocks)


def _table(photos: Sequence[MissedPhoto], data: ReportData) -> Table:
    columns = [
        Column("photo", "Photo"),
        Column("right", "Right"),
        Column("answers", "Leading models answer"),
        Column("severity", "Steps off"),
    ]
    return Table(columns, [_row(photo, data.taxonomy) for photo in photos])


def _row(photo: MissedPhoto, taxonomy: Taxonomy | None) -> list[object]:
    missed, record = photo.missed, photo.record
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


def _cards(photos: Sequence[MissedPhoto], data: ReportData) -> Markup:
    cards = Markup("\n").join(_card(photo, data) for photo in photos)
    return Markup('<div class="photos">\n{}\n</div>').format(cards)


def _card(photo: MissedPhoto, data: ReportData) -> Markup:
    missed, record, taxonomy = photo.missed, photo.record, data.taxonomy
    names = [class_name(wnid, taxonomy) for wnid in missed.right]
    right = Markup(", ").join(class_and_id(wnid, taxonomy, strong=True) for wnid in missed.right)
    answers = []
    for found in missed.answers[:MOST_ANSWERS]:
        name = class_name(found.wnid, taxonomy)
        wnid = found.wnid if name in names else ""
        answers.append(answer(found.model, name, wnid, probability(found.probability)))
    if (more := len(missed.answers) - MOST_ANSWERS) > 0:
        answers.append(Markup("<li>… and {}</li>").format(count(more, "further model")))
    assert photo.photo is not None
    restricted = data.options.include_restricted
    image = picture(photo.photo, record, ", ".join(names), restricted=restricted)
    owner = credit(record, title_of(record, data), missed.image)
    return card(image, right, answers, owner, note=_agreement(missed))


def _agreement(missed: CommonMiss) -> str:
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
    without = f"; {found.without:,} without a right class left out" if found.without else ""
    texts = [
        f"Leading models: {some_of(found.leading)} (the best one, those that cannot be told apart "
        f"from it, at least {FEWEST_LEADING}). All of them get {found.missed:,} of "
        f"{count(found.counted, 'photo')} wrong{without}.{aside}"
    ]
    if not found.missed:
        return texts
    return [
        *texts,
        f"On {found.unanimous:,} of these they give the same answer: look there first for wrong "
        "labels, and for classes that are right too.",
    ]


def _definition(found: MissedTogether) -> str:
    """How the photos are sorted, and what that can lead to."""
    random = "Labels mended only where models err flatter these models: look at others, too."
    if not found.height:
        return (
            "Classes of this set have no hypernyms, so that it is not known how severe an error "
            f"is: those come first on which more models agree. {random}"
        )
    return (
        "How severe an error is: the distance in WordNet between the nearest answer and the right "
        "class, from 1 (two kinds of one thing) to "
        f"{found.height}; among equals those come first on which more models agree. {random}"
    )


def _review(name: str) -> Markup:
    return Markup(
        "To decide about them one by one, and to send photos to review: <code>genset labels "
        "suspects {}</code>, then Review, Errors on the manager’s page."
    ).format(clean(name))


SECTION = Section("missed", gather, show, _json)
