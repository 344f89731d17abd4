"""What passes between browser and server, as JSON: read with suspicion, written plainly."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from genset.errors import BadInput
from genset.label import (
    Example,
    GivenLabel,
    Progress,
    Receipt,
    Screen,
    ShownPhoto,
    Submission,
    Verdict,
)
from genset.text.links import web_link

_MOST_SCREENS = 12
_MOST_PHOTOS = 5


def milliseconds(time: datetime) -> int:
    """A time as browsers count it."""
    return round(time.timestamp() * 1000)


def screen(shown: Screen) -> dict[str, Any]:
    """A screen, with all that the page shows of it."""
    cls = shown.cls
    return {
        "id": shown.id,
        "wnid": cls.wnid,
        "name": cls.name,
        "also": cls.lemmas[1:],
        "definition": cls.gloss,
        "hypernyms": cls.hypernyms,
        "wikipedia": [{"title": page.title, "url": page.url} for page in cls.wikipedia],
        "photos": [_photo(each) for each in shown.photos],
        "examples": [_example(each) for each in shown.examples],
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
    """A list of screens' ids."""
    given = _field(body, field, list)
    if not all(isinstance(each, str) for each in given):
        raise BadInput(f"{field} is a list of names")
    return tuple(given)


def name_or_none(body: Any, field: str) -> str | None:
    """A screen's id, or nothing."""
    given = _field(body, field, str | None)
    return given if given is None else str(given)


def submissions(body: Any) -> Sequence[Submission]:
    """Screens' labels."""
    return tuple(_submission(each) for each in _field(body, "submissions", list))


def _submission(given: Any) -> Submission:
    labels = _field(given, "labels", list)
    if not 1 <= len(labels) <= _MOST_PHOTOS:
        raise BadInput(f"a screen has 1 to {_MOST_PHOTOS} labels, not {len(labels)}")
    return Submission(
        screen=_field(given, "screen", str),
        shown_at=_time(given, "shown_at"),
        submitted_at=_time(given, "submitted_at"),
        labels=tuple(_label(each) for each in labels),
    )


def _label(given: Any) -> GivenLabel:
    verdict = _field(given, "verdict", str)
    if verdict not in list(Verdict):
        raise BadInput(f"a verdict is {', '.join(Verdict)}")
    replaced = _field(given, "supersedes", str | None)
    return GivenLabel(
        id=_uuid(_field(given, "id", str)),
        photo=_field(given, "photo", str),
        verdict=Verdict(verdict),
        shown_at=_time(given, "shown_at"),
        decided_at=_time(given, "decided_at"),
        order=_field(given, "order", int),
        supersedes=None if replaced is None else _uuid(replaced),
    )


def _field(given: Any, name: str, kind: Any) -> Any:
    if not isinstance(given, dict) or name not in given:
        raise BadInput(f"the request has no {name}")
    value = given[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadInput(f"the request's {name} is of the wrong kind")
    return value


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise BadInput("an id is a UUID") from None


def _time(given: Any, name: str) -> datetime:
    try:
        return datetime.fromtimestamp(_field(given, name, int | float) / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        raise BadInput(f"{name} is no time") from None


def _example(photo: Example) -> dict[str, Any]:
    return {
        "src": f"/genset/picture/{photo.id}",
        "source": photo.source,
        "owner": photo.owner_name,
        "license": photo.license,
        "license_url": web_link(photo.license_url) or "",
        "page_url": web_link(photo.page_url) or "",
    }


def _photo(photo: ShownPhoto) -> dict[str, Any]:
    return {
        **_example(photo),
        "id": photo.id,
        "verdict": photo.verdict,
        "label_id": str(photo.label_id) if photo.label_id else None,
    }
