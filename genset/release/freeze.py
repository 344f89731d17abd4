"""Make a release from labeled photos, or show what it would contain."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from msgspec import structs
from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput, GensetError
from genset.db import Candidate, Store, Verdict, in_batches, stored_taxonomy, votes
from genset.db.votes_needed import missing_votes
from genset.licenses import License, spdx_id
from genset.release.candidates import CandidateRow, read_table
from genset.release.choose import Reasons, ReleasePlan, choose, selection_frequency
from genset.release.facts import (
    chosen,
    flagged,
    ground,
    labeling,
    licenses_seen,
    origins,
    words_of_sources,
)
from genset.release.preview import Preview, check_photos, preview
from genset.release.publish import free_folder, publish
from genset.release.reader import Release, ReleasePhoto, fact_of, file_of
from genset.workspace import Workspace

Votes = dict[int, Counter[Verdict]]


@dataclass(frozen=True, slots=True)
class Draft:
    """What would be frozen now.

    Attributes:
        photos: the records, sorted by file.
        facts: what the manifest says of the choice: strategy, excluded, short, notes,
            without_effect (options that changed nothing), missing_votes, chosen_classes (where
            not all were).
        reasons: the reason for each candidate that is left out, by its task.
        votes: those that are recorded with the photos.
        since: from when on photos count as unseen.
        problem: why it cannot be frozen; "" for nothing.
    """

    photos: list[ReleasePhoto]
    facts: dict[str, Any]
    reasons: Reasons
    votes: Votes
    since: datetime
    problem: str = ""

    def check(self) -> None:
        """Refuse what cannot be frozen.

        Raises:
            GensetError: there is a problem.
        """
        if self.problem:
            raise GensetError(self.problem)


class Plan(Protocol):
    """How a release's photos are chosen, other than by a `ReleasePlan`."""

    def draft(self, session: Session, workspace: Workspace) -> Draft:
        """What would be frozen now."""


def create(
    workspace: Workspace,
    store: Store,
    name: str,
    plan: ReleasePlan | Plan | None = None,
    flagged_labelers: Mapping[str, bool] = MappingProxyType({}),
) -> Release:
    """Freeze the photos that a plan chooses into ``releases/NAME/``.

    With a panel in the plan, all other votes choose the photos, and only the panel's votes are
    recorded with them. Selection frequencies from the votes that chose would be too high.

    Args:
        workspace: where releases and originals are.
        store: the workspace's database.
        name: of the release.
        plan: how photos are chosen; None: all that are called correct.
        flagged_labelers: by name, and whether they are too fast (`genset.label.stats`).

    Raises:
        BadInput: the name is taken or cannot be a folder's name, or the plan does not fit.
        GensetError: nothing is left to choose, or an original is missing or damaged.
    """
    free_folder(workspace.releases, name)
    with store.session() as session:
        made = draft(session, workspace, plan or ReleasePlan())
        made.check()
        doubts = flagged(session, made.photos, flagged_labelers)
        facts = {**_facts(session, made), **doubts, "dataset": workspace.dataset.facts(name)}
    photos = made.photos
    originals = (workspace.images / stored_as(photo) for photo in photos)
    return publish(workspace.releases, name, facts, photos, originals)


def dry_run(
    workspace: Workspace,
    store: Store,
    plan: ReleasePlan | Plan,
    flagged_labelers: Mapping[str, bool] = MappingProxyType({}),
) -> Preview:
    """Preview the release that `create` would make, and check its photos.

    Raises:
        BadInput: the plan does not fit.
    """
    with store.session() as session:
        made = draft(session, workspace, plan)
        checks = check_photos(
            made.photos, lambda photo: workspace.images / stored_as(photo), session
        )
        facts = made.facts | flagged(session, made.photos, flagged_labelers)
        return preview(made.photos, facts, made.reasons, stored_taxonomy(session), checks)


def draft(session: Session, workspace: Workspace, plan: ReleasePlan | Plan) -> Draft:
    """What a plan chooses now.

    Raises:
        BadInput: nobody voted in the panel, or aggregated labels are of other votes than may
            choose.
    """
    panel = plan.panel if isinstance(plan, ReleasePlan) else None
    rules = structs.replace(workspace.label, panel=panel or workspace.label.panel)
    pool = {"missing_votes": missing_votes(session, rules).as_json(), **chosen(session)}
    if not isinstance(plan, ReleasePlan):
        made = plan.draft(session, workspace)
        return replace(made, facts=made.facts | pool)
    cast = votes(session, plan.panel)
    if plan.panel is not None and not cast:
        raise BadInput(f"there are no labels of panel {plan.panel!r}: see genset labels stats")
    if plan.labels is not None:
        plan.labels.check(session)
    choice = choose(read_table(session, without=plan.panel, labels=plan.labels), plan)
    photos = sorted(
        records(session, choice.entries, cast, workspace.posted_after),
        key=lambda photo: photo.file,
    )
    ruled = sum(entry.ruling is not None for entry in choice.entries)
    excluded = Counter(choice.excluded.values())
    return Draft(
        photos=photos,
        facts={
            "strategy": {**plan.as_json(), **({"ruled": ruled} if ruled else {})},
            "excluded": dict(sorted(excluded.items())),
            "short": choice.short,
            "notes": choice.notes,
            "without_effect": plan.without_effect(choice),
            **pool,
        },
        reasons=choice.excluded,
        votes=cast,
        since=workspace.posted_after,
        problem="" if photos else _nothing(excluded, plan),
    )


def _facts(session: Session, made: Draft) -> dict[str, Any]:
    """What a manifest says of the choice, and of how its photos were collected and labeled."""
    photos, labeled = made.photos, labeling(session, made.votes)
    return {
        **fact_of(stored_taxonomy(session)),
        **made.facts,
        "labelers": labeled["labelers"],
        "labeling": labeled,
        "origins": origins(session, photos),
        "unseen_since": made.since.date().isoformat(),
        "sources": words_of_sources(session, photos),
        **licenses_seen(session, photos),
    }


def _nothing(reasons: Counter[str], plan: ReleasePlan) -> str:
    """Why there is no release, in one line."""
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
    for some in in_batches(chosen):
        entries = {entry.id: entry for entry in some}
        for candidate in session.scalars(select(Candidate).where(Candidate.id.in_(entries))):
            counts = cast.get(candidate.id, Counter())
            yield _record(candidate, counts, since, entries[candidate.id])
        session.expunge_all()  # a large release's rows need not all be in memory


def _record(
    candidate: Candidate, counts: Counter[Verdict], since: datetime, entry: CandidateRow
) -> ReleasePhoto:
    photo = candidate.photo
    frequency = selection_frequency(counts)
    label = entry.aggregated if entry.ruling is None else None  # a ruling decides without one
    assert photo.sha256 and photo.byte_size and photo.width and photo.height
    return ReleasePhoto(
        **structs.asdict(photo.origin),
        file=file_of(candidate.wnid, Path(photo.file).name),
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
        confidence=label.confidence if label else None,
        fingerprint=photo.fingerprint,
    )


def stored_as(photo: ReleasePhoto) -> str:
    """The path of its original under ``images/``."""
    return f"{photo.sha256[:2]}/{Path(photo.file).name}"
