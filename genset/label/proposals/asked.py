"""The questions whether a photo shows a further class: who proposed them, and what was said."""

import enum
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.db import (
    Claim,
    Label,
    Photo,
    ProposalRound,
    ProposedBy,
    Question,
    Store,
    Verdict,
    is_backed,
    is_called_correct,
    labels_in_force,
    requests_in_force,
    rulings_in_force,
)
from genset.db.growth import question_lacks
from genset.label.proposals.choose import CONFUSABLE, LABELER, MODEL, RANDOM, Proposer
from genset.workspace import LabelRules


class Answer(enum.StrEnum):
    """What labelers and reviewers say of a further class, together."""

    RIGHT = "right"
    UNCLEAR = "unclear"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, about a photo that is stored and not refused.

    Attributes:
        candidate_id: of the claim that it is about; `wnid` is its class.
        photo_id, home: the photo, and its own class.
        at_random: whether its photo has classes drawn at random.
        is_open: whether it is asked still: its round is not withdrawn.
        is_found: whether a search found the photo for this class, too, so that it may have votes of
            those who saw it among that class's candidates.
        by: who proposed it, the first to do so first.
        votes: (labeler, verdict), of those in force.
        came: (labeler, panel) of all who ever answered it, in the order in which they first did:
            also those whose votes are taken out.
        ruling: what a reviewer settled; None for nothing.
        sent: to how many labelers it goes in all, for it was sent to review; 0 where it waits for
            none.
    """

    candidate_id: int
    wnid: str
    photo_id: int
    home: str
    at_random: bool
    is_open: bool
    is_found: bool
    by: tuple[Proposer, ...]
    votes: tuple[tuple[str, Verdict], ...]
    came: tuple[tuple[str, str], ...]
    ruling: Verdict | None
    sent: int

    @property
    def counts(self) -> bool:
        """Whether it is asked still, or somebody answered it."""
        return self.is_open or bool(self.votes) or self.ruling is not None

    def lacks(self, rules: LabelRules) -> int:
        """How many more votes it is to get; of one that was withdrawn, how many it was to get."""
        said = Counter(verdict for _, verdict in self.votes)
        return question_lacks(rules, said, ruled=self.ruling is not None, asked=self.sent)

    def waits(self, rules: LabelRules) -> bool:
        """Whether its answer waits for these. A ruling settles it, until it is sent to review."""
        return (self.ruling is None or self.sent > 0) and self.lacks(rules) > 0

    def was_chosen(self, labeler: str, least: int) -> bool:
        """Whether others' answers may have brought this question to a labeler.

        `least` labelers get every question, and say what they see. Who comes later is asked where
        these differ, or where a vote that was taken out agreed with another: the answer that they
        find there is no sign of how they answer. Where all who were there before said incorrect
        (or broken) it is one again: nothing drew them to that answer but the photo.
        """
        panel = next(panel for name, panel in self.came if name == labeler)
        theirs = [name for name, of in self.came if of == panel]
        before = theirs[: theirs.index(labeler)]
        said = dict(self.votes)
        against = (None, Verdict.INCORRECT, Verdict.BROKEN)
        return len(before) >= least and any(said.get(name) not in against for name in before)

    def answer(self, least: int) -> Answer | None:
        """What was answered, by the ruling or by `least` votes and more; None for not yet.

        It is right as a candidate is called correct, wrong where more labelers say incorrect or
        broken than correct, and else unclear.
        """
        if self.ruling is None and len(self.votes) < least:
            return None
        said = Counter(verdict for _, verdict in self.votes)
        if is_called_correct(said, self.ruling):
            return Answer.RIGHT
        against = said[Verdict.INCORRECT] + said[Verdict.BROKEN]
        if self.ruling is not None:
            return Answer.UNCLEAR if self.ruling is Verdict.UNSURE else Answer.WRONG
        return Answer.WRONG if against > said[Verdict.CORRECT] else Answer.UNCLEAR

    @property
    def kind(self) -> str:
        """The one kind of proposer that it counts for.

        A labeler where one saw it before anybody proposed it. Else random where its photo has such
        classes; a model wherever one proposed it, or else a confusable class.
        """
        if not self.by or self.by[0].kind == LABELER:
            return LABELER
        kinds = {each.kind for each in self.by}
        wanted = (RANDOM,) if self.at_random else (MODEL, CONFUSABLE)
        return next((kind for kind in wanted if kind in kinds), LABELER)

    @property
    def place(self) -> int | None:
        """The best place at which one of its `kind` proposed it; None for random and labelers."""
        places = (each.place for each in self.by if each.kind == self.kind)
        return min((place for place in places if place is not None), default=None)


def questions(session: Session, panel: str | None = None) -> list[Asked]:
    """All that are backed, by photo and class, with the votes of one panel or (None) of all."""
    rows = session.execute(
        select(
            Question.candidate_id,
            Claim.wnid,
            Claim.photo_id,
            Question.home,
            Question.at_random,
            ProposalRound.withdrawn_at.is_(None),
            Claim.rank > 0,
        )
        .join(Claim, Claim.id == Question.candidate_id)
        .join(ProposalRound, ProposalRound.id == Question.round_id)
        .join(Photo, Photo.id == Claim.photo_id)
        .where(Photo.sha256.is_not(None), Photo.refused.is_(None), is_backed())
        .order_by(Claim.photo_id, Claim.wnid)
    ).all()
    if not rows:
        return []
    by: dict[int, list[Proposer]] = defaultdict(list)
    columns = (ProposedBy.kind, ProposedBy.name, ProposedBy.place, ProposedBy.run)
    proposers = select(*columns, ProposedBy.candidate_id).order_by(ProposedBy.id)
    for kind, name, place, run, number in session.execute(proposers):
        by[number].append(Proposer(kind, name, place, run))
    said: dict[int, list[tuple[str, Verdict]]] = defaultdict(list)
    force = labels_in_force(panel).with_only_columns(
        Label.candidate_id, Label.worker, Label.verdict
    )
    theirs = Label.candidate_id.in_(select(Question.candidate_id))
    for number, worker, verdict in session.execute(force.where(theirs)):
        said[number].append((worker, verdict))
    came = _came(session, panel)
    rulings, requests = rulings_in_force(session), requests_in_force(session)
    return [
        Asked(
            *row,
            by=tuple(by.get(row[0], ())),
            votes=tuple(said.get(row[0], ())),
            came=tuple(came.get(row[0], ())),
            ruling=rulings.get(row[0]),
            sent=requests[row[0]].labelers if row[0] in requests else 0,
        )
        for row in rows
    ]


def _came(session: Session, panel: str | None) -> dict[int, list[tuple[str, str]]]:
    """Who answered each question, and in which panel, the first to do so first."""
    query = (
        select(Label.candidate_id, Label.worker, Label.panel)
        .where(Label.candidate_id.in_(select(Question.candidate_id)))
        .group_by(Label.candidate_id, Label.worker, Label.panel)
        .order_by(func.min(Label.number))
    )
    if panel is not None:
        query = query.where(Label.panel == panel)
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for number, worker, of in session.execute(query):
        found[number].append((worker, of))
    return found


def mixed(asked: Iterable[Asked]) -> set[int]:
    """The photos that have classes drawn at random and others' proposals, too.

    No workspace makes such a one, but it may take in another's proposals for its photos. They tell
    nothing of what people see by themselves.
    """
    kinds: dict[int, set[str]] = defaultdict(set)
    for each in asked:
        if each.is_open or each.votes:
            kinds[each.photo_id].add(each.kind)
    return {photo for photo, of in kinds.items() if RANDOM in of and of & {MODEL, CONFUSABLE}}


def count_mixed(store: Store) -> int:
    """How many photos are `mixed`."""
    with store.session() as session:
        return len(mixed(questions(session)))
