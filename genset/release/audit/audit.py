"""The whole checklist of a release."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from genset.core.errors import BadInput
from genset.db import DuplicatePair, Photo, Store
from genset.release.audit.finding import Finding
from genset.release.audit.papers import check_papers
from genset.release.audit.people import check_faces
from genset.release.audit.photos import Pairs, check_photos
from genset.release.audit.records import check_records
from genset.release.exclusions import Exclusion
from genset.release.reader import MANIFEST, Release


@dataclass(frozen=True, slots=True)
class Audit:
    """The answers of one release.

    Attributes:
        name: the release's name, and `content_hash` its hash.
        findings: an answer for each point.
    """

    name: str
    content_hash: str
    findings: tuple[Finding, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        """The points that it fails."""
        return tuple(finding.check for finding in self.findings if finding.verdict == "fail")


def audit(
    release: Release,
    against: Sequence[Path] = (),
    different: Pairs = frozenset(),
    *,
    faces: bool = True,
) -> Audit:
    """Answer every point of the checklist from the release's folder.

    Args:
        release: the release.
        against: files of other sets' hashes, of ``genset hash`` or ``sha256sum``.
        different: pairs of photos that somebody called different (`called_different`).
        faces: whether to look for faces.

    Raises:
        BadInput: a file of `against` is none of these, or the release has no photo.
    """
    if not release.photos:
        raise BadInput(f"{release.name} has no photo: there is nothing to audit")
    sets = [Exclusion.read(path) for path in against]
    manifest: dict[str, Any] = json.loads((release.root / MANIFEST).read_text("utf-8"))
    findings = (
        *check_records(manifest, release.photos, release.taxonomy),
        *check_photos(release, sets, different),
        check_faces(release, faces),
        *check_papers(release, manifest),
    )
    return Audit(release.name, release.content_hash, findings)


def called_different(store: Store) -> Pairs:
    """The pairs of a pool's photos that look alike and that somebody called different."""
    with store.session() as session:
        rows = session.execute(
            select(Photo.source, Photo.source_id, DuplicatePair.other)
            .join(DuplicatePair.photo)
            .where(DuplicatePair.verdict == "different")
        )
        return frozenset(frozenset((f"{row.source}:{row.source_id}", row.other)) for row in rows)
