"""Photos: which ones a report shows, with what the models answered."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from genset.classes import Taxonomy
from genset.core.numbers import count, ordinal
from genset.core.safe import clean
from genset.release.reader import ReleasePhoto
from genset.reporting.blocks import Block, Html, Paragraph, Part
from genset.reporting.format import class_and_id, class_name, probability
from genset.reporting.html import folded
from genset.reporting.pictures import credit, picture
from genset.reporting.report import Inputs, ReportData, Section
from genset.reporting.sections import missed
from genset.reporting.sections.sources import title_of
from genset.score.results.results import ModelAnswers, Results
from genset.sets.photos import HasBytes

MAX_PHOTOS = 30  # Flickr's terms allow no more on a page
MOST_MISSED = 12
_DISAGREED = 12
_MOST_ANSWERS = 6  # models whose answers stand below each photo
_SHOWN = 8  # photos that are not folded

_MEANING = (
    "First those that every leading model gets wrong, then those on which models disagree. "
    "✓ or ✗: the first answer is right or wrong; %: the model’s own confidence."
)
_SHOWS = {
    "missed": "all leading models wrong",
    "disagreed": "models disagree",
    "mistaken": "most models wrong",
    "some": "some photos",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's top answer to a photo.

    `probability` is None where it is not known. `place` is where the true class is among the
    model's answers, from 1; None if it is not.
    """

    model: str
    wnid: str
    name: str
    probability: float | None
    place: int | None

    @property
    def right(self) -> bool:
        """Whether the top answer is the true class."""
        return self.place == 1


@dataclass(frozen=True, slots=True)
class Sample:
    """A photo to show.

    Attributes:
        id: its path in the set.
        photo: its bytes, for making its picture.
        wnid, name: its true class.
        answers: of each model that is counted on it, in the models' order.
        record: what a release knows of it; None in a plain folder.
        note: how the leading models err; "" where one of them does not.
    """

    id: str
    photo: HasBytes
    wnid: str
    name: str
    answers: tuple[Answer, ...]
    record: ReleasePhoto | None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Where this machine keeps photos is nobody's business."""
        names = ("id", "wnid", "name", "answers", "record", "note")
        return {name: getattr(self, name) for name in names}

    @property
    def mistakes(self) -> int:
        """How many models' top answers are wrong."""
        return sum(not answer.right for answer in self.answers)


@dataclass(frozen=True, slots=True)
class Gallery:
    """Photos that show one thing: "missed", "disagreed", "mistaken" or "some"."""

    shows: str
    samples: tuple[Sample, ...]


# Which photos


def gather(inputs: Inputs, data: ReportData) -> tuple[Gallery, ...]:
    """At most `MAX_PHOTOS`: the same for the same input.

    Photos that every leading model gets wrong, those that half of the models have right, then those
    that most of them get wrong; without a model, some photos; all of as many classes as fit. Photos
    that are not here are not shown.
    """
    results = inputs.results
    if results.photos.listed:
        return ()
    together = data.of(missed.SECTION)
    first_missed = together.by_all.missed[:MOST_MISSED] if together else ()
    notes = {photo.image: missed.agreement(photo) for photo in first_missed}
    chooser = _Chooser(inputs)
    if len(results.models) < 2:
        return (Gallery("mistaken" if results.models else "some", chooser.mistaken(MAX_PHOTOS)),)
    first = chooser.these(notes), chooser.disagreed()
    rest = chooser.mistaken(MAX_PHOTOS - sum(map(len, first)))
    galleries = map(Gallery, ("missed", "disagreed", "mistaken"), (*first, rest))
    return tuple(gallery for gallery in galleries if gallery.samples)


class _Chooser:
    """Hands each photo out once. Among equals a hash of the id decides: not the first classes."""

    def __init__(self, inputs: Inputs) -> None:
        self._results = results = inputs.results
        self._records = inputs.records
        photos = results.photos.photos
        self._used = set[int]()
        self._mixed = sorted(range(len(photos)), key=lambda place: _hash(photos[place].id))
        right = [results.right(model) for model in results.models]
        answered = [model.answered for model in results.models]
        nothing = np.zeros(len(photos), int)
        self._right = np.sum(right, axis=0) if right else nothing
        self._wrong = np.sum(answered, axis=0) - self._right if right else nothing

    def these(self, notes: Mapping[str, str]) -> tuple[Sample, ...]:
        """The first photos that have a note."""
        places = {photo.id: n for n, photo in enumerate(self._results.photos.photos)}
        found = self._take([places[image] for image in notes], MOST_MISSED)
        return tuple(replace(sample, note=notes[sample.id]) for sample in found)

    def disagreed(self) -> tuple[Sample, ...]:
        """Photos that as many models have right as wrong, of as many classes as possible."""
        split = np.minimum(self._right, self._wrong)
        divided = [place for place in self._mixed if split[place]]
        divided.sort(key=lambda place: -split[place])
        return self._take(self._one_a_class(divided), _DISAGREED)

    def mistaken(self, most: int) -> tuple[Sample, ...]:
        """Photos that a model got wrong, then others; of as many classes as possible."""
        by_mistake = sorted(self._mixed, key=lambda place: not self._wrong[place])
        chosen = self._take(self._one_a_class(by_mistake), most)
        return tuple(sorted(chosen, key=lambda sample: (-sample.mistakes, sample.id)))

    def _one_a_class(self, places: Iterable[int]) -> list[int]:
        """The first of each class, then the second of each; in their order otherwise."""
        turns: Counter[str] = Counter()
        ranked = []
        for place in places:
            if place not in self._used:
                turns[wnid := str(self._results.truth[place])] += 1
                ranked.append((turns[wnid], place))
        return [place for _, place in sorted(ranked, key=lambda item: item[0])]

    def _take(self, places: Iterable[int], most: int) -> tuple[Sample, ...]:
        free = [place for place in places if place not in self._used][:most]
        self._used.update(free)
        return tuple(_sample(self._results, place, self._records) for place in free)


