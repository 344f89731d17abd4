"""Data from outside, checked: settings, taxonomies, manifests, routes' bodies, sources' replies.

What a file may hold is declared once, as a `Record`:

    class Label(Record, frozen=True):
        votes: Annotated[int, Meta(ge=1, description="labelers of each photo", examples=[3])] = 1
        one_key: Literal["correct", "incorrect"] = "correct"

        def __post_init__(self) -> None:
            if ...:
                raise ValueError("what does not go together, and what to write instead")

`check` makes one of it, and refuses what does not fit in a line that says what is wrong, where, and
what to write instead:

    genset.toml, line 7: label.votes must be a whole number of at least 1, such as 3, not "three"
    (labelers of each photo)

`Meta` says more of a key than its type does: bounds and patterns, a `title` that names what is
meant ("an ORCID", where a pattern would tell nobody), a `description` of what the key is for, and
`examples`.

Settings (`genset.settings`) and classes (`genset.classes`) are read so. For a release's manifest
there is `read_json`, with a Record for each object in it. For a route's body there is `parse_json`,
whose BadInput becomes the answer 400; for a source's reply too, whose BadInput becomes a
SourceError. Sources add keys to their replies: a Record with ``forbid_unknown_fields=False`` passes
over those that it does not know.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Meta

from genset.core.errors import BadInput
from genset.core.expected import Key, Keys, dotted, explain, holds, keys_of, without

__all__ = [
    "Invalid",
    "Key",
    "Meta",
    "Record",
    "check",
    "check_parts",
    "keys_of",
    "parse_json",
    "parse_toml",
    "read_json",
    "read_text",
]

T = TypeVar("T")

LARGEST = 64 * 2**20
"""Bytes of a file or a body, where nothing else is said."""

MOST_MISTAKES = 20
"""Values that are passed over in one document, before it counts as another thing altogether."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object with known keys, of known types. It cannot be changed."""


class Invalid(BadInput):
    """What a document says does not fit.

    Attributes:
        keys: those that lead to what is wrong, from the top.
        words: what is wrong, to be read behind the keys: " must be ...", ": ...".
    """

    def __init__(self, where: str, keys: Keys, words: str) -> None:
        super().__init__(f"{where}: {dotted(keys)}{words}" if keys else f"{where}{words}")
        self.keys = keys
        self.words = words


# Reading


def parse_toml(text: str, kind: type[T], where: str) -> T:
    """What a TOML text says; `where` names it in errors.

    Raises:
        BadInput: it is no TOML, or something in it is wrong.
    """
    document, mistake = load_toml(text)
    with at_their_lines(text, where):
        if mistake is not None:
            line, words = mistake
            # What is wrong with five, True or 2015-13-01 is seen best where it is read as a text.
            if quoted := load_toml(_with_quotes(text, line))[0]:
                check(quoted, kind, where)
            raise BadInput(f"{where}, line {line}: {words}")
        return check(document, kind, where)


@contextmanager
def at_their_lines(text: str, where: str) -> Iterator[None]:
    """Name the lines of a TOML text in the mistakes that the block finds in what it says."""
    try:
        yield
    except Invalid as error:
        lines = lines_of_keys(text)
        # A sentence on a whole table names the key that it is about.
        paths = [(*error.keys, word) for word in re.findall(r"\w+", error.words)]
        keys = next((path for path in paths if path in lines), error.keys)
        where = f"{where}, line {line_of(lines, keys)}"
        raise Invalid(where, error.keys, error.words) from None


def read_json(path: Path, kind: type[T], largest: int = LARGEST) -> T:
    """What a JSON file says.

    Raises:
        BadInput: the file cannot be read, or something in it is wrong.
    """
    return parse_json(read_text(path, largest).encode(), kind, str(path), largest)


def parse_json(content: bytes, kind: type[T], where: str, largest: int = LARGEST) -> T:
    """What a JSON text says; `where` names it in errors.

    Raises:
        BadInput: it is too large or no JSON, or something in it is wrong.
    """
    if len(content) > largest:
        raise BadInput(f"{where} has {len(content):,} bytes; at most {largest:,} are read")
    try:
        document = msgspec.json.decode(content)
    except UnicodeDecodeError as error:
        raise BadInput(f"{where}: not valid JSON ({error.reason}); write it in UTF-8") from None
    except msgspec.DecodeError as error:
        raise BadInput(f"{where}{_json_mistake(str(error), content)}") from None
    except RecursionError:
        raise BadInput(f"{where}: lists or objects within each other, too many to read") from None
    return check(document, kind, where)


def read_text(path: Path, largest: int = LARGEST) -> str:
    """A file's text.

    Raises:
        BadInput: it is too large, not in UTF-8, or cannot be read.
    """
    try:
        if path.stat().st_size > largest:
            raise BadInput(
                f"{path} has {path.stat().st_size:,} bytes; at most {largest:,} are read"
            )
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} cannot be read: {error.reason}; write it in UTF-8") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None


