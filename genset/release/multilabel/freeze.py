"""Make a release with several right answers a photo, or show what it would contain."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from genset.core.errors import GensetError
from genset.core.numbers import agree, count
from genset.db import Store, stored_taxonomy, votes
from genset.release.aggregated import AggregatedLabels
from genset.release.candidates import read_table
from genset.release.checks import check_photos
from genset.release.choose import Chosen, Reasons
from genset.release.facts import (
    agreement,
    collected,
    happened,
    labelers,
    licenses_seen,
    words_of_sources,
)
from genset.release.freeze import records, stored_as
from genset.release.multilabel.answers import asked_about, with_answers
from genset.release.multilabel.earlier import Earlier, held, kept, unseen_since
from genset.release.multilabel.entering import SEVERAL, Entering, entering
from genset.release.multilabel.facts import facts
from genset.release.plan import Exclusion
from genset.release.preview import Preview, preview
from genset.release.publish import free_folder, publish
from genset.release.reader import Release, ReleasePhoto, fact_of
from genset.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Planned:
    """What a release would contain: its numbers, and the manifest's facts on its answers."""

    preview: Preview
    multilabel: dict[str, Any]

    def lines(self) -> Iterator[str]:
        """The numbers as text."""
        yield from self.preview.lines()
        yield from summary(self.multilabel)


def create_multilabel(
    workspace: Workspace,
    store: Store,
    name: str,
    earlier: Earlier,
    *,
    exclude: Sequence[Exclusion] = (),
    labels: AggregatedLabels | None = None,
    contact: str = "",
    allow_unanswered: bool = False,
) -> Release:
    """Freeze an earlier release's photos with all their right answers into ``releases/NAME/``.

    Its photos are those of the earlier release, which stays as it is, but for those that were
    removed or refused since, and those whose own class a reviewer ruled not correct since: a photo
    that is known to be labeled wrong is left out, and a later release may take it for another
    class. Added are the photos that it left out as correct for several classes
    (`genset.release.multilabel.entering`). What else its records say stays: their `labels` and
    selection frequencies are those with which the photos were chosen. Licences are those that the
    pool has now; a photo that the earlier release's choice of licences has no place for is left
    out.

    Args:
        workspace: where releases and originals are.
        store: the workspace's database.
        name: of the release.
        earlier: the release whose photos it has.
        exclude: the files of hashes with which the earlier release was chosen.
        labels: the aggregated labels of its method, made again; None where it has none.
        contact: whom to contact about the release; "" for the earlier one's contact.
        allow_unanswered: take questions that lack votes as they stand.

    Raises:
        BadInput: the name is taken or cannot be a folder's name, or a file of hashes is missing.
        GensetError: questions are unanswered, nobody was asked, no photo is left, or an original is
            missing or damaged.
    """
    free_folder(workspace.releases, name)
    with store.session() as session:
        made = _made(session, workspace, earlier, exclude, labels)
        told = {**made.facts, **happened(session, workspace, name, made.photos)}
    _check_answered(made, allow_unanswered)
    said = workspace.dataset.contact.strip()
    told["contact"] = contact or earlier.manifest.get("contact", "") or said
    originals = (workspace.images / stored_as(photo) for photo in made.photos)
    return publish(workspace.releases, name, told, made.photos, originals)


def chosen_for_multilabel(
    workspace: Workspace,
    store: Store,
    earlier: Earlier,
    *,
    exclude: Sequence[Exclusion] = (),
    labels: AggregatedLabels | None = None,
    allow_unanswered: bool = False,
) -> list[ReleasePhoto]:
    """The records of the photos that `create_multilabel` would freeze, which it would not refuse.

    Raises:
        BadInput: a file of hashes is missing.
        GensetError: questions are unanswered, nobody was asked, or no photo is left.
    """
    with store.session() as session:
        made = _made(session, workspace, earlier, exclude, labels)
    _check_answered(made, allow_unanswered)
    return made.photos


def plan_multilabel(
    workspace: Workspace,
    store: Store,
    earlier: Earlier,
    *,
    exclude: Sequence[Exclusion] = (),
    labels: AggregatedLabels | None = None,
) -> Planned:
    """Preview the release that `create_multilabel` would make, unanswered questions or not.

    Raises:
        BadInput: a file of hashes is missing.
        GensetError: no photo is left.
    """
    with store.session() as session:
        made = _made(session, workspace, earlier, exclude, labels)
        taxonomy = stored_taxonomy(session)
        checks = check_photos(made.photos, session)
    choice = Chosen((), made.reasons, made.facts["short"], made.facts["notes"])
    seen = replace(preview(made.photos, choice, taxonomy, checks), left_out=made.facts["left_out"])
    return Planned(seen, made.facts["multilabel"])


