"""Data from outside, checked: settings, taxonomies, manifests, routes' bodies, sources' replies.

What a file may hold is declared once, as a `Record`:

    class Label(Record):
        votes: Annotated[int, Meta(ge=1, description="labelers of each photo", examples=[3])] = 1
        one_key: Literal["correct", "incorrect"] = "correct"

        def __post_init__(self) -> None:
            if ...:
                raise ValueError("what does not go together, and what to write instead")

`check` makes one of it, and refuses what does not fit in a line that says what is wrong, where, and
what to write instead:

    genset.toml: label.votes must be a whole number of at least 1, such as 3, not "three" (labelers
    of each photo)

`Meta` says more of a key than its type does: bounds and patterns, a `title` that names what is
meant ("an ORCID", where a pattern would tell nobody), a `description` of what the key is for, and
`examples`.

Settings (`genset.settings`) and classes (`genset.classes`) are read so. For a release's manifest
there is `read_json`, with a Record for each object in it. For a route's body there is `parse_json`,
whose BadInput becomes the answer 400; for a source's reply too, whose BadInput becomes a
SourceError. Sources add keys to their replies: ``class Reply(Record, forbid_unknown_fields=False)``
passes over those that it does not know.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Meta, inspect

from genset.core.errors import BadInput
from genset.core.safe import clean

__all__ = [
    "Invalid",
    "Meta",
    "Record",
    "check",
    "parse_json",
    "parse_toml",
    "read_json",
    "read_text",
    "read_toml",
]

T = TypeVar("T")

LARGEST = 64 * 2**20
"""Bytes of a file or a body, where nothing else is said."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object with known keys, of known types. It cannot be changed."""


class Invalid(BadInput):
    """What a document says does not fit.

    Attributes:
        keys: those that lead to what is wrong, from the top.
        words: what is wrong, to be read behind the keys: " must be ...", ": ...".
    """

    def __init__(self, where: str, keys: tuple[str | int, ...], words: str) -> None:
        super().__init__(f"{where}: {dotted(keys)}{words}" if keys else f"{where}{words}")
        self.keys = keys
        self.words = words


# Reading


def read_toml(path: Path, kind: type[T], largest: int = LARGEST) -> T:
    """What a TOML file says.

    Raises:
        BadInput: the file cannot be read, or something in it is wrong.
    """
    return parse_toml(read_text(path, largest), kind, str(path))


def parse_toml(text: str, kind: type[T], where: str) -> T:
    """What a TOML text says; `where` names it in errors.

    Raises:
        BadInput: it is no TOML, or something in it is wrong.
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line, words = toml_mistake(error, text)
        raise BadInput(f"{where}, line {line}: {words}") from None
    return check(document, kind, where)


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
        raise _explained(error, document, kind, where) from None


# What is said


def dotted(keys: tuple[str | int, ...]) -> str:
    """The keys as TOML writes them: ``label.grow_to[0]``, ``classes."crème brûlée".name``."""
    written = ""
    for key in keys:
        if isinstance(key, int):
            written += f"[{key}]"
        else:
            name = clean(key, 80)
            plain = re.fullmatch(r"[A-Za-z0-9_-]+", name)
            written += f".{name if plain else json.dumps(name, ensure_ascii=False)}"
    return written.removeprefix(".")


_ERROR = re.compile(r"(?P<what>.*?)(?: - at (?P<key>`key` in )?`\$(?P<path>.*)`)?", re.S)
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.S)


def _explained(error: Exception, document: Any, kind: Any, where: str) -> Invalid:
    """An error of msgspec in our words."""
    found = _ERROR.fullmatch(str(error))
    assert found is not None
    keys = _keys(found["path"] or "", error, document, kind)
    info = _type_at(_type_info(kind), keys)
    about = _about(info)
    if field := _FIELD.fullmatch(found["what"]):
        known = _fields(info)
        keys = (*keys, field[2])
        if field[1] == "missing required":
            return Invalid(where, keys, f" is missing: it must be {_phrase(known[field[2]])}")
        near = get_close_matches(field[2], known, 1)
        hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
        return Invalid(where, keys, f" is unknown; {hint}")
    if found["key"]:
        return Invalid(where, keys, f" has a wrong key: {found['what']}")
    if not found["what"].startswith(("Expected `", "Invalid ")):
        return Invalid(where, keys, f": {found['what']}")
    description = f" ({about['description']})" if "description" in about else ""
    shown = _shown(_value_at(document, keys))
    return Invalid(where, keys, f" must be {_phrase(info)}, not {shown}{description}")


def _phrase(info: inspect.Type) -> str:
    """What is expected: "a whole number of at least 1, such as 3"."""
    about = _about(info)
    phrase: str = about.get("title", "") or _plain_phrase(_bare(info))
    examples = about.get("examples", ())
    return f"{phrase}, such as {_shown(examples[0])}" if examples else phrase


def _plain_phrase(info: inspect.Type) -> str:
    match info:
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return f"a whole number{_bounds(info)}"
        case inspect.FloatType():
            return f"a number{_bounds(info)}"
        case inspect.StrType():
            return f"a text{_length(info, 'characters')}"
        case inspect.LiteralType():
            return " or ".join(map(_shown, info.values))
        case inspect.DateType():
            return "a day, such as 2014-01-31"
        case inspect.DateTimeType():
            return "a time, such as 2014-01-31T12:00:00Z"
        case inspect.ListType() | inspect.VarTupleType():
            return f"a list{_length(info, 'items')}, each of them {_phrase(info.item_type)}"
        case inspect.UnionType():
            kinds = (kind for kind in info.types if not isinstance(kind, inspect.NoneType))
            return " or ".join(map(_phrase, kinds))
    return "a table of keys and values"


def _bounds(info: inspect.IntType | inspect.FloatType) -> str:
    if info.ge is not None and info.le is not None:
        return f" from {info.ge:g} to {info.le:g}"
    bounds = {"at least": info.ge, "more than": info.gt, "at most": info.le, "less than": info.lt}
    words = [f"{word} {bound:g}" for word, bound in bounds.items() if bound is not None]
    return f" of {' and '.join(words)}" if words else ""


def _length(info: inspect.StrType | inspect.ListType | inspect.VarTupleType, what: str) -> str:
    if info.max_length is not None:
        return f" of {info.min_length or 0} to {info.max_length:,} {what}"
    return f" of at least {info.min_length} {what}" if info.min_length else ""


def _shown(value: Any) -> str:
    """A value as its file has it, cut short."""
    if isinstance(value, str):
        return json.dumps(clean(value, 60), ensure_ascii=False)
    if isinstance(value, Mapping):
        return "a table" if value else "an empty table"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return value.isoformat() if isinstance(value, date) else clean(str(value), 60)


# Where it is


def _keys(path: str, error: Exception, document: Any, kind: Any) -> tuple[str | int, ...]:
    """The keys that msgspec's path leads over. For a key of a dictionary it has ``[...]``."""
    keys: tuple[str | int, ...] = ()
    for name, number in re.findall(r"\.(\w+)|\[([0-9]+|\.\.\.)\]", path):
        if number == "...":
            table = _value_at(document, keys)
            alone = ((key, _with(document, keys, {key: table[key]})) for key in table)
            name = next((key for key, part in alone if _fails(part, kind, error)), "")
        keys = (*keys, name or int(number))
    return keys


