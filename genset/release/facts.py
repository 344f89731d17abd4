"""The facts in a manifest on how its photos were found and labeled."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.dates import earliest_day
from genset.db import Candidate, Label, Photo, Search, SourceWords, Verdict, is_out
from genset.licenses import License, elsewhere
from genset.release.reader import ReleasePhoto

# What a manifest keeps of a source's words: not those that are for labelers alone.
_WORDS = ("title", "home", "needs", "found", "limits", "terms", "posted", "taken", "notice")


def collected(session: Session, photos: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """Dates, searches and labels behind `photos`, as JSON. Times are ISO 8601 in UTC.

    What the workspace does not have, such as searches for photos of your own, is None.
    """
    searches = session.execute(
        select(func.count(), func.min(Search.searched_at), func.max(Search.searched_at))
    ).one()
    counted = ~is_out(Label)
    labels = session.execute(
        select(func.count(), func.min(Label.decided_at), func.max(Label.decided_at)).where(counted)
    ).one()
    guidelines = session.scalars(
        select(Label.guideline).where(Label.guideline.is_not(None), counted).distinct()
    )
    posted = sorted(photo.posted_at for photo in photos)
    return {
        "sources": sorted({photo.source for photo in photos}),
        "posted": [posted[0], posted[-1]],
        "searched": _span(searches[1], searches[2]),
        "searches": searches[0],
        "candidates": session.scalar(select(func.count()).select_from(Candidate)),
        "labeled": _span(labels[1], labels[2]),
        "labels": labels[0],
        "guidelines": sorted(str(guideline) for guideline in guidelines),
    }


def labelers(session: Session) -> int:
    """How many people labeled candidates."""
    return session.scalar(select(func.count(Label.worker.distinct())).where(~is_out(Label))) or 0


def words_of_sources(session: Session, photos: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """What people must know of each source of `photos`, by its name, as JSON.

    Photos that somebody added from a folder have a source of which there are no words.
    """
    named = select(SourceWords).where(SourceWords.name.in_({photo.source for photo in photos}))
    found = session.scalars(named.order_by(SourceWords.name))
    return {each.name: {word: getattr(each, word) for word in _WORDS} for each in found}


def queries_asked(session: Session, source: str, wnids: Collection[str]) -> set[tuple[str, str]]:
    """What this workspace searched a source for: each class of `wnids` with each of its queries."""
    asked = select(Search.wnid, Search.query).where(Search.source == source)
    rows = session.execute(asked.where(Search.wnid.in_(wnids)).distinct())
    return {(wnid, query) for wnid, query in rows}


def agreement(session: Session, votes: Mapping[int, Mapping[Verdict, int]]) -> float | None:
    """`alpha` of the votes on candidates: what is said of proposals is told apart."""
    candidates = set(session.scalars(select(Candidate.id)))
    return alpha(said for id, said in votes.items() if id in candidates)


def ground(photo: Photo, since: datetime) -> str:
    """On which ground a photo counts as unseen since a day (`ReleasePhoto.unseen`)."""
    day = earliest_day(photo.taken_at, photo.posted_at)
    if day is not None and day >= since.date().isoformat():
        return "taken"
    return "posted" if photo.posted_at >= since else "none"


def license_of(photo: Photo) -> License:
    """A photo's licence as the pool has it now."""
    license = License(photo.license, photo.license_url)
    if photo.source != "flickr" and not photo.page_url:  # added, when all were taken for Flickr's
        return elsewhere(license)
    return license


def alpha(votes: Iterable[Mapping[Verdict, int]]) -> float | None:
    """Krippendorff's alpha for nominal labels, from each candidate's votes.

    It is None if no two labels differ, or no candidate has two.

    Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011.
    """
    totals: Counter[Verdict] = Counter()
    differing = 0.0  # pairs of labels of one candidate that differ
    for counts in votes:
        if (count := sum(counts.values())) > 1:
            totals.update(counts)
            differing += (count**2 - sum(n**2 for n in counts.values())) / (count - 1)
    count = totals.total()
    by_chance = count**2 - sum(n**2 for n in totals.values())
    if not by_chance:
        return None
    return round(1 - (count - 1) * differing / by_chance, 6)


def _span(first: datetime | None, last: datetime | None) -> list[str] | None:
    if first is None or last is None:
        return None
    return [first.isoformat(timespec="seconds"), last.isoformat(timespec="seconds")]
