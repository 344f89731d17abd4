"""What passes between a labeler's page and the desk: screens out, verdicts in, receipts out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from genset.classes import LONGEST_ID, ImageClass
from genset.core.validation import Meta
from genset.db import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Example:
    """A photo to look at, not to decide. `id` is its name for `genset.label.session.pictures`.

    `owner_name` and the addresses are a stranger's words: show them as text. The photo's title is
    left out on purpose: a labeler should judge what the picture shows, not what it is called.
    """

    id: str
    source: str
    owner_name: str
    license: str
    license_url: str
    page_url: str


@dataclass(frozen=True, slots=True)
class ShownPhoto(Example):
    """A photo to decide. `verdict` is the labeler's own in force, by the label with `label_id`."""

    verdict: Verdict | None = None
    label_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Confusable:
    """A class that this one may be taken for, with a photo of it where one is known."""

    cls: ImageClass
    photo: Example | None


@dataclass(frozen=True, slots=True)
class Screen:
    """Photos of one class, which are one labeler's to decide until `expires_at` (UTC).

    `examples` are up to three photos that are known to be right, `confusable` up to three classes.
    """

    id: str
    cls: ImageClass
    photos: tuple[ShownPhoto, ...]
    examples: tuple[Example, ...]
    confusable: tuple[Confusable, ...]
    expires_at: datetime
    submitted: bool
    is_training: bool = False


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """Whether the photo of a screen shows `cls` too; `photo` is a known one of it, if there is one.

    `verdict` is the labeler's own in force, by the label with `label_id`.
    """

    id: str
    cls: ImageClass
    photo: Example | None
    verdict: Verdict | None = None
    label_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class AlsoScreen:
    """One photo of the class `home`, and further classes that may be in it.

    It is one labeler's to decide until `expires_at` (UTC). `photo.id` is that of a question: the
    photo has no name of its own. At most nine questions, and those that the labeler added.
    """

    id: str
    home: ImageClass
    photo: Example
    questions: tuple[ShownQuestion, ...]
    expires_at: datetime
    submitted: bool


@dataclass(frozen=True, slots=True)
class LoadedScreen:
    """A screen that the page has already, and that is still theirs until `expires_at` (UTC)."""

    id: str
    expires_at: datetime


# What a page sends

LONGEST_COMMENT = 500
MOST_ADDED = 4
_MOST_LABELS = 48  # photos of a class; a screen of questions has fewer, with those added
_LATEST = 4_102_444_800_000  # the year 2100

Name = Annotated[
    str,
    Meta(
        max_length=64,
        pattern=r"^[\x20-\x7e]*$",
        title="a name of at most 64 printable ASCII characters",
    ),
]
Milliseconds = Annotated[float, Meta(ge=0, le=_LATEST)]
"""A time as browsers count it: since 1970."""

Order = Annotated[int, Meta(ge=1, le=_MOST_LABELS)]


def milliseconds(time: datetime) -> int:
    """A time as browsers count it."""
    return round(time.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class NewLabel:
    """A verdict as the page sends it.

    `id` is made by the page, once for each verdict; `photo` is the `ShownPhoto.id`, or that of a
    `ShownQuestion`. `order` is the place, from 1, in which the screen's photos were decided.
    `supersedes` is the `label_id` of the verdict that this one replaces, None for the first on a
    photo.
    """

    id: UUID
    photo: Name
    verdict: Verdict
    shown_at: Milliseconds
    decided_at: Milliseconds
    order: Order
    supersedes: UUID | None = None


@dataclass(frozen=True, slots=True)
class AddedClass:
    """A class that was not asked about, and that the labeler sees in the photo of an `AlsoScreen`.

    It is stored as a label, correct, with this `id`; the rest is as in `NewLabel`.
    """

    id: UUID
    wnid: Annotated[str, Meta(max_length=LONGEST_ID)]
    shown_at: Milliseconds
    decided_at: Milliseconds
    order: Order

    def __post_init__(self) -> None:
        if not self.wnid.isprintable():  # letters of any script may be in it
            raise ValueError("a class's id has characters that print")


@dataclass(frozen=True, slots=True)
class NewComment:
    """A remark on the photo (as in `NewLabel`): "" only flags it, None takes a remark back."""

    photo: Name
    text: Annotated[str, Meta(max_length=LONGEST_COMMENT)] | None


@dataclass(frozen=True, slots=True)
class Submission:
    """A screen's verdicts. The first submission of a screen names every photo on it."""

    screen: Name
    shown_at: Milliseconds
    submitted_at: Milliseconds
    labels: Annotated[tuple[NewLabel, ...], Meta(max_length=_MOST_LABELS)]
    added: Annotated[tuple[AddedClass, ...], Meta(max_length=MOST_ADDED)] = ()
    comments: Annotated[tuple[NewComment, ...], Meta(max_length=_MOST_LABELS)] = ()

    def __post_init__(self) -> None:
        if not self.labels and not self.added and not self.comments:
            raise ValueError("a submission has at least one label or comment")


@dataclass(frozen=True, slots=True)
class UnsavedFile:
    """What a page writes where a labeler downloads the labels that are not saved yet."""

    submissions: tuple[Submission, ...]


# What it is told


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of the label `id`: stored (`ok`, also when it was so before), or refused.

    Of a training screen: the verdict that was `expected`, and how that is known as `reason`.
    """

    id: UUID
    ok: bool
    reason: str = ""
    expected: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """Why there is nothing more to do: all is labeled, or the labeler's visit of a study ended.

    `outcome` says how that visit ended, and is None where there is none. Its labeler shows `code`
    to the platform; `return_url` leads there, where it can.
    """

    reason: Literal["all", "study"]
    outcome: Outcome | None = None
    code: str | None = None
    return_url: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one labeler is. A class is done when nothing in it is left for this labeler.

    `photos` counts what they decided, gold questions too, so that nobody can tell these by it.
    `screens_done` and `screens_to_do` are of this visit of a study; without one, all screens that
    they submitted, and None: what others do decides how many there will be. `seconds_remaining` is
    how long those of the visit take at their pace, None until there is one. `screens_of_others`
    counts, where they get fewer screens than they ask for, those of others that have something for
    them.
    """

    classes: int
    photos: int
    screens_done: int
    screens_to_do: int | None
    seconds_remaining: int | None
    done: Done | None
    screens_of_others: int = 0


UNKNOWN = "no such screen or photo"
BLOCKED = "you may not label here any more"
NOT_WHOLE = "not every photo of the screen is decided"
LOST = "given to another labeler meanwhile"
TWICE = "you have decided this photo already"
CHANGED = "you have changed this verdict elsewhere meanwhile"
TAKEN = "another label has this id"
QUESTION = "a question is answered by yes, no or maybe"
NO_CLASS = "there is no such class"
NOT_HERE = "classes are added where one photo is shown"
HOME = "this is the photo's own class"
ASKED = "this class is asked about already"
DECIDED = "you have decided this class for this photo already"
TOO_MANY = "no more classes can be added here"
