"""What passes between browser and server, as JSON: checked on its way in, written out plainly."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any
from uuid import UUID

from genset.core.safe import web_link
from genset.core.validation import Meta, Record
from genset.label import (
    LONGEST_ID,
    AddedClass,
    AlsoScreen,
    Example,
    ImageClass,
    LoadedScreen,
    NewLabel,
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
_LATEST = 4_102_444_800_000  # the year 2100, as browsers count

Name = Annotated[
    str,
    Meta(
        max_length=64,
        pattern=r"^[\x20-\x7e]*$",
        title="a name of at most 64 printable ASCII characters",
    ),
]
Names = Annotated[tuple[Name, ...], Meta(max_length=64)]
Milliseconds = Annotated[float, Meta(ge=0, le=_LATEST)]
Order = Annotated[int, Meta(ge=1, le=_MOST_LABELS)]


class Body(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """What a page sends to a route."""


class ScreensBody(Body, frozen=True, kw_only=True):
    """How many screens the page asks for, and which it has."""

    count: int
    loaded: Names

    @property
    def most(self) -> int:
        """As many as are given."""
        return max(0, min(self.count, _MOST_SCREENS))


class BeatBody(Body, frozen=True, kw_only=True):
    """The screens that the page keeps."""

    screens: Names


class EarlierBody(Body, frozen=True, kw_only=True):
    """The screen before which another is asked for; None for the last that was submitted."""

    screen: Name | None


class LabelBody(Body, frozen=True, kw_only=True):
    """As `NewLabel`."""

    id: UUID
    photo: Name
    verdict: Verdict
    shown_at: Milliseconds
    decided_at: Milliseconds
    order: Order
    supersedes: UUID | None


class AddedBody(Body, frozen=True, kw_only=True):
    """As `AddedClass`."""

    id: UUID
    wnid: Annotated[str, Meta(max_length=LONGEST_ID)]
    shown_at: Milliseconds
    decided_at: Milliseconds
    order: Order

    def __post_init__(self) -> None:
        if not self.wnid.isprintable():  # letters of any script may be in it
            raise ValueError("a class's id has characters that print")


class SubmissionBody(Body, frozen=True, kw_only=True):
    """As `Submission`."""

    screen: Name
    shown_at: Milliseconds
    submitted_at: Milliseconds
    labels: Annotated[tuple[LabelBody, ...], Meta(max_length=_MOST_LABELS)]
    added: Annotated[tuple[AddedBody, ...], Meta(max_length=_MOST_ADDED)] = ()

    def __post_init__(self) -> None:
        if not self.labels and not self.added:
            raise ValueError("a submission has at least one label")


class SubmitBody(Body, frozen=True, kw_only=True):
    """Screens' labels."""

    submissions: Annotated[tuple[SubmissionBody, ...], Meta(max_length=_MOST_SCREENS)]


def submission(body: SubmissionBody) -> Submission:
    """The submission that a page sent."""
    return Submission(
        screen=body.screen,
        shown_at=_time(body.shown_at),
        submitted_at=_time(body.submitted_at),
        labels=tuple(
            NewLabel(
                id=label.id,
                photo=label.photo,
                verdict=label.verdict,
                shown_at=_time(label.shown_at),
                decided_at=_time(label.decided_at),
                order=label.order,
                supersedes=label.supersedes,
            )
            for label in body.labels
        ),
        added=tuple(
            AddedClass(
                id=added.id,
                wnid=added.wnid,
                shown_at=_time(added.shown_at),
                decided_at=_time(added.decided_at),
                order=added.order,
            )
            for added in body.added
        ),
    )


def _time(milliseconds: float) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def milliseconds(time: datetime) -> int:
    """A time as browsers count it."""
    return round(time.timestamp() * 1000)


def screen(shown: Screen | AlsoScreen | LoadedScreen) -> dict[str, Any]:
    """A screen, with all that the page shows of it, or that it has already."""
    if isinstance(shown, LoadedScreen):
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
                "wnid": item.cls.wnid,
                "name": item.cls.name,
                "definition": item.cls.gloss,
                "photo": _example(item.photo) if item.photo else None,
            }
            for item in shown.confusable
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
        {"wnid": item.wnid, "name": item.name, "also": item.lemmas[1:], "definition": item.gloss}
        for item in taxonomy
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
        "screens_remaining": far.screens_remaining,
        "seconds_remaining": far.seconds_remaining,
        "done": asdict(done) if done else None,
    }


def receipt(stored: Receipt) -> dict[str, Any]:
    """What became of a label."""
    return {"id": str(stored.id), "ok": stored.ok, "reason": stored.reason}


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


def _question(question: ShownQuestion) -> dict[str, Any]:
    return {
        "id": question.id,
        "wnid": question.cls.wnid,
        "name": question.cls.name,
        "also": question.cls.lemmas[1:],
        "definition": question.cls.gloss,
        "photo": _example(question.photo) if question.photo else None,
        "verdict": question.verdict,
        "label_id": str(question.label_id) if question.label_id else None,
    }
