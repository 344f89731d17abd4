"""Which photos a report shows, with what the models said of them."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from genset.evaluate.photos import ScoredPhoto
from genset.evaluate.runs import Prediction
from genset.release.reader import ReleasePhoto
from genset.taxonomy import imagenet1k

MAX_PHOTOS = 30  # Flickr's terms allow no more on a page


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's top answer to a photo.

    `place` is where the true class is among the model's five best, from 1; None if it is not.
    """

    model: str
    wnid: str
    name: str
    probability: float
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
        path: where it lies on this machine; for making its picture, not for printing.
        wnid, name: its true class.
        answers: of each model that could read it, in the models' order.
        record: what a release knows of it; None in a plain folder.
    """

    id: str
    path: Path
    wnid: str
    name: str
    answers: tuple[Answer, ...]
    record: ReleasePhoto | None

    @property
    def mistakes(self) -> int:
        """How many models' top answers are wrong."""
        return sum(not answer.right for answer in self.answers)


def choose_samples(
    photos: Sequence[ScoredPhoto],
    records: Mapping[str, ReleasePhoto],
    answers: Mapping[str, Mapping[str, Prediction]],
) -> tuple[Sample, ...]:
    """At most `MAX_PHOTOS`, the most mistaken first: always the same ones for the same input.

    As many classes as possible have one, and within a class those that some model got wrong come
    first: what all models get right teaches nothing. Among equals a hash of the id decides, since
    the order of ids would favour the first classes. `answers` are by model, then by photo.
    """
    hard = {photo.id for photo in photos if _mistaken(photo, answers)}
    turns: Counter[str] = Counter()
    ranked = []
    for photo in sorted(photos, key=lambda photo: (photo.id not in hard, _hash(photo))):
        turns[photo.wnid] += 1
        ranked.append((turns[photo.wnid], photo.id not in hard, photo))
    ranked.sort(key=lambda item: item[:2])  # stable: among equals the hash still decides
    samples = [
        Sample(
            id=photo.id,
            path=photo.path,
            wnid=photo.wnid,
            name=class_name(photo.wnid),
            answers=_answers(photo, answers),
            record=records.get(photo.id),
        )
        for *_, photo in ranked[:MAX_PHOTOS]
    ]
    return tuple(sorted(samples, key=lambda sample: (-sample.mistakes, sample.id)))


def class_name(wnid: str) -> str:
    """The class's name for people to read; a wnid that is not ImageNet's is its own."""
    taxonomy = imagenet1k()
    return taxonomy[wnid].name if wnid in taxonomy else wnid


def _mistaken(photo: ScoredPhoto, answers: Mapping[str, Mapping[str, Prediction]]) -> bool:
    said = (of_model.get(photo.id) for of_model in answers.values())
    return any(answer and answer.top[0] != photo.wnid for answer in said)


def _answers(
    photo: ScoredPhoto, answers: Mapping[str, Mapping[str, Prediction]]
) -> tuple[Answer, ...]:
    return tuple(
        Answer(
            model=model,
            wnid=said.top[0],
            name=class_name(said.top[0]),
            probability=said.probabilities[0],
            place=said.top.index(photo.wnid) + 1 if photo.wnid in said.top else None,
        )
        for model, of_model in answers.items()
        if (said := of_model.get(photo.id))
    )


def _hash(photo: ScoredPhoto) -> str:
    return hashlib.sha256(photo.id.encode(errors="replace")).hexdigest()
