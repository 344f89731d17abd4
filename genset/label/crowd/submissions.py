"""Platforms' tables of a study: read which visits they list, write whom to pay."""

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

from genset.core.errors import BadInput
from genset.core.files import write_text
from genset.db import LabelerAct, LabelerEvent, Store, Study, Visit
from genset.db.failures import answering
from genset.label.crowd.studies import Studies
from genset.label.crowd.visits import VisitReport, newest_events, people_of
from genset.label.exchange.sheet import columns_in, read_sheet, write_sheet
from genset.label.trust.decisions import GENSET

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
