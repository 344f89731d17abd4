"""What passes between browser and server, as JSON: read with suspicion, written plainly."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from genset.core.errors import BadInput
from genset.core.links import web_link
from genset.label import (
    LONGEST_ID,
    AddedClass,
    AlsoScreen,
    Example,
    GivenLabel,
    HeldScreen,
    ImageClass,
    Progress,
    Receipt,
    Screen,
    ShownPhoto,
    ShownQuestion,
    Submission,
    Taxonomy,
    Verdict,
)

_MOST_SCREENS = 12
_MOST_ADDED = 4
_MOST_LABELS = 9 + _MOST_ADDED  # a screen that is looked back at has those that were added, too
_MOST_NAMES = 64
_LONGEST_NAME = 64
_DEEPEST = 16  # a label lies 5 deep
_LATEST = 4_102_444_800_000  # the year 2100, as browsers count

# A string, also one that does not end: whatever it holds is no bracket of the structure.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)


def read(content: bytes) -> Any:
    """A request's body, whose size is bounded already.

    Raises:
        BadInput: it is no JSON, or lists and objects lie more than 16 deep in it.
    """
    try:
        text = content.decode("utf-8")
        if _depth(text) > _DEEPEST:
            raise BadInput("the request is nested too deep")
        return json.loads(text, parse_constant=_refuse_constant)
    except ValueError:  # a number of thousands of digits too
        raise BadInput("the request is not JSON") from None


def _depth(text: str) -> int:
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", _STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse_constant(word: str) -> None:
    raise ValueError(word)  # NaN and Infinity are Python's, not JSON's


def milliseconds(time: datetime) -> int:
    """A time as browsers count it."""
    return round(time.timestamp() * 1000)


def screen(shown: Screen | AlsoScreen | HeldScreen) -> dict[str, Any]:
    """A screen, with all that the page shows of it, or that it has already."""
    if isinstance(shown, HeldScreen):
        return {"id": shown.id, "expires_at": milliseconds(shown.expires_at)}
    if isinstance(shown, AlsoScreen):
        return {
            "id": shown.id,
            "kind": "also",
            "home": _class(shown.home),
            "photo": _example(shown.photo),
            "questions": [_question(question) for question in shown.questions],
            "expires_at": milliseconds(shown.expires_at),
            "submitted": shown.submitted,
        }
    return {
        "id": shown.id,
        **_class(shown.cls),
        "photos": [_photo(photo) for photo in shown.photos],
        "examples": [_example(example) for example in shown.examples],
        "confusable": [
            {
                "wnid": each.cls.wnid,
                "name": each.cls.name,
                "definition": each.cls.gloss,
                "photo": _example(each.photo) if each.photo else None,
            }
            for each in shown.confusable
        ],
        "expires_at": milliseconds(shown.expires_at),
        "submitted": shown.submitted,
    }


def _class(cls: ImageClass) -> dict[str, Any]:
    """What is shown of a class: the same on every screen."""
    return {
        "wnid": cls.wnid,
        "name": cls.name,
        "also": cls.lemmas[1:],
        "definition": cls.gloss,
        "hypernyms": cls.hypernyms,
        "wikipedia": [{"title": page.title, "url": page.url} for page in cls.wikipedia],
    }


@lru_cache(maxsize=4)
def classes(taxonomy: Taxonomy) -> bytes:
    """All classes by their index, as JSON, for the search among them."""
    found = [
        {"wnid": each.wnid, "name": each.name, "also": each.lemmas[1:], "definition": each.gloss}
        for each in taxonomy
    ]
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()


def progress(far: Progress) -> dict[str, Any]:
    """How far a labeler is."""
    done = far.done
    return {
        "classes_done": far.classes_done,
        "classes": far.classes,
        "photos": far.photos,
        "screens_done": far.screens_done,
        "screens_to_do": far.screens_to_do,
        "screens_left": far.screens_left,
        "seconds_left": far.seconds_left,
        "done": asdict(done) if done else None,
    }


def receipt(given: Receipt) -> dict[str, Any]:
    """What became of a label."""
    return {"id": str(given.id), "ok": given.ok, "reason": given.reason}


def wanted(body: Any) -> tuple[int, Sequence[str]]:
    """How many screens the page wants, at most 12, and which it has.

    Raises:
        BadInput: the body is not of that form. So do the others that read.
    """
    count = _field(body, "count", int)
    return max(0, min(count, _MOST_SCREENS)), names(body, "held")


def names(body: Any, field: str) -> Sequence[str]:
    """A list of screens' ids, at most 64."""
    given = _field(body, field, list)
    if len(given) > _MOST_NAMES:
        raise BadInput(f"{field} has at most {_MOST_NAMES} names, not {len(given)}")
    if not all(isinstance(each, str) for each in given):
        raise BadInput(f"{field} is a list of names")
    return tuple(_checked_name(each) for each in given)


