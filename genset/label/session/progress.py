"""How far a labeler is, and how long the rest will take."""

from datetime import timedelta
from itertools import pairwise
from statistics import median

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.label.queue.board import PHOTOS_ON_A_SCREEN, Board
from genset.label.queue.leases import open_screens
from genset.label.session.shown import Done, Progress
from genset.store import Labeler, Screen, Study, now

_GAPS = 20  # between submissions, of which the median is a labeler's pace
_LEAST_GAPS = 3
_A_BREAK = timedelta(minutes=5)
_PROLIFIC = "https://app.prolific.com/submissions/complete?cc="


def progress_of(session: Session, board: Board, labeler: Labeler) -> Progress:
    """The progress of a labeler whom the board has met."""
    left = board.left_for(labeler.name)
    to_do = screens_of_study(session, labeler)
    screens = _screens_left(session, board, sum(left.values()))
    if to_do is not None:
        screens = min(screens, to_do)
    pace = _seconds_a_screen(session, labeler.name)
    return Progress(
        classes_done=sum(not count for count in left.values()),
        classes=len(left),
        labels=board.labels_of(labeler.name),
        seconds_left=None if pace is None else round(pace * screens),
        done=_done(session, board, labeler, any(left.values()), to_do),
    )


def screens_of_study(session: Session, labeler: Labeler) -> int | None:
    """How many screens the labeler's study still asks of them; None where they are in none."""
    if (study := _study(session, labeler)) is None:
        return None
    submitted = select(func.count(Screen.id)).where(
        Screen.worker == labeler.name,
        Screen.submitted_at.is_not(None),
        Screen.study_id == labeler.study_id,
    )
    return max(0, study.screens - (session.scalar(submitted) or 0))


def _study(session: Session, labeler: Labeler) -> Study | None:
    return None if labeler.study_id is None else session.get(Study, labeler.study_id)


def _done(
    session: Session, board: Board, labeler: Labeler, more: bool, to_do: int | None
) -> Done | None:
    """Why a labeler is done: `more` is left on the board, `to_do` screens in their study."""
    if more and to_do != 0:
        return None
    mine = open_screens(labeler.name, board.rules.panel).limit(1)
    if to_do != 0 and session.scalar(mine) is not None:
        return None  # what they have before them
    if (study := _study(session, labeler)) is None:
        return Done("all")
    # There is nothing more for them, though the study asks for it: no fault of theirs.
    url = _PROLIFIC + study.code if study.platform == "prolific" else None
    return Done("study", study.code, url)


def _screens_left(session: Session, board: Board, candidates: int) -> float:
    """Screens that a labeler will do: all that they may, or their share of what is missing."""
    labeling = session.scalar(
        select(func.count(Screen.worker.distinct())).where(
            Screen.submitted_at.is_(None),
            Screen.lost_at.is_(None),
            Screen.expires_at > now(),
            Screen.panel == board.rules.panel,
        )
    )
    return min(candidates, board.votes_missing / (labeling or 1)) / PHOTOS_ON_A_SCREEN


def _seconds_a_screen(session: Session, worker: str) -> float | None:
    """A labeler's pace: the median time from one submission to the next, without breaks."""
    newest = session.scalars(
        select(Screen.submitted_at)
        .where(Screen.worker == worker, Screen.submitted_at.is_not(None))
        .order_by(Screen.submitted_at.desc())
        .limit(_GAPS + 1)
    )
    times = [at for at in newest if at is not None]
    gaps = [later - earlier for later, earlier in pairwise(times)]
    seconds = [gap.total_seconds() for gap in gaps if gap < _A_BREAK]
    return None if len(seconds) < _LEAST_GAPS else median(seconds)
