"""What was done in each visit of a paid study, and whether the platform should pay for it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.numbers import count
from genset.db import (
    KnownAs,
    Label,
    Labeler,
    LabelerAct,
    LabelerEvent,
    Screen,
    Store,
    Study,
    Verdict,
    Visit,
)
from genset.db.failures import answering
from genset.label.crowd.studies import Studies
from genset.label.gold import gold_scores
from genset.label.stats import Share
from genset.label.trust.decisions import suspensions_in
from genset.label.trust.suspicion import LEAST_GOLD, Timed, hurries, misses, pace, timed_screens

Proposal = Literal["approve", "reject", "return", "wait", "none"]

# What the platform or its people have decided already, so that nothing is to be proposed.
_DECIDED = (
    *("APPROVED", "PARTIALLY APPROVED", "REJECTED"),
    *("RETURNED", "SCREENED OUT", "TIMED-OUT"),
)


@dataclass(frozen=True, slots=True)
class VisitReport:
    """A visit in numbers.

    `worker` is the name that its labels carry, `platform_id` the platform's id of the person.
    `verdicts` counts the candidates by their newest verdict; `gold` is the share of gold questions
    right; `seconds` is the median a photo, as far as the server's clock has room for what the page
    says. `out` says that its votes do not count now: those of the visit, or all that the labeler
    decided since it began. `reason` is why `proposal` is what it is; for "reject", in words for the
    platform. Money hangs on a rejection, so it is never for disagreement with others: that is what
    labelers are asked for. Work that would be approved is left to the manager ("wait") where one
    made its votes void, or where the study needs gold questions and fewer than five were answered.
    Of what the platform's export says was decided, nothing ("none") is proposed.
    """

    visit: Visit
    worker: str
    platform_id: str
    screens: int
    photos: int
    verdicts: dict[str, int]
    gold: Share | None
    seconds: float | None
    out: bool
    proposal: Proposal
    reason: str


def report_visits(store: Store, study: Study) -> list[VisitReport]:
    """Every visit of a study, the oldest first.

    Raises:
        GensetError: the store does not answer.
    """
    visits = Studies(store).visits(study)
    ids = [visit.id for visit in visits]
    with answering(), store.session() as session:
        people = people_of(session, study)
        verdicts = _verdicts(session, ids)
        gold = gold_scores(session, Screen.visit_id, Screen.visit_id.in_(ids))
        screens = timed_screens(session, Screen.visit_id, Screen.visit_id.in_(ids))
        out = visits_out(session, ids)
        suspensions = suspensions_in(session)
    found = []
    for visit in visits:
        right, of = gold.get(visit.id, (0, 0))
        of_visit = screens.get(visit.id, [])
        seconds = pace(of_visit)
        worker, platform_id = people[visit.labeler_id]
        whole = _out_wholly(suspensions.get(worker), visit)
        proposal, reason = _propose(study, visit, (right, of), of_visit)
        if proposal == "approve" and whole is LabelerAct.VOID:
            proposal, reason = "wait", "a manager made these votes void: decide on the pay"
        found.append(
            VisitReport(
                visit=visit,
                worker=worker,
                platform_id=platform_id,
                screens=len(of_visit),
                photos=verdicts[visit.id].total() + of,
                verdicts={
                    verdict.value: n for verdict in Verdict if (n := verdicts[visit.id][verdict])
                },
                gold=Share.count(right, of),
                seconds=None if seconds is None else round(seconds, 3),
                out=visit.id in out or whole is not None,
                proposal=proposal,
                reason=reason,
            )
        )
    return found


def people_of(session: Session, study: Study) -> dict[int, tuple[str, str]]:
    """A platform's labelers by `Labeler.id`: the name of their labels, and the platform's id."""
    by_account = select(Labeler.id, Labeler.name, Labeler.subject).where(
        Labeler.kind == study.platform
    )
    by_invitation = (
        select(Labeler.id, Labeler.name, KnownAs.subject)
        .join(KnownAs, KnownAs.labeler_id == Labeler.id)
        .where(KnownAs.kind == study.platform)
    )
    return {
        number: (name, subject)
        for query in (by_invitation, by_account)
        for number, name, subject in session.execute(query)
    }


def newest_events(session: Session, visits: Collection[int]) -> dict[int, LabelerEvent]:
    """What was decided last of each of these visits' votes, by `Visit.id`."""
    numbers = (
        select(func.max(LabelerEvent.number))
        .where(LabelerEvent.visit_id.in_(visits))
        .group_by(LabelerEvent.visit_id)
    )
    rows = session.scalars(select(LabelerEvent).where(LabelerEvent.number.in_(numbers)))
    return {row.visit_id: row for row in rows if row.visit_id is not None}


def visits_out(session: Session, visits: Collection[int]) -> set[int]:
    """Those of these visits that are held out or void, as visits."""
    out = (LabelerAct.HOLD, LabelerAct.VOID)
    return {visit for visit, row in newest_events(session, visits).items() if row.what in out}


def _out_wholly(suspension: LabelerEvent | None, visit: Visit) -> LabelerAct | None:
    """What takes all votes of a visit out, as it does all of its labeler's since then."""
    if suspension is None or (suspension.since is not None and suspension.since > visit.began_at):
        return None
    return suspension.what


def _verdicts(session: Session, visits: Collection[int]) -> Mapping[int, Counter[Verdict]]:
    newest = (
        select(func.max(Label.number))
        .join(Screen, Screen.id == Label.screen_id)
        .where(Screen.visit_id.in_(visits))
        .group_by(Label.candidate_id, Label.worker)
    )
    found: dict[int, Counter[Verdict]] = defaultdict(Counter)
    for visit, verdict, labels in session.execute(
        select(Screen.visit_id, Label.verdict, func.count())
        .join(Screen, Screen.id == Label.screen_id)
        .where(Label.number.in_(newest))
        .group_by(Screen.visit_id, Label.verdict)
    ):
        if visit is not None:
            found[visit][verdict] = labels
    return found


def _propose(
    study: Study, visit: Visit, gold: tuple[int, int], screens: list[Timed]
) -> tuple[Proposal, str]:
    """What to tell the platform of a visit, and why."""
    if visit.listed is False:
        return "wait", "the platform does not list it"
    if visit.status in _DECIDED:
        return "none", f"the platform says {visit.status}"
    if visit.outcome == "declined":
        return "return", "did not agree to take part"
    if visit.outcome is None:
        return "wait", "has not ended"
    if visit.outcome == "failed" or misses(gold, study.gold_needed):
        right, of = gold
        photos = count(of, "photo")
        return "reject", f"failed the attention checks: {right} of {photos} with a known answer"
    if hurries(screens):
        return "reject", f"took {pace(screens):.2f} seconds a photo, too fast to look at them"
    if study.gold_needed and screens and gold[1] < LEAST_GOLD:
        number = count(gold[1], "gold question")
        return "wait", f"answered {number}, too few to judge: look at the labels yourself"
    if visit.outcome == "nothing":
        return "approve", "there was nothing left to label: no fault of theirs"
    return "approve", "did all screens"
