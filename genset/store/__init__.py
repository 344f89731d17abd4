"""The database: tables, and the questions that more than one stage asks of them."""

from genset.store.database import Store
from genset.store.labels import (
    Control,
    ControlAnswer,
    Label,
    Labeler,
    Ruling,
    Screen,
    ScreenPhoto,
    Study,
    Verdict,
)
from genset.store.models import (
    Base,
    Candidate,
    DuplicatePair,
    Photo,
    PhotoEvent,
    RemovedOwner,
    Search,
    now,
)
from genset.store.queries import (
    find_candidate,
    is_called_correct,
    is_contested,
    is_ruled,
    labels_in_force,
    rulings_in_force,
    stored_candidates,
    votes,
)

__all__ = [
    "Base",
    "Candidate",
    "Control",
    "ControlAnswer",
    "DuplicatePair",
    "Label",
    "Labeler",
    "Photo",
    "PhotoEvent",
    "RemovedOwner",
    "Ruling",
    "Screen",
    "ScreenPhoto",
    "Search",
    "Store",
    "Study",
    "Verdict",
    "find_candidate",
    "is_called_correct",
    "is_contested",
    "is_ruled",
    "labels_in_force",
    "now",
    "rulings_in_force",
    "stored_candidates",
    "votes",
]
