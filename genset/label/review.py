"""What labelers leave open or somebody doubts, and a reviewer's rulings that settle it.

That is candidates, and questions whether a photo shows a further class.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import (
    Claim,
    Label,
    Photo,
    ReviewRequest,
    Ruling,
    Store,
    Verdict,
    find_candidate,
    is_called_correct,
    labels_in_force,
)
from genset.db.growth import alike, wanted
from genset.label.ballots import Ballot, ballots, check_panel, further
from genset.settings import LabelRules
from genset.statistics.intervals import wilson

_LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class Dispute:
    """A candidate to adjudicate, and `why`, in words that tell no side.

    Who rules should not know what others said: `detail`, `said`, `frequency` and `votes` are for
    afterwards. `detail` is why in numbers, `said` counts the votes by verdict, `votes` has them as
    (worker, verdict); `frequency` is the selection frequency, None without a vote. The rest is for
    showing the photo with its credits; it holds a stranger's words: show them as text.
    """

    task: str
    wnid: str
    why: str
    detail: str
    said: dict[str, int]
    frequency: float | None
    votes: tuple[tuple[str, str], ...]
    photo_id: int
    source: str
    owner_name: str
    license: str
    license_url: str
    page_url: str

    def blind(self) -> dict[str, object]:
        """All of it but what labelers said."""
        return {name: value for name, value in asdict(self).items() if name not in _TELLING}


@dataclass(frozen=True, slots=True)
class FurtherDispute(Dispute):
    """A question to adjudicate: whether `wnid` is in a photo of the class `home`, too."""

    home: str


_TELLING = ("detail", "said", "frequency", "votes")


def queue(store: Store, panel: str | None = None, rules: LabelRules | None = None) -> list[Dispute]:
    """The candidates that wait for a ruling: those sent to review, then the most divided first.

    Neither their order nor `Dispute.why` tells which side has more votes.

    With the workspace's `rules` those that are still to get votes are left out, but not where
    somebody asked for a review. The others are the ones where

    - somebody asked for it (`send_to_review`), and no ruling was made since;
    - labelers disagree and neither side is clearly in the majority: the 95 % interval of the share
      of correct, among those who say correct, incorrect or broken, holds one half;
    - labelers voted, but only unsure;
    - the photo is called correct for several classes, so a release would take it for none;
    - several classes claim the photo, and people have not said of each whether it is right, nor
      ruled that one is. Labelers are not shown it, so it does not wait for more votes.

    A question waits where somebody asked for it, or where it stays unclear after all votes that it
    gets: as many say correct as incorrect or broken.

    Raises:
        BadInput: there is no label of this panel.
    """
    check_panel(store, panel)
    with store.session() as session:
        pool = [*ballots(session, panel), *further(session, panel)]
        return disputes(session, pool, rules)


def disputes(session: Session, pool: Sequence[Ballot], rules: LabelRules | None) -> list[Dispute]:
    """The same, of these candidates and questions."""
    found = sorted(_open(pool, rules), key=lambda case: case[:2])
    ids = [ballot.candidate_id for *_, ballot in found]
    shown: dict[int, Sequence[Any]] = {}
    for start in range(0, len(ids), 1000):  # a question can only be so long
        some = Claim.id.in_(ids[start : start + 1000])
        shown |= {row[0]: row[1:] for row in session.execute(_CREDITS.where(some))}
    return [
        _dispute(ballot, _WHY[kind], detail, shown[ballot.candidate_id])
        for kind, _, detail, ballot in found
    ]


# Columns, not objects: for thousands of candidates these are made in a tenth of the time.
_CREDITS = select(
    Claim.id,
    Photo.id,
    Photo.source,
    Photo.owner_name,
    Photo.owner,
    Photo.license,
    Photo.license_url,
    Photo.page_url,
).join(Claim.photo)


def rule(store: Store, task: str, verdict: Verdict, by: str, reason: str) -> None:
    """Settle a candidate: from now on `verdict` holds, whatever the votes say.

    A later ruling on it replaces this one. Votes and selection frequencies stay as they are.

    Raises:
        BadInput: there is no such candidate, or `by` or `reason` is empty or too long.
    """
    by, reason = signed("a ruling", by, reason)
    with store.begin() as session:
        candidate = find_candidate(session, task)
        session.add(Ruling(candidate_id=candidate.id, verdict=verdict, by=by, reason=reason))


def send_to_review(store: Store, task: str, rules: LabelRules, by: str, reason: str) -> int:
    """Let a candidate or question wait for a ruling, and let more labelers see it meanwhile.

    As many more are asked as all get first (`LabelRules.votes`). It stays what votes and
    rulings say that it is until the next ruling.

    Args:
        store: the workspace's.
        task: the name of the candidate, or of the class and photo of the question.
        rules: the workspace's.
        by: who asks for it.
        reason: why; whoever rules sees it only afterwards.

    Returns:
        How many labelers it goes to in all.

    Raises:
        BadInput: there is no such candidate, its photo is not in the pool, or `by` or `reason` is
            empty or too long.
    """
    by, reason = signed("a request for review", by, reason)
    with store.begin() as session:
        candidate = find_candidate(session, task)
        photo = candidate.photo
        if photo.sha256 is None or photo.refused is not None:
            why = f" ({photo.refused})" if photo.refused else ""
            raise BadInput(f"{task} cannot go to review: its photo is not in the pool{why}")
        force = labels_in_force(rules.panel).where(Label.candidate_id == candidate.id)
        labelers = len(session.scalars(force).all()) + rules.votes
        session.add(
            ReviewRequest(candidate_id=candidate.id, labelers=labelers, by=by, reason=reason)
        )
    return labelers


def signed(what: str, by: str, reason: str) -> tuple[str, str]:
    """Who decides, and why, in one line each.

    Raises:
        BadInput: one of them is empty or too long.
    """
    by, reason = " ".join(by.split()), " ".join(reason.split())
    if not by or not reason:
        raise BadInput(f"{what} needs somebody who makes it, and a reason")
    if len(by) > _LONGEST_REASON or len(reason) > _LONGEST_REASON:
        raise BadInput(f"the reason of {what} has at most {_LONGEST_REASON} characters")
    return by, reason


# A kind of case, by how pressing it is, and how divided its labelers; then why in numbers; then the
# case. A photo that several classes claim has votes for one of them or none: that is told by
# neither place nor words.
_Case = tuple[int, tuple[float, int, str], str, Ballot]
_SENT, _DIVIDED, _CLAIMED, _UNSURE = range(4)
_WHY = (
    "sent to review",
    "labelers disagree",
    "several classes claim the photo",
    "nobody can tell",
)


def _open(pool: Sequence[Ballot], rules: LabelRules | None) -> Iterator[_Case]:
    correct: dict[str, set[str]] = defaultdict(set)
    for ballot in pool:
        if ballot.is_candidate and is_called_correct(ballot.said, ballot.ruling):
            correct[ballot.content].add(ballot.wnid)
    for ballot in pool:
        said, votes = ballot.said, len(ballot.votes)
        if (sent := ballot.request) is not None:
            detail = f"sent to review by {sent.by}: {sent.reason}"
            detail += f"; labelers: {_counted(said)}" if votes else ""
            yield _SENT, (0, sent.number, ballot.task), detail, ballot
            continue
        asked = ballot.home is not None  # as a question, and so its votes grow as theirs do
        same = alike(said) if asked else None
        waits = rules and 0 < votes < wanted(rules, votes, said[Verdict.CORRECT], alike=same)
        if ballot.ruling is not None:
            continue
        if ballot.unsettled:
            detail = "several classes claim the photo"
            detail += f"; labelers: {_counted(said)}" if votes else ""
            yield _CLAIMED, (0, 0, ballot.task), detail, ballot
            continue
        if waits:
            continue
        yes, no = said[Verdict.CORRECT], said[Verdict.INCORRECT] + said[Verdict.BROKEN]
        classes = correct[ballot.content]
        if not ballot.is_candidate and yes != no:
            continue
        if yes and no and _straddles(yes, yes + no):
            # Of whole numbers: 2/3 and 1/3 are not equally far from 0.5 to a computer.
            divided = abs(yes - no) / (yes + no), -votes, ballot.task
            yield _DIVIDED, divided, f"labelers disagree: {_counted(said)}", ballot
        elif ballot.wnid in classes and len(classes) > 1:
            yield _CLAIMED, (0, 0, ballot.task), f"correct for {len(classes)} classes", ballot
        elif votes and not yes and not no:
            yield _UNSURE, (0, -votes, ballot.task), f"nobody can tell: {_counted(said)}", ballot


@lru_cache(maxsize=4096)
def _straddles(yes: int, decided: int) -> bool:
    interval = wilson(yes, decided)
    return interval.low <= 0.5 <= interval.high


def _counted(said: Counter[Verdict]) -> str:
    return ", ".join(f"{said[verdict]} {verdict}" for verdict in Verdict if said[verdict])


def _dispute(ballot: Ballot, why: str, detail: str, photo: Sequence[Any]) -> Dispute:
    """`photo` has the columns of `_CREDITS` after the first."""
    photo_id, source, owner_name, owner, license_, license_url, page_url = photo
    said = ballot.said
    case = Dispute(
        task=ballot.task,
        wnid=ballot.wnid,
        why=why,
        detail=detail,
        said={verdict.value: said[verdict] for verdict in Verdict if said[verdict]},
        frequency=said[Verdict.CORRECT] / said.total() if said else None,
        votes=tuple((vote.worker, vote.label) for vote in ballot.votes),
        photo_id=photo_id,
        source=source,
        owner_name=owner_name or owner,
        license=license_,
        license_url=license_url,
        page_url=page_url,
    )
    if ballot.home is None:
        return case
    every = {field.name: getattr(case, field.name) for field in fields(case)}
    return FurtherDispute(**every, home=ballot.home)
