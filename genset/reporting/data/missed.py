"""What a report says of photos that every leading model gets wrong."""

from dataclasses import dataclass

from genset.comparison.missed import CommonMiss
from genset.release.reader import ReleasePhoto
from genset.sets.photos import HasBytes


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
    def pictured(self) -> int:
        """How many of them are shown, not named alone."""
        return sum(photo.photo is not None for photo in self.photos)
