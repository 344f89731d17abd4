"""Take back what `genset.label.exchange.archive` wrote."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.db import (
    GoldAnswer,
    GoldQuestion,
    LabelerAct,
    LabelerEvent,
    Ruling,
    Screen,
    ScreenPhoto,
    Store,
    Visit,
    now,
    stored_taxonomy,
)
from genset.label.exchange.classes import check_taxonomy
from genset.label.exchange.proposed import add_proposals
from genset.label.exchange.requested import add_requests
from genset.label.exchange.sheet import Row, naming, number_in, read_if_there, time_in
from genset.label.exchange.table import (
    Here,
    Imported,
    candidates_by_task,
    checked_word,
    key_of,
    known_task,
    photos_by_name,
    read_stored,
    verdict_in,
)
from genset.label.people.labelers import checked_worker

_LONGEST_LOOK = 1e9  # seconds at one screen: some thirty years

_Event = TypeVar("_Event", Ruling, GoldAnswer, LabelerEvent)


def import_all(store: Store, folder: Path) -> dict[str, Imported]:
    """Add what `export_all` wrote; the rows that were new, known or too old, by file.

    Only ``labels.csv`` must be there. Everything is added or, on an error, nothing; what is here
    already stays as it is, so a second time adds nothing.

    Raises:
        BadInput: a file cannot be read, or a row is wrong (its line is named); or the labels are
            of other classes.
    """
    if not (folder / "labels.csv").is_file():
        raise BadInput(f"{folder} has no labels.csv: name a folder that genset labels export wrote")
    with store.begin_alone() as session:
        check_taxonomy(session, folder)
        proposed = add_proposals(session, folder)
        gold = _add_gold(session, folder)
        screens = _add_screens(session, folder)
        here = Here(session)
        return {
            **_add_labels(here, folder),
            "labeler_events": _add_decisions(session, folder),
            "rulings": _add_rulings(session, folder, here.candidates),
            "controls": gold,
            "control_answers": _add_answers(session, folder, here.screens),
            "screens": screens,
            **proposed,
            **add_requests(session, folder, here.candidates),
        }


def _add_labels(here: Here, folder: Path) -> dict[str, Imported]:
    """Those in force and all others, in the order in which they were stored."""
    found = [("labels", *each) for each in read_stored(folder / "labels.csv", here)]
    # Where the label that replaced it is here, a superseded one comes too late: added now, it
    # would be the newest.
    settled = {key_of(label) for _, label, _ in found if label.id in here.ids}
    others = folder / "superseded.csv"
    if others.is_file():
        found = [("superseded", *each) for each in read_stored(others, here)] + found
    if all(stored is not None for *_, stored in found):
        found.sort(key=lambda each: each[2] or 0)  # else, as older versions wrote it: these first
    became: dict[str, Counter[str]] = {"superseded": Counter(), "labels": Counter()}
    for name, label, _ in found:
        late = settled if name == "superseded" else ()
        became[name][here.add(label, late)] += 1
    here.session.flush()
    return {name: Imported(**counts) for name, counts in became.items()}


def _add_gold(session: Session, folder: Path) -> Imported:
    photos = photos_by_name(session)
    there = {(each.wnid, each.photo_id) for each in session.scalars(select(GoldQuestion))}
    candidates, taxonomy = candidates_by_task(session), stored_taxonomy(session)
    new = known = 0
    for place, row in read_if_there(folder / "controls.csv", "task", "label", "reason"):
        with naming(place):
            wnid, _, photo = row["task"].partition("/")
            question = GoldQuestion(
                wnid=taxonomy[wnid].wnid,
                photo_id=known_task(photo, photos, "photo"),
                expected=verdict_in(row),
                reason=row["reason"],
                created_at=time_in(row, "created_at") or now(),
                retired_at=time_in(row, "retired_at"),
                basis_id=known_task(row["settled"], candidates, "candidate")
                if row.get("settled")
                else None,
            )
        if (question.wnid, question.photo_id) in there:
            known += 1
        else:
            there.add((question.wnid, question.photo_id))
            session.add(question)
            new += 1
    session.flush()
    return Imported(new, known)


class _Visits:
    """The visits of crowd workers by their names in archives; those that are new here are added."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ids = dict(session.execute(select(Visit.name, Visit.id)).all())

    def id_of(self, name: str | None) -> int | None:
        """The id of a visit; None for none.

        Raises:
            BadInput: it is not a name that an archive gives.
        """
        if not name:
            return None
        if name not in self._ids:
            self._session.add(visit := Visit(name=_opaque(name), key=""))
            self._session.flush()
            self._ids[name] = visit.id
        return self._ids[name]


def _add_screens(session: Session, folder: Path) -> Imported:
    visits, photos = _Visits(session), photos_by_name(session)
    there = set(session.scalars(select(Screen.id)))
    taxonomy = stored_taxonomy(session)
    added: set[str] = set()
    known = 0
    for place, row in read_if_there(
        folder / "screens.csv", "id", "worker", "wnid", "panel", "guideline"
    ):
        with naming(place):
            screen = _screen(row, visits, photos, taxonomy)
        if screen.id in there:
            known += 1
        else:
            there.add(screen.id)
            added.add(screen.id)
            session.add(screen)
    session.flush()
    candidates, gold = candidates_by_task(session), _gold_by_task(session)
    for place, row in read_if_there(
        folder / "screen_photos.csv", "screen", "place", "id", "kind", "task"
    ):
        if row["screen"] not in added:
            continue
        with naming(place):
            is_gold = row["kind"] == "control"
            found = known_task(
                row["task"], gold if is_gold else candidates, row["kind"] or "candidate"
            )
            shown = ScreenPhoto(
                id=_opaque(row["id"]),
                screen_id=row["screen"],
                place=number_in(row, "place"),
                gold_id=found if is_gold else None,
                candidate_id=None if is_gold else found,
            )
        session.add(shown)
    session.flush()
    return Imported(len(added), known)