def name_or_none(body: Any, field: str) -> str | None:
    """A screen's id, or nothing."""
    given = _field(body, field, str | None)
    return given if given is None else _checked_name(given)


def submissions(body: Any) -> Sequence[Submission]:
    """Screens' labels, of at most 12 screens."""
    given = _field(body, "submissions", list)
    if len(given) > _MOST_SCREENS:
        raise BadInput(f"a request has at most {_MOST_SCREENS} submissions, not {len(given)}")
    return tuple(_submission(each) for each in given)


def _submission(given: Any) -> Submission:
    labels = _field(given, "labels", list)
    if len(labels) > _MOST_LABELS:
        raise BadInput(f"a screen has at most {_MOST_LABELS} labels, not {len(labels)}")
    added = _field(given, "added", list) if "added" in given else []
    if len(added) > _MOST_ADDED:
        raise BadInput(f"at most {_MOST_ADDED} classes are added at once, not {len(added)}")
    if not labels and not added:
        raise BadInput("a submission has at least one label")
    return Submission(
        screen=_name(given, "screen"),
        shown_at=_time(given, "shown_at"),
        submitted_at=_time(given, "submitted_at"),
        labels=tuple(_label(label) for label in labels),
        added=tuple(_added(each) for each in added),
    )


def _label(given: Any) -> GivenLabel:
    verdict = _field(given, "verdict", str)
    if verdict not in list(Verdict):
        raise BadInput(f"a verdict is {', '.join(Verdict)}")
    replaced = _field(given, "supersedes", str | None)
    return GivenLabel(
        id=_uuid(_field(given, "id", str)),
        photo=_name(given, "photo"),
        verdict=Verdict(verdict),
        shown_at=_time(given, "shown_at"),
        decided_at=_time(given, "decided_at"),
        order=_order(given),
        supersedes=None if replaced is None else _uuid(replaced),
    )


def _added(given: Any) -> AddedClass:
    return AddedClass(
        id=_uuid(_field(given, "id", str)),
        wnid=_class_id(given),
        shown_at=_time(given, "shown_at"),
        decided_at=_time(given, "decided_at"),
        order=_order(given),
    )


def _field(given: Any, name: str, kind: Any) -> Any:
    if not isinstance(given, dict) or name not in given:
        raise BadInput(f"the request has no {name}")
    value = given[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadInput(f"the request's {name} is of the wrong kind")
    return value


def _name(given: Any, field: str) -> str:
    return _checked_name(_field(given, field, str))


def _class_id(given: Any) -> str:
    """A class's id, whose letters may be of any script."""
    text: str = _field(given, "wnid", str)
    if not (len(text) <= LONGEST_ID and text.isprintable()):
        raise BadInput(f"a class's id has at most {LONGEST_ID} printable characters")
    return text


def _checked_name(text: str) -> str:
    if not (len(text) <= _LONGEST_NAME and text.isascii() and text.isprintable()):
        raise BadInput(f"a name has at most {_LONGEST_NAME} printable ASCII characters")
    return text


def _order(given: Any) -> int:
    order: int = _field(given, "order", int)
    if not 1 <= order <= _MOST_LABELS:
        raise BadInput(f"a label's order is a number from 1 to {_MOST_LABELS}")
    return order


def _uuid(text: str) -> UUID:
    if not re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text):
        raise BadInput("an id is a UUID")
    return UUID(text)


def _time(given: Any, name: str) -> datetime:
    time: int | float = _field(given, name, int | float)
    if not 0 <= time <= _LATEST:
        raise BadInput(f"{name} is no time")
    return datetime.fromtimestamp(time / 1000, UTC)


_web_link = lru_cache(maxsize=4096)(web_link)  # a screen is sent until it is submitted


def _example(photo: Example) -> dict[str, Any]:
    return {
        "src": f"/genset/picture/{photo.id}",
        "source": photo.source,
        "owner": photo.owner_name,
        "license": photo.license,
        "license_url": _web_link(photo.license_url) or "",
        "page_url": _web_link(photo.page_url) or "",
    }


def _photo(photo: ShownPhoto) -> dict[str, Any]:
    return {
        **_example(photo),
        "id": photo.id,
        "verdict": photo.verdict,
        "label_id": str(photo.label_id) if photo.label_id else None,
    }


def _question(asked: ShownQuestion) -> dict[str, Any]:
    return {
        "id": asked.id,
        "wnid": asked.cls.wnid,
        "name": asked.cls.name,
        "also": asked.cls.lemmas[1:],
        "definition": asked.cls.gloss,
        "photo": _example(asked.photo) if asked.photo else None,
        "verdict": asked.verdict,
        "label_id": str(asked.label_id) if asked.label_id else None,
    }
