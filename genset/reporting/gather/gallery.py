"""Which photos a report shows, with what the models said of them."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from genset.classes import Taxonomy
from genset.comparison.classes import Confusion, Group
from genset.release.reader import ReleasePhoto
from genset.reporting.data.gallery import Answer, Gallery, Sample
from genset.reporting.format import class_name
from genset.score.results.results import ModelAnswers, Results

MAX_PHOTOS = 30  # Flickr's terms allow no more on a page
_HARD_CLASSES, _OF_EACH, _CONFUSED, _DISAGREED = 3, 2, 6, 6


def choose_galleries(
    results: Results,
    records: Mapping[str, ReleasePhoto],
    hardest: Sequence[Group],
    confused: Sequence[Confusion],
    shown: Collection[str] = (),
) -> tuple[Gallery, ...]:
    """At most `MAX_PHOTOS` with those `shown`: always the same ones for the same input.

    Of several models: photos of the hardest classes, photos taken for the most confused class,
    and photos that half of the models have right. Of one model: its mistakes. Without a model: one
    photo of each of as many classes as fit. Photos that are not here are not shown.

    Args:
        results: the models, side by side on one set.
        records: what a release knows of its photos, by their files; empty for a plain folder.
        hardest: the classes, the hardest first.
        confused: pairs of classes, the most confused first.
        shown: the ids of photos that are on the page already.
    """
    if results.photos.listed:
        return ()
    chooser = _Chooser(results, records, shown)
    if len(results.models) < 2:
        shows = "mistaken" if results.models else "some"
        return (Gallery(shows, chooser.mistaken(MAX_PHOTOS)),)
    galleries = [
        Gallery("hard", chooser.hard(hardest)),
        Gallery("confused", chooser.confused(confused)),
        Gallery("disagreed", chooser.disagreed()),
    ]
    taken = len(shown) + sum(len(gallery.samples) for gallery in galleries)
    galleries.append(Gallery("mistaken", chooser.mistaken(MAX_PHOTOS - taken)))
    return tuple(gallery for gallery in galleries if gallery.samples)


class _Chooser:
    """Hands each photo out once. Among equals a hash of the id decides: not the first classes."""

    def __init__(
        self, results: Results, records: Mapping[str, ReleasePhoto], shown: Collection[str]
    ) -> None:
        self._results = results
        self._records = records
        photos = results.photos.photos
        before = set(shown)
        self._taken = {place for place, photo in enumerate(photos) if photo.id in before}
        self._mixed = sorted(range(len(photos)), key=lambda place: _hash(photos[place].id))
        right = [results.right(model) for model in results.models]
        answered = [model.answered for model in results.models]
        nothing = np.zeros(len(photos), int)
        self._right = np.sum(right, axis=0) if right else nothing
        self._wrong = np.sum(answered, axis=0) - self._right if right else nothing

    def hard(self, classes: Sequence[Group]) -> tuple[Sample, ...]:
        """A few photos of each of the hardest classes, those that most models got wrong first.

        Of the classes that have photos which are not on the page yet.
        """
        chosen: list[int] = []
        classes_left = _HARD_CLASSES
        for group in classes:
            free = [p for p in self._mixed if p not in self._taken]
            mine = [p for p in free if self._results.truth[p] == group.name]
            mine.sort(key=lambda place: -self._wrong[place])
            chosen += mine[:_OF_EACH]
            classes_left -= bool(mine)
            if not classes_left:
                break
        return self._take(chosen, _HARD_CLASSES * _OF_EACH)

    def confused(self, pairs: Sequence[Confusion]) -> tuple[Sample, ...]:
        """Of each of the most confused pairs, the photo that most models take for the other."""
        chosen: list[int] = []
        for pair in pairs:
            if len(chosen) == _CONFUSED:
                break
            votes = self._votes(pair)
            free = [p for p in self._mixed if votes[p] and p not in self._taken | set(chosen)]
            chosen += sorted(free, key=lambda place: -votes[place])[:1]
        return self._take(chosen, _CONFUSED)

    def _votes(self, pair: Confusion) -> NDArray[np.int64]:
        """N: how many models take the photo for the other class; 0 for photos of other classes."""
        own = np.flatnonzero(self._results.truth == pair.wnid)
        (other,) = np.flatnonzero(self._results.names == pair.other)
        votes = np.zeros(len(self._results.truth), np.int64)
        for model in self._results.models:
            votes[own] += model.answers[own, 0] == other
        return votes

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
            if place not in self._taken:
                turns[wnid := str(self._results.truth[place])] += 1
                ranked.append((turns[wnid], place))
        return [place for _, place in sorted(ranked, key=lambda item: item[0])]

    def _take(self, places: Iterable[int], most: int) -> tuple[Sample, ...]:
        free = [place for place in places if place not in self._taken][:most]
        self._taken.update(free)
        return tuple(self._sample(place) for place in free)

    def _sample(self, place: int) -> Sample:
        photo = self._results.photos.photos[place]
        return Sample(
            id=photo.id,
            photo=photo,
            wnid=photo.wnid,
            name=class_name(photo.wnid, self._results.photos.custom_taxonomy),
            answers=tuple(
                _answer(model, place, photo.wnid, self._results.photos.custom_taxonomy)
                for model in self._results.models
                if model.answered[place]
            ),
            record=self._records.get(photo.id),
        )


def _answer(model: ModelAnswers, place: int, wnid: str, own: Taxonomy | None) -> Answer:
    ranked = model.ranked_at(place)
    sure = float(model.confidence[place])
    return Answer(
        model=model.label,
        wnid=ranked[0],
        name=class_name(ranked[0], own),
        probability=None if np.isnan(sure) else sure,
        place=ranked.index(wnid) + 1 if wnid in ranked else None,
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
