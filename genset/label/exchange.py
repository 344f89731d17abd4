"""Labels and rulings as CSV tables: out of a workspace, and into another one.

A table of labels has the columns task, worker and label first, which is what crowd-kit reads.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Select, exists, func, select
from sqlalchemy.orm import Session, joinedload

from genset.core.errors import BadInput
from genset.core.validation import read_json
from genset.db import (
    Candidate,
    Claim,
    Label,
    Labeler,
    Photo,
    Ruling,
    Screen,
    Store,
    Verdict,
    is_out,
    now,
    stored_taxonomy,
)
from genset.label.labelers import Labelers, Names, checked_worker
from genset.label.review import signed
from genset.label.session.desk import Desk
from genset.label.session.shown import Receipt, UnsavedFile
from genset.label.sheet import (
    Row,
    columns_in,
    naming,
    number_in,
    read_sheet,
    time_in,
    write_sheet,
)
from genset.workspace import Workspace

NEEDED = ("task", "worker", "label")
COLUMNS = (
    *NEEDED,
    "decided_at",
    "id",
    "panel",
    "guideline",
    "via",
    "shown_at",
    "decided_order",
    "supersedes",
)
RULINGS = ("task", "label", "by", "reason", "at", "id")
UNLABELED = (*NEEDED, "class", "file", "page")
_VIA = ("page", "import", "review")


@dataclass(frozen=True, slots=True)
class Imported:
    """How many rows of a `table`, "labels" or "rulings", were new and how many were known.

    `older` ones were left out: a later decision is stored, and what is stored last is in force. So
    were `empty` ones, which name neither a worker nor a label.
    """

    table: str
    new: int = 0
    known: int = 0
    older: int = 0
    empty: int = 0


# Out


def export_labels(store: Store, path: Path) -> int:
    """Write the labels in force to `path`, and return how many there are.

    A labeler who is in two panels has a label in force in each. Columns: task
    (``WNID/SOURCE:PHOTO_ID``), worker, label (a verdict), decided_at (ISO 8601, UTC), id; then
    panel, guideline, via, shown_at, decided_order and supersedes as in
    `genset.db.Label`.

    Raises:
        BadInput: the file cannot be written.
    """
    newest = (
        select(func.max(Label.number))
        .where(~is_out(Label))
        .group_by(Label.candidate_id, Label.worker, Label.panel)
    )
    return _export(store, path, COLUMNS, Label, newest)


def export_rulings(store: Store, path: Path) -> int:
    """Write the rulings in force to `path`, and return how many there are.

    Columns: task, label (a verdict), by, reason, at and id.

    Raises:
        BadInput: the file cannot be written.
    """
    newest = select(func.max(Ruling.number)).group_by(Ruling.candidate_id)
    return _export(store, path, RULINGS, Ruling, newest)


def _export(
    store: Store,
    path: Path,
    columns: Sequence[str],
    table: type[Label | Ruling],
    newest: Select[int],
) -> int:
    """Write the rows of a table with these numbers; return how many there are."""
    in_force = select(table).where(table.number.in_(newest)).order_by(table.number)

    def cell(row: Any, column: str) -> object:
        named = {"task": row.candidate.task, "label": row.verdict}
        return named[column] if column in named else getattr(row, column)

    with store.session() as session:
        rows = session.scalars(in_force.options(joinedload(table.candidate)))
        cells = ([cell(row, column) for column in columns] for row in rows)
        return write_sheet(path, columns, cells)


def export_unlabeled(store: Store, images: Path, path: Path) -> int:
    """Write the candidates whose photo is stored and that nobody has labeled; return their number.

    Columns: task (``WNID/SOURCE:PHOTO_ID``); worker and label, which are empty; then the class's
    name, the photo's file below `images`, and its page. `import_table` reads the table when
    worker and label are filled in.

    Raises:
        BadInput: the file cannot be written.
    """
    with store.session() as session:
        taxonomy = stored_taxonomy(session)
        candidates = session.scalars(
            select(Candidate)
            .join(Photo)
            .where(Photo.in_use)
            .where(~exists().where(Label.candidate_id == Candidate.id))
            .order_by(Candidate.wnid, Candidate.rank, Candidate.id)
        )
        rows = (
            (
                candidate.task,
                "",
                "",
                taxonomy[candidate.wnid].name,
                images / candidate.photo.file,
                candidate.photo.page_url,
            )
            for candidate in candidates
        )
        return write_sheet(path, UNLABELED, rows)


# In


def import_table(store: Store, path: Path, panel: str = "main") -> Imported:
    """Add the labels or the rulings of a CSV file: a table without workers is of rulings.

    Raises:
        BadInput: as `import_labels`.
    """
    columns = columns_in(path)
    if "worker" not in columns and {"by", "reason"} <= set(columns):
        # As `export_rulings` writes them; `at` and `id` may be missing.
        with store.begin_alone() as session:
            tasks, stored = _Tasks(session), _Stored(session, Ruling, "at", "candidate_id")
            rulings = []
            for place, row in read_sheet(path, RULINGS[:4]):
                with naming(place):
                    rulings.append(_ruling(row, tasks))
            return Imported("rulings", **Counter(map(stored.add, rulings)))
    return import_labels(store, path, panel)


def import_labels(store: Store, path: Path, panel: str = "main") -> Imported:
    """Add the labels of a CSV file, in the order in which they stand.

    Columns as `export_labels` writes them; all but task, worker and label may be missing. `panel`
    is the panel of rows that name none. A label is known when its id is, or, without an id, when it
    is the one in force: importing a file twice adds nothing. One that was decided before the
    labeler's label in force is left out. All rows are added or, on an error, none.

    Raises:
        BadInput: the file cannot be read, or a row is wrong; its line is named.
    """
    with store.begin_alone() as session:
        tasks, names = _Tasks(session), Names(session)
        # In each panel a labeler has one vote on a candidate.
        stored = _Stored(session, Label, "decided_at", "candidate_id", "worker", "panel")
        labels, empty = [], 0
        for place, row in read_sheet(path, NEEDED):
            if not row["worker"] and not row["label"]:  # of `export_unlabeled`
                empty += 1
                continue
            with naming(place):
                labels.append(_label(row, tasks, names, panel))
        return Imported("labels", **Counter(map(stored.add, labels)), empty=empty)


def import_unsaved(workspace: Workspace, store: Store, path: Path) -> list[Receipt]:
    """Take the labels of a file that a labeler downloaded, as if the page had sent them.

    Raises:
        BadInput: the file cannot be read, or names a screen that nobody has in this workspace.
    """
    submissions = read_json(path, UnsavedFile).submissions
    desks = []
    with store.session() as session:
        for sent in submissions:
            screen = session.get(Screen, sent.screen)
            if screen is None:
                raise BadInput(f"{path}: there is no screen {sent.screen} in this workspace")
            number = session.scalars(select(Labeler.id).where(Labeler.name == screen.worker)).one()
            desks.append((number, screen.visit_id))
    return [
        receipt
        for desk, sent in zip(desks, submissions, strict=True)
        for receipt in Desk(workspace, store, Labelers(store).get(*desk)).submit(sent)
    ]


class _Tasks:
    """The ids of candidates and proposals by their names."""

    def __init__(self, session: Session) -> None:
        self._ids: Mapping[str, int] = {
            claim.task: claim.id for claim in session.scalars(select(Claim))
        }
        self._photos = {task.partition("/")[2] for task in self._ids}
        self._taxonomy = stored_taxonomy(session)

    def id_of(self, task: str) -> int:
        """The id of the candidate or proposal that a row is about.

        Raises:
            BadInput: there is none; where the photo is here, only the class was not asked about.
        """
        if task in self._ids:
            return self._ids[task]
        wnid, _, photo = task.partition("/")
        if wnid in self._taxonomy and photo in self._photos:
            raise BadInput(
                f"there is no candidate {task} in this workspace: it has the photo, but nobody was "
                "asked about this class; see genset labels propose"
            )
        raise BadInput(f"there is no candidate {task} in this workspace")


class _Stored:
    """The labels or rulings that the store has, asked once before rows are added.

    `time` and `key` name columns: when it was decided, and of what only the newest is in force.
    """

    def __init__(self, session: Session, table: type[Label | Ruling], time: str, *key: str) -> None:
        self._session, self._time, self._key = session, time, key
        self._ids: set[UUID] = set()
        self._in_force: dict[tuple[object, ...], tuple[Verdict, datetime]] = {}
        columns = [getattr(table, name) for name in ("id", "verdict", time, *key)]
        for number, verdict, at, *of in session.execute(select(*columns).order_by(table.number)):
            self._ids.add(number)
            self._in_force[tuple(of)] = verdict, at

    def add(self, row: Label | Ruling) -> str:
        """Add one, not flushed yet; "new", or why it was left out: "known", "older"."""
        at, *key = (getattr(row, name) for name in (self._time, *self._key))
        verdict, newest = self._in_force.get(tuple(key), (None, at))
        if row.id in self._ids or (row.id is None and row.verdict == verdict):
            return "known"
        if at < newest:
            return "older"
        if row.id is not None:
            self._ids.add(row.id)
        self._in_force[tuple(key)] = row.verdict, at
        self._session.add(row)
        return "new"


def _label(row: Row, tasks: _Tasks, names: Names, panel: str) -> Label:
    for column in NEEDED:
        if not row[column]:
            raise BadInput(f"{column} is empty")
    return Label(
        id=_id_in(row, "id"),
        candidate_id=tasks.id_of(row["task"]),
        worker=names.of(checked_worker(row["worker"])),
        verdict=_verdict_in(row),
        decided_at=time_in(row, "decided_at") or now(),
        panel=_panel(row.get("panel") or panel),
        shown_at=time_in(row, "shown_at"),
        decided_order=number_in(row, "decided_order"),
        guideline=row.get("guideline") or None,
        supersedes=_id_in(row, "supersedes"),
        via=_via(row.get("via") or "import"),
    )


def _ruling(row: Row, tasks: _Tasks) -> Ruling:
    by, reason = signed("a ruling", row["by"], row["reason"])
    return Ruling(
        id=_id_in(row, "id"),
        candidate_id=tasks.id_of(row["task"]),
        verdict=_verdict_in(row),
        by=by,
        reason=reason,
        at=time_in(row, "at") or now(),
    )


def _id_in(row: Row, column: str) -> UUID | None:
    with naming(column):
        return UUID(row[column]) if row.get(column) else None


def _verdict_in(row: Row) -> Verdict:
    if (label := row["label"].casefold()) not in list(Verdict):
        raise BadInput(f"a label is {', '.join(Verdict)}, not {row['label']!r}")
    return Verdict(label)


def _panel(name: str) -> str:
    name = name.strip()
    if not name or len(name) > 64 or not name.isprintable():
        raise BadInput("a panel has 1 to 64 printable characters")
    return name


def _via(word: str) -> str:
    if word not in _VIA:
        raise BadInput(f"via is {', '.join(_VIA)}, not {word!r}")
    return word
