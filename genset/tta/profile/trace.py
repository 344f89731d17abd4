"""What a profiler's trace holds, as every analysis takes it; and its JSON as a stream.

Times are microseconds on the trace's own clock; `start` counts from the first event of the trace.
Numbers by which events name each other are None where they are not recorded.
"""

import gzip
import io
import itertools
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from genset.core.errors import BadInput

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Device:
    """The accelerator that the kernels ran on.

    Attributes:
        maker: whose runtime launched the kernels; "none" in a trace of the host alone.
        name: as the runtime tells it, "Tesla V100-SXM2-32GB"; "" if it is not recorded.
    """

    maker: Literal["nvidia", "amd", "none"]
    name: str = ""


@dataclass(slots=True)
class OnDevice:
    """What ran on the device.

    Attributes:
        operator: place in `Trace.operators` of the innermost operator that launched it, or None.
        launched: when the host launched it: the call of the runtime, or else the operator's start;
            None if neither is recorded.
        correlation, external: the numbers of the launch and of the operator.
    """

    name: str
    start: float
    length: float
    device: int
    operator: int | None = None
    launched: float | None = None
    correlation: int | None = None
    external: int | None = None


@dataclass(slots=True)
class Kernel(OnDevice):
    """A kernel; `collective` is "allreduce", "_allgather_base", as recorded, or ""."""

    collective: str = ""


class Copy(OnDevice):
    """A copy or a filling of memory ("Memcpy HtoD …", "Memset")."""


@dataclass(slots=True)
class Operator:
    """An operator on the host ("aten::conv2d"), with what it was called on.

    Attributes:
        thread: the number here of the host's thread it ran on.
        parent: place in `Trace.operators` of the operator that called it, or None.
        self_time: its time less that of the operators it called.
        shapes: of each input, () of a scalar and of a list of tensors. None if the trace was
            recorded without shapes.
        types: of each input, "float", "c10::Half", "Scalar", "" …; as long as `shapes`.
        values: of each input that is no tensor, as recorded ("[2, 2]", "1", "False"), "" of others;
            () if the trace has none (PyTorch before 2.1).
        collective: that it is a call of, as recorded; "" of others.
        external: its number.
    """

    name: str
    start: float
    length: float
    thread: int
    parent: int | None
    self_time: float
    shapes: tuple[Shape, ...] | None = None
    types: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    collective: str = ""
    external: int | None = None


