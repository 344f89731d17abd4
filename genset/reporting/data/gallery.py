"""Photos that a report shows."""

from dataclasses import dataclass

from genset.release.reader import ReleasePhoto
from genset.sets.photos import HasBytes


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
    """Photos that show one thing: "hard", "confused", "disagreed", "mistaken" or "some"."""

    shows: str
    samples: tuple[Sample, ...]
