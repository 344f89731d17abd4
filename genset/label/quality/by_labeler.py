"""Each labeler in numbers, and whom a manager should look at, with the reason in words."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.db import Label, Screen, ScreenPhoto, Verdict, is_out
from genset.label.aggregate.votes import Vote
from genset.label.quality.agreement import chance_of_agreeing, with_consensus
from genset.label.quality.gold import gold_scores
from genset.label.quality.suspicion import (
    LEAST_SCREENS,
    contradicts,
    hurries,
    misses_gold,
    timed_screens,
)
from genset.statistics.intervals import wilson

# From how many on a number says something of a labeler.
_LEAST_LABELS = 20

# So much less agreement with the others than the others have, beyond doubt.
_CONSENSUS = 0.1
# So many times as fast as the labeler in the middle.
_HASTE = 3


@dataclass(frozen=True, slots=True)
class Share:
    """`right` of `of`, as a share from 0 to 1 with its 95 % Wilson interval."""

    right: int
    of: int
    share: float
    low: float
    high: float

    @classmethod
    def count(cls, right: int, of: int) -> "Share | None":
        """None of nothing."""
        return cls(right, of, right / of, *wilson(right, of)) if of else None


@dataclass(frozen=True, slots=True)
class LabelerStats:
    """One labeler.

    `labels` counts their votes in force on candidates, by verdict in `verdicts`; `answers` those on
    questions about further classes. `seconds` is how long they take
    for a photo: the median over their screens, from painted to the last verdict, by the number of
    photos. `consensus` is how often they give the label that most others give, `gold` how
    often they are right where the answer is known. None: nothing to tell it by. `look` says in
    words why to look at them; empty for most.
    """

    name: str
    labels: int
    answers: int
    verdicts: dict[str, int]
    seconds: float | None
    consensus: Share | None
    gold: Share | None
    look: tuple[str, ...]


def by_labeler(
    session: Session,
    votes: Sequence[Vote],
    panel: str | None,
    answers: Mapping[str, int],
) -> list[LabelerStats]:
    """Every labeler who has a vote or who answered a gold question, by name.

    Args:
        session: of the store.
        votes: on candidates.
        panel: that they are of; None: of all.
        answers: how many votes on questions about further classes each labeler has, by name.
    """
    said: dict[str, Counter[str]] = defaultdict(Counter)
    for vote in votes:
        said[vote.worker][vote.label] += 1
    consensus = with_consensus(votes)
    chance = chance_of_agreeing(votes)
    gold = gold_scores(session)
    timed = timed_screens(session)
    paces = _paces(session, panel)
    middle = {worker: median(screens) for worker, screens in paces.items()}
    return [
        LabelerStats(
            name=worker,
            labels=said[worker].total(),
            answers=answers.get(worker, 0),
            verdicts={verdict.value: n for verdict in Verdict if (n := said[worker][verdict])},
            seconds=round(middle[worker], 3) if worker in middle else None,
            consensus=Share.count(*consensus.get(worker, (0, 0))),
            gold=Share.count(*gold.get(worker, (0, 0))),
            look=(
                *misses_gold(*gold.get(worker, (0, 0))),
                *(
                    contradicts(*consensus.get(worker, (0, 0)), chance.get(worker, 0.0))
                    or _disagrees(worker, consensus)
                ),
                *(hurries(timed.get(worker, ())) or _is_fastest(worker, paces, middle)),
                *_says_one_thing(said[worker]),
            ),
        )
        for worker in sorted({*said, *gold, *answers})
    ]


def _paces(session: Session, panel: str | None) -> dict[str, list[float]]:
    """Seconds a photo, for each screen of several that a labeler decided for the first time.

    Not verdict by verdict: who marks a whole screen with one key gives four of five in no time.
    """
    photos = (
        select(ScreenPhoto.screen_id, func.count().label("count"))
        .group_by(ScreenPhoto.screen_id)
        .subquery()
    )
    screens = (
        select(
            Label.worker, func.min(Label.shown_at), func.max(Label.decided_at), photos.c["count"]
        )
        .join(photos, photos.c.screen_id == Label.screen_id)
        .join(Screen, Screen.id == Label.screen_id)
        # Who is asked about one photo looks longer at it.
        .where(Screen.photo_id.is_(None))
        .where(Label.shown_at.is_not(None), Label.supersedes.is_(None), ~is_out(Label))
        .group_by(Label.worker, Label.screen_id, photos.c["count"])
    )
    if panel is not None:
        screens = screens.where(Label.panel == panel)
    found: dict[str, list[float]] = defaultdict(list)
    for worker, shown, decided, count in session.execute(screens):
        found[worker].append(max(0.0, (decided - shown).total_seconds()) / count)
    return found


def _disagrees(worker: str, consensus: Mapping[str, tuple[int, int]]) -> list[str]:
    agreed, compared = consensus.get(worker, (0, 0))
    others = [count for name, count in consensus.items() if name != worker]
    of = sum(count for _, count in others)
    if not of or not compared:
        return []
    usual = sum(count for count, _ in others) / of
    if wilson(agreed, compared).high < usual - _CONSENSUS:
        return [f"agrees with the others on {agreed} of {compared}; they do on {usual:.0%}"]
    return []


def _is_fastest(
    worker: str, paces: Mapping[str, Sequence[float]], middle: Mapping[str, float]
) -> list[str]:
    others = [seconds for name, seconds in middle.items() if name != worker]
    if len(paces.get(worker, ())) < LEAST_SCREENS or not others:
        return []
    usual = median(others)
    if middle[worker] * _HASTE < usual:
        return [f"takes {middle[worker]:.1f} s a photo; the others take {usual:.1f} s"]
    return []


def _says_one_thing(said: Counter[str]) -> list[str]:
    if len(said) == 1 and said.total() >= _LEAST_LABELS:
        return [f"says {next(iter(said))} of all {said.total()} photos"]
    return []
