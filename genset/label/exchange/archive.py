"""All that was labeled, as a folder of CSV files, and back.

    labels.csv           the labels in force: what crowd-kit reads
    superseded.csv       all other labels: a later one of the same labeler replaced them, or they
                         are void or held out
    labeler_events.csv   whose votes were voided or held out, and let in again
    rulings.csv          what reviewers settled
    review_requests.csv  what somebody sent to review, if anything was
    controls.csv         photos whose answer is known
    control_answers.csv  what labelers said of them
    screens.csv          what was shown together, to whom
    screen_photos.csv    the photos of each screen, or the classes that it asks about
    taxonomy.csv         the classes by id and name, and their list's name and hash, where they are
                         not ImageNet's

and, where further classes were proposed for a release's photos:

    proposal_rounds.csv  when that was, and by which rules
    questions.csv        the classes that labelers are asked about
    proposers.csv        who proposed them

Rows stand in the order in which they were stored. Two workspaces with the same candidates and
labels give the same bytes. `stored`, in the tables of labels, is a label's place among all of
them, so that they are stored in that order again. Not part of it: the screens that nobody
submitted, and who may sign in how (invitations, accounts, studies).
"""

from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session, joinedload

from genset.core.errors import BadInput
from genset.db import (
    Claim,
    GoldAnswer,
    GoldQuestion,
    Label,
    LabelerEvent,
    Photo,
    Ruling,
    Screen,
    ScreenPhoto,
    Store,
    Visit,
    labels_in_force,
)
from genset.label.exchange.classes import TAXONOMY, taxonomy_sheet
from genset.label.exchange.proposed import PROPOSAL_SHEETS, proposal_sheets
from genset.label.exchange.requested import REQUESTS, request_sheet
from genset.label.exchange.sheet import Cells, remove_sheet, write_sheet
from genset.label.exchange.table import COLUMNS, label_cells

_LABELS = (*COLUMNS, "screen", "stored")
_RULINGS = ("task", "label", "by", "reason", "at", "id")
_EVENTS = ("worker", "what", "since", "by", "reason", "at", "id", "visit")
_GOLD = ("task", "label", "reason", "created_at", "retired_at", "settled")
_ANSWERS = ("task", "worker", "label", "decided_at", "id", "shown_at", "decided_order", "screen")
_SCREENS = (
    "id",
    "worker",
    "wnid",
    "panel",
    "guideline",
    "created_at",
    "expires_at",
    "submitted_at",
    "lost_at",
    "seconds",
    "visit",
    "photo",
)
_SHOWN = ("screen", "place", "id", "kind", "task")


def export_all(store: Store, folder: Path) -> dict[str, int]:
    """Write everything into `folder`, which is made where it is not there; count rows by file.

    Raises:
        BadInput: a file cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file: name a folder, or a table that ends in .csv")
    in_force = labels_in_force().with_only_columns(Label.number).order_by(None)
    place = func.row_number().over(order_by=Label.number)
    places = select(Label.number, place.label("place")).subquery()
    with_task = (
        select(Label, places.c.place)
        .join(places, places.c.number == Label.number)
        .options(joinedload(Label.candidate))
        .order_by(Label.number)
    )
    with store.session() as session:
        labels = session.execute(with_task.where(Label.number.in_(in_force)))
        superseded = session.execute(with_task.where(Label.number.not_in(in_force)))
        sheets = {
            "labels": (_LABELS, _with_screens(labels)),
            "superseded": (_LABELS, _with_screens(superseded)),
            "labeler_events": (_EVENTS, _event_rows(session)),
            "rulings": (_RULINGS, _ruling_rows(session)),
            "controls": (_GOLD, _gold_rows(session)),
            "control_answers": (_ANSWERS, _answer_rows(session)),
            "screens": (_SCREENS, _screen_rows(session)),
            "screen_photos": (_SHOWN, _shown_rows(session)),
            **proposal_sheets(session),
            **request_sheet(session),
            **taxonomy_sheet(session),
        }
        for name in (*PROPOSAL_SHEETS, REQUESTS, TAXONOMY):
            if name not in sheets:  # that of an earlier export would come in with this one
                remove_sheet(folder / f"{name}.csv")
        return {
            name: write_sheet(folder / f"{name}.csv", columns, rows)
            for name, (columns, rows) in sheets.items()
        }


def _with_screens(labels: Iterable[Row[Label, int]]) -> Cells:
    for label, place in labels:
        yield (*label_cells(label), label.screen_id, place)


def _event_rows(session: Session) -> Cells:
    events = (
        select(LabelerEvent, Visit.name)
        .outerjoin(Visit, Visit.id == LabelerEvent.visit_id)
        .order_by(LabelerEvent.number)
    )
    for each, visit in session.execute(events):
        yield (*(getattr(each, column) for column in _EVENTS[:-1]), visit)


def _ruling_rows(session: Session) -> Cells:
    rulings = select(Ruling).options(joinedload(Ruling.candidate)).order_by(Ruling.number)
    for each in session.scalars(rulings):
        yield each.candidate.task, each.verdict, each.by, each.reason, each.at, each.id


def _gold_rows(session: Session) -> Cells:
    gold = select(GoldQuestion).join(GoldQuestion.photo)
    for each in session.scalars(gold.order_by(GoldQuestion.wnid, Photo.source, Photo.source_id)):
        yield (
            _gold_task(each),
            each.expected,
            each.reason,
            each.created_at,
            each.retired_at,
            None if each.basis_id is None else session.get_one(Claim, each.basis_id).task,
        )


def _answer_rows(session: Session) -> Cells:
    answers = select(GoldAnswer).options(joinedload(GoldAnswer.question))
    for each in session.scalars(answers.order_by(GoldAnswer.number)):
        yield (
            _gold_task(each.question),
            each.worker,
            each.verdict,
            each.decided_at,
            each.id,
            each.shown_at,
            each.decided_order,
            each.screen_id,
        )


def _screen_rows(session: Session) -> Cells:
    screens = (
        select(Screen, Visit.name, Photo.source, Photo.source_id)
        .outerjoin(Visit, Visit.id == Screen.visit_id)
        .outerjoin(Photo, Photo.id == Screen.photo_id)
        .where(Screen.submitted_at.is_not(None))
        .order_by(Screen.created_at, Screen.id)
    )
    for screen, visit, source, source_id in session.execute(screens):
        photo = None if source is None else f"{source}:{source_id}"
        yield (*(getattr(screen, column) for column in _SCREENS[:-2]), visit, photo)


def _shown_rows(session: Session) -> Cells:
    gold: dict[int | None, str] = {
        each.id: _gold_task(each) for each in session.scalars(select(GoldQuestion))
    }
    tasks = {each.id: each.task for each in session.scalars(select(Claim))}
    screens = select(Screen.id).where(Screen.submitted_at.is_not(None))
    shown = select(ScreenPhoto).where(ScreenPhoto.screen_id.in_(screens))
    for each in session.scalars(shown.order_by(ScreenPhoto.screen_id, ScreenPhoto.place)):
        if each.candidate_id is not None:
            kind, task = "candidate", tasks[each.candidate_id]
        else:
            kind, task = "control", gold[each.gold_id]
        yield each.screen_id, each.place, each.id, kind, task


def _gold_task(question: GoldQuestion) -> str:
    """A gold question is named as the candidate that it passes for."""
    return f"{question.wnid}/{question.photo.source}:{question.photo.source_id}"