def _fails(document: Any, kind: Any, error: Exception) -> bool:
    try:
        msgspec.convert(document, kind)
    except msgspec.ValidationError as found:
        return str(found) == str(error)
    return False


def _with(document: Any, keys: tuple[str | int, ...], value: Any) -> Any:
    """A copy with another value there."""
    if not keys:
        return value
    changed: Any = list(document) if isinstance(document, list) else dict(document)
    changed[keys[0]] = _with(document[keys[0]], keys[1:], value)
    return changed


def _value_at(document: Any, keys: tuple[str | int, ...]) -> Any:
    for key in keys:
        document = document[key]
    return document


# Which type is expected there


@cache
def _type_info(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def _type_at(info: inspect.Type, keys: tuple[str | int, ...]) -> inspect.Type:
    """The type to which keys lead."""
    for key in keys:
        inner = (_inner(option, key) for option in _options(info))
        info = next(filter(None, inner), inspect.AnyType())
    return info


def _inner(info: inspect.Type, key: str | int) -> inspect.Type | None:
    match info:
        case inspect.StructType():
            return _fields(info).get(str(key))
        case inspect.DictType():
            return info.value_type
        case inspect.ListType() | inspect.VarTupleType() if isinstance(key, int):
            return info.item_type
    return None


def _fields(info: inspect.Type) -> dict[str, inspect.Type]:
    structs = [option for option in _options(info) if isinstance(option, inspect.StructType)]
    return {field.encode_name: field.type for struct in structs for field in struct.fields}


def _options(info: inspect.Type) -> list[inspect.Type]:
    """The type without its `Meta`; of a union, the types that it joins."""
    bare = _bare(info)
    return list(map(_bare, bare.types)) if isinstance(bare, inspect.UnionType) else [bare]


def _bare(info: inspect.Type) -> inspect.Type:
    return info.type if isinstance(info, inspect.Metadata) else info


def _about(info: inspect.Type) -> Mapping[str, Any]:
    """What `Meta` says of a type."""
    return (isinstance(info, inspect.Metadata) and info.extra_json_schema) or {}


# What is no TOML or JSON at all

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_QUOTES = 'a key with other than A-Z, a-z, 0-9, _ and - stands in quotes, as in "crème brûlée"'
_UNENDED = "a text in quotes ends on its line, and its second quote is missing"
_TOML_MISTAKES = {
    "Invalid initial character for a key part": _QUOTES,
    "Expected ']' at the end of a table declaration": _QUOTES,
    "Expected '=' after a key in a key/value pair": 'a line has KEY = VALUE, as in name = "dog"',
    "Invalid value": 'a text stands in quotes, as in name = "dog"',
    "Illegal character '\\n'": _UNENDED,
    "Unterminated string": _UNENDED,
    'Expected "\'"': _UNENDED,
    "Unescaped '\\' in a string": "a backslash in quotes is written twice",
    "Unclosed array": "a list has commas between its texts, and ends with ]",
    "Expected newline or end of document after a statement": "one value is more than a line has",
    "Cannot overwrite a value": "this key is there twice",
}


def toml_mistake(error: Exception, text: str) -> tuple[int, str]:
    """The line on which a TOML text cannot be read, and why, for people who do not know TOML."""
    if isinstance(error, RecursionError):
        return 1, "here are lists within lists, too many to read"
    place = _PLACE.search(str(error))
    line = int(place[1]) if place and place[1] else text.rstrip().count("\n") + 1
    words = _PLACE.sub("", str(error))
    return line, _TOML_MISTAKES.get(words, f"not valid TOML ({words[:1].lower()}{words[1:]})")


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
