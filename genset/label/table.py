"""Labels as a CSV table of task, worker, label: the form that crowd-kit reads."""

import csv
import io
from datetime import datetime
from pathlib import Path
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from genset.errors import BadInput
from genset.files import write_text
from genset.label.labeling import checked_worker
from genset.store import Candidate, Label, Store, Verdict, labels_in_force, now

_NEEDED = ("task", "worker", "label")
_COLUMNS = (*_NEEDED, "decided_at", "id")


def export_labels(store: Store, path: Path) -> int:
    """Write the labels in force to `path`, and return how many there are.

    Columns: task (``WNID/SOURCE:PHOTO_ID``), worker, label (correct, incorrect, unsure),
    decided_at (ISO 8601, UTC), id.

    Raises:
        BadInput: the file cannot be written.
    """
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    with store.session() as session:
        with_task = labels_in_force().options(joinedload(Label.candidate))
        labels = list(session.scalars(with_task))
        for label in labels:
            decided_at = label.decided_at.isoformat()
            row = (label.candidate.task, label.worker, label.verdict, decided_at, label.id)
            table.writerow(row)
    try:
        write_text(path, text.getvalue())
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}") from None
    return len(labels)


def import_labels(store: Store, path: Path) -> tuple[int, int]:
    """Add the labels of a CSV file; return how many were new and how many were known.

    Columns as `export_labels` writes them; decided_at and id may be missing. A label is known
    when its id is, or, without an id, when it is the one in force: importing a file twice adds
    nothing. All rows are added or, on an error, none.

    Raises:
        BadInput: the file cannot be read, or a row is wrong; its line is named.
    """
    new = known = 0
    with store.begin() as session:
        candidates = {c.task: c.id for c in session.scalars(select(Candidate))}
        in_force = {
            (label.candidate_id, label.worker): label.verdict
            for label in session.scalars(labels_in_force())
        }
        ids = set(session.scalars(select(Label.id)))
        for line, row in _rows(path):
            try:
                label = _label(row, candidates)
            except (BadInput, ValueError) as error:
                raise BadInput(f"{path}, line {line}: {error}") from None
            key = (label.candidate_id, label.worker)
            if label.id in ids or (label.id is None and in_force.get(key) == label.verdict):
                known += 1
                continue
            if label.id is not None:
                ids.add(label.id)
            in_force[key] = label.verdict
            session.add(label)
            new += 1
    return new, known


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file, strict=True)
            missing = [name for name in _NEEDED if name not in (table.fieldnames or ())]
            if missing:
                raise BadInput(
                    f"{path}: no column {', '.join(missing)}; the first line must name "
                    f"{', '.join(_NEEDED)}"
                )
            return [(table.line_num, row) for row in table]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path}: {error}") from None


def _label(row: dict[str, str], candidates: dict[str, int]) -> Label:
    if any(row[name] is None for name in _NEEDED):
        raise BadInput("the row is short of a column")
    if row["task"] not in candidates:
        raise BadInput(f"there is no candidate {row['task']} in this workspace")
    if row["label"] not in list(Verdict):
        raise BadInput(f"a label is {', '.join(Verdict)}, not {row['label']!r}")
    decided_at = datetime.fromisoformat(row["decided_at"]) if row.get("decided_at") else now()
    if decided_at.tzinfo is None:
        raise BadInput(f"decided_at needs a time zone: {row['decided_at']}")
    return Label(
        id=UUID(row["id"]) if row.get("id") else None,
        candidate_id=candidates[row["task"]],
        worker=checked_worker(row["worker"]),
        verdict=Verdict(row["label"]),
        decided_at=decided_at,
    )
