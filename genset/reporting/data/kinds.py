"""Many classes in groups, for people to read."""

from dataclasses import dataclass

from genset.comparison.classes import Group


@dataclass(frozen=True, slots=True)
class KindOfClasses(Group):
    """Classes that are of a kind, and each model's top-1 accuracy on all their photos.

    Attributes:
        above: what the kind is a kind of, the nearest first.
        classes: the ids of its classes, the hardest first.
    """

    above: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
