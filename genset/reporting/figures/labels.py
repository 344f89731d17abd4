"""Where names stand beside their points, so that none covers another or a point."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from unicodedata import east_asian_width

LETTER, LINE = 7.4, 14.0  # about a letter's width and a line's height, at 12 pixels
_AWAY = (9.0, 18.0, 30.0, 46.0, 66.0, 90.0, 120.0, 160.0, 200.0)  # pixels from point to name
_UP = (0.0, 0.5, -0.5, 1.0, -1.0)  # how far higher, over how far aside


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: "Box") -> bool:
        """Whether the two have a point in common."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, other: "Box") -> bool:
        """Whether the other lies inside."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )


def width_of(name: str) -> float:
    """About how wide a name is drawn, in pixels; letters of East Asia take two places."""
    return LETTER * sum(2 if east_asian_width(letter) in "WF" else 1 for letter in name)


def place_names(
    names: Sequence[str],
    points: Sequence[tuple[float, float]],
    taken: Sequence[Box],
    frame: Box,
) -> list[Box | None]:
    """Find each name the first free place beside its point, the first name first.

    Args:
        names: of the points.
        points: M points in pixels.
        taken: what no name may cover, such as the points themselves.
        frame: no name leaves it.

    Returns:
        M boxes; None for a name that finds no place.
    """
    full = list(taken)
    found: list[Box | None] = []
    for name, point in zip(names, points, strict=True):
        free = (
            box
            for box in _around(point, width_of(name))
            if frame.holds(box) and not any(map(box.touches, full))
        )
        place = next(free, None)
        found.append(place)
        if place:
            full.append(place)
    return found


def _around(point: tuple[float, float], width: float) -> Iterator[Box]:
    """The places where a name may stand, nearest first: right and left of its point."""
    x, y = point
    for away, up in product(_AWAY, _UP):
        top = y - up * away - LINE / 2
        for left in (x + away, x - away - width):
            yield Box(left, top, left + width, top + LINE)
