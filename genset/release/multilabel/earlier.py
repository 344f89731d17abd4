"""The plan by which a release was chosen, read from its manifest to choose by it again.

A manifest names files whose content it does not hold. Other sets' hashes (``--exclude``) are to be
given again. The labels that ``matched`` matched are not needed: the manifest has the bins that are
short.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, time
from typing import Any

from msgspec.structs import replace
from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Candidate, Photo, RemovedOwner, Verdict, rulings_in_force
from genset.licenses import License, choose_licenses, spdx_id
from genset.release.aggregated import AggregatedLabels
from genset.release.candidates import CandidateRow, CandidateTable
from genset.release.choose import Reasons
from genset.release.plan import Exclusion, ReleasePlan
from genset.release.reader import MANIFEST, Release, ReleasePhoto
from genset.release.strategies import RULE, Matched, Reference, Strategy, strategy
from genset.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Earlier:
    """A release, and how it was made.

    Attributes:
        release: the release.
        manifest: its manifest, as JSON.
        plan: by which its photos were chosen, without other sets' hashes and aggregated labels.
        labels: the method that brought votes together, and of whose votes; {} where none did.
        excluded: the names of the files of other sets' hashes, by their sha256.
        short: how many photos each class lacks, by wnid.
        short_bins: of ``matched``, how many each bin of a class lacks, by wnid.
    """

    release: Release
    manifest: dict[str, Any] = field(repr=False)
    plan: ReleasePlan
    labels: dict[str, Any]
    excluded: dict[str, str]
    short: dict[str, int]
    short_bins: dict[str, list[int]]

    @classmethod
    def read(cls, release: Release) -> "Earlier":
        """Read the plan in a release's manifest.

        Raises:
            BadInput: it has several right answers a photo already, or its plan is not as genset
                writes them.
        """
        manifest = json.loads((release.root / MANIFEST).read_text("utf-8"))
        if manifest.get("multilabel") is not None:
            of = manifest["multilabel"].get("from", {}).get("name", "its first release")
            raise BadInput(
                f"{release.name} has several right answers a photo already: make another one "
                f"--from {of}"
            )
        try:
            return cls(release, manifest, *_plan(manifest))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadInput(
                f"{release.root / MANIFEST}: its strategy cannot be followed: {error!r}"
            ) from None

    @property
    def panel(self) -> str | None:
        """The panel whose votes are recorded and did not choose; None where all did both."""
        return self.plan.panel

    @property
    def method(self) -> str | None:
        """The method of `genset labels aggregate` that brought the votes together, if any."""
        found = self.labels.get("method")
        return found if isinstance(found, str) else None

    @property
    def whose(self) -> dict[str, str | None]:
        """The panel whose votes that method brought together, or the one that it left out."""
        return {name: self.labels.get(name) for name in ("panel", "without")}

    def frozen_at(self) -> tuple[datetime, datetime]:
        """When its last label was given that it knew, and when it was frozen.

        Times in a manifest are without fractions of a second: what happened in that second
        happened before it. A version of a takedown knew the labels of the first release.
        """
        frozen = datetime.fromisoformat(self.manifest["created_at"])
        span = (self.manifest.get("collected") or {}).get("labeled")
        return _end_of_second(datetime.fromisoformat(span[1]) if span else frozen), (
            _end_of_second(frozen)
        )

    def again(
        self, exclude: Sequence[Exclusion] = (), labels: AggregatedLabels | None = None
    ) -> ReleasePlan:
        """The whole plan, with the hashes and labels that its manifest only names.

        Raises:
            BadInput: a file of hashes is missing, or is another one.
        """
        given = {each.sha256: each for each in exclude}
        for sha256, name in self.excluded.items():
            if sha256 not in given:
                raise BadInput(
                    f"{self.release.name} left out what looks like photos of {name} (sha256 "
                    f"{sha256}): give that file again with --exclude {name}"
                )
        if unknown := [each.name for each in exclude if each.sha256 not in self.excluded]:
            raise BadInput(
                f"{self.release.name} was not chosen with --exclude {unknown[0]}: give the files "
                "with which it was"
            )
        known = {field.name: getattr(self.plan, field.name) for field in fields(self.plan)}
        known |= {"exclude": tuple(exclude), "labels": labels}
        if labels is not None:
            known["min_confidence"] = self.manifest["strategy"].get("min_confidence")
        return ReleasePlan(**known)


_Parts = tuple[ReleasePlan, dict[str, Any], dict[str, str], dict[str, int], dict[str, list[int]]]


def _plan(manifest: Mapping[str, Any]) -> _Parts:
    told = manifest["strategy"]
    short = dict(manifest.get("short") or {})
    bins = dict((manifest.get("notes") or {}).get("short bins") or {})
    plan = ReleasePlan(
        strategy=_strategy(told, bins),
        seed=told.get("seed", 0),
        panel=told.get("panel"),
        licenses=choose_licenses(",".join(told["licenses"])) if told.get("licenses") else None,
        sources=tuple(told.get("sources", ())),
        max_per_owner=told.get("max_per_owner"),
        balance=told.get("balance", False),
        one_of_each=told.get("one_of_each", False),
    )
    if (rule := told.get("rule", RULE)) != RULE:
        raise BadInput(f"its photos were drawn by rule {rule!r}; this genset knows rule {RULE}")
    excluded = {each["sha256"]: each["file"] for each in told.get("exclude", ())}
    return plan, dict(told.get("labels") or {}), excluded, short, bins


def _strategy(told: Mapping[str, Any], bins: Mapping[str, list[int]]) -> Strategy:
    """The strategy of the manifest; of ``matched``, one that knows the classes that are short."""
    if told["name"] != Matched.name:
        known = {word: told[word] for word in _WORDS if word in told}
        return strategy(told["name"], known)
    file = told["reference"]
    reference = Reference(file["file"], file["sha256"], dict.fromkeys(bins, ()))
    return Matched(reference, told["per_class"], told["fill_up"], told.get("min_labels", 1))


_WORDS = ("per_class", "min_labels", "threshold", "relax")


def _end_of_second(time: datetime) -> datetime:
    return time.astimezone(UTC).replace(microsecond=999_999)


def unseen_since(earlier: Earlier, workspace: Workspace) -> datetime:
    """From which day photos count as unseen: as the earlier release says, if it does."""
    day = earlier.manifest.get("unseen_since")
    if not isinstance(day, str):
        return workspace.posted_after
    return datetime.combine(date.fromisoformat(day), time(), UTC)


def kept(session: Session, earlier: Earlier) -> tuple[list[ReleasePhoto], Reasons]:
    """The earlier release's photos that may still be used, and the reasons for the others.

    Their licences are those that the pool has now: owners may have changed them since.
    """
    photos = earlier.release.photos
    rows = _rows(session, photos)
    owners = {
        (row.source, row.owner)
        for row in session.execute(select(RemovedOwner.source, RemovedOwner.owner))
    }
    wrong = _ruled_wrong(session)
    wanted = earlier.plan.licenses
    left, gone = [], {}
    for photo in photos:
        row = rows.get((photo.source, photo.source_id))
        task = f"{photo.wnid}/{photo.source}:{photo.source_id}"
        if (photo.source, photo.owner) in owners or (row and _is_removed(row)):
            gone[task] = "removed since"
        elif row is None or row.sha256 != photo.sha256:
            gone[task] = "not in the pool any more"
        elif row.refused is not None:
            gone[task] = "refused since"
        elif (photo.wnid, photo.sha256) in wrong:
            gone[task] = "ruled not correct since"
        elif wanted is not None and not wanted.wants(License(row.license, row.license_url)):
            gone[task] = f"licence {row.license}"
        else:
            left.append(_up_to_date(photo, row))
    return left, gone


def _is_removed(row: Photo) -> bool:
    return row.refused is not None and row.refused.startswith("removed")


def _rows(session: Session, photos: Sequence[ReleasePhoto]) -> dict[tuple[str, str], Photo]:
    found = {}
    names: dict[str, list[str]] = {}
    for photo in photos:
        names.setdefault(photo.source, []).append(photo.source_id)
    for source, ids in names.items():
        for start in range(0, len(ids), 500):
            some = ids[start : start + 500]
            query = select(Photo).where(Photo.source == source, Photo.source_id.in_(some))
            for row in session.scalars(query):
                found[row.source, row.source_id] = row
    return found


def _ruled_wrong(session: Session) -> set[tuple[str, str]]:
    """The class and photo (its sha256) of candidates whose newest ruling is not "correct"."""
    ruled = [id for id, said in rulings_in_force(session).items() if said is not Verdict.CORRECT]
    found = set()
    for start in range(0, len(ruled), 500):
        query = select(Candidate.wnid, Photo.sha256).join(Candidate.photo)
        for row in session.execute(query.where(Candidate.id.in_(ruled[start : start + 500]))):
            found.add((row.wnid, row.sha256))
    return found


def _up_to_date(photo: ReleasePhoto, row: Photo) -> ReleasePhoto:
    """A record with its licence of today."""
    id = spdx_id(License(row.license, row.license_url))
    return replace(photo, license=row.license, license_url=row.license_url, license_id=id)


def held(table: CandidateTable, photos: Sequence[ReleasePhoto]) -> list[CandidateRow]:
    """The candidates of these photos."""
    tasks = {f"{photo.wnid}/{photo.source}:{photo.source_id}" for photo in photos}
    return [entry for entry in table.entries if entry.task in tasks]
