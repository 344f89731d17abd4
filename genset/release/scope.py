"""Of which candidates a manifest's numbers are: of the whole pool, or of one window of a protocol.

A workspace holds every year of a series, and a year's documents are to tell of that year alone.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from genset.db import Claim, Label, Photo, Search, Verdict, is_out, labels_in_force
from genset.release.collected import Collected

Conditions = list[ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class Scope:
    """The whole pool, or what was posted in a window."""

    window: Collected | None = None

    def candidates(self, of: InstrumentedAttribute[int]) -> Conditions:
        """That the candidates whose `Claim.id` is in this column are in scope."""
        if self.window is None:
            return []
        first, last = self._days(self.window)
        posted = select(Claim.id).join(Photo, Photo.id == Claim.photo_id)
        return [of.in_(posted.where(Photo.posted_at >= first, Photo.posted_at < last))]

    def searches(self) -> Conditions:
        """That a `Search` is in scope."""
        if self.window is None:
            return []
        first, last = self._days(self.window)
        return [Search.posted_after >= first, Search.posted_after < last]

    def cast(
        self, session: Session, votes: Mapping[int, Counter[Verdict]]
    ) -> Mapping[int, Counter[Verdict]]:
        """Those votes that are on candidates in scope."""
        if self.window is None:
            return votes
        ids = set(session.scalars(select(Claim.id).where(*self.candidates(Claim.id))))
        return {candidate: said for candidate, said in votes.items() if candidate in ids}

    def labelers(self, session: Session) -> int:
        """How many people labeled candidates in scope."""
        asked = select(func.count(Label.worker.distinct())).where(~is_out(Label))
        return session.scalar(asked.where(*self.candidates(Label.candidate_id))) or 0

    def protocol(self, session: Session) -> dict[str, Any]:
        """What a manifest says of the window, with `labels`: how many chose and measure here.

        Each earlier release has `labels_in_common`: how many of these are by people who labeled
        photos of that release, too.
        """
        if self.window is None:
            return {}
        force = labels_in_force().subquery()
        asked = select(force.c.worker, Claim.wnid, Photo.source, Photo.source_id)
        asked = asked.join(Claim, Claim.id == force.c.candidate_id)
        here, whose = Counter[str](), dict[str, set[str]]()
        for worker, wnid, source, number in session.execute(
            asked.join(Photo, Photo.id == Claim.photo_id)
        ):
            photo = f"{source}:{number}"
            whose.setdefault(photo, set()).add(worker)
            here[worker] += f"{wnid}/{photo}" in (self.window.tasks or ())
        told = self.window.as_json()
        for said, each in zip(told["earlier"], self.window.earlier, strict=True):
            people = set[str]().union(*(whose.get(photo, ()) for photo in each.photos))
            if people:  # of photos that were labeled elsewhere nobody knows by whom
                said["labels_in_common"] = sum(here[worker] for worker in people)
        return {"protocol": {**told, "labels": here.total()}}

    @staticmethod
    def _days(window: Collected) -> tuple[datetime, datetime]:
        ends = (window.posted_after, window.posted_before)
        first, last = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in ends)
        return first, last
