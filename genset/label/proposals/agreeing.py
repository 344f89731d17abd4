"""Labelers who agree with what is proposed, whatever it is.

A class that was drawn at random is in a photo about once in a thousand times. Who calls many of
these correct does not look, and what they say of models' proposals is worth as little.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genset.label.proposals.asked import Asked, voted
from genset.label.proposals.choose import CONFUSABLE, MODEL, RANDOM
from genset.statistics.intervals import wilson

LEAST_VOTES = 10  # of a labeler on random proposals, and on so many photos, to tell by
LEAST_PHOTOS = 3
_LEAST_OTHERS = 20  # votes of the others
_HALF = 0.5
_MORE = 0.05  # so much more than the others say correct, beyond doubt
_NEARLY_ALL = 0.8  # of all proposals, where there are too few random ones to tell by


@dataclass(frozen=True, slots=True)
class Agrees:
    """How often one labeler says correct of what was proposed, in votes.

    `random` of `of_random` proposals at random, `proposed` of `of_proposed` ones of models and
    confusable classes. `look` says in words why to look at them; empty for most.
    """

    name: str
    random: int
    of_random: int
    proposed: int
    of_proposed: int
    look: tuple[str, ...]


def agreeing(asked: Sequence[Asked]) -> list[Agrees]:
    """Every labeler who has a vote on a proposal, by name."""
    random = voted(asked, RANDOM)
    proposed = {kind: voted(asked, kind) for kind in (MODEL, CONFUSABLE)}
    names = sorted({*random, *proposed[MODEL], *proposed[CONFUSABLE]})
    correct = {name: sum(said for _, said in votes) for name, votes in random.items()}
    found = []
    for name in names:
        theirs = [vote for kind in proposed.values() for vote in kind.get(name, ())]
        yes, of = sum(said for _, said in theirs), len(theirs)
        others = [each for each in random if each != name]
        usual = sum(correct[each] for each in others), sum(len(random[each]) for each in others)
        of_random = random.get(name, [])
        if len(of_random) >= LEAST_VOTES and _photos(of_random) >= LEAST_PHOTOS:
            look = _of_random(correct[name], len(of_random), usual)
        else:
            look = _of_all(yes + correct.get(name, 0), of + len(of_random), theirs)
        found.append(Agrees(name, correct.get(name, 0), len(of_random), yes, of, look))
    return found


def reasons(found: Sequence[Agrees]) -> Mapping[str, tuple[str, ...]]:
    """Why to look at them, by name; only those who give cause."""
    return {each.name: each.look for each in found if each.look}


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


def _of_all(yes: int, of: int, proposed: Sequence[tuple[int, bool]]) -> tuple[str, ...]:
    """By models' proposals, of which a photo has several and seldom shows most."""
    if of < 2 * LEAST_VOTES or _photos(proposed) < LEAST_PHOTOS:
        return ()
    interval = wilson(yes, of)
    if interval.low <= _NEARLY_ALL:
        return ()
    nearly = "every proposal" if yes == of else "nearly every proposal"
    return (
        f"agrees with {nearly}: {yes} of {of}; Wilson {_ends(interval)} % (too few random ones to "
        "tell by)",
    )


def _photos(votes: Sequence[tuple[int, bool]]) -> int:
    return len({photo for photo, _ in votes})


def _ends(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{100 * low:.0f}-{100 * high:.0f}"