def summary(told: Mapping[str, Any]) -> Iterator[str]:
    """The numbers on answers in a manifest, as text."""
    yield (
        f"  several right answers: {count(told['photos_with_several'], 'photo')}, of which "
        f"{count(told['entered'], 'was', 'were')} left out of {told['from']['name']} for that"
    )
    gone = told["withdrawn"]
    if not told["questions"]:
        yield (
            "  asked about further classes: none; verdicts that were given for other searches have "
            f"{told['answered_before']:,}: genset labels propose {told['from']['name']}"
        )
        return
    yield (
        f"  asked about further classes: {told['questions']:,} in "
        f"{count(told['photos_asked'], 'photo')}, {count(told['votes'], 'vote')}; "
        f"{count(told['unanswered'], 'lacks', 'lack')} votes"
        + (f"; {count(gone, 'was', 'were')} withdrawn without all of theirs" if gone else "")
    )


@dataclass(frozen=True, slots=True)
class _Made:
    """A release that is ready to be written. `reasons` are by task, and not of all left out."""

    name: str
    facts: dict[str, Any]
    photos: list[ReleasePhoto]
    reasons: Reasons
    photos_open: int


def _made(
    session: Session,
    workspace: Workspace,
    earlier: Earlier,
    exclude: Sequence[Exclusion],
    labels: AggregatedLabels | None,
) -> _Made:
    rules = workspace.label
    plan = earlier.again(exclude, labels)
    if labels is not None:
        labels.check(session, plan.panel)
    since = unseen_since(earlier, workspace)
    table = read_table(session, without=plan.panel, labels=labels)
    photos_left, gone = kept(session, earlier)
    if not photos_left:
        raise GensetError(f"no photo of {earlier.release.name} is in the pool any more")
    first = held(table, photos_left)
    said = votes(session)
    new = entering(session, table, earlier, plan, rules, first, said)
    cast = votes(session, plan.panel) if plan.panel is not None else said
    asked = {**asked_about(session, [photo.sha256 for photo in photos_left], said), **new.asked}
    every = [*photos_left, *records(session, new.entries, cast, since)]
    pairs = sorted(
        ((with_answers(each, asked[each.sha256], rules), asked[each.sha256]) for each in every),
        key=lambda pair: pair[0].file,
    )
    photos = [photo for photo, _ in pairs]
    before = earlier.manifest
    return _Made(
        name=earlier.release.name,
        facts={
            **fact_of(stored_taxonomy(session)),
            "strategy": before["strategy"],
            "labelers": labelers(session),
            "left_out": _left_out(before, gone, new),
            "short": _short(earlier, new),
            "notes": before.get("notes") or {},
            "collected": {
                **collected(session, photos),
                "agreement": agreement(session, cast),
            },
            "unseen_since": since.date().isoformat(),
            "sources": before.get("sources") or words_of_sources(session, photos),
            **licenses_seen(session, photos),
            "multilabel": facts(session, earlier, pairs, len(new.entries), rules),
        },
        photos=photos,
        reasons={**gone, **new.left_out},
        photos_open=sum(any(each.is_open(rules) for each in asked.values()) for _, asked in pairs),
    )


def _check_answered(made: _Made, allow_unanswered: bool) -> None:
    told = made.facts["multilabel"]
    if not told["questions"] and not told["answered_before"]:
        raise GensetError(
            f"nobody was asked which further classes are in {made.name}'s photos: begin with "
            f"genset labels propose {made.name}"
        )
    if told["unanswered"] and not allow_unanswered:
        lack = agree(told["unanswered"], "lacks", "lack")
        raise GensetError(
            f"{told['unanswered']:,} of {count(told['questions'], 'question')}, about "
            f"{count(made.photos_open, 'photo')}, {lack} votes: go on with genset label, or take "
            "these as they stand, those with too few votes as unclear, with --allow-unanswered"
        )


def _left_out(before: Mapping[str, Any], gone: Reasons, new: Entering) -> dict[str, int]:
    """How many candidates are not in it, by reason: as before, but for what changed."""
    counts = Counter(before.get("left_out") or {})
    counts[SEVERAL] = max(0, counts[SEVERAL] - new.considered)
    counts.update(gone.values())
    counts.update(new.left_out.values())
    return {reason: count for reason, count in sorted(counts.items()) if count}


def _short(earlier: Earlier, new: Entering) -> dict[str, int]:
    filled = Counter(entry.wnid for entry in new.entries)
    lacking = {wnid: count - filled[wnid] for wnid, count in earlier.short.items()}
    return {wnid: count for wnid, count in lacking.items() if count > 0}
