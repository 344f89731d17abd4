"""Labels as a CSV table of task, worker, label: the form that crowd-kit reads."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from genset.core.errors import BadInput
from genset.db import (
    Claim,
    Label,
    Photo,
    Screen,
    Store,
    Verdict,
    labels_in_force,
    now,
    stored_taxonomy,
)
from genset.label.exchange.sheet import Row, naming, number_in, read_sheet, time_in, write_sheet
from genset.label.people.labelers import checked_worker

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
_VIA = ("page", "import", "review")

# Whose label of what, in which panel: in each panel a labeler has one vote on a candidate.
Key = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Imported:
    """How many rows were new and how many were known.

    `older` ones were left out: a later decision of the same labeler is here already, and what is
    stored last is what holds.
    """

    new: int = 0
    known: int = 0
    older: int = 0


def export_labels(store: Store, path: Path) -> int:
    """Write the labels in force to `path`, and return how many there are.

    Columns: task (``WNID/SOURCE:PHOTO_ID``), worker, label (a verdict), decided_at (ISO 8601, UTC),
    id; then panel, guideline, via, shown_at, decided_order and supersedes as in
    `genset.db.Label`.

    Raises:
        BadInput: the file cannot be written.
    """
    with store.session() as session:
        in_force = session.scalars(labels_in_force().options(joinedload(Label.candidate)))
        return write_sheet(path, COLUMNS, map(label_cells, in_force))


def import_labels(store: Store, path: Path, panel: str = "main") -> Imported:
    """Add the labels of a CSV file, in the order in which they stand.

    Columns as `export_labels` writes them; all but task, worker and label may be missing. `panel`
    is the panel of rows that name none. A label is known when its id is, or, without an id, when it
    is the one in force: importing a file twice adds nothing. All rows are added or, on an error,
    none.

    Raises:
        BadInput: the file cannot be read, or a row is wrong; its line is named.
    """
    with store.begin_alone() as session:
        here = Here(session)
        labels = list(read_labels(path, here, panel))
        return here.add_labels(labels)


def label_cells(label: Label) -> tuple[object, ...]:
    """What stands in `COLUMNS`."""
    return (
        label.candidate.task,
        label.worker,
        label.verdict,
        label.decided_at,
        label.id,
        label.panel,
        label.guideline,
        label.via,
        label.shown_at,
        label.decided_order,
        label.supersedes,
    )


class Here:
    """What the store has already, asked once before rows are added.

    Attributes:
        candidates: ids by task.
        taxonomy: the workspace's classes.
        photos: the names of those that are claimed for any class.
        screens, ids: what there is of screens and of labels, by id.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.taxonomy = stored_taxonomy(session)
        self.candidates: Mapping[str, int] = {c.task: c.id for c in session.scalars(select(Claim))}
        self.photos = {task.partition("/")[2] for task in self.candidates}
        self.screens = set(session.scalars(select(Screen.id)))
        self.ids: set[UUID] = set()
        self._in_force: dict[Key, tuple[Verdict, datetime]] = {}
        stored = select(
            Label.id, Label.candidate_id, Label.worker, Label.panel, Label.verdict, Label.decided_at
        ).order_by(Label.number)
        for number, candidate, worker, panel, verdict, decided_at in session.execute(stored):
            self.ids.add(number)
            self._in_force[candidate, worker, panel] = verdict, decided_at
        self._last_decided = {key: decided for key, (_, decided) in self._in_force.items()}

    def add_labels(self, labels: Iterable[Label], settled: Container[Key] = ()) -> Imported:
        """Add those that are not here; those of a `settled` key would come too late."""
        became = Counter(self.add(label, settled) for label in labels)
        self.session.flush()
        return Imported(**became)

    def add(self, label: Label, settled: Container[Key] = ()) -> str:
        """Add one label, not flushed yet; "new", or why it was left out: "known", "older"."""
        key = key_of(label)
        in_force = self._in_force.get(key)
        if label.id in self.ids or (
            label.id is None and in_force is not None and in_force[0] == label.verdict
        ):
            return "known"
        if self._comes_late(label, key in settled):
            return "older"
        if label.id is not None:
            self.ids.add(label.id)
        self._in_force[key] = label.verdict, label.decided_at
        self.session.add(label)
        return "new"

    def _comes_late(self, label: Label, settled: bool) -> bool:
        last = self._last_decided.get(key_of(label), label.decided_at)
        return label.decided_at < last or (settled and label.decided_at == last)


