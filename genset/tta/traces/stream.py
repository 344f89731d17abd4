"""A trace's JSON as a stream: its events one by one, never the whole file in memory."""

import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.tta.traces.trace import refused

_GZIP = b"\x1f\x8b"


@contextmanager
def unpacked(path: Path) -> Iterator[None]:
    """Tell what is wrong with a gzip that is read in the block."""
    try:
        yield
    except EOFError:
        raise BadInput(f"{path} cannot be read: it is cut off, its gzip has no end") from None
    except (gzip.BadGzipFile, zlib.error):
        raise BadInput(f"{path} cannot be read: its gzip is damaged") from None


@contextmanager
def opened(path: Path) -> Iterator[io.TextIOBase]:
    """The text of a file in UTF-8, gzipped or not, as its first bytes say.

    Names of functions may have bytes that are no UTF-8; they cost themselves only.
    """
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file in it")
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    try:
        with path.open("rb") as raw:
            start = raw.read(len(_GZIP))
            raw.seek(0)
            if start == _GZIP:
                raw = gzip.GzipFile(fileobj=raw)  # type: ignore[assignment]
            yield io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace", newline="")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None


# A trace of 100 steps of a large model is about 1 GB. The bounds are on what it says, not on its
# compressed size, so a small file that unpacks to very much more is refused.
_LONGEST = 2 * 2**30  # characters, decompressed
_LARGEST = 16 * 2**20  # characters of one event, or of one member beside the events
_BLANKS = 2**20  # characters in a row that say nothing
_EVENTS = 10_000_000
_CHUNK = 2**20  # bytes read at once

_BLANK = re.compile(r"[ \t\n\r]*")
_BETWEEN = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_EVENTS_MEMBER = "traceEvents"
_NOT_JSON = "it is no JSON, as torch.profiler's export_chrome_trace writes it"
_NOT_A_TRACE = "it is no trace of PyTorch's profiler"

Members = dict[str, Any]


def read_events(path: Path, members: Members) -> Iterator[dict[str, Any]]:
    """Yield the events of a trace, in the order of the file.

    Both of Chrome's forms are read: an object with ``traceEvents``, and a bare list. NaN and
    Infinity are read as null.

    Args:
        path: of the trace, gzipped or not.
        members: what is wanted of what stands beside the events, by name; its values are put in
            as they are met, so they are there only when all events were taken.

    Raises:
        BadInput: it is not there, is no JSON or no trace, is cut off, or is larger than any trace.
    """
    with opened(path) as file:
        text = _Text(path, file)
        first = text.next()
        if first == "[":
            yield from _list(text)
        elif first == "{":
            yield from _object(text, members)
        else:
            raise text.refusal(_NOT_JSON if first else "it is empty")
        if text.next():
            raise text.refusal("something follows the JSON's end")


def _object(text: "_Text", members: Members) -> Iterator[dict[str, Any]]:
    text.skip()
    found = False
    ended = text.next() == "}"
    while not ended:
        name = text.value()
        if not isinstance(name, str) or text.next() != ":":
            raise text.malformed()
        text.skip()
        if name == _EVENTS_MEMBER and text.next() == "[":
            if found:
                raise text.refusal(f"it has {_EVENTS_MEMBER} twice")
            found = True
            yield from _list(text)
        else:
            value = text.value()
            if name in members:
                members[name] = value
            del value
        ended = text.ends_with("}")
    text.skip()
    if not found:
        raise text.refusal(f"{_NOT_A_TRACE}: it has no {_EVENTS_MEMBER}")


def _list(text: "_Text") -> Iterator[dict[str, Any]]:
    text.skip()
    ended = text.next() == "]"
    count = 0
    while not ended:
        for event in text.values():
            if type(event) is not dict:
                raise text.refusal(f"{_NOT_A_TRACE}: an event is no object")
            yield event
            count += 1
            if count > _EVENTS:
                raise text.refusal(f"it has more than {_EVENTS:,} events: record fewer steps")
        ended = text.ends_with("]")
    text.skip()


class _Text:
    """The text of a file, a part of it at a time, and the place that was read up to."""

    def __init__(self, path: Path, file: io.TextIOBase) -> None:
        self._path, self._file = path, file
        self._part, self._at = "", 0
        self._read = 0
        self._whole = False  # nothing is left in the file
        decoder = json.JSONDecoder(strict=False, parse_constant=lambda name: None)
        self._decode = decoder.raw_decode

    def next(self) -> str:
        """The next character that is no blank, which is not taken; "" at the end."""
        blanks = 0
        while True:
            start = self._at
            end = _BLANK.match(self._part, start).end()  # type: ignore[union-attr]
            self._at = end
            if end < len(self._part):
                return self._part[end]
            blanks += end - start
            if blanks > _BLANKS:
                raise self.refusal("it is no JSON: it has a megabyte of blanks")
            if not self._more():
                return ""

    def skip(self) -> None:
        """Take the character that `next` told."""
        self._at += 1

    def ends_with(self, bracket: str) -> bool:
        """Whether a list or an object ends here; if not, its comma is taken."""
        found = self.next()
        if found == bracket:
            return True
        if found != ",":
            raise self.malformed()
        self.skip()
        self.next()
        return False

    def values(self) -> Iterator[Any]:
        """Take the values of a list up to one with no comma behind it, or not all of it read."""
        decode, between = self._decode, _BETWEEN.match
        part = self._part
        while True:
            try:
                value, end = decode(part, self._at)
            except (ValueError, RecursionError):
                break
            comma = between(part, end)
            if comma is None or comma.end() == len(part):
                break
            self._at = comma.end()
            yield value
        yield self.value()

    def value(self) -> Any:
        """Take a whole value."""
        self.next()
        while True:
            try:
                value, end = self._decode(self._part, self._at)
            except json.JSONDecodeError:
                # Either it is wrong or its end was not read yet.
                if len(self._part) - self._at > _LARGEST:
                    raise self.refusal(
                        f"it is no JSON, or one value in it is longer than {_LARGEST >> 20} MB"
                    ) from None
                if not self._more():
                    raise self.malformed() from None
                continue
            except RecursionError:
                raise self.refusal("it is no trace: its lists are nested too deeply") from None
            except ValueError:  # an integer of thousands of digits
                raise self.refusal("it has a number of thousands of digits") from None
            # A number at the end of what was read may go on.
            if end == len(self._part) and self._more():
                continue
            if end - self._at > _LARGEST:
                raise self.refusal(f"one value in it is longer than {_LARGEST >> 20} MB")
            self._at = end
            return value

    def malformed(self) -> BadInput:
        """What is wrong where no right value stands."""
        place = f"after character {self._position():,}"
        return self.refusal(f"it is no JSON {place}: the profiler may not have finished writing it")

    def _position(self) -> int:
        """How many characters were taken."""
        return self._read - len(self._part) + self._at

    def refusal(self, why: str) -> BadInput:
        return refused(self._path, why)

    def _more(self) -> bool:
        """Read on: at least as much again as is waiting, so that no value is tried many times."""
        if self._whole:
            return False
        waiting = self._part[self._at :]
        with unpacked(self._path):
            new = self._file.read(max(_CHUNK, len(waiting)))
        self._whole = not new
        self._read += len(new)
        if self._read > _LONGEST:
            raise self.refusal(f"it has more than {_LONGEST >> 30} GB of text: record fewer steps")
        self._part, self._at = waiting + new, 0
        return bool(new)
