"""What APIs answer: the JSON of a reply, read as the records that a source declares.

A reply is strangers' words: of any type, any length and any depth.
"""

import json
from typing import Any, TypeVar

from genset.core.errors import BadInput, PhotoRejected, SourceUnavailable
from genset.core.validation import Invalid, Record, check_parts
from genset.net.transport import A_PAGE

T = TypeVar("T")

_LONGEST_TEXT = 2000


class Reply(Record, frozen=True, forbid_unknown_fields=False):
    """An object in a reply; keys that it does not name are passed over."""


def parse_json(body: bytes, name: str) -> Any:
    """The JSON document of a reply, whatever it says.

    Raises:
        SourceUnavailable: it is none. `name` is the API's. A web page is a failure of the host.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        if body.lstrip().startswith(b"<"):
            raise SourceUnavailable(f"{name} {A_PAGE}") from None
        raise SourceUnavailable(f"{name} answered without JSON", scope="query") from None


def read(document: Any, kind: type[T], name: str) -> T:
    """What a reply says, without those of its parts that do not fit.

    Args:
        document: the reply, or a part of it.
        kind: the record that it is expected to be.
        name: the API's, for errors.

    Raises:
        SourceUnavailable: it lacks what it must have; the error says where.
    """
    try:
        return check_parts(document, kind, "its answer")
    except BadInput as error:
        words = f"{name} answered in an unknown form: {error}"
        raise SourceUnavailable(words, scope="query") from None


def read_entry(document: Any, kind: type[T]) -> T | None:
    """The same of one of many; None where it lacks what it must have."""
    try:
        return check_parts(document, kind, "an entry")
    except BadInput:
        return None


def usable_entry(document: Any, kind: type[T]) -> T:
    """The same; PhotoRejected, which says what is amiss, where it lacks what it must have."""
    try:
        return check_parts(document, kind, "an entry")
    except Invalid as invalid:
        field = next((key for key in invalid.keys if isinstance(key, str)), "")
        raise PhotoRejected(f"without a valid {field}" if field else "unreadable") from None
    except BadInput:
        raise PhotoRejected("unreadable") from None


def stored(text: str, longest: int = _LONGEST_TEXT) -> str:
    """A text, cut, of which a database takes every character: no NUL, no half of a character."""
    return text[:longest].replace("\0", "").encode(errors="replace").decode()
