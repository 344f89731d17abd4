"""Requests for review as a table of an archive, and back."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from genset.core.errors import BadInput
from genset.db import ReviewRequest, now
from genset.label.exchange.sheet import Row, naming, number_in, read_sheet, time_in
from genset.label.exchange.table import Imported, known_task

REQUESTS = "review_requests"
_COLUMNS = ("task", "labelers", "by", "reason", "at", "id")

Sheet = tuple[tuple[str, ...], Iterator[tuple[object, ...]]]


def request_sheet(session: Session) -> dict[str, Sheet]:
    """Columns and rows by the table's name; no table where nothing was sent to review."""
    stored = session.scalars(
        select(ReviewRequest)
        .options(joinedload(ReviewRequest.candidate))
        .order_by(ReviewRequest.number)
    ).all()
    rows = (
        (each.candidate.task, each.labelers, each.by, each.reason, each.at, each.id)
        for each in stored
    )
    return {REQUESTS: (_COLUMNS, rows)} if stored else {}


def add_requests(
    session: Session, folder: Path, candidates: Mapping[str, int]
) -> dict[str, Imported]:
    """Add what `request_sheet` gave, if it is there.

    One that was made before the newest one here on the same candidate comes too late.

    Raises:
        BadInput: a row is wrong; its line is named.
    """
    path = folder / f"{REQUESTS}.csv"
    if not path.exists():
        return {}
    stored = session.scalars(select(ReviewRequest).order_by(ReviewRequest.number)).all()
    ids = {each.id for each in stored}
    newest = {each.candidate_id: each.at for each in stored}
    new = known = older = 0
    for place, row in read_sheet(path, ("task", "labelers", "by", "reason", "id")):
        with naming(place):
            request = _request(row, candidates)
        if request.id in ids:
            known += 1
        elif request.at < newest.get(request.candidate_id, request.at):
            older += 1
        else:
            ids.add(request.id)
            session.add(request)
            new += 1
    session.flush()
    return {REQUESTS: Imported(new, known, older)}


def _request(row: Row, candidates: Mapping[str, int]) -> ReviewRequest:
    if (labelers := number_in(row, "labelers")) is None or labelers < 1:
        raise BadInput("labelers is a number from 1")
    if not row["by"].strip() or not row["reason"].strip():
        raise BadInput("a request for review needs somebody who makes it, and a reason")
    return ReviewRequest(
        id=UUID(row["id"]),
        candidate_id=known_task(row["task"], candidates, "candidate"),
        labelers=labelers,
        by=row["by"],
        reason=row["reason"],
        at=time_in(row, "at") or now(),
    )
