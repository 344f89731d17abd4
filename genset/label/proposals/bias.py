"""Proposals in numbers: what became of them, and how far what is proposed sways what is said.

The unit is the question, decided by its votes together (`Asked.answer`), so that a share is of
questions, each taken once however many labelers it had. Wilson's intervals take the questions as
independent. Those of one photo, and those that one labeler answered, are not quite, which makes the
intervals somewhat too narrow; who sways them is told labeler by labeler (`agreeing`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.db import ProposalRound, Question, Verdict
from genset.label.proposals.agreeing import Agrees, agreeing
from genset.label.proposals.asked import Answer, Asked, mixed, questions
from genset.label.proposals.choose import BEST, CONFUSABLE, LABELER, MODEL, RANDOM
from genset.label.proposals.share import has_random_classes
from genset.statistics.intervals import wilson
from genset.workspace import LabelRules

TOO_FEW = 20
"""Of fewer decided questions, or photos, no share is told."""


@dataclass(frozen=True, slots=True)
class Called:
    """`right` of `of`, as a share from 0 to 1 with its 95 % Wilson interval.

    The last three are None where `of` is too few to tell.
    """

    right: int
    of: int
    share: float | None
    low: float | None
    high: float | None

    @classmethod
    def count(cls, right: int, of: int) -> "Called":
        """With a share of 20 or more."""
        if of < TOO_FEW:
            return cls(right, of, None, None, None)
        return cls(right, of, right / of, *wilson(right, of))


@dataclass(frozen=True, slots=True)
class ByModel:
    """One model's proposals: how many of its questions are right, and of those it alone made.

    It is known by its name, and `runs` are the keys of those by which it proposed: one for each
    release that was asked about. A question is a model's alone where no other model proposed it,
    and no confusable class did.
    """

    name: str
    runs: tuple[str, ...]
    questions: int
    all: Called
    alone: Called


@dataclass(frozen=True, slots=True)
class PhotosAsked:
    """What is known of photos all of whose questions are decided.

    Of `photos`, `with_further` counts those with a further right class, and `with_added` those for
    which a labeler named a class that was not proposed. `added` is how many such classes there are,
    and `added_a_photo` their number by that of photos; None where there are too few to tell.
    """

    photos: int
    with_further: Called
    with_added: Called
    added: int
    added_a_photo: float | None


@dataclass(frozen=True, slots=True)
class Round:
    """One round: what was asked when, and by which rules. Times are ISO 8601."""

    release: str
    content_hash: str
    seed: int
    share: float
    most: int
    made_at: str
    withdrawn_at: str | None
    questions: int


@dataclass(frozen=True, slots=True)
class ProposalStats:
    """All of it. Questions that were withdrawn count where somebody answered them.

    Of these, only decided ones are in any share.

    Attributes:
        rounds: in the order in which they were made.
        questions: how many there are; `answered` of them have all their votes, `withdrawn` had not
            when they were withdrawn, and the others lack `votes_missing` at least. So a release
            counts them, too.
        decided: how many have an answer, be it for now: a ruling, or as many votes as all get. They
            come out as right, unclear, wrong. Votes of a decided one may still grow.
        random: of proposals at random, how many labelers call correct: the bias, for about one in a
            thousand is.
        models, confusable: the same of models' proposals, and of those of confusable classes that
            no model made.
        by_rank: of models' proposals by the best rank at which one made them, from 1.
        by_confusable: of confusable classes by their place among those of the photo's class.
        labelers: of the classes that a labeler named, what the others say of them.
        by_model: each model's, by name.
        at_models, at_random: photos with models' proposals, and with random ones.
        mixed: photos with both, which are in neither: another workspace's proposals were imported.
        by_labeler: who agrees how often.
    """

    rounds: tuple[Round, ...]
    questions: int
    answered: int
    withdrawn: int
    decided: int
    right: int
    unclear: int
    wrong: int
    votes_missing: int
    random: Called
    models: Called
    confusable: Called
    by_rank: tuple[Called, ...]
    by_confusable: tuple[Called, ...]
    labelers: Called
    by_model: tuple[ByModel, ...]
    at_models: PhotosAsked
    at_random: PhotosAsked
    mixed: int
    by_labeler: tuple[Agrees, ...]


def collect_proposals(
    session: Session, rules: LabelRules, panel: str | None = None
) -> ProposalStats | None:
    """Count and measure, of one panel's votes or (None) of all; None where nothing was proposed."""
    rounds = _rounds(session)
    if not rounds:
        return None
    asked = questions(session, panel)
    answers = {each.candidate_id: each.answer(rules.votes) for each in asked}
    kept = [each for each in asked if each.is_open or answers[each.candidate_id] is not None]
    known = [each for each in asked if each.counts]
    lack = [each for each in known if each.waits(rules)]
    waiting = [each for each in lack if each.is_open]
    counts = Counter(answer for answer in answers.values() if answer is not None)
    # A search that found the photo, too, has labelers of its own: they were shown no proposal.
    told = [each for each in kept if not each.is_found]

    def called(of: Iterable[Asked]) -> Called:
        found = [answer for each in of if (answer := answers[each.candidate_id]) is not None]
        return Called.count(found.count(Answer.RIGHT), len(found))

    def by_place(kind: str, places: int) -> tuple[Called, ...]:
        return tuple(
            called(each for each in told if each.kind == kind and each.place == place)
            for place in range(1, places + 1)
        )

    both = mixed(asked)
    pure = [each for each in asked if each.photo_id not in both]
    confusable = [each for each in told if each.kind == CONFUSABLE]
    return ProposalStats(
        rounds=tuple(rounds),
        questions=len(known),
        answered=len(known) - len(lack),
        withdrawn=len(lack) - len(waiting),
        decided=counts.total(),
        right=counts[Answer.RIGHT],
        unclear=counts[Answer.UNCLEAR],
        wrong=counts[Answer.WRONG],
        votes_missing=sum(each.lacks(rules) for each in known if each.is_open),
        random=called(each for each in told if each.kind == RANDOM),
        models=called(each for each in told if each.kind == MODEL),
        confusable=called(confusable),
        by_rank=by_place(MODEL, BEST),
        by_confusable=by_place(
            CONFUSABLE, max((each.place or 0 for each in confusable), default=0)
        ),
        labelers=_of_labelers(told, rules),
        by_model=tuple(
            ByModel(
                name,
                _runs(name, theirs),
                len(theirs),
                called(theirs),
                called(their for their in theirs if len(_proposers(their)) == 1),
            )
            for name, theirs in sorted(_models(told).items())
        ),
        at_models=_photos(pure, answers, at_random=False),
        at_random=_photos(pure, answers, at_random=True),
        mixed=len(both),
        by_labeler=tuple(agreeing(asked, rules.votes)),
    )


