"""What a release is chosen from: a row for each stored candidate, and labels made of their votes.

The command line makes these labels by the methods of ``genset labels aggregate``.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.core.files import sha256_of
from genset.core.hashes import HEAD, Hashes, near, read_hashes
from genset.db import (
    Candidate,
    DuplicatePair,
    Photo,
    Verdict,
    gone_photos,
    is_called_correct,
    rulings_in_force,
    undecided_photos,
    votes,
    votes_digest,
)


class AggregatedLabel(NamedTuple):
    """What a candidate's votes say together; no label where several are tied.

    `confidence` is that of the label, 0 to 1: the share of votes for it, or its probability.
    """

    label: Verdict | None
    confidence: float


@dataclass(frozen=True, slots=True)
class AggregatedLabels:
    """The labels of all candidates that have votes.

    Attributes:
        method: which brought the votes together: "dawid-skene".
        by_task: the labels, by the candidate's name.
        panel, without: whose votes: of one panel, of all but one, or (both None) of all.
        digest: the `genset.db.digest_of_votes` of these votes.
    """

    method: str
    by_task: Mapping[str, AggregatedLabel]
    panel: str | None
    without: str | None
    digest: str

    def of(self, task: str) -> AggregatedLabel:
        """The label of a candidate; one without a verdict for those that are not there."""
        return self.by_task.get(task, AggregatedLabel(None, 0.0))

    def check(self, session: Session) -> None:
        """Refuse labels of other votes than are in force now.

        Raises:
            BadInput: votes came or went since the labels were made.
        """
        if self.digest != votes_digest(session, self.panel, self.without):
            raise BadInput("votes changed meanwhile: run the same command again")

    def as_json(self) -> dict[str, Any]:
        """Where they are from, for the manifest. What does not apply is left out."""
        names = ("method", "panel", "without")
        return {name: value for name in names if (value := getattr(self, name))}


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
        is_gone: whether its source did not show the photo any more when it was last asked.
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
    is_gone: bool = False

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
    gone = {photo.id for photo in session.scalars(gone_photos())}
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
        .where(Photo.in_use)
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
            is_gone=row.photo_id in gone,
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


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A file of hashes.

    Attributes:
        name: the file's name, and `sha256` its hash.
        digests: sha256 of photos, if it lists these.
        fingerprints: perceptual hashes of photos, uint64, if ``genset hash`` wrote it.
    """

    name: str
    sha256: str
    digests: frozenset[str]
    fingerprints: Hashes

    @classmethod
    def read(cls, path: Path) -> "Exclusion":
        """Read a file that ``genset hash`` or ``sha256sum`` wrote.

        Raises:
            BadInput: it is neither. The message names the line.
        """
        try:
            with path.open(encoding="utf-8", errors="surrogateescape") as file:
                perceptual = file.readline() == HEAD
            sha256 = sha256_of(path)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from None
        if perceptual:
            return cls(path.name, sha256, frozenset(), read_hashes(path).hashes)
        found = set()
        lines = path.read_text("utf-8", errors="surrogateescape").splitlines()
        for number, line in enumerate(lines, start=1):
            match = re.match(r"\\?([0-9a-fA-F]{64})(?:\s|$)", line)
            if match is None:
                raise BadInput(
                    f"{path}, line {number}: no sha256: --exclude takes a file that genset hash or "
                    "sha256sum wrote"
                )
            found.add(match[1].lower())
        if not found:
            raise BadInput(f"{path} holds no hashes")
        return cls(path.name, sha256, frozenset(found), np.empty(0, np.uint64))

    def shared_with(self, entries: Sequence[CandidateRow]) -> list[CandidateRow]:
        """The candidates whose photo is listed: equal bytes, or at most 8 of 64 bits different."""
        hashed = [entry for entry in entries if entry.fingerprint is not None]
        fingerprints = np.array([entry.fingerprint for entry in hashed], np.uint64)
        similar = (
            {index for index, _, _ in near(fingerprints, self.fingerprints)} if hashed else set()
        )
        shared = [hashed[index] for index in sorted(similar)]
        return shared + [entry for entry in entries if entry.sha256 in self.digests]
