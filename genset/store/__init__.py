"""The database: tables, and the questions that more than one stage asks of them."""

from genset.store.database import Store
from genset.store.models import (
    Base,
    Candidate,
    DuplicatePair,
    Label,
    Photo,
    PhotoEvent,
    RemovedOwner,
    Search,
    Verdict,
    now,
)
from genset.store.queries import is_contested, labels_in_force, stored_candidates, votes

__all__ = [
    "Base",
    "Candidate",
    "DuplicatePair",
    "Label",
    "Photo",
    "PhotoEvent",
    "RemovedOwner",
    "Search",
    "Store",
    "Verdict",
    "is_contested",
    "labels_in_force",
    "now",
    "stored_candidates",
    "votes",
]
