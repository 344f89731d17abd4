"""What a round of proposals adds to the questions that are there already."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from genset.classes import Taxonomy
from genset.core.errors import BadInput
from genset.db import rulings_in_force, stored_taxonomy, votes
from genset.db.growth import question_lacks
from genset.label.proposals.choose import (
    LABELER,
    MODEL,
    RANDOM,
    ModelAnswers,
    Proposer,
    drawn_classes,
    drawn_count,
    drawn_photos,
    ranked,
)
from genset.label.proposals.existing import AskedBefore, Existing, proposed
from genset.release.reader import ReleasePhoto
from genset.workspace import LabelRules

MOST = 8
"""Classes that a screen of one photo asks about, beside one whose answer is known."""


@dataclass(frozen=True, slots=True)
class ProposalRules:
    """How proposals are chosen.

    Attributes:
        most: the most classes that a round proposes for a photo, 1 to 8.
        share: of the photos, 0 to 1, gets classes drawn at random in the place of models' answers.
        seed: of all draws, at least 0.
    """

    most: int = MOST
    share: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no round can follow, with BadInput."""
        if not 1 <= self.most <= MOST:
            raise BadInput(f"a photo has 1 to {MOST} proposals, not {self.most}")
        if not 0 <= self.share <= 1:
            raise BadInput(f"the share of random proposals is from 0 to 1, not {self.share}")
        if not 0 <= self.seed < 2**31:
            raise BadInput(f"a seed is from 0 to {2**31 - 1}, not {self.seed}")


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """Whether `wnid` is in a photo, too. `candidate_id` is None where nothing claims that yet.

    `again` where it was asked in a round that was withdrawn.
    """

    photo_id: int
    wnid: str
    home: str
    at_random: bool
    candidate_id: int | None
    again: bool


@dataclass(slots=True)
class Plan:
    """What a round adds.

    Attributes:
        questions: those that it asks, in the order of the release's photos; also those that only
            labelers named, where they were withdrawn.
        proposers: who proposes what, by photo and class: those that are not stored yet.
        photos: how many photos it asks about, or has asked about before.
        at_random: how many of these have classes drawn at random.
        held: how many stay with their kind, though this round's share and seed draw them otherwise.
        left_out: photos of the release that nobody can be asked about, by reason.
        known: questions that are there already, and still asked.
        claimed: how many of `questions` another class's search found already.
        votes: what `questions` take at least, beside the votes that they have.
        by: how many of `questions` each model proposes, and the others; several may do so.
    """

    questions: list[NewQuestion] = field(default_factory=list)
    proposers: dict[tuple[int, str], list[Proposer]] = field(default_factory=dict)
    photos: int = 0
    at_random: int = 0
    held: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    known: int = 0
    claimed: int = 0
    votes: int = 0
    by: Counter[str] = field(default_factory=Counter)


def make_plan(
    session: Session,
    photos: Sequence[ReleasePhoto],
    models: Sequence[ModelAnswers],
    rules: ProposalRules,
    votes: LabelRules,
) -> Plan:
    """Choose the classes for each photo of a release, and see which are not asked about yet.

    A photo has the classes of `ranked`, at most ``rules.most`` of them. The photos that
    `drawn_photos` names have as many classes at random (`drawn_count`) as the others have questions
    on average, over all rounds; where there are no others, as many as models and confusable classes
    would give these. A photo that has questions already stays with its kind, unless they were
    withdrawn before anybody answered one. What labelers had named comes back with what is proposed.

    Args:
        session: of the store.
        photos: of the release.
        models: whose answers are proposed.
        rules: how many, and which at random.
        votes: how many labelers each question goes to.
    """
    plan = Plan()
    here = Existing(session, photos)
    drawn = drawn_photos([photo.file for photo in photos], rules.share, rules.seed)
    at_random = {photo.file: here.is_random(photo, photo.file in drawn) for photo in photos}
    taxonomy = stored_taxonomy(session)
    lists = {photo.file: ranked(photo.wnid, photo.file, models, taxonomy) for photo in photos}
    average = _average(here, photos, at_random, lists, rules.most)
    for photo in photos:
        if (reason := here.left_out(photo)) is not None:
            plan.left_out[reason] += 1
            continue
        asked = here.asked(photo)
        if at_random[photo.file]:
            proposers = _draw(photo, asked, average, rules.seed, taxonomy)
            chosen = list(proposers)
        else:
            found = lists[photo.file]
            chosen = list(found)[: rules.most]
            proposers = {wnid: by for wnid, by in found.items() if wnid in {*chosen, *asked}}
        plan.photos += 1
        plan.at_random += at_random[photo.file]
        plan.held += at_random[photo.file] is not (photo.file in drawn)
        plan.known += sum(each.is_open for each in asked.values())
        number = here.id_of(photo)
        named = sorted(
            wnid for wnid, each in asked.items() if each.comes_back and wnid not in chosen
        )
        for wnid in [*chosen, *named]:
            before = asked.get(wnid)
            if before is None or not before.is_open:
                claim, again = here.claim(number, wnid), before is not None
                plan.claimed += claim is not None and not again
                plan.questions.append(
                    NewQuestion(number, wnid, photo.wnid, at_random[photo.file], claim, again)
                )
                by = proposers.get(wnid, [Proposer(LABELER)])
                plan.by.update(each.name if each.kind == MODEL else each.kind for each in by)
        for wnid, by in proposers.items():
            if fresh := [each for each in by if here.is_news(number, wnid, each)]:
                plan.proposers[number, wnid] = fresh
    plan.votes = _votes_lacking(session, plan.questions, votes)
    return plan


def _draw(
    photo: ReleasePhoto,
    asked: Mapping[str, AskedBefore],
    average: float,
    seed: int,
    taxonomy: Taxonomy,
) -> dict[str, list[Proposer]]:
    """The classes at random that a photo still lacks."""
    lack = drawn_count(average, photo.file, seed) - proposed(asked)
    there = [
        wnid
        for wnid, each in asked.items()
        if each.is_open or (each.comes_back and not each.is_proposed)
    ]
    drawn = drawn_classes({photo.wnid, *there}, lack, photo.file, seed, taxonomy)
    return {wnid: [Proposer(RANDOM)] for wnid in drawn}


def _average(
    here: Existing,
    photos: Sequence[ReleasePhoto],
    at_random: Mapping[str, bool],
    lists: Mapping[str, Mapping[str, object]],
    most: int,
) -> float:
    """Questions of a photo whose classes are not drawn at random, with those to be added."""
    counts = []
    for photo in photos:
        if not at_random[photo.file]:
            asked, chosen = here.asked(photo), list(lists[photo.file])[:most]
            new = sum(not (wnid in asked and asked[wnid].counts) for wnid in chosen)
            counts.append(proposed(asked) + new)
    counts = counts or [min(most, len(found)) for found in lists.values()]
    return sum(counts) / len(counts) if counts else 0.0


def _votes_lacking(session: Session, questions: Sequence[NewQuestion], rules: LabelRules) -> int:
    ids = [question.candidate_id for question in questions if question.candidate_id is not None]
    total = (len(questions) - len(ids)) * rules.votes
    if not ids:
        return total
    cast, rulings = votes(session, rules.panel), rulings_in_force(session)
    return total + sum(
        question_lacks(rules, cast.get(number, {}), ruled=number in rulings) for number in ids
    )
