"""What passes between browser and server, as JSON: checked on its way in, written out plainly."""

import json
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any

from genset.core.safe import web_link
from genset.core.validation import Meta
from genset.label import ImageClass, Taxonomy
from genset.label.session.shown import (
    AlsoScreen,
    Body,
    Example,
    LoadedScreen,
    Name,
    Receipt,
    Screen,
    ShownPhoto,
    ShownQuestion,
    SubmissionBody,
)

_MOST_SCREENS = 12

Names = Annotated[tuple[Name, ...], Meta(max_length=64)]


class ScreensBody(Body, frozen=True, kw_only=True):
    """How many screens the page asks for, and which it has."""

    count: int
    loaded: Names


class BeatBody(Body, frozen=True, kw_only=True):
    """The screens that the page keeps, or gives back."""

    screens: Names


class EarlierBody(Body, frozen=True, kw_only=True):
    """The screen before which another is asked for; None for the last that was submitted."""

    screen: Name | None


class SubmitBody(Body, frozen=True, kw_only=True):
    """Screens' labels, and how many screens the page asks for; it has those that are loaded."""

    submissions: Annotated[tuple[SubmissionBody, ...], Meta(max_length=_MOST_SCREENS)]
    count: int = 0
    loaded: Names = ()


def most(count: int) -> int:
    """As many screens as are given where a page asks for so many."""
    return max(0, min(count, _MOST_SCREENS))


def milliseconds(time: datetime) -> int:
    """A time as browsers count it."""
    return round(time.timestamp() * 1000)


def screen(shown: Screen | AlsoScreen | LoadedScreen) -> dict[str, Any]:
    """A screen, with all that the page shows of it, or that it has already."""
    lease = {"id": shown.id, "expires_at": milliseconds(shown.expires_at)}
    if isinstance(shown, LoadedScreen):
        return lease
    if isinstance(shown, AlsoScreen):
        return {
            **lease,
            "kind": "also",
            "home": _class(shown.home),
            "photo": _example(shown.photo),
            "questions": [_question(question) for question in shown.questions],
            "submitted": shown.submitted,
        }
    return {
        **lease,
        **_class(shown.cls),
        "photos": [{**_example(photo), **_answer(photo)} for photo in shown.photos],
        "examples": [_example(example) for example in shown.examples],
        "confusable": [
            {**_named(item.cls), "photo": _example(item.photo) if item.photo else None}
            for item in shown.confusable
        ],
        "submitted": shown.submitted,
        "training": shown.is_training,
    }


def _named(cls: ImageClass) -> dict[str, Any]:
    return {"wnid": cls.wnid, "name": cls.name, "also": cls.lemmas[1:], "definition": cls.gloss}


def _class(cls: ImageClass) -> dict[str, Any]:
    """What is shown of a class: the same on every screen."""
    return {
        **_named(cls),
        "hypernyms": cls.hypernyms,
        "wikipedia": [{"title": page.title, "url": page.url} for page in cls.wikipedia],
    }


@lru_cache(maxsize=4)
def classes(taxonomy: Taxonomy) -> bytes:
    """All classes by their index, as JSON, for the search among them."""
    found = [_named(cls) for cls in taxonomy]
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()


def receipt(stored: Receipt) -> dict[str, Any]:
    """What became of a label."""
    about = {"id": str(stored.id), "ok": stored.ok, "reason": stored.reason}
    return about if stored.expected is None else {**about, "expected": stored.expected}


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


def _question(question: ShownQuestion) -> dict[str, Any]:
    photo = _example(question.photo) if question.photo else None
    return {**_named(question.cls), "photo": photo, **_answer(question)}


def _answer(shown: ShownPhoto | ShownQuestion) -> dict[str, Any]:
    """What a labeler has said of it, if anything."""
    label = str(shown.label_id) if shown.label_id else None
    return {"id": shown.id, "verdict": shown.verdict, "label_id": label}
