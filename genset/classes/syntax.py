"""A taxonomy's TOML, and what is wrong with its form, for people who do not know TOML."""

import re
import tomllib
from itertools import pairwise
from typing import Any

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_QUOTES = (
    "an id that has more than A-Z, a-z, 0-9, _ and - stands in quotes, as in "
    '[classes."crème brûlée"]'
)
_UNENDED = "a text in quotes ends on its line, and its second quote is missing"
_WORDS = {
    "Invalid initial character for a key part": _QUOTES,
    "Expected ']' at the end of a table declaration": _QUOTES,
    "Expected '=' after a key in a key/value pair": 'a line has KEY = VALUE, as in name = "dog"',
    "Invalid value": 'a text stands in quotes, as in name = "dog"',
    "Illegal character '\\n'": _UNENDED,
    "Unterminated string": _UNENDED,
    "Unescaped '\\' in a string": "a backslash in quotes is written twice",
    "Unclosed array": "a list has commas between its texts, and ends with ]",
    "Expected newline or end of document after a statement": "one value is more than a line has",
    "Cannot overwrite a value": "this key is there twice",
}


def read(text: str) -> tuple[dict[str, Any], dict[int, str]]:
    """A TOML text's document, and what is wrong with its form, by line from 1.

    Where something is, each table is read by itself: all mistakes are told, and the document has
    the tables that can be read, and of others the head alone.
    """
    text = text.replace("\r\n", "\n")
    document, error = _loaded(text)
    if error is None:
        return document, {}
    wrong: dict[int, str] = {}
    lines = text.split("\n")
    heads = [number for number, line in enumerate(lines) if line.lstrip().startswith("[")]
    for begin, end in pairwise((0, *heads, len(lines))):
        table, mistake = _loaded("\n".join(lines[begin:end]))
        if mistake is not None:
            wrong[begin + mistake[0]] = mistake[1]
            table, _ = _loaded(lines[begin])
        if not _joined(document, table):
            wrong[begin + 1] = f"{lines[begin].strip()} is there twice"
    return document, wrong or dict([error])


def _loaded(text: str) -> tuple[dict[str, Any], tuple[int, str] | None]:
    """What a text says, and the line and the words of what keeps it from being read."""
    try:
        return tomllib.loads(text), None
    except RecursionError:
        return {}, (1, "here are lists within lists, too many to read")
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else text.rstrip().count("\n") + 1
        said = _PLACE.sub("", str(error))
        return {}, (line, _WORDS.get(said, f"this is no TOML: {said[:1].lower()}{said[1:]}"))


def _joined(document: dict[str, Any], table: dict[str, Any]) -> bool:
    """Add a table to a document, and say whether it was new there."""
    new = True
    for key, value in table.items():
        if key == "classes" and isinstance(value, dict):
            classes = document.setdefault(key, {})
            new = new and classes.keys().isdisjoint(value)
            classes.update(value)
        else:
            document[key] = value
    return new
