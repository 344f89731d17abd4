"""Which classes are right answers for a photo: what people say of each, and the rule.

All verdicts on the photo count, whatever they were given for: as a candidate of another class, or
as an answer to a question of the multi-label pass.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace as with_fields
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.db import (
    Claim,
    Label,
    Photo,
    ProposedBy,
    Question,
    Ruling,
    Verdict,
    in_batches,
    is_backed,
    is_called_correct,
    is_named_gold,
    labels_in_force,
    requests_in_force,
    rulings_in_force,
)
from genset.db.votes_needed import question_votes_missing
from genset.release.reader import ReleasePhoto
from genset.settings import LabelRules

RULE = (
    "A photo's own class is a right answer. Of every other class that people were asked about: a "
    "reviewer's ruling decides where there is one (correct: right; unsure: unclear; else wrong). "
    "Without one, a class with fewer labelers than are needed is unclear; with more labelers who "
    "say correct than incorrect or broken it is right, with fewer it is wrong, with as many it is "
    "unclear. A labeler counts once, with their newest verdict, whatever class it was given for. "
    "Verdicts that are void or held out do not count, nor does a class that only their labelers "
    "named."
)

# Who proposed a class, where it was no model: as `ProposedBy.kind` has it, or a search that found
# the photo for the class, or somebody who added it to the class.
SEARCH, ADDED = "search", "added"


@dataclass(frozen=True, slots=True)
class ClassVotes:
    """A class that may be in a photo, and what people say of it.

    Attributes:
        wnid: the class.
        votes: the number of labelers by verdict.
        ruling: the verdict of the review; None without one.
        sent: to how many labelers it goes in all, for it was sent to review; 0 where it waits for
            none.
        claims: the rows that claim it: one, unless the same bytes have several names.
        is_question: whether it is a question of the multi-label pass.
        proposers: the names of the models that proposed it, or "confusable", "labeler", "search" or
            "added" for others.
        runs: the keys of these models' runs, by name.
    """

    wnid: str
    votes: Counter[Verdict]
    ruling: Verdict | None = None
    claims: tuple[int, ...] = ()
    is_question: bool = False
    proposers: tuple[str, ...] = ()
    runs: tuple[tuple[str, str], ...] = ()
    sent: int = 0

    def answer(self, needed: int) -> str:
        """What its labelers say together by `RULE`, `needed` of them: correct, unclear or wrong."""
        if self.ruling is not None:
            if self.ruling is Verdict.UNSURE:
                return "unclear"
            return "correct" if self.ruling is Verdict.CORRECT else "wrong"
        if self.votes.total() < max(needed, 1):
            return "unclear"
        if is_called_correct(self.votes, None):
            return "correct"
        against = self.votes[Verdict.INCORRECT] + self.votes[Verdict.BROKEN]
        return "wrong" if against > self.votes[Verdict.CORRECT] else "unclear"

    def is_open(self, rules: LabelRules) -> bool:
        """Whether it is a question that more labelers are to answer."""
        if not self.is_question or (self.ruling is not None and not self.sent):
            return False
        ruled = self.ruling is not None
        return question_votes_missing(rules, self.votes, ruled=ruled, requested=self.sent) > 0


def with_answers(
    photo: ReleasePhoto, classes: Mapping[str, ClassVotes], rules: LabelRules
) -> ReleasePhoto:
    """The record of a photo with its lists; `classes` are its own, by wnid.

    Its own class is right, whatever its votes are: ``matched`` takes photos on purpose that few
    called correct.
    """
    main = classes.get(photo.wnid, ClassVotes(photo.wnid, Counter()))
    lists: dict[str, list[str]] = {"correct": [], "unclear": [], "wrong": []}
    for wnid in sorted(classes.keys() - {photo.wnid}):
        lists[classes[wnid].answer(rules.votes)].append(wnid)
    every = {
        photo.wnid: main,
        **{wnid: classes[wnid] for names in lists.values() for wnid in names},
    }
    return with_fields(
        photo,
        labels_correct=(photo.wnid, *lists["correct"]),
        labels_unclear=tuple(lists["unclear"]),
        labels_wrong=tuple(lists["wrong"]),
        label_votes={wnid: _counts(votes.votes) for wnid, votes in every.items()},
        label_rulings={
            wnid: votes.ruling.value for wnid, votes in every.items() if votes.ruling is not None
        },
        label_proposers={
            wnid: list(votes.proposers)
            for wnid, votes in every.items()
            if votes.proposers and wnid != photo.wnid
        },
    )


def class_votes(
    session: Session, photos: Collection[str], cast: Mapping[int, Counter[Verdict]]
) -> dict[str, dict[str, ClassVotes]]:
    """The classes of which somebody said, or is asked, whether they are in a photo, by wnid.

    By the photo's sha256, for `photos` of these; `cast` are all votes in force. Where the same
    bytes have several names, what is said of all of them counts, and a labeler once.
    """
    rulings, requests = rulings_in_force(session), requests_in_force(session)
    found: dict[str, dict[str, ClassVotes]] = {sha256: {} for sha256 in photos}
    for some in in_batches(sorted(found)):
        rows = _claims(session, some)
        proposed = _proposed(session, [row.id for row in rows if row.is_question])
        claims: dict[tuple[str, str], list[_Claim]] = defaultdict(list)
        for row in rows:
            claims[row.sha256, row.wnid].append(row)
        for (sha256, wnid), group in claims.items():
            ids = tuple(row.id for row in group)
            if len(group) == 1:
                votes, ruling = cast.get(ids[0], Counter()), rulings.get(ids[0])
            else:
                votes, ruling = _together(session, ids)
            counts = votes and not all(row.is_unbacked for row in group)
            if counts or ruling is not None or any(row.is_question for row in group):
                sent = [requests[id].labelers for id in ids if id in requests]
                by = [proposer for row in group for proposer in proposed.get(row.id, ())]
                names = [
                    proposer.name if proposer.kind == "model" else proposer.kind for proposer in by
                ]
                names += [SEARCH if row.keyword else ADDED for row in group if row.rank > 0]
                found[sha256][wnid] = ClassVotes(
                    wnid=wnid,
                    votes=votes,
                    ruling=ruling,
                    claims=tuple(row.id for row in group),
                    is_question=any(row.is_question for row in group),
                    proposers=tuple(dict.fromkeys(names)),
                    runs=tuple(
                        (proposer.name, proposer.run or "")
                        for proposer in by
                        if proposer.kind == "model"
                    ),
                    sent=max(sent, default=0),
                )
    return found


class _Claim(NamedTuple):
    """A claim of a class, and whether it is a question that labelers are asked.

    It is none where it is not backed (`is_backed`), and then its claim `is_unbacked`, too, unless a
    search found the photo for the class; and none where it is a gold question.
    """

    id: int
    wnid: str
    rank: int
    keyword: str
    sha256: str
    is_question: bool
    is_unbacked: bool


def _claims(session: Session, photos: Sequence[str]) -> list[_Claim]:
    rows = session.execute(
        select(
            Claim.id,
            Claim.wnid,
            Claim.rank,
            Claim.keyword,
            Photo.sha256,
            Question.candidate_id.is_not(None).label("has_question"),
            is_backed().label("backed"),
            is_named_gold(of_class=True).label("gold"),
        )
        .join(Photo, Photo.id == Claim.photo_id)
        .outerjoin(Question, Question.candidate_id == Claim.id)
        .where(Photo.sha256.in_(photos))
        .order_by(Claim.id)
    )
    return [
        _Claim(
            row.id,
            row.wnid,
            row.rank,
            row.keyword,
            row.sha256 or "",
            is_question=row.has_question and row.backed and not row.gold,
            is_unbacked=row.has_question and not row.backed and row.rank == 0,
        )
        for row in rows
    ]


def _proposed(session: Session, claims: Sequence[int]) -> dict[int, list[ProposedBy]]:
    found: dict[int, list[ProposedBy]] = defaultdict(list)
    for some in in_batches(claims):
        query = select(ProposedBy).where(ProposedBy.candidate_id.in_(some))
        for proposer in session.scalars(query.order_by(ProposedBy.id)):
            found[proposer.candidate_id].append(proposer)
    return found


def _together(session: Session, claims: Sequence[int]) -> tuple[Counter[Verdict], Verdict | None]:
    """The votes on several claims of the same bytes for a class, and the newest ruling."""
    newest = {
        label.worker: label.verdict
        for label in session.scalars(labels_in_force().where(Label.candidate_id.in_(claims)))
    }
    last = select(func.max(Ruling.number)).where(Ruling.candidate_id.in_(claims))
    ruling = session.scalar(select(Ruling.verdict).where(Ruling.number == last.scalar_subquery()))
    return Counter(newest.values()), ruling


def _counts(votes: Counter[Verdict]) -> dict[str, int]:
    return {verdict.value: count for verdict, count in sorted(votes.items()) if count}