def key_of(label: Label) -> Key:
    """Whose label of what it is, in which panel."""
    return label.candidate_id, label.worker, label.panel


def read_labels(path: Path, here: Here, panel: str = "main") -> Iterator[Label]:
    """The labels of a CSV file, not yet added to anything.

    Raises:
        BadInput: as `import_labels`.
    """
    for label, _ in read_stored(path, here, panel):
        yield label


def read_stored(path: Path, here: Here, panel: str = "main") -> Iterator[tuple[Label, int | None]]:
    """The same, each with the place at which it was stored, where the file says so."""
    for place, row in read_sheet(path, NEEDED):
        with naming(place):
            label = _label(row, here, panel), number_in(row, "stored")
        yield label


def _label(row: Row, here: Here, panel: str) -> Label:
    screen = row.get("screen")
    return Label(
        id=UUID(row["id"]) if row.get("id") else None,
        candidate_id=_claim(row["task"], here),
        worker=checked_worker(row["worker"]),
        verdict=verdict_in(row),
        decided_at=time_in(row, "decided_at") or now(),
        # A screen that is not here (its file was not given) has nothing to say.
        screen_id=screen if screen in here.screens else None,
        panel=checked_word("a panel", row.get("panel") or panel),
        shown_at=time_in(row, "shown_at"),
        decided_order=number_in(row, "decided_order"),
        guideline=row.get("guideline") or None,
        supersedes=UUID(row["supersedes"]) if row.get("supersedes") else None,
        via=_via(row.get("via") or "import"),
    )


def _claim(task: str, here: Here) -> int:
    """The id of the candidate or proposal that a row is about.

    Raises:
        BadInput: there is none; where the photo is here, only the class was not asked about.
    """
    wnid, _, photo = task.partition("/")
    if task not in here.candidates and wnid in here.taxonomy and photo in here.photos:
        raise BadInput(
            f"there is no candidate {task} in this workspace: it is a proposal of a further class "
            "for a photo that is here, and a table of labels brings none; import the folder that "
            "genset labels export wrote, which brings the rounds"
        )
    return known_task(task, here.candidates, "candidate")


def candidates_by_task(session: Session) -> dict[str, int]:
    """The ids of all candidates, by their names."""
    return {each.task: each.id for each in session.scalars(select(Claim))}


def photos_by_name(session: Session) -> dict[str, int]:
    """The ids of all photos, by their names: ``flickr:6061409035``."""
    named = select(Photo.id, Photo.source, Photo.source_id)
    return {f"{source}:{name}": number for number, source, name in session.execute(named)}


def known_task(name: str, ids: Mapping[str, int], what: str) -> int:
    """The id of what is called `name`.

    Raises:
        BadInput: there is none of this name.
    """
    if name not in ids:
        raise BadInput(f"there is no {what} {name} in this workspace")
    return ids[name]


def verdict_in(row: Row) -> Verdict:
    """The row's label.

    Raises:
        BadInput: it is no verdict.
    """
    if row["label"] not in list(Verdict):
        raise BadInput(f"a label is {', '.join(Verdict)}, not {row['label']!r}")
    return Verdict(row["label"])


def checked_word(what: str, word: str) -> str:
    """A short name without surrounding blanks.

    Raises:
        BadInput: it is empty, longer than 64 characters, or has characters that do not print.
    """
    word = word.strip()
    if not word or len(word) > 64 or not word.isprintable():
        raise BadInput(f"{what} has 1 to 64 printable characters")
    return word


def _via(word: str) -> str:
    if word not in _VIA:
        raise BadInput(f"via is {', '.join(_VIA)}, not {word!r}")
    return word
