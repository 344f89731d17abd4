"""Reads the scalars of one event file, through the `tensorboard` package's own reader."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from genset.tta.logs.entries import MalformedLog

_MOST_POINTS = 200_000
_MOST_TAGS = 10_000
# Of a record: its length and two checksums.
_AROUND_A_RECORD = 16


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a tag: the step that it was logged with, and when, in seconds since 1970."""

    step: int
    moment: float
    value: float


@dataclass(slots=True)
class Scalars:
    """What an event file holds.

    Attributes:
        began: the moment of its first event; None if it has none.
        tags: of all scalars, in the order in which they come first.
        points: by tag, of those that were asked for.
        cut_off: its last event is not whole.
    """

    path: Path
    began: float | None = None
    tags: dict[str, None] = field(default_factory=dict)
    points: dict[str, list[Point]] = field(default_factory=dict)
    cut_off: bool = False


def read_scalars(path: Path, wanted: Callable[[str], bool], stairs: str = "") -> Scalars:
    """Read a file's scalars.

    Args:
        wanted: says of a tag whether its values are kept.
        stairs: a tag of which only changes are kept: the epoch, which some log with each step.

    Raises:
        MalformedLog: it is no event file, or holds too much.
    """
    found = Scalars(path)
    kept, size = 0, 0
    for record, event in _events(path):
        size += _AROUND_A_RECORD + record
        if found.began is None:
            found.began = event.wall_time
        for value in event.summary.value:
            number = _number(value)
            if number is None:
                continue
            found.tags[value.tag] = None
            if value.tag == stairs or wanted(value.tag):
                points = found.points.setdefault(value.tag, [])
                if value.tag != stairs or not points or points[-1].value != number:
                    points.append(Point(event.step, event.wall_time, number))
                    kept += 1
        if kept > _MOST_POINTS or len(found.tags) > _MOST_TAGS:
            raise MalformedLog(path, "it has too many scalars: log scores once an epoch")
    if found.began is None:
        raise MalformedLog(path, "it is empty, or no event file")
    found.cut_off = size < path.stat().st_size
    return found


def _events(path: Path) -> Iterator[tuple[int, Any]]:
    """Each event with the bytes that it takes; the first that is damaged is the end."""
    from google.protobuf.message import DecodeError
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

    try:
        for record in RawEventFileLoader(str(path)).Load():
            yield len(record), Event.FromString(record)
    except OSError as error:
        raise MalformedLog(path, f"it cannot be read: {error.strerror}") from None
    except DecodeError:
        raise MalformedLog(path, "it is no event file") from None


def _number(value: Any) -> float | None:
    """The one number of a value; None for images, texts, histograms."""
    if value.WhichOneof("value") == "simple_value":
        return float(value.simple_value)
    if value.WhichOneof("value") != "tensor" or value.tensor.tensor_shape.dim:
        return None
    if value.metadata.plugin_data.plugin_name not in ("scalars", ""):
        return None
    from tensorboard.util.tensor_util import make_ndarray

    array = make_ndarray(value.tensor)
    return float(array) if array.dtype.kind in "fiu" else None
