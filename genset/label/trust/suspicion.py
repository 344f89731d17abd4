"""Who labels without looking: what tells so without knowing how others work.

Three things do. They take less than 0.3 s a photo, from a screen's being shown to its submission.
They miss gold questions, beyond doubt more than one in five. They agree with the others far less
than their own answers would, dealt out by chance over the same photos: somebody who took the
question for its opposite, or means harm. (Who answers without looking agrees about as often as
chance does: that alone tells nothing.)
"""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.core.errors import BadInput
from genset.db import Label, LabelerAct, Screen, ScreenPhoto, Store, is_out
from genset.label.aggregate.votes import Vote
from genset.label.agreement import chance_of_agreeing, with_consensus
from genset.label.gold import gold_scores
from genset.label.trust.decisions import GENSET, newest_event, record
from genset.statistics.intervals import wilson

LEAST_SCREENS = 5  # from how many on a pace says something
EVERY = 5  # screens of a labeler, after which they are looked at again
FLOOR = 0.3  # seconds a photo in which nobody looks

_LEAST_GOLD = 5
_LEAST_COMPARED = 20
_GOLD = 0.8
_FAR_BELOW = 0.5  # times what chance gives
_LOOKED_AT = 100  # newest screens, so that a look costs the same however much somebody did

log = logging.getLogger("genset.label")


class Timed(NamedTuple):
    """A submitted screen: how many photos, and for how long it was looked at, as the page says.

    One photo where its questions are about one, for one look answers them all. The server saw it
    leased at `created_at` and submitted at `submitted_at`.
    """

    photos: int
    seconds: float
    created_at: datetime
    submitted_at: datetime


def pace(screens: Sequence[Timed]) -> float | None:
    """Seconds a photo: the median over a labeler's screens. None without any.

    A page may lie, so a claim counts as far as the server's clock has room for it: a screen is
    looked at between its lease and its submission, and one after the other. (Not merely from one
    submission to the next: a page that was offline sends many at once.)
    """
    seconds = []
    free = datetime.min.replace(tzinfo=UTC)  # the first moment that no earlier screen has taken
    for screen in sorted(screens, key=lambda screen: screen.submitted_at):
        began = max(screen.created_at, free)
        room = max(screen.submitted_at - began, timedelta())
        looked = min(timedelta(seconds=screen.seconds), room)
        free = began + looked
        seconds.append(looked.total_seconds() / screen.photos)
    return median(seconds) if seconds else None


def hurries(screens: Sequence[Timed]) -> list[str]:
    """In words, that somebody is faster than anybody can look; nothing where they are not."""
    if len(screens) < LEAST_SCREENS or (found := pace(screens)) is None or found >= FLOOR:
        return []
    return [f"takes {found:.2f} s a photo, and nobody looks in less than {FLOOR} s"]


def misses_gold(right: int, of: int) -> list[str]:
    """In words, that somebody misses gold questions, beyond doubt more than one in five."""
    if of < _LEAST_GOLD or wilson(right, of).high >= _GOLD:
        return []
    return [f"right on {right} of {of} gold questions"]


def contradicts(agreed: int, compared: int, by_chance: float) -> list[str]:
    """In words, that somebody agrees with the others far less than chance would have it.

    The upper end of the 95 % interval of their agreement is below half of what chance gives,
    `by_chance` from `genset.label.agreement.chance_of_agreeing`.
    """
    if compared < _LEAST_COMPARED or wilson(agreed, compared).high >= by_chance * _FAR_BELOW:
        return []
    share = f"{by_chance:.0%}"
    return [f"agrees with the others on {agreed} of {compared}, where chance gives {share}"]


