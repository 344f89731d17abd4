"""Which classes are right for a photo, and which may be: the multi-label truth of a set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

By = Literal["original", "real", "multilabel", "clear"]
"""What a first answer must be.

original: the photo's own class. All photos that the model was scored on count.
real: one of the right classes (ReaL accuracy). Photos without any are left out.
multilabel: one of the right or the unclear ones. The same photos count.
clear: one of the right ones. Photos whose first answer is an unclear class are left out too, each
model's own.
"""

TRUTHS = get_args(By)[:3]
"""What models are compared by: on the same photos, whatever they answer."""

_NONE: frozenset[str] = frozenset()

_NO_MODELS = ("confusable", "random", "labeler", "search", "added")


@dataclass(frozen=True, slots=True)
class Truth:
    """All classes that each photo shows, by the photo's id in the set.

    Attributes:
        correct: the wnids that are right, the photo's own class among them if it is right; an empty
            set where none is. A photo that is missing here is one of which nothing was said.
        unclear: the wnids that people could not decide on; photos without any are missing.
        source: the file's or the release's name.
        sha256: of the file, 64 hexadecimal digits; of a release, of its content.
        proposers: the models that proposed classes to ask about, with the keys of their runs; none
            of a model that is known by its name alone.
        proposed: who proposed a class of a photo, by wnid: names of `proposers`, or kinds of others
            ("confusable", "random", "labeler", "search", "added"). Where a class is missing, nobody
            had to propose it.
        is_frozen: whether the set is a release that was frozen with it, so that it never changes.
        others: of how many photos the file speaks that are not in the set.
    """

    correct: Mapping[str, frozenset[str]]
    unclear: Mapping[str, frozenset[str]]
    source: str
    sha256: str
    proposers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    proposed: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    is_frozen: bool = False
    others: int = 0

    def correct_of(self, image: str) -> frozenset[str]:
        """The classes that are right for a photo, maybe none."""
        return self.correct.get(image, _NONE)

    def unclear_of(self, image: str) -> frozenset[str]:
        """The classes of a photo that are neither right nor wrong, maybe none."""
        return self.unclear.get(image, _NONE)

    @property
    def with_correct(self) -> int:
        """How many photos have a class that is right."""
        return sum(map(bool, self.correct.values()))

    @property
    def with_several(self) -> int:
        """How many photos have more than one."""
        return sum(len(wnids) > 1 for wnids in self.correct.values())


def models_among(proposed: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    """The models among those who proposed classes, by photo and wnid; each once, by name."""
    names = {name for of in proposed.values() for by in of.values() for name in by}
    return sorted(names.difference(_NO_MODELS))
