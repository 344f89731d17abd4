"""A taxonomy as a TOML file, as a user would write it."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from genset.classes.checks import mistakes_in
from genset.classes.document import document_of
from genset.classes.taxonomy import Taxonomy
from genset.core.errors import BadInput

_NOTICE = """\
# Words, definitions and hierarchy of classes with a synset are WordNet 3.0's: Copyright 2006 by
# Princeton University, all rights reserved; https://wordnet.princeton.edu/license-and-commercial-use
"""

_JSON = json.JSONEncoder(ensure_ascii=False)


def toml_of(taxonomy: Taxonomy, comments: Mapping[str, Sequence[str]], head: str) -> str:
    """The text of a file that says this taxonomy, checked as one that is read.

    Args:
        taxonomy: what is said.
        comments: by id, sentences above a class.
        head: what stands first, a line or several.

    Raises:
        BadInput: it has what no file may have, such as 100,001 classes.
    """
    document = document_of(taxonomy)
    if found := next(mistakes_in(document), None):
        raise BadInput(f"no file can have these classes: {found.words}")
    parts = [f"# {line}\n" for line in head.splitlines()]
    parts += [_NOTICE] * any(each.synset for each in taxonomy)
    parts.append(f"\nname = {_value(document['name'])}\n")
    for id, told in document["classes"].items():
        parts.append(_table(id, told, comments.get(id, ())))
    return "".join(parts)


def _table(id: str, told: Mapping[str, Any], comments: Sequence[str]) -> str:
    key = id if re.fullmatch("[A-Za-z0-9_-]+", id) else _value(id)
    lines = ["", *(f"# {_on_a_line(comment)}" for comment in comments), f"[classes.{key}]"]
    for name, value in told.items():
        if name == "queries":
            lines += ["queries = [", *(f"    {_inline(each)}," for each in value), "]"]
        else:
            lines.append(f"{name} = {_value(value)}")
    return "\n".join(lines) + "\n"


def _inline(table: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{key} = {_value(value)}" for key, value in table.items()) + " }"


def _value(value: Any) -> str:
    """A value as TOML has it; JSON's texts and lists are TOML's but for one character."""
    return _JSON.encode(value).replace("\x7f", "\\u007f")


def _on_a_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
