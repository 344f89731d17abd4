"""Which candidates a window of a protocol has, and which of them still lack votes.

A protocol's candidates are those that its scrape keeps, and no others of the pool: what was found
in the same window by other searches, or deeper in the results, is not of it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from genset.db import Candidate, Photo, Store, Verdict, claimed_by_several, rulings_in_force, votes
from genset.db.growth import lacking
from genset.protocols.protocol import Protocol
from genset.scrape.collect.plan import ScrapePlan
from genset.scrape.collect.state import class_states, of_classes


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a window is.

    Attributes:
        tasks: the names of its candidates.
        missing: how many photos or pages of results are still to be fetched, at least.
        waiting: how many of the candidates lack votes.
    """

    tasks: frozenset[str]
    missing: int
    waiting: int


def standing(store: Store, protocol: Protocol, plans: Sequence[ScrapePlan]) -> Standing:
    """How far a window is, by what is stored.

    Args:
        store: the workspace's.
        protocol: whose labels are asked for.
        plans: what the window wants of each source.
    """
    found: dict[str, set[int]] = {}
    missing = 0
    with store.session() as session:
        contested = set(session.scalars(claimed_by_several()))
        for plan in plans:
            for cls, state in class_states(session, plan, contested):
                missing += not state.is_settled
                kept = {each.photo_id for each in state.selection.kept if each.sha256}
                found.setdefault(cls.wnid, set()).update(kept)
        rows = session.execute(
            select(Candidate.id, Candidate.wnid, Photo.id, Photo.source, Photo.source_id)
            .join(Photo, Candidate.photo_id == Photo.id)
            .where(*of_classes(found), Photo.sha256.is_not(None))
        )
        tasks = {
            candidate: f"{wnid}/{source}:{source_id}"
            for candidate, wnid, photo, source, source_id in rows
            if photo in found.get(wnid, ())
        }
        cast, rulings = votes(session), rulings_in_force(session)
    nobody = Counter[Verdict]()
    waiting = 0
    for candidate in tasks:
        said = cast.get(candidate, nobody)
        counts = said.total(), said[Verdict.CORRECT]
        waiting += candidate not in rulings and lacking(protocol.label, *counts, ruled=False) > 0
    return Standing(frozenset(tasks.values()), missing, waiting)
