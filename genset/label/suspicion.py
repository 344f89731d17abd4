"""Who gives cause for suspicion, and why, in words.

Three things do without knowing how fast or how well others work, so that a rule may hold votes out
for them. Somebody takes less than 0.3 s a photo, from a screen's being shown to its submission
(0.1 s in a grid, of which a look takes in several).
They miss gold questions, beyond doubt more than one in five. They agree with the others far less
than their own answers would, dealt out by chance over the same photos: they took the question for
its opposite, or mean harm. (Who answers without looking agrees about as often as chance does: on
photos that nobody can tell, so does everybody.)

Three more are a reason to look: agreeing with the others far less than these do, being much faster
than they are, one verdict for everything.
"""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import NamedTuple

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from genset.core.errors import BadInput
from genset.db import (
    GoldAnswer,
    Label,
    LabelerAct,
    Screen,
    ScreenPhoto,
    Store,
    is_out,
    labels_in_force,
)
from genset.label.aggregate.votes import Coded, Vote
from genset.label.agreement import Comparison, with_consensus
from genset.label.decisions import GENSET, newest_event, record
from genset.label.gold import By, gold_scores
from genset.statistics.intervals import wilson

EVERY = 5  # screens of a labeler, after which they are looked at again
FLOOR, GRID_FLOOR = 0.3, 0.1  # seconds a photo in which nobody looks, of few and of many at once
LEAST_GOLD = 5  # answers; fewer say nothing of anybody

_LEAST_SCREENS = 5  # from how many on a pace says something
_LEAST_COMPARED = 20
_LEAST_LABELS = 20
_GOLD = 0.8
_FAR_BELOW = 0.5  # times what chance gives
_LESS_THAN_USUAL = 0.1  # so much less agreement than the others have, beyond doubt
_HASTE = 3  # times as fast as the labeler in the middle of the others
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
    if len(screens) < _LEAST_SCREENS or (found := pace(screens)) is None:
        return []
    floor = GRID_FLOOR if median(screen.photos for screen in screens) > 5 else FLOOR
    if found >= floor:
        return []
    return [f"takes {found:.2f} s a photo, and nobody looks in less than {floor} s"]


def misses(gold: tuple[int, int], needed: float | None) -> bool:
    """Whether somebody misses gold questions beyond doubt: too few right, of enough.

    Pay hangs on it, so the doubt is theirs: the whole 95 % interval lies below the share that is
    needed. Of five questions at 0.8, who has three right does not fail, and who has two right does;
    a labeler who is right nine times in ten has two or fewer of five in 1 of 117 visits.
    """
    right, of = gold
    return needed is not None and of >= LEAST_GOLD and wilson(right, of).high < needed


def misses_gold(right: int, of: int) -> list[str]:
    """In words, that somebody misses gold questions, beyond doubt more than one in five."""
    return [f"right on {right} of {of} gold questions"] if misses((right, of), _GOLD) else []


def contradicts(found: Comparison) -> list[str]:
    """In words, that somebody agrees with the others far less than chance would have it.

    The upper end of the 95 % interval of their agreement is below half of what chance gives.
    """
    agreed, compared, by_chance, _ = found
    if compared < _LEAST_COMPARED or wilson(agreed, compared).high >= by_chance * _FAR_BELOW:
        return []
    share = f"{by_chance:.0%}"
    return [f"agrees with the others on {agreed} of {compared}, where chance gives {share}"]


def disagrees(found: Comparison) -> list[str]:
    """In words, that somebody agrees with the others far less than these do among themselves."""
    agreed, compared, _, usual = found
    if not compared or usual is None or wilson(agreed, compared).high >= usual - _LESS_THAN_USUAL:
        return []
    return [f"agrees with the others on {agreed} of {compared}; they do on {usual:.0%}"]


