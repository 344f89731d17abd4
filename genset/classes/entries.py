"""Lists of queries that people write: what they say of each class, checked."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genset.classes.classes import OTHER, PHOTOS
from genset.core.errors import BadInput
from genset.core.query import mistake_in

MOST_QUERIES = 4
"""Queries that a class may have: more are not worth their searches."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a list of queries that people write says of a class.

    Without `queries` the class keeps those that it has, and what is searched among.
    """

    queries: tuple[str, ...]
    content_types: tuple[int, ...] = (PHOTOS,)
    why: str = ""
    wikidata: tuple[str, ...] = ()


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file that people write. Raises BadInput, with the line where it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name} cannot be read: {error.reason}; write it in UTF-8") from None
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path.name} cannot be read: {error}") from None


def read_entries(classes: object, name: str) -> dict[str, Entry]:
    """The table ``[classes]`` of a list of queries, by wnid, checked.

    ::

        n02129165 = ["lion -sea -mountain", "Panthera leo"]
        n06359193 = { queries = ["website screenshot"], content_types = [0, 1], why = "..." }
        n01440764 = { wikidata = ["Q194406"] }

    Raises BadInput, which names the list by `name` and the key, for the first mistake. Whether
    there is such a class is for others to say.
    """
    if not isinstance(classes, dict):
        raise BadInput(f'{name}: [classes] holds lines like: n02129165 = ["lion -sea"]')
    return {wnid: _entry(given, f"{name}: {wnid}") for wnid, given in classes.items()}


_KEYS = ("queries", "content_types", "why", "wikidata")


def _entry(given: object, where: str) -> Entry:
    given = {"queries": given} if isinstance(given, list) else given
    if not isinstance(given, dict) or not given.keys() & {"queries", "wikidata"}:
        raise BadInput(f'{where} must be queries, such as ["lion -sea"], or a table with queries')
    if unknown := sorted(given.keys() - set(_KEYS)):
        raise BadInput(f"{where}: there is no {unknown[0]}; known are {', '.join(_KEYS)}")
    types, why = given.get("content_types", [PHOTOS]), given.get("why", "")
    if not isinstance(types, list) or not types or not all(map(is_content_type, types)):
        raise BadInput(
            f"{where}: content_types is a list of 0 (photos), 1 (screenshots) and 2 (other)"
        )
    if not isinstance(why, str):
        raise BadInput(f"{where}: why must be a text")
    if "content_types" in given and "queries" not in given:
        raise BadInput(f"{where}: content_types are given with queries")
    return Entry(
        _queries(given["queries"], where) if "queries" in given else (),
        tuple(sorted(set(types))),
        " ".join(why.split()),
        _items(given["wikidata"], where) if "wikidata" in given else (),
    )


def _queries(queries: object, where: str) -> tuple[str, ...]:
    if not isinstance(queries, list):
        raise BadInput(f'{where} must be queries, such as ["lion -sea"], or a table with queries')
    if not 1 <= len(queries) <= MOST_QUERIES:
        raise BadInput(f"{where} has {len(queries)} queries: give 1 to {MOST_QUERIES}")
    for query in queries:
        mistake = mistake_in(query) if isinstance(query, str) else "is no text"
        if mistake:
            raise BadInput(f"{where}: the query {query!r} {mistake}")
        if queries.count(query) > 1:
            raise BadInput(f"{where}: the query {query!r} is there twice")
    return tuple(queries)


def _items(items: object, where: str) -> tuple[str, ...]:
    """The items of Wikidata that a class is, checked."""
    if not isinstance(items, list) or not 1 <= len(items) <= MOST_QUERIES:
        raise BadInput(f'{where}: wikidata is a list of 1 to {MOST_QUERIES}, such as ["Q194406"]')
    for item in items:
        if not isinstance(item, str) or not re.fullmatch("Q[1-9][0-9]{0,11}", item):
            raise BadInput(f"{where}: {item!r} is no item of Wikidata, such as Q194406")
        if items.count(item) > 1:
            raise BadInput(f"{where}: the item {item} is there twice")
    return tuple(items)


def is_content_type(value: object) -> bool:
    """Whether it is a number of what an upload is."""
    return type(value) is int and PHOTOS <= value <= OTHER
