"""How far a labeler is, and how long the rest will take."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from genset.db import GoldAnswer, Screen, Study, Visit, ask
from genset.label.gold import gold_scores
from genset.label.labelers import LabelerNow
from genset.label.queue.boards import Boards
from genset.label.queue.leases import open_screens
from genset.label.session.shown import Done, Progress
from genset.label.suspicion import misses

_GAPS = 20  # between submissions, of which the median is a labeler's pace
_LEAST_GAPS = 3
_A_BREAK = timedelta(minutes=5)

# Written once: building them takes longer than asking them.
_COUNTED = Screen.submitted_at.is_not(None), ~Screen.is_training
_MINE = Screen.worker == bindparam("worker"), *_COUNTED
_SUBMITTED = select(func.count()).select_from(Screen).where(*_COUNTED)
_SUBMITTED_IN_VISIT = _SUBMITTED.where(Screen.visit_id == bindparam("visit"))
# When a labeler submitted the newest screens; and with each of them how many they submitted, and
# how many gold questions they decided.
_DONE = (
    select(
        Screen.submitted_at,
        _SUBMITTED.where(Screen.worker == bindparam("worker")).scalar_subquery(),
        select(func.count(GoldAnswer.gold_id.distinct()))
        .where(GoldAnswer.worker == bindparam("worker"))
        .scalar_subquery(),
    )
    .where(*_MINE)
    .order_by(Screen.submitted_at.desc())
    .limit(_GAPS + 1)
)


def progress_of(
    session: Session, boards: Boards, labeler: LabelerNow, visit: Visit | None
) -> Progress:
    """The progress of a labeler whom the boards have met, here for this visit.

    A visit that has nothing more to do is told as done, and how it ends; the caller ends it.
    """
    remaining = _remaining(boards, labeler.name)
    newest = ask(session, _DONE, {"worker": labeler.name}).all()
    _, submitted, gold_questions = newest[0] if newest else (None, 0, 0)
    done, to_do = (submitted, None) if visit is None else screens_of_visit(session, visit)
    pace = _seconds_a_screen([at for at, *_ in newest])
    seconds = None if pace is None or to_do is None else round(pace * (to_do - done))
    return Progress(
        classes=len(remaining),
        photos=boards.candidates.labels_of(labeler.name) + gold_questions,
        screens_done=done,
        screens_to_do=to_do,
        seconds_remaining=seconds,
        done=_done(session, boards, labeler, visit, any(remaining.values())),
    )


def screens_of_visit(session: Session, visit: Visit) -> tuple[int, int]:
    """How many screens were submitted in this visit, of how many that its study asks for."""
    done = ask(session, _SUBMITTED_IN_VISIT, {"visit": visit.id}).scalar() or 0
    return done, max(done, session.get_one(Study, visit.study_id).screens)


def _done(
    session: Session, boards: Boards, labeler: LabelerNow, visit: Visit | None, more: bool
) -> Done | None:
    """Why a labeler is done: nothing is left on the boards (no `more`), or their visit is over."""
    number = None if visit is None else visit.id
    nothing = not more and not open_screens(session, labeler.name, boards.rules.panel, number)
    if visit is None:
        return Done("all") if nothing else None
    done, to_do = screens_of_visit(session, visit)
    study = session.get_one(Study, visit.study_id)
    outcome = visit.outcome
    # Who was blocked in the middle of it has not done it, and it is not over for others' reasons.
    if outcome is None and labeler.blocked_at is None and (done == to_do or nothing):
        outcome = "done" if done == to_do else "nothing"
        gold = gold_scores(session, Screen.visit_id, Screen.visit_id == visit.id)
        if misses(gold.get(visit.id, (0, 0)), study.gold_needed):
            outcome = "failed"
    if outcome is None:
        return None
    code = study.code_for(outcome)
    return Done("study", outcome, code, study.back(code))


def _remaining(boards: Boards, worker: str) -> Counter[str]:
    """What of each class a labeler may yet get; a class may have both candidates and questions."""
    remaining: Counter[str] = Counter()
    for board in boards:
        remaining.update(board.remaining_for(worker))
    return remaining


def _seconds_a_screen(times: Sequence[datetime]) -> float | None:
    """A labeler's pace: the median time from one submission to the next, without breaks."""
    gaps = [later - earlier for later, earlier in pairwise(times)]
    seconds = [gap.total_seconds() for gap in gaps if gap < _A_BREAK]
    return None if len(seconds) < _LEAST_GAPS else median(seconds)
