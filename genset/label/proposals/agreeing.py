"""Labelers who agree with what is proposed, whatever it is, or with nothing.

A class that was drawn at random is in a photo about once in a thousand times. Who calls many of
these correct does not look, and what they say of models' proposals is worth as little. Nor does
look who calls nothing correct where others see one class in ten.

Nobody is judged by what others said: a third vote is asked for where two differ, and a labeler who
is asked about nothing else may well call all of it correct. Only votes tell that others' answers
cannot have brought about (`Asked.was_chosen`).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from genset.db import Verdict, is_called_correct
from genset.label.proposals.asked import Asked
from genset.label.proposals.choose import CONFUSABLE, MODEL, RANDOM
from genset.statistics.intervals import wilson

LEAST_VOTES = 10  # of a labeler on random proposals, and on so many photos, to tell by
LEAST_PHOTOS = 3
_LEAST_OTHERS = 20  # votes of the others
_HALF = 0.5
_MORE = 0.05  # so much more than the others say correct, or so much less, beyond doubt
_NEARLY_ALL = 0.8  # of all proposals, where there are too few random ones to tell by


@dataclass(frozen=True, slots=True)
class Agrees:
    """How often one labeler says correct of what was proposed, in votes.

    `random` of `of_random` proposals at random, `proposed` of `of_proposed` ones of models and
    confusable classes: of all that they answered. `look` says in words why to look at them, by
    those of their votes that tell; empty for most.
    """

    name: str
    random: int
    of_random: int
    proposed: int
    of_proposed: int
    look: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Vote:
    """`tells` where no answer of others can have brought it about."""

    question: Asked
    said: bool
    tells: bool


def agreeing(asked: Sequence[Asked], least: int) -> list[Agrees]:
    """Every labeler who has a vote on a proposal, by name; `least` labelers get every question.

    Without votes on classes for which a search found the photo: they may be given elsewhere.
    """
    random, proposed = _votes(asked, (RANDOM,), least), _votes(asked, (MODEL, CONFUSABLE), least)
    names = sorted({*random, *proposed})
    looks = {name: _agrees(name, random, proposed.get(name, ())) for name in names}
    eager = {name for name, look in looks.items() if look}
    for name in names:
        if not looks[name]:
            looks[name] = _of_none([*random.get(name, ()), *proposed.get(name, ())], name, eager)
    return [
        Agrees(
            name,
            *_count(random.get(name, ())),
            *_count(proposed.get(name, ())),
            looks[name],
        )
        for name in names
    ]


def reasons(found: Sequence[Agrees]) -> Mapping[str, tuple[str, ...]]:
    """Why to look at them, by name; only those who give cause."""
    return {each.name: each.look for each in found if each.look}


def _votes(asked: Sequence[Asked], kinds: Collection[str], least: int) -> dict[str, list[_Vote]]:
    """By labeler, the votes on proposals of these kinds."""
    found: dict[str, list[_Vote]] = defaultdict(list)
    for each in asked:
        if each.kind in kinds and not each.is_found:
            for name, verdict in each.votes:
                tells = not each.was_chosen(name, least)
                found[name].append(_Vote(each, verdict is Verdict.CORRECT, tells))
    return found


def _agrees(
    name: str, random: Mapping[str, Sequence[_Vote]], proposed: Sequence[_Vote]
) -> tuple[str, ...]:
    """By random proposals, or where there are too few of them by all."""
    of_random = list(_telling(random.get(name, ())))
    if len(of_random) >= LEAST_VOTES and _photos(of_random) >= LEAST_PHOTOS:
        others = [
            vote for each, votes in random.items() if each != name for vote in _telling(votes)
        ]
        return _of_random(*_count(of_random), _count(others))
    theirs = list(_telling(proposed))
    if len(theirs) < 2 * LEAST_VOTES - len(of_random) or _photos(theirs) < LEAST_PHOTOS:
        return ()
    return _of_all(*_count([*of_random, *theirs]))


def _of_random(yes: int, of: int, others: tuple[int, int]) -> tuple[str, ...]:
    interval = wilson(yes, of)
    said = f"{yes} of {of} random ones; Wilson {_ends(interval)} %"
    if interval.low > _HALF:
        return (f"agrees with {'every proposal' if yes == of else 'most proposals'}: {said}",)
    theirs, of_theirs = others
    if of_theirs >= _LEAST_OTHERS and interval.low > theirs / of_theirs + _MORE:
        usual = f"the others of {theirs} of {of_theirs}"
        return (f"calls random proposals correct: {said}; {usual}",)
    return ()


def _of_all(yes: int, of: int) -> tuple[str, ...]:
    """By models' proposals, of which a photo has several and seldom shows most."""
    interval = wilson(yes, of)
    if interval.low <= _NEARLY_ALL:
        return ()
    nearly = "every proposal" if yes == of else "nearly every proposal"
    return (
        f"agrees with {nearly}: {yes} of {of}; Wilson {_ends(interval)} % (too few random ones to "
        "tell by)",
    )


def _of_none(votes: Sequence[_Vote], name: str, eager: Collection[str]) -> tuple[str, ...]:
    """Who calls nothing correct, by what the others say of the same: none of those `eager`."""
    theirs = list(_telling(votes))
    if any(vote.said for vote in theirs) or _photos(theirs) < LEAST_PHOTOS:
        return ()
    answers = []
    for vote in theirs:
        said = Counter(
            verdict for each, verdict in vote.question.votes if each != name and each not in eager
        )
        if said:
            answers.append(is_called_correct(said, None))
    of, right = len(answers), sum(answers)
    if of < 2 * LEAST_VOTES or wilson(right, of).low <= wilson(0, of).high + _MORE:
        return ()
    return (
        f"calls nothing correct that is proposed: 0 of {of}, of which the others call {right} "
        f"correct; Wilson {_ends(wilson(right, of))} %",
    )


def _telling(votes: Sequence[_Vote]) -> Iterator[_Vote]:
    return (vote for vote in votes if vote.tells)


def _count(votes: Sequence[_Vote]) -> tuple[int, int]:
    """How many say correct, and of how many."""
    return sum(vote.said for vote in votes), len(votes)


def _photos(votes: Sequence[_Vote]) -> int:
    return len({vote.question.photo_id for vote in votes})


def _ends(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{100 * low:.0f}-{100 * high:.0f}"
