"""The table that strategies choose from: one row for each stored candidate."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.db import (
    Candidate,
    DuplicatePair,
    Photo,
    Verdict,
    is_called_correct,
    rulings_in_force,
    undecided_photos,
    votes,
)
from genset.release.aggregated import AggregatedLabel, AggregatedLabels


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """The fields of a candidate that matter for choosing.

    Attributes:
        id: the row of the candidate.
        wnid: the class that it was found for.
        photo: the photo's name, as in ``flickr:6061409035``.
        sha256: of its original bytes.
        fingerprint: its 64-bit perceptual hash; None if none is stored.
        owner: its owner, with the source: ``flickr:78733179@N04``.
        license, license_url: the licence's name, and where its text is.
        posted_at: when it was posted, ISO 8601 in UTC, so that it sorts by time.
        votes: the number of labelers by verdict.
        ruling: the verdict of the review; None if it was not reviewed.
        aggregated: what the votes say together; None where votes are counted instead.
        rank: its place in the results of the search that found it, from 1.
        unsettled: whether several classes claim its photo, and it counts for none yet
            (`genset.db.undecided_photos`).
    """

    id: int
    wnid: str
    photo: str
    sha256: str
    fingerprint: int | None
    owner: str
    license: str
    license_url: str
    posted_at: str
    votes: Mapping[Verdict, int]
    ruling: Verdict | None
    aggregated: AggregatedLabel | None = None
    rank: int = 1
    unsettled: bool = False

    @property
    def task(self) -> str:
        """The candidate's name: ``n02123045/flickr:6061409035``."""
        return f"{self.wnid}/{self.photo}"

    @property
    def source(self) -> str:
        """Where it was found: ``flickr``."""
        return self.photo.partition(":")[0]

    @property
    def labels(self) -> int:
        """How many labelers gave a verdict."""
        return sum(self.votes.values())

    @property
    def correct(self) -> int:
        """How many labelers said correct."""
        return self.votes.get(Verdict.CORRECT, 0)

    @property
    def frequency(self) -> float:
        """Its selection frequency, 0 to 1; 0 without any label."""
        return self.correct / self.labels if self.labels else 0.0

    @property
    def is_correct(self) -> bool:
        """Whether it is called correct, by its ruling, its aggregated label or a majority."""
        if self.ruling is None and self.aggregated is not None:
            return self.aggregated.label is Verdict.CORRECT
        return is_called_correct(Counter(self.votes), self.ruling)


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """The input of a choice.

    Attributes:
        entries: the candidates whose photo is stored.
        pairs: names of similar photos that nobody called different. The second may be a name in
            a file of hashes (``imagenet.hashes:n02123045/1.jpg``).
        sources: the sources of the pool's photos: the first parts of their names.
    """

    entries: tuple[CandidateRow, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    sources: frozenset[str] = frozenset()


def read_table(
    session: Session, without: str | None = None, labels: AggregatedLabels | None = None
) -> CandidateTable:
    """The table of a workspace, with the votes of all panels except `without`.

    Where there are aggregated `labels`, each candidate has its own.
    """
    cast = votes(session, without=without)
    rulings = rulings_in_force(session)
    unsettled = set(session.scalars(undecided_photos()))
    rows = session.execute(
        select(
            Candidate.id,
            Candidate.wnid,
            Candidate.rank,
            Candidate.photo_id,
            Photo.source,
            Photo.source_id,
            Photo.sha256,
            Photo.fingerprint,
            Photo.owner,
            Photo.license,
            Photo.license_url,
            Photo.posted_at,
        )
        .join(Candidate.photo)
        .where(Photo.sha256.is_not(None), Photo.refused.is_(None))
    )
    nobody: Counter[Verdict] = Counter()
    entries = tuple(
        CandidateRow(
            id=row.id,
            wnid=row.wnid,
            photo=(photo := f"{row.source}:{row.source_id}"),
            sha256=row.sha256,
            fingerprint=None if row.fingerprint is None else int(row.fingerprint, 16),
            owner=f"{row.source}:{row.owner}",
            license=row.license,
            license_url=row.license_url,
            posted_at=row.posted_at.isoformat(),
            votes=cast.get(row.id, nobody),
            ruling=rulings.get(row.id),
            aggregated=labels.of(f"{row.wnid}/{photo}") if labels else None,
            rank=row.rank,
            unsettled=row.photo_id in unsettled,
        )
        for row in rows
    )
    similar = session.execute(
        select(Photo.source, Photo.source_id, DuplicatePair.other)
        .join(DuplicatePair.photo)
        .where(DuplicatePair.verdict.is_distinct_from("different"))
    )
    pairs = tuple(sorted((f"{row.source}:{row.source_id}", row.other) for row in similar))
    sources = frozenset(session.scalars(select(Photo.source).distinct()))
    return CandidateTable(entries, pairs, sources)
