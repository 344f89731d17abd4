"""Where names stand beside their points, so that none covers another or a point."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

LETTER, LINE = 7.4, 14.0  # about a letter's width and a line's height, at 12 pixels
_RADII = (9.0, 18.0, 30.0, 46.0, 66.0, 90.0, 120.0, 160.0, 200.0)
_TURNS = (0.25, 0.75, 0.5, 0.35, 0.65, 0.42, 0.58)
_ANGLES = (0.0, pi, *(sign * turn * pi for turn in _TURNS for sign in (1, -1)))
_UPRIGHT = 18.0  # no name stands farther off straight above or below: a bar may be there
_COVERED = 3.0  # pixels farther off that a name may stand to leave one point of the cloud free
_CROSSED = 12.0  # the same, so that the way to it crosses one thing less


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
    cloud: NDArray[np.float64],
    frame: Box,
) -> list[Box | None]:
    """Find each name a place, the first one first.

    Args:
        names: of the points.
        points: M points in pixels.
        taken: what no name may cover, such as the points themselves.
        cloud: further points, shape (K, 2), float64, that names cover only where there is no
            better place near by.
        frame: no name leaves it.

    Returns:
        M boxes; None for a name that finds no place.
    """
    edges = np.array([_edges(box) for box in taken], dtype=np.float64).reshape(-1, 4)
    found: list[Box | None] = []
    for name, point in zip(names, points, strict=True):
        free = [
            box
            for box in _around(point, width_of(name))
            if frame.holds(box) and not _touches_any(box, edges)
        ]
        best = min(free, key=lambda box: _cost(box, point, cloud, edges), default=None)
        found.append(best)
        if best:
            edges = np.vstack([edges, _edges(best), _way(point, best)])
    return found


def _edges(box: Box) -> tuple[float, float, float, float]:
    return box.left, box.top, box.right, box.bottom


def _way(point: tuple[float, float], box: Box) -> NDArray[np.float64]:
    """The thin line from a point to its name, as small boxes, shape (K, 4), float64."""
    x = min(max(point[0], box.left), box.right)
    y = (box.top + box.bottom) / 2
    steps = np.linspace(0.2, 1, 40)  # what is next to a point is the point's own
    xs, ys = point[0] + steps * (x - point[0]), point[1] + steps * (y - point[1])
    return np.stack([xs - 1, ys - 2, xs + 1, ys + 2], axis=1)


def _touches_any(box: Box, edges: NDArray[np.float64]) -> bool:
    """Whether a box touches one of those with these edges, shape (K, 4), float64."""
    lefts, tops, rights, bottoms = edges.T
    across = (box.left < rights) & (lefts < box.right)
    return bool((across & (box.top < bottoms) & (tops < box.bottom)).any())


def _around(point: tuple[float, float], width: float) -> list[Box]:
    """The places where a name may stand, in rings about its point."""
    return [
        _box_at(point[0] + radius * cos(angle), point[1] + radius * sin(angle), angle, width)
        for radius in _RADII
        for angle in _ANGLES
        if radius <= _UPRIGHT or abs(cos(angle)) > 0.1
    ]


def _box_at(x: float, y: float, angle: float, width: float) -> Box:
    """The box that begins at (x, y) and leads away from the point."""
    across = cos(angle)
    left = x if across > 0.1 else x - width if across < -0.1 else x - width / 2
    return Box(left, y - LINE / 2, left + width, y + LINE / 2)


def _cost(
    box: Box,
    point: tuple[float, float],
    cloud: NDArray[np.float64],
    edges: NDArray[np.float64],
) -> float:
    """How far off a place is, what it covers, and what the way to it crosses."""
    x = min(max(point[0], box.left), box.right)
    y = (box.top + box.bottom) / 2
    away = float(np.hypot(x - point[0], y - point[1]))
    inside = (
        (cloud[:, 0] > box.left)
        & (cloud[:, 0] < box.right)
        & (cloud[:, 1] > box.top)
        & (cloud[:, 1] < box.bottom)
    )
    crossed = _crossed(point, (x, y), edges)
    return away + _COVERED * float(inside.sum()) + _CROSSED * crossed


def _crossed(
    start: tuple[float, float], end: tuple[float, float], edges: NDArray[np.float64]
) -> int:
    """How many of these things stand in the straight way from a point to its name."""
    along = np.linspace(0, 1, 24)[:, None]
    x, y = start[0] + along * (end[0] - start[0]), start[1] + along * (end[1] - start[1])
    lefts, tops, rights, bottoms = edges.T
    on = (lefts < x) & (x < rights) & (tops < y) & (y < bottoms)
    return int(on.any(axis=0).sum())
