"""The plan by which a release was chosen, read from its manifest to choose by it again.

A manifest names files whose content it does not hold. Other sets' hashes (``--exclude``) are to be
given again. The labels that ``matched`` matched are not needed: the manifest has the bins that are
short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace as with_fields
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Verdict, gone_photos
from genset.licenses import License, choose_licenses, spdx_id
from genset.release.candidates import AggregatedLabels, CandidateTable, Exclusion
from genset.release.choose import GONE, Reasons, ReleasePlan
from genset.release.facts import pool_rows, removed_on
from genset.release.reader import MANIFEST, Release, ReleasePhoto
from genset.release.strategies import RULE, Matched, Reference, Strategy, strategy


@dataclass(frozen=True, slots=True)
class Earlier:
    """A release, and how it was made.

    Attributes:
        release: the release.
        manifest: its manifest, as JSON.
        plan: by which its photos were chosen, without other sets' hashes and aggregated labels.
        labels: the method that brought votes together, and of whose votes; {} where none did.
        hash_files: the names of the files of other sets' hashes, by their sha256.
        short: how many photos each class is short of, by wnid.
        short_bins: of ``matched``, how many photos each bin of a class is short of, by wnid.
        since: from when on photos count as unseen.
        labeled: when the last label was given that it knew, to the end of that second: a manifest's
            times have no fractions. A version of a takedown knew the labels of the first release.
        frozen: when it was frozen, likewise.
    """

    release: Release
    manifest: dict[str, Any] = field(repr=False)
    plan: ReleasePlan
    labels: dict[str, Any]
    hash_files: dict[str, str]
    short: dict[str, int]
    short_bins: dict[str, list[int]]
    since: datetime
    labeled: datetime
    frozen: datetime

    @classmethod
    def read(cls, release: Release) -> "Earlier":
        """Read the plan in a release's manifest.

        Raises:
            BadInput: it has several right answers a photo already, or its plan is not as genset
                writes them.
        """
        manifest = release.manifest
        if manifest.get("multilabel") is not None:
            of = manifest["multilabel"].get("from", {}).get("name", "its first release")
            raise BadInput(
                f"{release.name} has several right answers a photo already: make another one "
                f"--from {of}"
            )
        try:
            strategy = manifest["strategy"]
            bins = manifest["notes"].get("short bins", {})
            labeled = manifest["labeling"]["labeled"]
            return cls(
                release=release,
                manifest=manifest,
                plan=_plan(strategy, bins),
                labels=strategy.get("labels", {}),
                hash_files={file["sha256"]: file["file"] for file in strategy.get("exclude", ())},
                short=manifest["short"],
                short_bins=bins,
                since=datetime.fromisoformat(manifest["unseen_since"]).replace(tzinfo=UTC),
                labeled=_end_of_second(labeled[1] if labeled else manifest["created_at"]),
                frozen=_end_of_second(manifest["created_at"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise BadInput(
                f"{release.root / MANIFEST}: its strategy is not as genset writes it"
            ) from None

    def again(self, exclude: Sequence[Exclusion], labels: AggregatedLabels | None) -> ReleasePlan:
        """The whole plan, with the hashes and labels that its manifest only names.

        Raises:
            BadInput: a file of hashes is missing, or is another one.
        """
        files = {exclusion.sha256 for exclusion in exclude}
        for sha256, name in self.hash_files.items():
            if sha256 not in files:
                raise BadInput(
                    f"{self.release.name} left out what looks like photos of {name} (sha256 "
                    f"{sha256}): give that file again with --exclude {name}"
                )
        if unknown := [file.name for file in exclude if file.sha256 not in self.hash_files]:
            raise BadInput(
                f"{self.release.name} was not chosen with --exclude {unknown[0]}: give the files "
                "with which it was"
            )
        confidence = self.manifest["strategy"].get("min_confidence") if labels else None
        return replace(self.plan, exclude=tuple(exclude), labels=labels, min_confidence=confidence)


def _plan(strategy: Mapping[str, Any], bins: Mapping[str, list[int]]) -> ReleasePlan:
    if (rule := strategy.get("rule", RULE)) != RULE:
        raise BadInput(f"its photos were drawn by rule {rule!r}; this genset knows rule {RULE}")
    licenses = strategy.get("licenses")
    return ReleasePlan(
        strategy=_strategy(strategy, bins),
        seed=strategy["seed"],
        panel=strategy.get("panel"),
        licenses=choose_licenses(",".join(licenses)) if licenses else None,
        sources=tuple(strategy.get("sources", ())),
        max_per_owner=strategy.get("max_per_owner"),
        balance=strategy.get("balance", False),
        deduplicate=strategy.get("deduplicate", False),
    )


def _strategy(facts: Mapping[str, Any], bins: Mapping[str, list[int]]) -> Strategy:
    """The strategy of the manifest; of ``matched``, one that knows the classes that are short."""
    if facts["name"] != Matched.name:
        options = ("per_class", "min_labels", "threshold", "relax")
        return strategy(facts["name"], {word: facts[word] for word in options if word in facts})
    file = facts["reference"]
    reference = Reference(file["file"], file["sha256"], dict.fromkeys(bins, ()))
    return Matched(reference, facts["per_class"], facts["fill_up"], facts["min_labels"])


def _end_of_second(time: str) -> datetime:
    return datetime.fromisoformat(time).astimezone(UTC).replace(microsecond=999_999)


def photos_still_usable(
    session: Session, earlier: Earlier, table: CandidateTable
) -> tuple[list[ReleasePhoto], Reasons]:
    """The earlier release's photos that may still be used, and the reasons for the others.

    Their licences are those that the pool has now: owners may have changed them since.
    """
    photos = earlier.release.photos
    rows = pool_rows(session, photos)
    removed = removed_on(session, photos)
    not_shown = {(photo.source, photo.source_id) for photo in session.scalars(gone_photos())}
    wrong = {
        (entry.wnid, entry.sha256)
        for entry in table.entries
        if entry.ruling not in (None, Verdict.CORRECT)
    }
    licenses = earlier.plan.licenses
    usable, gone = [], {}
    for photo in photos:
        row = rows.get((photo.source, photo.source_id))
        task = f"{photo.wnid}/{photo.source}:{photo.source_id}"
        if photo.file in removed:
            gone[task] = "removed since"
        elif row is None or row.sha256 != photo.sha256:
            gone[task] = "not in the pool any more"
        elif row.rejected is not None:
            gone[task] = "rejected since"
        elif (photo.source, photo.source_id) in not_shown:
            gone[task] = GONE
        elif (photo.wnid, photo.sha256) in wrong:
            gone[task] = "ruled not correct since"
        elif licenses is not None and not licenses.wants(License(row.license, row.license_url)):
            gone[task] = f"licence {row.license}"
        else:
            today = License(row.license, row.license_url)
            names = {"license": row.license, "license_url": row.license_url}
            usable.append(with_fields(photo, **names, license_id=spdx_id(today)))
    return usable, gone
