"""One labeler's work: the next screen, their marks, how far they are."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from sqlalchemy import not_, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from genset.errors import BadInput, GensetError
from genset.store import (
    Candidate,
    Label,
    Photo,
    Store,
    Verdict,
    is_contested,
    labels_in_force,
    stored_candidates,
)
from genset.taxonomy import ImageClass, imagenet1k
from genset.workspace import Workspace

PHOTOS_ON_A_SCREEN = 5
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class ShownPhoto:
    """A candidate as a labeler sees it. `verdict` is this labeler's own, None before they decide.

    `owner_name` and the addresses are a stranger's words: show them as text. The photo's title is
    left out on purpose: a labeler should judge what the picture shows, not what it is called.
    """

    task: str
    image: Path
    source: str
    owner_name: str
    license: str
    license_url: str
    page_url: str
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Screen:
    """Up to five candidates of one class, best rank first.

    `before` is a task on the screen before this one; None where this is the first.
    """

    cls: ImageClass
    photos: tuple[ShownPhoto, ...]
    before: str | None

    @property
    def done(self) -> bool:
        """Whether the labeler has decided every photo."""
        return all(photo.verdict is not None for photo in self.photos)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one labeler is. A class is done when all its candidates are decided."""

    classes_done: int
    classes: int


class Labeling:
    """What one labeler does in a workspace. Every mark is stored when it is made.

    A screen is found again by a task on it, not by its number: a search that runs meanwhile adds
    classes before it.

    Raises:
        BadInput: the labeler's name is empty, too long, or not printable.
        GensetError: the store does not answer (from every method).
    """

    def __init__(self, workspace: Workspace, store: Store, worker: str) -> None:
        self.workspace = workspace
        self.store = store
        self.worker = checked_worker(worker)

    def progress(self) -> Progress:
        """Classes decided by this labeler, of all that have photos."""
        with self._reading() as session:
            decided = self._verdicts(session)
            outline = _outline(session)
        classes = {wnid for wnid, _ in outline}
        undone = {wnid for wnid, ids in outline if not decided.keys() >= set(ids)}
        return Progress(len(classes) - len(undone), len(classes))

    def next_screen(self) -> Screen | None:
        """The first screen with a photo that this labeler has not decided; None when all are."""
        with self._reading() as session:
            decided = self._verdicts(session)
            for place, (_, ids) in enumerate(outline := _outline(session)):
                if not decided.keys() >= set(ids):
                    return self._screen(session, outline, place, decided)
        return None

    def screen_of(self, task: str) -> Screen:
        """The screen that this candidate is on, decided or not.

        Raises:
            BadInput: there is no such candidate, or it has no photo to show.
        """
        with self._reading() as session:
            outline = _outline(session)
            place = _place(session, outline, task)
            return self._screen(session, outline, place, self._verdicts(session))

    def last_screen(self) -> Screen | None:
        """The screen after which there is no more; None where there is no photo at all."""
        with self._reading() as session:
            if not (outline := _outline(session)):
                return None
            return self._screen(session, outline, len(outline) - 1, self._verdicts(session))

    def mark(self, task: str, verdict: Verdict) -> None:
        """Store this labeler's verdict; one that is in force already adds nothing.

        Raises:
            BadInput: there is no such candidate.
        """
        with _answering(), self.store.begin() as session:
            candidate = find_candidate(session, task)
            in_force = session.scalar(
                select(Label.verdict)
                .where(Label.candidate_id == candidate.id, Label.worker == self.worker)
                .order_by(Label.number.desc())
                .limit(1)
            )
            if in_force != verdict:
                label = Label(candidate_id=candidate.id, worker=self.worker, verdict=verdict)
                session.add(label)

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with _answering(), self.store.session() as session:
            yield session

    def _verdicts(self, session: Session) -> dict[int, Verdict]:
        mine = labels_in_force().where(Label.worker == self.worker)
        rows = session.execute(mine.with_only_columns(Label.candidate_id, Label.verdict))
        return {row.candidate_id: row.verdict for row in rows}

    def _screen(
        self, session: Session, outline: "_Outline", place: int, verdicts: dict[int, Verdict]
    ) -> Screen:
        wnid, ids = outline[place]
        candidates = session.scalars(stored_candidates(wnid).where(Candidate.id.in_(ids)))
        photos = tuple(self._shown(each, verdicts.get(each.id)) for each in candidates)
        before = session.get_one(Candidate, outline[place - 1][1][0]).task if place else None
        return Screen(imagenet1k()[wnid], photos, before)

    def _shown(self, candidate: Candidate, verdict: Verdict | None) -> ShownPhoto:
        photo = candidate.photo
        return ShownPhoto(
            task=candidate.task,
            image=self.workspace.images / photo.file,
            source=photo.source,
            owner_name=photo.owner_name or photo.owner,
            license=photo.license,
            license_url=photo.license_url,
            page_url=photo.page_url,
            verdict=verdict,
        )


def checked_worker(name: str) -> str:
    """The labeler's name without surrounding blanks.

    Raises:
        BadInput: it is empty, longer than 64 characters, or has characters that do not print.
    """
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise BadInput(f"a labeler's name has 1 to {_LONGEST_NAME} printable characters")
    return name


def find_candidate(session: Session, task: str) -> Candidate:
    """The candidate named ``WNID/SOURCE:PHOTO_ID``.

    Raises:
        BadInput: the name is not of that form, or there is no such candidate.
    """
    wnid, _, photo = task.partition("/")
    source, colon, source_id = photo.partition(":")
    if not (wnid and source and colon and source_id):
        raise BadInput(f"a task is named like n02123045/flickr:6061409035, not {task!r}")
    found = session.scalar(
        select(Candidate)
        .join(Candidate.photo)
        .where(Candidate.wnid == wnid, Photo.source == source, Photo.source_id == source_id)
    )
    if found is None:
        raise BadInput(f"there is no candidate {task} in this workspace")
    return found


@contextmanager
def _answering() -> Iterator[None]:
    """Say in one line that the database failed: a page of SQL helps no labeler."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        raise GensetError(f"the store does not answer: {reason}") from error


# Every screen, as its class and the ids of its candidates. It is asked for at every click, so it
# holds two columns: 5,000 candidates and their photos as objects take a fifth of a second.
_Outline = Sequence[tuple[str, tuple[int, ...]]]


def _outline(session: Session) -> _Outline:
    """All candidates, cut into screens: classes by wnid, a class's photos five at a time."""
    uncontested = stored_candidates().where(not_(is_contested()))
    rows = session.execute(uncontested.with_only_columns(Candidate.wnid, Candidate.id))
    return [
        (wnid, ids)
        for wnid, group in groupby(rows, key=lambda row: row.wnid)
        for ids in _batches([row.id for row in group], PHOTOS_ON_A_SCREEN)
    ]


def _batches(ids: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(ids), size):
        yield tuple(ids[start : start + size])


def _place(session: Session, outline: _Outline, task: str) -> int:
    candidate = find_candidate(session, task)
    for place, (_, ids) in enumerate(outline):
        if candidate.id in ids:
            return place
    raise BadInput(f"the photo of candidate {task} is not stored: run genset scrape")