@dataclass(slots=True)
class Trace:
    """One rank's trace.

    Attributes:
        unseen: by what a device shows that worked beside the host though none of its kernels is
            recorded, "it launched 12 kernels"; "" where nothing shows one, or kernels are recorded.
        rank, ranks: this one's number and how many there are; None if it is not recorded.
        kernels, copies: by start.
        operators: by start, a parent before what it calls.
        steps: start and length of each training step that the profiler marked (ProfilerStep#3).
        missing: what the trace does not have and how to record it, a sentence each.
    """

    path: Path
    device: Device
    unseen: str = ""
    rank: int | None = None
    ranks: int | None = None
    kernels: list[Kernel] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    steps: list[tuple[float, float]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def on_device(self) -> list[Kernel | Copy]:
        """Kernels and copies."""
        return [*self.kernels, *self.copies]


def refused(path: Path, why: str) -> BadInput:
    """A refusal in one line that names the file."""
    return BadInput(f"{path} cannot be read as a trace: {why}")


HOW = """\
from torch.profiler import profile, schedule
with profile(record_shapes=True, schedule=schedule(wait=5, warmup=3, active=3, repeat=1),
             on_trace_ready=lambda p: p.export_chrome_trace("rank0.json.gz")) as profiler:
    for batch in batches:  # yours: 11 or more
        train(batch)  # yours: a whole training step
        profiler.step()"""


# A trace of 100 steps of a large model is about 1 GB. The bounds are on what it says, not on its
# compressed size, so a small file that unpacks to very much more is refused.
_LONGEST = 2 * 2**30  # characters, decompressed
_LARGEST = 16 * 2**20  # characters of one event, or of one member beside the events
_EVENTS = 10_000_000
_CHUNK = 2**20  # characters read at once
_GZIP = b"\x1f\x8b"

_BLANK = re.compile(r"[ \t\n\r]*")
_EVENTS_MEMBER = "traceEvents"
_NOT_JSON = "it is no JSON, as torch.profiler's export_chrome_trace writes it"
_NOT_A_TRACE = "it is no trace of PyTorch's profiler"


def read_events(path: Path, members: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of a trace one by one, in the order of the file, which is never in memory.

    Both of Chrome's forms are read: an object with ``traceEvents``, and a bare list. NaN and
    Infinity are read as null.

    Args:
        path: of the trace, gzipped or not.
        members: what is wanted of what stands beside the events, by name; its values are put in
            as they are met, so they are there only when all events were taken.

    Raises:
        BadInput: it is not there, is no JSON or no trace, is cut off, or is larger than any trace.
    """
    text = _Text(path)
    first = text.next()
    if first == "[":
        yield from _list(text)
    elif first == "{":
        yield from _object(text, members)
    else:
        raise refused(path, _NOT_JSON if first else "it is empty")
    if text.next():
        raise refused(path, "something follows the JSON's end")


def _parts(path: Path) -> Iterator[str]:
    """The text of a file in UTF-8, gzipped or not, as its first bytes say, part by part.

    Names of functions may have bytes that are no UTF-8; they cost themselves only.
    """
    try:
        with path.open("rb") as raw:
            zipped = raw.peek(len(_GZIP)).startswith(_GZIP)
            data = gzip.GzipFile(fileobj=raw) if zipped else raw
            text = io.TextIOWrapper(data, encoding="utf-8-sig", errors="replace", newline="")
            while part := text.read(_CHUNK):
                yield part
    except EOFError:
        raise BadInput(f"{path} cannot be read: it is cut off, its gzip has no end") from None
    except (gzip.BadGzipFile, zlib.error):
        raise BadInput(f"{path} cannot be read: its gzip is damaged") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None


def _object(text: "_Text", members: dict[str, Any]) -> Iterator[dict[str, Any]]:
    found = False
    for _ in text.parts("}"):
        name = text.value()
        if not isinstance(name, str) or text.next() != ":":
            raise text.malformed()
        text.skip()
        if name == _EVENTS_MEMBER and text.next() == "[":
            found = True
            yield from _list(text)
        else:
            value = text.value()
            if name in members:
                members[name] = value
            del value
    if not found:
        raise refused(text.path, f"{_NOT_A_TRACE}: it has no {_EVENTS_MEMBER}")


def _list(text: "_Text") -> Iterator[dict[str, Any]]:
    for count in text.parts("]"):
        event = text.value()
        if type(event) is not dict:
            raise refused(text.path, f"{_NOT_A_TRACE}: an event is no object")
        if count >= _EVENTS:
            raise refused(text.path, f"it has more than {_EVENTS:,} events: record fewer steps")
        yield event


class _Text:
    """The text of a file, a part of it at a time, and the place that was read up to."""

    def __init__(self, path: Path) -> None:
        self.path, self._parts = path, _parts(path)
        self._part, self._at = "", 0
        self._read = 0
        decoder = json.JSONDecoder(strict=False, parse_constant=lambda name: None)
        self._decode = decoder.raw_decode

    def next(self) -> str:
        """The next character that is no blank, which is not taken; "" at the end."""
        while True:
            self._at = _BLANK.match(self._part, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._part):
                return self._part[self._at]
            if not self._more():
                return ""

    def skip(self) -> None:
        """Take the character that `next` told."""
        self._at += 1

    def parts(self, closing: str) -> Iterator[int]:
        """Count the values of a list or an object; the caller takes each."""
        self.skip()
        if self.next() == closing:
            self.skip()
            return
        for count in itertools.count():
            yield count
            sign = self.next()
            if sign not in (",", closing):
                raise self.malformed()
            self.skip()
            if sign == closing:
                return

    def value(self) -> Any:
        """Take a whole value."""
        self.next()
        while True:
            try:
                value, end = self._decode(self._part, self._at)
            except json.JSONDecodeError:
                # Either it is wrong or its end was not read yet.
                if len(self._part) - self._at > _LARGEST:
                    why = f"it is no JSON, or one value in it is longer than {_LARGEST >> 20} MB"
                    raise refused(self.path, why) from None
                if not self._more():
                    raise self.malformed() from None
                continue
            except (RecursionError, ValueError):
                why = "it has lists nested too deeply, or a number of thousands of digits"
                raise refused(self.path, why) from None
            # A number at the end of what was read may go on.
            if end == len(self._part) and self._more():
                continue
            self._at = end
            return value

    def malformed(self) -> BadInput:
        """What is wrong where no right value stands."""
        place = f"after character {self._read - len(self._part) + self._at:,}"
        why = f"it is no JSON {place}: the profiler may not have finished writing it"
        return refused(self.path, why)

    def _more(self) -> bool:
        """Read on; whether there is more."""
        new = next(self._parts, "")
        self._read += len(new)
        if self._read > _LONGEST:
            why = f"it has more than {_LONGEST >> 30} GB of text: record fewer steps"
            raise refused(self.path, why)
        self._part, self._at = self._part[self._at :] + new, 0
        return bool(new)
