"""Make a release from labeled photos, or show what it would contain."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec.structs import asdict
from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput, GensetError
from genset.db import Candidate, Store, Verdict, stored_taxonomy, votes
from genset.licenses import License, spdx_id
from genset.release.candidates import CandidateRow, read_table
from genset.release.checks import check_photos
from genset.release.choose import Chosen, choose, selection_frequency
from genset.release.facts import (
    agreement,
    collected,
    ground,
    happened,
    labelers,
    licenses_seen,
    words_of_sources,
)
from genset.release.plan import ReleasePlan
from genset.release.preview import Preview, preview
from genset.release.publish import free_folder, publish
from genset.release.reader import Release, ReleasePhoto, fact_of
from genset.workspace import Workspace

Votes = dict[int, Counter[Verdict]]


def create(
    workspace: Workspace,
    store: Store,
    name: str,
    plan: ReleasePlan | None = None,
    contact: str = "",
) -> Release:
    """Freeze the photos that a plan chooses into ``releases/NAME/``.

    With a panel in the plan, all other votes choose the photos, and only the panel's votes are
    recorded with them. Selection frequencies from the votes that chose would be too high.

    Args:
        workspace: where releases and originals are.
        store: the workspace's database.
        name: of the release.
        plan: how photos are chosen; None: all that are called correct.
        contact: whom to contact about the release; "": as ``[dataset]`` says.

    Raises:
        BadInput: the name is taken or cannot be a folder's name, nobody voted in the panel, or
            aggregated labels are of other votes than may choose.
        GensetError: nothing is left to choose, or an original is missing or damaged.
    """
    free_folder(workspace.releases, name)
    with store.session() as session:
        facts, photos = _facts(session, plan or ReleasePlan(), workspace, name)
    facts["contact"] = contact or workspace.dataset.contact.strip()
    originals = (workspace.images / stored_as(photo) for photo in photos)
    return publish(workspace.releases, name, facts, photos, originals)


def _facts(
    session: Session, plan: ReleasePlan, workspace: Workspace, name: str
) -> tuple[dict[str, Any], list[ReleasePhoto]]:
    """The manifest's facts, and its photos. All else can be freed from memory."""
    since = workspace.posted_after
    choice, photos, cast = _chosen(session, plan, since)
    if not photos:
        raise GensetError(_nothing(choice, plan))
    ruled = sum(entry.ruling is not None for entry in choice.chosen)
    facts = {
        **fact_of(stored_taxonomy(session)),
        "strategy": {**plan.as_json(), **({"ruled": ruled} if ruled else {})},
        "labelers": labelers(session),
        "left_out": dict(sorted(Counter(choice.left_out.values()).items())),
        "short": choice.short,
        "notes": choice.notes,
        "collected": {
            **collected(session, photos),
            "agreement": agreement(session, cast),
        },
        "unseen_since": since.date().isoformat(),
        "sources": words_of_sources(session, photos),
        **licenses_seen(session, photos),
        **happened(session, workspace, name, photos),
    }
    return facts, photos


def dry_run(workspace: Workspace, store: Store, plan: ReleasePlan) -> Preview:
    """Preview the release that `create` would make, and check its photos.

    Raises:
        BadInput: nobody voted in the panel, or aggregated labels are of other votes than may
            choose.
    """
    with store.session() as session:
        choice, photos, _ = _chosen(session, plan, workspace.posted_after)
        taxonomy = stored_taxonomy(session)
        return preview(photos, choice, taxonomy, check_photos(photos, session))


def chosen_photos(workspace: Workspace, store: Store, plan: ReleasePlan) -> list[ReleasePhoto]:
    """The records of the photos that a plan chooses now.

    Raises:
        BadInput: nobody voted in the panel, or aggregated labels are of other votes than may
            choose.
    """
    with store.session() as session:
        return _chosen(session, plan, workspace.posted_after)[1]


def _chosen(
    session: Session, plan: ReleasePlan, since: datetime
) -> tuple[Chosen, list[ReleasePhoto], Votes]:
    """The choice, the records of its photos sorted by file, and the votes that are recorded."""
    cast = votes(session, plan.panel)
    if plan.panel is not None and not cast:
        raise BadInput(f"there are no labels of panel {plan.panel!r}: see genset labels stats")
    if plan.labels is not None:
        plan.labels.check(session, plan.panel)
    choice = choose(read_table(session, without=plan.panel, labels=plan.labels), plan)
    photos = records(session, choice.chosen, cast, since)
    return choice, sorted(photos, key=lambda photo: photo.file), cast


def _nothing(choice: Chosen, plan: ReleasePlan) -> str:
    """Why there is no release, in one line."""
    reasons = Counter(choice.left_out.values())
    if set(reasons) <= {
        "not labeled",
        "not called correct by a majority",
        "ruled not correct in review",
    }:
        but = f" but in panel {plan.panel}, which only measures" if plan.panel is not None else ""
        return f"no photo is labeled correct yet{but}; label some with: genset label"
    counts = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
    return f"no photo is left to release: {counts}"


def records(
    session: Session, chosen: Sequence[CandidateRow], cast: Votes, since: datetime
) -> Iterator[ReleasePhoto]:
    """The records of chosen candidates, with the votes that are to be recorded.

    They have no certain order. Photos count as unseen from the day `since`.
    """
    for start in range(0, len(chosen), 500):
        entries = {entry.id: entry for entry in chosen[start : start + 500]}
        for candidate in session.scalars(select(Candidate).where(Candidate.id.in_(entries))):
            counts = cast.get(candidate.id, Counter())
            yield _record(candidate, counts, since, _confidence(entries[candidate.id]))
        session.expunge_all()  # a large release's rows need not all be in memory


def _confidence(entry: CandidateRow) -> float | None:
    """That of the aggregated label by which it was taken; None where no such label decided."""
    return entry.aggregated.confidence if entry.aggregated and entry.ruling is None else None


def _record(
    candidate: Candidate, counts: Counter[Verdict], since: datetime, confidence: float | None
) -> ReleasePhoto:
    photo = candidate.photo
    frequency = selection_frequency(counts)
    assert photo.sha256 and photo.byte_size and photo.width and photo.height
    return ReleasePhoto(
        **asdict(photo.origin),
        file=f"{candidate.wnid}/{Path(photo.file).name}",
        wnid=candidate.wnid,
        sha256=photo.sha256,
        byte_size=photo.byte_size,
        width=photo.width,
        height=photo.height,
        keyword=candidate.keyword,
        rank=candidate.rank,
        labels={verdict.value: count for verdict, count in sorted(counts.items())},
        selection_frequency=None if frequency is None else round(frequency, 6),
        license_id=spdx_id(License(photo.license, photo.license_url)),
        unseen=ground(photo, since),
        confidence=confidence,
    )


def stored_as(photo: ReleasePhoto) -> str:
    """The path of its original under ``images/``."""
    return f"{photo.sha256[:2]}/{Path(photo.file).name}"