def check(document: Any, kind: type[T], where: str) -> T:
    """The value of this type that a document of Python's own types says.

    Raises:
        Invalid: something in it is wrong.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise Invalid(where, *explain(error, document, kind)) from None


def check_parts(document: Any, kind: type[T], where: str) -> T:
    """As `check`, of strangers' words: what does not fit costs itself only.

    A key that may be missing then counts as missing, an item of a list is left out, and an object
    that lacks what it must have counts as what does not fit itself.

    Raises:
        Invalid: what is left says nothing of this type; or more than `MOST_MISTAKES` are in it.
    """
    first: dict[Keys, str] = {}
    for _ in range(MOST_MISTAKES):
        try:
            return msgspec.convert(document, kind)
        except msgspec.ValidationError as error:
            keys, words = explain(error, document, kind)
            place = keys if holds(document, keys) else keys[:-1]
            if not place:
                raise Invalid(where, keys, first.get(keys, words)) from None
            first.setdefault(place, words)
            document = without(document, place)
    raise BadInput(f"{where}: more than {MOST_MISTAKES} values do not fit")


# What is no TOML or JSON at all

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_QUOTES = 'a key with other than A-Z, a-z, 0-9, _ and - stands in quotes, as in "crème brûlée"'
_UNENDED = "a text in quotes ends on its line, and its second quote is missing"
_TOML_MISTAKES = {
    "Invalid initial character for a key part": _QUOTES,
    "Expected ']' at the end of a table declaration": _QUOTES,
    "Expected '=' after a key in a key/value pair": 'a line has KEY = VALUE, as in name = "dog"',
    "Invalid value": 'a text stands in quotes, as in name = "dog"',
    "Invalid date or datetime": "there is no such day or time: a day is written like 2014-01-31",
    "Illegal character '\\n'": _UNENDED,
    "Unterminated string": _UNENDED,
    'Expected "\'"': _UNENDED,
    "Unescaped '\\' in a string": "a backslash in quotes is written twice",
    "Unclosed array": "a list has commas between its texts, and ends with ]",
    "Expected newline or end of document after a statement": "one value is more than a line has",
    "Cannot overwrite a value": "this key is there twice",
    "Cannot declare": "this table is there twice",
}


def load_toml(text: str) -> tuple[dict[str, Any], tuple[int, str] | None]:
    """What a text says, and the line and the words of what keeps it from being read."""
    try:
        return tomllib.loads(text), None
    except RecursionError:
        return {}, (1, "here are lists within lists, too many to read")
    except tomllib.TOMLDecodeError as error:
        return {}, _toml_mistake(str(error), text)


def _toml_mistake(error: str, text: str) -> tuple[int, str]:
    """The line on which a TOML text cannot be read, and why, for people who do not know TOML."""
    place = _PLACE.search(error)
    line = int(place[1]) if place and place[1] else text.rstrip().count("\n") + 1
    words = _PLACE.sub("", error)
    head = text.split("\n")[line - 1].partition("#")[0].strip()
    if words.startswith("Expected ']'") and not head.endswith("]"):
        return line, f"the ] is missing: write {head}{']' * (1 + head.startswith('[['))}"
    kind = words.partition(" (")[0]
    return line, _TOML_MISTAKES.get(kind, f"not valid TOML ({words[:1].lower()}{words[1:]})")


def _with_quotes(text: str, line: int) -> str:
    """The text with quotes around the value on a line, where that is a bare word."""
    lines = text.split("\n")
    lines[line - 1] = re.sub(
        r"""^([^=#"]*=\s*)([^\s"'#\[{][^"'#\[{]*?)(\s*(?:#.*)?)$""", r'\1"\2"\3', lines[line - 1]
    )
    return "\n".join(lines)


def line_of(lines: Mapping[Keys, int], keys: Keys) -> int:
    """The line of the key to which these lead, else of what holds it, or 1."""
    starts = (keys[:length] for length in range(len(keys), 0, -1))
    return next((lines[start] for start in starts if start in lines), 1)


def lines_of_keys(text: str) -> dict[Keys, int]:
    """The first line of each key of a TOML text, by the keys that lead to it.

    TOML's reader names no lines: heads of tables and keys are read line by line.
    """
    found: dict[Keys, int] = {}
    table: Keys = ()
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        is_head = line.lstrip().startswith("[")
        document: Any = load_toml(line if is_head else f"{line.partition('=')[0]}= 0")[0]
        path: Keys = ()
        while isinstance(document, dict) and document:
            key, document = next(iter(document.items()))
            path = (*path, key)
        if path:
            table, path = (path, path) if is_head else (table, (*table, *path))
            found.setdefault(path, number)
    return found


def _json_mistake(error: str, content: bytes) -> str:
    """Where a JSON text cannot be read, and why."""
    found = re.fullmatch(
        r"(?:JSON is malformed: )?(.*?)(?: \(byte (\d+)\)| - at `.*`)?", error, re.S
    )
    assert found is not None
    place = ""
    if found[2]:
        before = content[: int(found[2])]
        line, column = 1 + before.count(b"\n"), len(before) - before.rfind(b"\n")
        place = f", line {line}, column {column}"
    return f"{place}: not valid JSON ({found[1][:1].lower()}{found[1][1:]})"
