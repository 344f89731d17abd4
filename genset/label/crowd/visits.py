"""What was done in each visit of a paid study, and whether the platform should pay for it.

Platforms' own tables say which visits they list, and take whom to pay.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.core.files import write_text
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
from genset.label.decisions import GENSET, suspensions_in
from genset.label.gold import gold_scores
from genset.label.sheet import columns_in, read_sheet, write_sheet
from genset.label.stats import Share
from genset.label.suspicion import LEAST_GOLD, Timed, hurries, misses, pace, timed_screens

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


_LARGEST = 64 * 1024 * 1024  # bytes
# The visit, the person, what the platform did with it: as its own export names them.
_COLUMNS = {
    "prolific": ("Submission id", "Participant id", "Status"),
    "mturk": ("AssignmentId", "WorkerId", "AssignmentStatus"),
}
_UNLISTED = "the platform does not list this visit"
# Work that the platform's people took back, or that was not taken from them.
_TAKEN_BACK = ("REJECTED", "RETURNED", "TIMED-OUT")


@dataclass(frozen=True, slots=True)
class Submission:
    """A row of a platform's export: its ids of the visit and of the person, and its own word.

    The word is in capitals: Prolific has RETURNED, MTurk has Rejected.
    """

    key: str
    person: str
    status: str


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What a platform's export said of a study's visits.

    `unlisted` and `taken_back` (returned, rejected, timed out) name those whose votes do not count:
    labeler and visit. `held_out` are those of them that were taken out just now, `cleared` those
    that count again. `unknown` counts rows of the export that never came here, `statuses` the
    listed visits by the platform's own word.
    """

    platform: str
    study: str
    visits: int
    listed: int
    unlisted: tuple[str, ...]
    taken_back: tuple[str, ...]
    held_out: tuple[str, ...]
    cleared: tuple[str, ...]
    unknown: int
    statuses: dict[str, int]


def reconcile(store: Store, export: Path, study_key: str | None = None) -> Reconciliation:
    """Hold out the votes of visits by a platform's export of a study.

    That is of those that it does not list, with the same person's id, or lists as returned,
    rejected or timed out. What was held out so and is no more counts again; what a manager decided
    of a visit stays. Run again with the same export, it changes nothing.

    Raises:
        BadInput: the file is no export of Prolific's or MTurk's, it is empty, or it lists visits of
            no study or of several, and none is named.
        GensetError: the store does not answer.
    """
    platform, rows = _read(export)
    keys = {row.key for row in rows}
    study = _study_of(Studies(store), platform, export, keys, study_key)
    statuses_here = {(row.key, row.person): row.status for row in rows}
    changed: dict[LabelerAct, list[str]] = {LabelerAct.HOLD: [], LabelerAct.CLEAR: []}
    by_status = defaultdict[str | None, list[str]](list)
    visits = Studies(store).visits(study)
    with answering(), store.begin_alone() as session:
        people = people_of(session, study)
        last = newest_events(session, [visit.id for visit in visits])
        for visit in visits:
            worker, person = people[visit.labeler_id]
            status = statuses_here.get((visit.key, person))
            stored = session.get_one(Visit, visit.id)
            stored.listed, stored.status = status is not None, status or ""
            name = f"{worker} ({visit.key})"
            by_status[status].append(name)
            if (event := _event(worker, visit.id, status, last.get(visit.id))) is not None:
                changed[event.what].append(name)
                session.add(event)
    unlisted = by_status.pop(None, [])
    return Reconciliation(
        platform=platform,
        study=study.key,
        visits=len(visits),
        listed=len(visits) - len(unlisted),
        unlisted=tuple(unlisted),
        taken_back=tuple(name for word in _TAKEN_BACK for name in by_status.get(word, ())),
        held_out=tuple(changed[LabelerAct.HOLD]),
        cleared=tuple(changed[LabelerAct.CLEAR]),
        unknown=len(keys - {visit.key for visit in visits}),
        statuses={word: len(names) for word, names in by_status.items() if word is not None},
    )


def write_decisions(path: Path, study: Study, reports: Iterable[VisitReport]) -> int:
    """Write what the platform takes, and return how many rows: its own form of approvals.

    Prolific: the ids of the submissions to approve, one a line. MTurk: the columns that its upload
    of batch results reads, an X in Approve or a reason in Reject. Visits that the platform does not
    list are in neither.
    """
    proposed = [report for report in reports if report.proposal in ("approve", "reject")]
    if study.platform == "prolific":
        keys = [report.visit.key for report in proposed if report.proposal == "approve"]
        try:
            write_text(path, "".join(f"{key}\n" for key in keys))
        except OSError as error:
            raise BadInput(f"cannot write {path}: {error.strerror}") from None
        return len(keys)
    rows = [
        (
            study.key,
            report.visit.key,
            report.platform_id,
            *(("X", "") if report.proposal == "approve" else ("", report.reason)),
        )
        for report in proposed
    ]
    return write_sheet(path, ("HITId", "AssignmentId", "WorkerId", "Approve", "Reject"), rows)


def _read(export: Path) -> tuple[str, list[Submission]]:
    """The platform whose export this is, and its rows."""
    try:
        if export.stat().st_size > _LARGEST:
            raise BadInput(f"{export} is larger than {_LARGEST // 2**20} MiB: no study's export is")
    except OSError as error:
        raise BadInput(f"{export}: {error}") from None
    head = columns_in(export)
    first = {name: columns[0].casefold() for name, columns in _COLUMNS.items()}
    platform = next((name for name, column in first.items() if column in head), None)
    if platform is None:
        raise BadInput(
            f"{export} is no export of submissions: Prolific's has a column "
            f"{_COLUMNS['prolific'][0]!r}, MTurk's batch results have {_COLUMNS['mturk'][0]!r}"
        )
    rows = [row for _, row in read_sheet(export, _COLUMNS[platform])]
    if not rows:
        raise BadInput(f"{export} lists nothing: by it all votes would go, so export it again")
    key, person, status = map(str.casefold, _COLUMNS[platform])
    return platform, [Submission(row[key], row[person], row[status].upper()) for row in rows]


def _study_of(
    studies: Studies, platform: str, export: Path, keys: Container[str], name: str | None
) -> Study:
    """The study that is named, or else the one whose visits the export lists."""
    if name is not None:
        return studies.find(name, platform)
    found = [
        study
        for study in studies.all()
        if study.platform == platform and any(one.key in keys for one in studies.visits(study))
    ]
    if len(found) != 1:
        listed = f"visits of {len(found):,} studies" if found else "no visit of any study here"
        raise BadInput(f"{export.name} lists {listed}: say which study it is of with --study KEY")
    return found[0]


def _event(
    worker: str, visit_id: int, status: str | None, last: LabelerEvent | None
) -> LabelerEvent | None:
    """What is decided of a visit by its status, None where it is not listed; None for nothing new.

    What a manager said of it last is theirs to change.
    """
    if last is not None and last.by != GENSET:
        return None
    is_out = last is not None and last.what is LabelerAct.HOLD
    if is_out is (status is None or status in _TAKEN_BACK):
        return None
    return LabelerEvent(
        worker=worker,
        visit_id=visit_id,
        what=LabelerAct.CLEAR if is_out else LabelerAct.HOLD,
        by=GENSET,
        reason=_UNLISTED if status is None else f"the platform says {status or 'nothing'}",
    )