def timed_screens(
    session: Session, worker: str | None = None, after: datetime | None = None
) -> dict[str, list[Timed]]:
    """The submitted screens whose time is known, by labeler, the newest first.

    Of one `worker` the newest 100 alone, and with `after` those that came in later than that; of
    all labelers all.
    """
    query = (
        select(
            Screen.id,
            Screen.worker,
            Screen.seconds,
            Screen.created_at,
            Screen.submitted_at,
            Screen.photo_id,
        )
        .where(Screen.submitted_at.is_not(None), Screen.seconds.is_not(None))
        .order_by(Screen.submitted_at.desc())
    )
    if worker is not None:
        query = query.where(Screen.worker == worker).limit(_LOOKED_AT)
    if after is not None:
        query = query.where(Screen.submitted_at > after)
    screens = query.subquery()
    photos = (
        select(screens, func.count())
        .join(ScreenPhoto, ScreenPhoto.screen_id == screens.c.id)
        .group_by(*screens.c)
        .order_by(screens.c.submitted_at.desc())
    )
    found: dict[str, list[Timed]] = {}
    for _, name, seconds, created_at, submitted_at, of_one, count in session.execute(photos):
        shown = count if of_one is None else 1  # several classes are asked about one photo
        found.setdefault(name, []).append(Timed(shown, seconds, created_at, submitted_at))
    return found


def reasons_against(session: Session, worker: str, after: datetime | None = None) -> list[str]:
    """Why a labeler's newest work gives cause for suspicion, in words; nothing where it does not.

    With `after`, only what came in later than that says anything.
    """
    votes = _votes_on_screens(session, worker, after)
    agreed, compared = with_consensus(votes).get(worker, (0, 0))
    by_chance = chance_of_agreeing(votes).get(worker, 0.0)
    return [
        *hurries(timed_screens(session, worker, after).get(worker, [])),
        *misses_gold(*gold_scores(session, worker, after).get(worker, (0, 0))),
        *contradicts(agreed, compared, by_chance),
    ]


def is_fifth(session: Session, worker: str, number: int) -> bool:
    """Whether a fifth, tenth... screen of a labeler is among the last that `number`.

    Then it is time to look at them.
    """
    done = select(func.count()).select_from(Screen)
    done = done.where(Screen.worker == worker, Screen.submitted_at.is_not(None))
    return (session.scalar(done) or 0) % EVERY < number


def hold_if_suspect(store: Store, worker: str) -> None:
    """Hold a labeler's votes out where their work gives cause.

    What a manager cleared (or unvoided) stays so: only what came in later is looked at then, and
    only what was decided later is held out. It fails nobody's submission: what goes wrong is
    logged.
    """
    try:
        with store.session() as session:
            last = newest_event(session, worker)
            if last is not None and last.what in (LabelerAct.VOID, LabelerAct.HOLD):
                return
            since = None if last is None else last.at
            reasons = reasons_against(session, worker, since)
        if reasons:
            with store.begin_alone() as session:
                why = "; ".join(reasons)
                record(session, worker, LabelerAct.HOLD, by=GENSET, reason=why, since=since)
            log.warning("the votes of %r are held out: %s", worker, why)
    except BadInput:
        pass  # somebody decided it just now
    except Exception:
        log.exception("could not look whether %r gives cause for suspicion", worker)


def _votes_on_screens(session: Session, worker: str, after: datetime | None) -> list[Vote]:
    """All votes on the candidates of a labeler's newest screens."""
    screens = (
        select(Screen.id)
        .where(Screen.worker == worker, Screen.submitted_at.is_not(None))
        .order_by(Screen.submitted_at.desc())
        .limit(_LOOKED_AT)
    )
    if after is not None:
        screens = screens.where(Screen.submitted_at > after)
    candidates = select(ScreenPhoto.candidate_id).where(
        ScreenPhoto.screen_id.in_(screens), ScreenPhoto.candidate_id.is_not(None)
    )
    newest: dict[tuple[int, str], str] = {}
    for candidate_id, name, verdict in session.execute(
        select(Label.candidate_id, Label.worker, Label.verdict)
        .where(Label.candidate_id.in_(candidates), ~is_out(Label))
        .order_by(Label.number)
    ):
        newest[candidate_id, name] = verdict.value
    return [
        Vote(str(candidate_id), name, verdict) for (candidate_id, name), verdict in newest.items()
    ]
