"""A class's candidates, and what was said of them."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session, contains_eager

from genset.db import (
    Candidate,
    GoldQuestion,
    Label,
    Ruling,
    Store,
    Verdict,
    is_contested,
    is_out,
    stored_candidates,
)
from genset.label.answering import answering
from genset.label.gallery.photos import Pictured, Which


@dataclass(frozen=True, slots=True)
class Shown:
    """A candidate, and what was said of it.

    `said` counts its votes in force by verdict, over all panels; `out` the labelers whose votes are
    void or held out. `ruling` is the newest one's verdict. `is_gold` says that its photo is a gold
    question of this class.
    """

    photo: Pictured
    said: Counter[Verdict]
    out: int
    ruling: Verdict | None
    contested: bool
    is_gold: bool

    def passes(self, which: Which, verdict: Verdict | None = None) -> bool:
        """Whether a filter lets it through; with a `verdict`, only where a vote says so."""
        if verdict is not None and not self.said[verdict]:
            return False
        return {
            Which.ALL: True,
            Which.DISAGREEMENT: len(self.said) > 1,
            Which.CONTESTED: self.contested,
            Which.RULED: self.ruling is not None,
            Which.UNLABELED: not self.said,
            Which.OUT: self.out > 0,
            Which.GOLD: self.is_gold,
        }[which]


def of_class(store: Store, wnid: str) -> list[Shown]:
    """The candidates of a class that have a stored photo, by rank."""
    with answering(), store.session() as session:
        return shown_of(session, wnid)


def shown_of(session: Session, wnid: str, candidate_id: int | None = None) -> list[Shown]:
    """The same; of one candidate alone where it is named."""
    candidates = stored_candidates(wnid).options(contains_eager(Candidate.photo))
    said = (
        select(Label.candidate_id, Label.worker, Label.verdict, is_out(Label))
        .join(Label.candidate)
        .where(Candidate.wnid == wnid)
        .order_by(Label.number)
    )
    ruled = (
        select(Ruling.candidate_id, Ruling.verdict)
        .join(Ruling.candidate)
        .where(Candidate.wnid == wnid)
        .order_by(Ruling.number)
    )
    if candidate_id is not None:
        candidates = candidates.where(Candidate.id == candidate_id)
        said, ruled = (
            said.where(Label.candidate_id == candidate_id),
            ruled.where(Ruling.candidate_id == candidate_id),
        )
    votes: dict[int, dict[str, Verdict]] = defaultdict(dict)
    out: dict[int, set[str]] = defaultdict(set)
    for number, worker, verdict, is_void in session.execute(said):
        if is_void:
            out[number].add(worker)
        else:
            votes[number][worker] = verdict
    rulings = dict(session.execute(ruled).all())
    contested = set(
        session.scalars(candidates.where(is_contested()).with_only_columns(Candidate.id))
    )
    gold = set(
        session.scalars(
            select(GoldQuestion.photo_id).where(
                GoldQuestion.wnid == wnid, GoldQuestion.retired_at.is_(None)
            )
        )
    )
    return [
        Shown(
            photo=Pictured.of(wnid, each.photo),
            said=Counter(votes[each.id].values()),
            out=len(out[each.id] - votes[each.id].keys()),
            ruling=rulings.get(each.id),
            contested=each.id in contested,
            is_gold=each.photo_id in gold,
        )
        for each in session.scalars(candidates)
    ]
