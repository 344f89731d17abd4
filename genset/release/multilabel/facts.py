"""What a manifest says of its photos' several right answers, as JSON."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.db import ProposalRound, Question
from genset.release.facts import alpha
from genset.release.multilabel.again import Earlier
from genset.release.multilabel.answers import RULE, Asked
from genset.release.reader import ReleasePhoto
from genset.statistics.intervals import wilson
from genset.workspace import LabelRules

_Photos = Sequence[tuple[ReleasePhoto, Mapping[str, Asked]]]


def facts(
    session: Session, earlier: Earlier, photos: _Photos, entered: int, rules: LabelRules
) -> dict[str, Any]:
    """How the photos came to have several right answers.

    `from`: the release that they were asked about. `rule`: how votes decide, in words, with its
    numbers `needed` (labelers of a class) and `grow_to` (of one on which they differ).
    `photos_with_several`: of which more than one class is right. `entered`: those that the first
    release left out for that. `questions`: classes that were asked about in the multi-label pass,
    `photos_asked` in so many photos, with `votes` and their `agreement` (Krippendorff's alpha);
    `unanswered`: those that more labelers should have seen; `withdrawn`: those that were
    withdrawn before they had all their votes. `answered_before`: classes that have
    votes without having been a question. `rounds`: each asking; `random_share` and `seed` are those
    of the last. `proposers`: the models that proposed classes, with the keys of their runs, one for
    each release that was asked about. `bias`: by who proposed (models; confusable classes that no
    model did; at random; labelers), how many decided questions there are (`answered`) and how many
    are right, with a 95 % Wilson interval of that share: what is right of those at random is right
    by chance, or because it was asked for.

    Args:
        session: of the workspace's database.
        earlier: the release before.
        photos: each photo's record, with its classes by wnid.
        entered: how many of them the release before did not have.
        rules: how many labelers a class needs.
    """
    further = [
        each for photo, asked in photos for wnid, each in asked.items() if wnid != photo.wnid
    ]
    questions = [each for each in further if each.is_question]
    rounds = _rounds(session, questions)
    return {
        "from": {
            "name": earlier.release.name,
            "content_hash": earlier.release.content_hash,
        },
        "rule": RULE,
        "needed": rules.votes,
        "grow_to": list(rules.grow_to),
        "photos_with_several": sum(len(photo.labels_correct or ()) > 1 for photo, _ in photos),
        "entered": entered,
        "questions": len(questions),
        "photos_asked": sum(
            any(each.is_question for wnid, each in asked.items() if wnid != photo.wnid)
            for photo, asked in photos
        ),
        "unanswered": sum(question.is_open(rules) for question in questions),
        "withdrawn": sum(question.is_cut_short(rules) for question in questions),
        "answered_before": len(further) - len(questions),
        "votes": sum(question.said.total() for question in questions),
        "agreement": alpha(question.said for question in questions),
        "proposers": _proposers(questions),
        "rounds": [
            {
                "seed": each.seed,
                "random_share": each.share,
                "most": each.most,
                "made_at": each.made_at.isoformat(timespec="seconds"),
            }
            for each in rounds
        ],
        "random_share": rounds[-1].share if rounds else None,
        "seed": rounds[-1].seed if rounds else None,
        "bias": _bias(questions, rules),
    }


def _proposers(questions: Iterable[Asked]) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for question in questions:
        for name, run in question.runs:
            found.setdefault(name, set()).add(run)
    return {name: sorted(filter(None, runs)) for name, runs in sorted(found.items())}


def _rounds(session: Session, questions: Iterable[Asked]) -> list[ProposalRound]:
    """The rounds in which these were asked, the oldest first."""
    claims = [claim for question in questions for claim in question.claims]
    found: dict[int, ProposalRound] = {}
    for start in range(0, len(claims), 500):
        asked = select(Question.round_id).where(
            Question.candidate_id.in_(claims[start : start + 500])
        )
        for each in session.scalars(select(ProposalRound).where(ProposalRound.id.in_(asked))):
            found[each.id] = each
    return [found[id] for id in sorted(found)]


def _bias(questions: Iterable[Asked], rules: LabelRules) -> dict[str, dict[str, Any]]:
    answered: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for question in questions:
        if question.ruling is not None or question.said.total() >= rules.votes:
            answered[_kind(question)] += 1
            right[_kind(question)] += question.answer(rules.votes) == "correct"
    return {
        kind: {
            "answered": number,
            "right": right[kind],
            "interval": [round(end, 6) for end in wilson(right[kind], number)],
        }
        for kind, number in sorted(answered.items())
    }


def _kind(each: Asked) -> str:
    """The one kind of proposer that a question counts for: "models" wherever one proposed it."""
    if each.at_random and "random" in each.proposers:
        return "random"
    if each.runs:
        return "models"
    return "confusable" if "confusable" in each.proposers else "labelers"
