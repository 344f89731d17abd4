"""A trace's JSON as a stream: its events one by one, never the whole file in memory."""

import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput
from genset.tta.traces.trace import refused

# A trace of 100 steps of a large model is about 1 GB. The bounds are on what it says, not on its
# compressed size, so a small file that unpacks to very much more is refused.
_LONGEST = 2 * 2**30  # characters, decompressed
_LARGEST = 16 * 2**20  # characters of one event, or of one member beside the events
_BLANKS = 2**20  # characters in a row that say nothing
_EVENTS = 10_000_000
_CHUNK = 2**20  # characters read at once
_GZIP = b"\x1f\x8b"

_BLANK = re.compile(r"[ \t\n\r]*")
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
    text = _Text(path)
    first = text.next()
    if first == "[":
        yield from _list(text)
    elif first == "{":
        yield from _object(text, members)
    else:
        raise text.refusal(_NOT_JSON if first else "it is empty")
    if text.next():
        raise text.refusal("something follows the JSON's end")


def _parts(path: Path) -> Iterator[str]:
    """The text of a file in UTF-8, gzipped or not, as its first bytes say, part by part.

    Names of functions may have bytes that are no UTF-8; they cost themselves only.
    """
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file in it")
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
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


def _object(text: "_Text", members: Members) -> Iterator[dict[str, Any]]:
    sign, found = "{", False
    while text.goes_on(sign, "}"):
        sign = ","
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
    if not found:
        raise text.refusal(f"{_NOT_A_TRACE}: it has no {_EVENTS_MEMBER}")


def _list(text: "_Text") -> Iterator[dict[str, Any]]:
    sign, count = "[", 0
    while text.goes_on(sign, "]"):
        sign = ","
        event = text.value()
        if type(event) is not dict:
            raise text.refusal(f"{_NOT_A_TRACE}: an event is no object")
        yield event
        count += 1
        if count > _EVENTS:
            raise text.refusal(f"it has more than {_EVENTS:,} events: record fewer steps")


class _Text:
    """The text of a file, a part of it at a time, and the place that was read up to."""

    def __init__(self, path: Path) -> None:
        self._path, self._parts = path, _parts(path)
        self._part, self._at = "", 0
        self._read = 0
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

    def goes_on(self, sign: str, bracket: str) -> bool:
        """Whether a value of a list or an object follows.

        Takes the sign before it, which opens or is a comma, or else the closing bracket.
        """
        found = self.next()
        if found not in (sign, bracket):
            raise self.malformed()
        self.skip()
        if found == sign != "," and self.next() == bracket:
            self.skip()
            return False
        return found == sign

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
        place = f"after character {self._read - len(self._part) + self._at:,}"
        return self.refusal(f"it is no JSON {place}: the profiler may not have finished writing it")

    def refusal(self, why: str) -> BadInput:
        return refused(self._path, why)

    def _more(self) -> bool:
        """Read on; whether there is more."""
        new = next(self._parts, "")
        self._read += len(new)
        if self._read > _LONGEST:
            raise self.refusal(f"it has more than {_LONGEST >> 30} GB of text: record fewer steps")
        self._part, self._at = self._part[self._at :] + new, 0
        return bool(new)