def _screen(row: Row, visits: _Visits, photos: Mapping[str, int], taxonomy: Taxonomy) -> Screen:
    return Screen(
        id=_opaque(row["id"]),
        worker=checked_worker(row["worker"]),
        wnid=taxonomy[row["wnid"]].wnid,
        panel=checked_word("a panel", row["panel"]),
        guideline=checked_word("a guideline", row["guideline"]),
        created_at=time_in(row, "created_at") or now(),
        expires_at=time_in(row, "expires_at") or now(),
        submitted_at=time_in(row, "submitted_at") or now(),  # only such are exported
        lost_at=time_in(row, "lost_at"),
        seconds=_seconds(row.get("seconds")),
        visit_id=visits.id_of(row.get("visit")),
        photo_id=known_task(row["photo"], photos, "photo") if row.get("photo") else None,
    )


def _seconds(written: str | None) -> float | None:
    if not written:
        return None
    if not 0 <= (seconds := float(written)) <= _LONGEST_LOOK:
        raise BadInput(f"seconds cannot be {written}")
    return seconds


def _opaque(name: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{32}", name):
        raise BadInput(f"an id is 32 hexadecimal digits, not {name!r}")
    return name


def _add_rulings(session: Session, folder: Path, candidates: Mapping[str, int]) -> Imported:
    def ruling(row: Row) -> Ruling:
        return Ruling(
            id=UUID(row["id"]),
            candidate_id=known_task(row["task"], candidates, "candidate"),
            verdict=verdict_in(row),
            by=row["by"],
            reason=row["reason"],
            at=time_in(row, "at") or now(),
        )

    rows = read_if_there(folder / "rulings.csv", "task", "label", "by", "reason", "id")
    stored = session.scalars(select(Ruling).order_by(Ruling.number)).all()
    return _add_events(session, rows, ruling, stored, lambda row: (row.candidate_id, row.at))


def _add_decisions(session: Session, folder: Path) -> Imported:
    visits = _Visits(session)

    def decision(row: Row) -> LabelerEvent:
        return LabelerEvent(
            id=UUID(row["id"]),
            worker=checked_worker(row["worker"]),
            what=_act(row["what"]),
            since=time_in(row, "since"),
            by=row["by"],
            reason=row["reason"],
            at=time_in(row, "at") or now(),
            visit_id=visits.id_of(row.get("visit")),
        )

    rows = read_if_there(folder / "labeler_events.csv", "worker", "what", "by", "reason", "id")
    stored = session.scalars(select(LabelerEvent).order_by(LabelerEvent.number)).all()
    return _add_events(
        session, rows, decision, stored, lambda row: ((row.worker, row.visit_id), row.at)
    )


def _act(word: str) -> LabelerAct:
    if word not in list(LabelerAct):
        raise BadInput(f"what is decided is {', '.join(LabelerAct)}, not {word!r}")
    return LabelerAct(word)


def _add_answers(session: Session, folder: Path, screens: set[str]) -> Imported:
    gold = _gold_by_task(session)

    def answer(row: Row) -> GoldAnswer:
        screen = row.get("screen")
        return GoldAnswer(
            id=UUID(row["id"]),
            gold_id=known_task(row["task"], gold, "gold question"),
            worker=checked_worker(row["worker"]),
            screen_id=screen if screen in screens else None,
            verdict=verdict_in(row),
            shown_at=time_in(row, "shown_at"),
            decided_at=time_in(row, "decided_at") or now(),
            decided_order=number_in(row, "decided_order"),
        )

    needed = ("task", "worker", "label", "id")
    rows = read_if_there(folder / "control_answers.csv", *needed)
    stored = session.scalars(select(GoldAnswer).order_by(GoldAnswer.number)).all()
    return _add_events(
        session,
        rows,
        answer,
        stored,
        lambda row: ((row.gold_id, row.worker), row.decided_at),
    )


def _gold_by_task(session: Session) -> dict[str, int]:
    gold = session.scalars(select(GoldQuestion))
    return {f"{c.wnid}/{c.photo.source}:{c.photo.source_id}": c.id for c in gold}


def _add_events(
    session: Session,
    rows: Iterator[tuple[str, Row]],
    made: Callable[[Row], _Event],
    stored: Sequence[_Event],
    about: Callable[[_Event], tuple[Hashable, datetime]],
) -> Imported:
    """Add events that are not here; `about` says what an event decides, and when it did."""
    ids = {event.id for event in stored}
    decided = dict(about(event) for event in stored)
    new = known = older = 0
    for place, row in rows:
        with naming(place):
            event = made(row)
        subject, when = about(event)
        if event.id in ids:
            known += 1
        elif when < decided.get(subject, when):
            older += 1
        else:
            ids.add(event.id)
            session.add(event)
            new += 1
    session.flush()
    return Imported(new, known, older)