def _sample(results: Results, place: int, records: Any) -> Sample:
    photo, taxonomy = results.photos.photos[place], results.photos.custom_taxonomy
    return Sample(
        id=photo.id,
        photo=photo,
        wnid=photo.wnid,
        name=class_name(photo.wnid, taxonomy),
        answers=tuple(
            _answer(model, place, photo.wnid, taxonomy)
            for model in results.models
            if model.answered[place]
        ),
        record=records.get(photo.id),
    )


def _answer(model: ModelAnswers, place: int, wnid: str, taxonomy: Taxonomy | None) -> Answer:
    ranked = model.ranked_at(place)
    confidence = float(model.confidence[place])
    return Answer(
        model=model.label,
        wnid=ranked[0],
        name=class_name(ranked[0], taxonomy),
        probability=None if np.isnan(confidence) else confidence,
        place=ranked.index(wnid) + 1 if wnid in ranked else None,
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


# What is shown


def show(found: tuple[Gallery, ...], data: ReportData) -> Iterator[Part]:
    """All photos, which the page's script filters by class and by who is right."""
    if not (photos := sum(len(gallery.samples) for gallery in found)):
        return
    blocks: list[Block] = [Html(lambda: _browser(found, data))]
    if data.models:
        chosen = f"{photos} of {count(data.set.photos, 'photo')}, selected, not representative."
        blocks[:0] = [Paragraph(chosen), Paragraph(_MEANING, "note")]
    yield Part("photos", "Photos", blocks, page_only=True)


def _browser(found: Sequence[Gallery], data: ReportData) -> Markup:
    """A card for each photo; those behind the first ones are folded."""
    drawn = [_card(sample, gallery.shows, data) for gallery in found for sample in gallery.samples]
    more = count(len(drawn) - _SHOWN, "further photo")
    rest = folded(more, _together(drawn[_SHOWN:])) if drawn[_SHOWN:] else Markup("")
    tools = Markup('<div class="browse" hidden></div>\n')
    return tools + _together(drawn[:_SHOWN]) + rest


def _together(cards: Sequence[Markup]) -> Markup:
    return Markup('<div class="photos">\n{}\n</div>\n').format(Markup("\n").join(cards))


def _card(sample: Sample, shows: str, data: ReportData) -> Markup:
    """A photo with its class, what models answer, and whose it is."""
    restricted = data.options.include_restricted
    right = {answer.model: answer.right for answer in sample.answers}
    marks = (right.get(model.label) for model in data.models)
    signs = "".join("-" if mark is None else str(int(mark)) for mark in marks)
    listed = Markup("\n").join(_answers(sample, data))
    answers = Markup("<ul>\n{}\n</ul>\n").format(listed) if listed else Markup("")
    if sample.note:
        answers = Markup('<p class="note">{}</p>\n').format(sample.note) + answers
    if len(sample.answers) > 1:
        all_right = f"{len(sample.answers) - sample.mistakes} of {len(sample.answers)} models right"
        answers = folded(all_right, answers)
    form = Markup(
        '<figure class="photo" data-class="{}" data-shows="{}" data-right="{}">\n{}\n<figcaption>\n'
        "<div>{}</div>\n{}{}\n</figcaption>\n</figure>"
    )
    return form.format(
        clean(sample.name),
        _SHOWS[shows],
        signs,
        picture(sample.photo, sample.record, sample.name, restricted=restricted),
        class_and_id(sample.wnid, data.taxonomy, strong=True),
        answers,
        credit(sample.record, title_of(sample.record, data), sample.id),
    )


def _answers(sample: Sample, data: ReportData) -> Iterator[Markup]:
    """The best models' answers, how many others are right, and who is not counted."""
    for found in sample.answers[:_MOST_ANSWERS]:
        yield _item(found, sample)
    if rest := sample.answers[_MOST_ANSWERS:]:
        right = sum(found.right for found in rest)
        further = count(len(rest), "further model")
        yield Markup("<li>{}{} of {} right</li>").format(_mark("…"), right, further)
    counted = {found.model for found in sample.answers}
    for model in data.models[:_MOST_ANSWERS]:
        if model.label not in counted:
            yield Markup('<li>{}<bdi class="model">{}</bdi> is not counted on it</li>').format(
                _mark("–"), clean(model.label, 60)
            )


def _mark(sign: str, words: str = "") -> Markup:
    mark = Markup('<span class="mark" aria-hidden="true">{}</span>').format(sign)
    return mark + Markup('<span class="hidden">{}: </span>').format(words) if words else mark


def _item(found: Answer, sample: Sample) -> Markup:
    """A model's answer, and where the true class is if it is not the first."""
    mark, small = _mark("✓", "right"), Markup("")
    if not found.right:
        place = ordinal(found.place) if found.place else "not among its answers"
        mark = _mark("✗", "wrong")
        small = Markup(" <small>true class {}</small>").format(place)
    if not found.right and found.name == sample.name:
        small = Markup(' <span class="wnid">{}</span>').format(clean(found.wnid)) + small
    form = Markup('<li>{}<bdi class="model">{}:</bdi> {} <span class="numbers">{}</span>{}</li>')
    chance = probability(found.probability)
    return form.format(mark, clean(found.model, 60), clean(found.name), chance, small)


SECTION = Section("galleries", gather, show)