def is_fastest(worker: str, screens: Mapping[str, Sequence[Timed]]) -> list[str]:
    """In words, that somebody takes less than a third of the time that the others take."""
    paces = {name: seconds for name in screens if (seconds := pace(screens[name])) is not None}
    others = [seconds for name, seconds in paces.items() if name != worker]
    if len(screens.get(worker, ())) < _LEAST_SCREENS or not others:
        return []
    if paces[worker] * _HASTE < (usual := median(others)):
        return [f"takes {paces[worker]:.1f} s a photo; the others take {usual:.1f} s"]
    return []


def says_one_thing(verdicts: Counter[str]) -> list[str]:
    """In words, that somebody gave all their photos one verdict."""
    if len(verdicts) == 1 and verdicts.total() >= _LEAST_LABELS:
        return [f"says {next(iter(verdicts))} of all {verdicts.total()} photos"]
    return []


def compare(votes: Sequence[Vote]) -> dict[str, Comparison]:
    """Each labeler beside those of the others who give no cause for suspicion by their votes."""
    coded = Coded(votes)
    return with_consensus(coded, outliers(coded))


def outliers(coded: Coded) -> set[str]:
    """The labelers whose votes are not to say what is usual.

    Whoever agrees with the others least, and far too little, is no longer among the others, and
    all are compared again, until nobody else stands out: so one who says the opposite of everybody
    does not hide one who guesses. A half of the labelers stay in any case.
    """
    out = set[str]()
    while True:
        found = with_consensus(coded, out)
        highest = {
            worker: wilson(one.agreed, one.compared).high
            for worker, one in found.items()
            if worker not in out and (contradicts(one) or disagrees(one))
        }
        if not highest or 2 * (len(out) + 1) > len(found):
            return out
        out.add(min(highest, key=highest.__getitem__))


def timed_screens(
    session: Session,
    by: InstrumentedAttribute[By],
    *conditions: ColumnElement[bool],
    newest: int | None = None,
) -> dict[By, list[Timed]]:
    """The submitted screens that meet the conditions, by their labeler or visit.

    The newest first, and no more than `newest` of all.
    """
    shown = select(func.count()).where(ScreenPhoto.screen_id == Screen.id).scalar_subquery()
    query = (
        select(
            by,
            # Several classes are asked about one photo.
            case((Screen.photo_id.is_not(None), 1), else_=shown),
            *(Screen.seconds, Screen.created_at, Screen.submitted_at),
        )
        .where(Screen.submitted_at.is_not(None), Screen.seconds.is_not(None), *conditions)
        .order_by(Screen.submitted_at.desc())
        .limit(newest)
    )
    found: dict[By, list[Timed]] = {}
    for key, *screen in session.execute(query):
        found.setdefault(key, []).append(Timed(*screen))
    return found


def reasons_against(session: Session, worker: str, after: datetime | None = None) -> list[str]:
    """Why a labeler's newest work gives cause for suspicion, in words; nothing where it does not.

    With `after`, only what came in later than that says anything.
    """
    of_worker = [Screen.worker == worker]
    gold_of_worker = [GoldAnswer.worker == worker, ~is_out(GoldAnswer)]
    if after is not None:
        of_worker.append(Screen.submitted_at > after)
        gold_of_worker.append(Screen.submitted_at > after)
    screens = timed_screens(session, Screen.worker, *of_worker, newest=_LOOKED_AT)
    gold = gold_scores(session, GoldAnswer.worker, *gold_of_worker)
    votes = _votes_on_screens(session, worker, after)
    return [
        *hurries(screens.get(worker, [])),
        *misses_gold(*gold.get(worker, (0, 0))),
        *contradicts(compare(votes).get(worker, Comparison(0, 0))),
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

    What a manager cleared stays so: only what came in later is looked at then, and
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
    votes = labels_in_force().where(Label.candidate_id.in_(candidates))
    columns = Label.candidate_id, Label.worker, Label.verdict
    return [
        Vote(str(candidate_id), name, verdict.value)
        for candidate_id, name, verdict in session.execute(votes.with_only_columns(*columns))
    ]
