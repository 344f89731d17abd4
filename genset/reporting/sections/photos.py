"""Photos: which ones a report shows, with what the models answered."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from genset.classes import Taxonomy
from genset.core.numbers import count, ordinal
from genset.core.safe import clean
from genset.core.to_json import to_json
from genset.release.reader import ReleasePhoto
from genset.reporting.blocks import Block, Html, Part, sentences
from genset.reporting.format import MANY, class_and_id, class_name, probability
from genset.reporting.html import folded
from genset.reporting.pictures import answer, card, credit, picture
from genset.reporting.report import Inputs, ReportData, Section
from genset.reporting.sections import missed
from genset.reporting.sections.missed import MOST_ANSWERS
from genset.reporting.sections.sources import title_of
from genset.score.results.results import ModelAnswers, Results
from genset.sets.photos import HasBytes

MAX_PHOTOS = 30  # Flickr's terms allow no more on a page
_DISAGREED = 12
_SHOWN, _FEW = 8, 4  # photos of a gallery that are not folded, of few models and of many

_TITLES = {
    "disagreed": ("Where models disagree", "As many models are right as wrong, or nearly so."),
    "mistaken": ("Photos and predictions", "Those that most models get wrong come first."),
    "some": ("Photos", ""),
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
    """

    id: str
    photo: HasBytes
    wnid: str
    name: str
    answers: tuple[Answer, ...]
    record: ReleasePhoto | None

    @property
    def mistakes(self) -> int:
        """How many models' top answers are wrong."""
        return sum(not answer.right for answer in self.answers)


@dataclass(frozen=True, slots=True)
class Gallery:
    """Photos that show one thing: "disagreed", "mistaken" or "some"."""

    shows: str
    samples: tuple[Sample, ...]


# Which photos


def gather(inputs: Inputs, data: ReportData) -> tuple[Gallery, ...]:
    """At most `MAX_PHOTOS` with those that other sections show: the same for the same input.

    Photos that half of the models have right, then those that most of them get wrong; without a
    model, some photos; all of as many classes as fit. Photos that are not here are not shown.
    """
    results = inputs.results
    if results.photos.listed:
        return ()
    together = data.of(missed.SECTION)
    shown = [photo.missed.image for photo in together.pictured] if together else []
    chooser = _Chooser(inputs, shown)
    if len(results.models) < 2:
        return (Gallery("mistaken" if results.models else "some", chooser.mistaken(MAX_PHOTOS)),)
    disagreed = chooser.disagreed()
    galleries = (
        Gallery("disagreed", disagreed),
        Gallery("mistaken", chooser.mistaken(MAX_PHOTOS - len(shown) - len(disagreed))),
    )
    return tuple(gallery for gallery in galleries if gallery.samples)


class _Chooser:
    """Hands each photo out once. Among equals a hash of the id decides: not the first classes."""

    def __init__(self, inputs: Inputs, shown: Collection[str]) -> None:
        self._results = results = inputs.results
        self._records = inputs.records
        photos = results.photos.photos
        before = set(shown)
        self._used = {place for place, photo in enumerate(photos) if photo.id in before}
        self._mixed = sorted(range(len(photos)), key=lambda place: _hash(photos[place].id))
        right = [results.right(model) for model in results.models]
        answered = [model.answered for model in results.models]
        nothing = np.zeros(len(photos), int)
        self._right = np.sum(right, axis=0) if right else nothing
        self._wrong = np.sum(answered, axis=0) - self._right if right else nothing

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


def _json(found: tuple[Gallery, ...], _: ReportData) -> dict[str, Any]:
    """Where this machine keeps photos is nobody's business."""
    galleries = [
        {
            "shows": gallery.shows,
            "samples": [
                {
                    "id": sample.id,
                    "wnid": sample.wnid,
                    "name": sample.name,
                    "answers": sample.answers,
                    "record": sample.record,
                }
                for sample in gallery.samples
            ],
        }
        for gallery in found
    ]
    return {"galleries": to_json(galleries)}


# What is shown


def anchors(found: tuple[Gallery, ...]) -> dict[str, str]:
    """Where each photo stands on the page, by its path in the set."""
    samples = (sample for gallery in found for sample in gallery.samples)
    return {sample.id: f"photo-{number}" for number, sample in enumerate(samples, 1)}


def show(found: tuple[Gallery, ...], data: ReportData) -> Iterator[Part]:
    """A part for each gallery."""
    for gallery in found:
        title, note = _TITLES[gallery.shows]
        if data.models:
            photos = f"{len(gallery.samples)} of {count(data.set.photos, 'photo')}"
            note += f" {photos}, selected, not representative."
        if data.models and gallery is found[0]:
            note += " ✓ or ✗: the first answer is right or wrong; %: the model’s own confidence."
        blocks: list[Block] = [
            *sentences([note.strip()]),
            Html(_cards(gallery, anchors(found), data)),
        ]
        yield Part(f"photos-{gallery.shows}", title, blocks, page_only=True)


def _cards(gallery: Gallery, places: dict[str, str], data: ReportData) -> Any:
    """Makes the cards of a gallery; those behind the first ones are folded."""
    first = _SHOWN if len(data.models) <= MANY else _FEW

    def make() -> Markup:
        cards = [_card(sample, places[sample.id], data) for sample in gallery.samples]
        more = count(len(cards) - first, "further photo")
        rest = folded(more, _together(cards[first:])) if cards[first:] else ""
        return _together(cards[:first]) + rest

    return make


def _together(cards: Sequence[Markup]) -> Markup:
    return Markup('<div class="photos">\n{}\n</div>\n').format(Markup("\n").join(cards))


def _card(sample: Sample, anchor: str, data: ReportData) -> Markup:
    restricted = data.options.include_restricted
    return card(
        picture(sample.photo, sample.record, sample.name, restricted=restricted),
        class_and_id(sample.wnid, data.taxonomy, strong=True),
        list(_answers(sample, data)) if data.models else [],
        credit(sample.record, title_of(sample.record, data), sample.id),
        anchor=anchor,
    )


def _answers(sample: Sample, data: ReportData) -> Iterator[Markup]:
    """The best models' answers, how many others are right, and who is not counted."""
    for found in sample.answers[:MOST_ANSWERS]:
        yield _item(found, sample)
    if rest := sample.answers[MOST_ANSWERS:]:
        right = sum(found.right for found in rest)
        further = count(len(rest), "further model")
        yield Markup("<li>{}{} of {} right</li>").format(_mark("…"), right, further)
    counted = {found.model for found in sample.answers}
    for model in data.models[:MOST_ANSWERS]:
        if model.label not in counted:
            yield Markup('<li>{}<bdi class="model">{}</bdi> is not counted on it</li>').format(
                _mark("–"), clean(model.label, 60)
            )


def _mark(sign: str, words: str = "") -> Markup:
    mark = Markup('<span class="mark" aria-hidden="true">{}</span>').format(sign)
    return mark + Markup('<span class="hidden">{}: </span>').format(words) if words else mark


def _item(found: Answer, sample: Sample) -> Markup:
    """A model's answer, and where the true class is if it is not the first."""
    mark, where = _mark("✓", "right"), ""
    if not found.right:
        place = ordinal(found.place) if found.place else "not among its answers"
        mark, where = _mark("✗", "wrong"), f"true class {place}"
    wnid = found.wnid if not found.right and found.name == sample.name else ""
    return answer(found.model, found.name, wnid, probability(found.probability), mark, where)


SECTION = Section("galleries", gather, show, _json)
