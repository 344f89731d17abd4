"""The database: tables, and the questions that more than one stage asks of them."""

from genset.store.database import Store
from genset.store.models import Base, Candidate, Label, Photo, Search, Verdict, now
from genset.store.queries import labels_in_force, stored_candidates, votes

__all__ = [
    "Base",
    "Candidate",
    "Label",
    "Photo",
    "Search",
    "Store",
    "Verdict",
    "labels_in_force",
    "now",
    "stored_candidates",
    "votes",
]
