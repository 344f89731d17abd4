"""What a manifest says of its photos' several right answers, as JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from genset.core.numbers import count
from genset.db import ProposalRound, Question, Verdict, in_batches
from genset.db.votes_needed import question_votes_missing
from genset.release.facts import alpha
from genset.release.multilabel.answers import ADDED, RULE, SEARCH, ClassVotes
from genset.release.multilabel.earlier import Earlier
from genset.release.reader import ReleasePhoto
from genset.settings import LabelRules


def multilabel_facts(
    session: Session,
    earlier: Earlier,
    photos: Sequence[ReleasePhoto],
    questions: Sequence[ClassVotes],
    entered: int,
    rules: LabelRules,
) -> dict[str, Any]:
    """How the photos came to have several right answers.

    `from`: the release that they were asked about. `rule`: how votes decide, in words, with its
    numbers `needed` (labelers of a class) and `grow_to` (of one on which they differ).
    `photos_with_several`: of which more than one class is right. `entered`: those that the first
    release left out for that. `questions`: classes that were asked about in the multi-label pass,
    `photos_with_questions` in so many photos, with `votes` and their `agreement` (Krippendorff's
    alpha);
    `unanswered`: those that more labelers should have seen. `answered_before`: classes that have
    votes without having been a question. `rounds`: each asking. `proposers`: the models that
    proposed classes, with the keys of their runs, one for each release that was asked about.

    Args:
        session: of the workspace's database.
        earlier: the release before.
        photos: the records, with their lists.
        questions: the further classes of these photos that were asked about.
        entered: how many of them the release before did not have.
        rules: how many labelers a class needs.
    """
    unanswered = sum(question.is_open(rules) for question in questions)
    facts = {
        "from": {"name": earlier.release.name, "content_hash": earlier.release.content_hash},
        "rule": RULE,
        "needed": rules.votes,
        "grow_to": list(rules.grow_to),
        "entered": entered,
        "unanswered": unanswered,
        "proposers": _proposers(questions),
        "rounds": [
            {
                "seed": round.seed,
                "most": round.most,
                "made_at": round.made_at.isoformat(timespec="seconds"),
            }
            for round in _rounds(session, questions)
        ],
    }
    return {**recounted(facts, photos), "unanswered": unanswered}


def _proposers(questions: Iterable[ClassVotes]) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for question in questions:
        for name, run in question.runs:
            found.setdefault(name, set()).add(run)
    return {name: sorted(filter(None, runs)) for name, runs in sorted(found.items())}


def _rounds(session: Session, questions: Iterable[ClassVotes]) -> list[ProposalRound]:
    """The rounds in which these were asked, the oldest first."""
    claims = [claim for question in questions for claim in question.claims]
    found: dict[int, ProposalRound] = {}
    for some in in_batches(claims):
        ids = select(Question.round_id).where(Question.candidate_id.in_(some))
        rounds = session.scalars(select(ProposalRound).where(ProposalRound.id.in_(ids)))
        found |= {round.id: round for round in rounds}
    return [found[id] for id in sorted(found)]


def summary(facts: Mapping[str, Any]) -> Iterator[str]:
    """The numbers on answers in a manifest, as text."""
    yield (
        f"  several right answers: {count(facts['photos_with_several'], 'photo')}, of which "
        f"{count(facts['entered'], 'was', 'were')} left out of {facts['from']['name']} for that"
    )
    if not facts["questions"]:
        yield (
            "  asked about further classes: none; verdicts that were given for other searches have "
            f"{facts['answered_before']:,}: genset labels propose {facts['from']['name']}"
        )
        return
    yield (
        f"  asked about further classes: {facts['questions']:,} in "
        f"{count(facts['photos_with_questions'], 'photo')}, {count(facts['votes'], 'vote')}; "
        f"{count(facts['unanswered'], 'lacks', 'lack')} votes"
    )


def recounted(facts: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """What a manifest says of its photos' answers, for these photos alone.

    All numbers are counted again but two. `entered` stays: no record says whether its photo did.
    `unanswered` is what the records tell, and at most what it was: they do not say which questions
    were sent to review.

    Args:
        facts: the field `multilabel` of the manifest.
        photos: those that remain, with all their lists.
    """
    rules = LabelRules(votes=int(facts["needed"]), grow_to=tuple(facts["grow_to"]))
    answered_before, lack = 0, 0
    files, names, votes = set[str](), set[str](), list[Counter[Verdict]]()
    for photo in photos:
        for wnid, counts in (photo.label_votes or {}).items():
            proposers = set((photo.label_proposers or {}).get(wnid, ()))
            if wnid == photo.wnid:
                continue
            if proposers <= {SEARCH, ADDED}:  # nobody asked about it
                answered_before += 1
                continue
            votes.append(Counter({Verdict(name): count for name, count in counts.items()}))
            files.add(photo.file)
            names |= proposers
            is_ruled = wnid in (photo.label_rulings or {})
            lack += not is_ruled and question_votes_missing(rules, votes[-1], ruled=False) > 0
    return {
        **facts,
        "photos_with_several": sum(len(photo.labels_correct or ()) > 1 for photo in photos),
        "questions": len(votes),
        "photos_with_questions": len(files),
        "unanswered": min(facts["unanswered"], lack),
        "answered_before": answered_before,
        "votes": sum(counts.total() for counts in votes),
        "agreement": alpha(votes),
        "proposers": {name: run for name, run in facts["proposers"].items() if name in names},
    }
