"""What a type expects, in words, and where in a document an error of msgspec is."""

import json
import re
from collections.abc import Mapping
from datetime import date
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple

import msgspec.structs
from msgspec import inspect

from genset.core.safe import clean

Keys = tuple[str | int, ...]


class Key(NamedTuple):
    """A key of a Record, as it is declared."""

    name: str
    default: Any
    description: str
    examples: list[Any]


@cache
def keys_of(kind: type[msgspec.Struct]) -> list[Key]:
    """The keys of a Record, in their order."""
    return [
        Key(
            field.name,
            field.default,
            _about(info).get("description", ""),
            _about(info).get("examples", []),
        )
        for field, info in zip(
            msgspec.structs.fields(kind), _fields(_type_info(kind)).values(), strict=True
        )
    ]


def dotted(keys: Keys) -> str:
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


_ERROR = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?", re.S)
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.S)


def explain(error: Exception, document: Any, kind: Any) -> tuple[Keys, str]:
    """Where an error of msgspec is, and what is wrong there, to be read behind the keys."""
    found = _ERROR.fullmatch(str(error))
    assert found is not None
    keys = _keys(found["path"] or "", error, document, kind)
    info = _type_at(_type_info(kind), keys)
    about = _about(info)
    if field := _FIELD.fullmatch(found["what"]):
        known = _fields(info)
        keys = (*keys, field[2])
        if field[1] == "missing required":
            return keys, f" is missing: it must be {_phrase(known[field[2]])}"
        near = get_close_matches(field[2], known, 1)
        hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
        return keys, f" is unknown; {hint}"
    if not found["what"].startswith(("Expected `", "Invalid ")):
        return keys, f": {found['what']}"
    description = f" ({about['description']})" if "description" in about else ""
    value = _value_at(document, keys)
    too_long = value and isinstance(value, list) and "of length" in found["what"]
    shown = f"a list of {len(value):,}" if too_long else _shown(value)
    return keys, f" must be {_phrase(info)}, not {shown}{description}"


def _phrase(info: inspect.Type) -> str:
    """What is expected: "a whole number of at least 1, such as 3"."""
    about = _about(info)
    phrase: str = about.get("title", "") or _plain_phrase(_bare(info))
    examples = about.get("examples", ())
    return f"{phrase}, such as {as_toml(examples[0])}" if examples else phrase


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
        case inspect.EnumType():
            return " or ".join(_shown(member.value) for member in info.cls)
        case inspect.UUIDType():
            return "a UUID"
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
    one = what.removesuffix("s") if info.min_length == 1 else what
    return f" of at least {info.min_length} {one}" if info.min_length else ""


def as_toml(value: Any) -> str:
    """A value as TOML has it, on one line."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {as_toml(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


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


def _keys(path: str, error: Exception, document: Any, kind: Any) -> Keys:
    """The keys that msgspec's path leads over. For a key of a dictionary it has ``[...]``."""
    keys: Keys = ()
    for name, number in re.findall(r"\.(\w+)|\[([0-9]+|\.\.\.)\]", path):
        if number == "...":
            table = _value_at(document, keys)
            alone = ((key, _with(document, keys, {key: table[key]})) for key in table)
            name = next((key for key, part in alone if _fails(part, kind, error)), "")
        keys = (*keys, int(number) if number.isdigit() else name)
    return keys


def _fails(document: Any, kind: Any, error: Exception) -> bool:
    try:
        msgspec.convert(document, kind)
    except msgspec.ValidationError as found:
        return str(found) == str(error)
    return False


def _with(document: Any, keys: Keys, value: Any) -> Any:
    """A copy with another value there."""
    if not keys:
        return value
    changed: Any = list(document) if isinstance(document, list) else dict(document)
    changed[keys[0]] = _with(document[keys[0]], keys[1:], value)
    return changed


def holds(document: Any, keys: Keys) -> bool:
    """Whether something is there, which it is not where a key is missing."""
    try:
        _value_at(document, keys)
    except (LookupError, TypeError):
        return False
    return True


def without(document: Any, keys: Keys) -> Any:
    """A copy without what is there."""
    *above, last = keys
    parent = _value_at(document, tuple(above))
    rest: Any = list(parent) if isinstance(parent, list) else dict(parent)
    del rest[last]
    return _with(document, tuple(above), rest)


def _value_at(document: Any, keys: Keys) -> Any:
    for key in keys:
        document = document[key]
    return document


# Which type is expected there


@cache
def _type_info(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def _type_at(info: inspect.Type, keys: Keys) -> inspect.Type:
    """The type to which keys lead."""
    for key in keys:
        inner = (_inner(option, key) for option in _options(info))
        info = next(filter(None, inner), inspect.AnyType())
    return info


def _inner(info: inspect.Type, key: str | int) -> inspect.Type | None:
    match info:
        case inspect.StructType() | inspect.DataclassType():
            return _fields(info).get(str(key))
        case inspect.DictType():
            return info.value_type
        case inspect.ListType() | inspect.VarTupleType() if isinstance(key, int):
            return info.item_type
    return None


def _fields(info: inspect.Type) -> dict[str, inspect.Type]:
    kinds = inspect.StructType | inspect.DataclassType
    objects = [option for option in _options(info) if isinstance(option, kinds)]
    return {field.encode_name: field.type for kind in objects for field in kind.fields}


def _options(info: inspect.Type) -> list[inspect.Type]:
    """The type without its `Meta`; of a union, the types that it joins."""
    bare = _bare(info)
    return list(map(_bare, bare.types)) if isinstance(bare, inspect.UnionType) else [bare]


def _bare(info: inspect.Type) -> inspect.Type:
    return info.type if isinstance(info, inspect.Metadata) else info


def _about(info: inspect.Type) -> Mapping[str, Any]:
    """What `Meta` says of a type."""
    return (isinstance(info, inspect.Metadata) and info.extra_json_schema) or {}