def _is_done(photo: Sequence[Asked], answers: dict[int, Answer | None]) -> bool:
    """Whether all that a photo was proposed is decided, and there is such an answer.

    What a labeler added needs no further votes for that, and is none.
    """
    proposed = [answers[each.candidate_id] for each in photo if each.kind != LABELER]
    return bool(proposed) and None not in proposed


def _rounds(session: Session) -> list[Round]:
    counted = select(Question.round_id, func.count()).group_by(Question.round_id)
    counts = dict(session.execute(counted).all())
    return [
        Round(
            release=each.release,
            content_hash=each.content_hash,
            seed=each.seed,
            share=each.share,
            most=each.most,
            made_at=each.made_at.isoformat(),
            withdrawn_at=each.withdrawn_at.isoformat() if each.withdrawn_at else None,
            questions=counts.get(each.id, 0),
        )
        for each in session.scalars(select(ProposalRound).order_by(ProposalRound.id))
    ]


def _of_labelers(told: Sequence[Asked], rules: LabelRules) -> Called:
    """Of the classes that a labeler named alone: what those say who did not name them."""
    right = of = 0
    for each in told:
        if each.kind == LABELER:
            named = {by.name for by in each.by}
            others = [verdict for worker, verdict in each.votes if worker not in named]
            if others and len(others) >= rules.votes - 1:
                of += 1
                right += others.count(Verdict.CORRECT) * 2 > len(others)
    return Called.count(right, of)


def _models(told: Sequence[Asked]) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = defaultdict(list)
    for each in told:
        for name in {by.name for by in each.by if each.kind == by.kind == MODEL}:
            found[name].append(each)
    return found


def _runs(name: str, theirs: Sequence[Asked]) -> tuple[str, ...]:
    """The keys of the runs by which a model proposed, in the order in which it did."""
    named = (by for their in theirs for by in their.by if (by.kind, by.name) == (MODEL, name))
    return tuple(dict.fromkeys(by.run for by in named if by.run))


def _proposers(each: Asked) -> list[str]:
    return [by.kind for by in each.by if by.kind != LABELER]


def _photos(
    asked: Sequence[Asked],
    answers: dict[int, Answer | None],
    *,
    at_random: bool,
) -> PhotosAsked:
    """Of the photos whose classes were drawn at random, or of the others."""
    marks: dict[int, list[tuple[bool, bool]]] = defaultdict(list)
    for each in asked:
        if each.is_open or each.votes:
            is_proposed = any(by.kind != LABELER for by in each.by)
            marks[each.photo_id].append((each.at_random, is_proposed))
    by_photo: dict[int, list[Asked]] = defaultdict(list)
    for each in asked:
        is_kept = each.is_open or answers[each.candidate_id] is not None
        if is_kept and has_random_classes(marks[each.photo_id]) is at_random:
            by_photo[each.photo_id].append(each)
    done = [theirs for theirs in by_photo.values() if _is_done(theirs, answers)]
    added = [sum(their.kind == LABELER for their in theirs) for theirs in done]
    further = sum(
        any(answers[their.candidate_id] is Answer.RIGHT for their in theirs) for theirs in done
    )
    return PhotosAsked(
        photos=len(done),
        with_further=Called.count(further, len(done)),
        with_added=Called.count(sum(map(bool, added)), len(done)),
        added=sum(added),
        added_a_photo=sum(added) / len(done) if len(done) >= TOO_FEW else None,
    )
