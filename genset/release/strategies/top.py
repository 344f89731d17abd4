"""The photos of each class with the highest selection frequencies."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import ClassVar

from genset.release.candidates import CandidateRow
from genset.release.strategies.strategy import Classes, Draws, Pick, Strategy, unfit


@dataclass(frozen=True)
class Top(Strategy):
    """Take the `per_class` highest by selection frequency, then by number of labels.

    Ties are drawn at random. A candidate that nobody called correct is not taken. One whose owner
    has the most photos that are allowed is passed over, and the next one is taken (`walk`).

    Source: ImageNetV2's "TopImages" in Recht et al., "Do ImageNet Classifiers Generalize to
    ImageNet?", 2019, section 3.
    """

    per_class: int = 10
    min_labels: int = 1
    name: ClassVar[str] = "top"
    limits_owners: ClassVar[bool] = True

    def refusal(self, entry: CandidateRow) -> str | None:
        """No votes, or none for it."""
        if reason := unfit(entry, self.min_labels):
            return reason
        if entry.labels == 0:
            return "not labeled"
        return None if entry.correct else "called correct by nobody"

    def pick(self, classes: Classes, draws: Draws) -> Pick:
        """Go down from the highest, and report classes that are short."""
        places = dict.fromkeys(classes, self.per_class)
        pick = walk(chain.from_iterable(classes.values()), places, draws)
        filled = Counter(entry.wnid for entry in pick.entries)
        short = {
            wnid: self.per_class - filled[wnid]
            for wnid in sorted(classes)
            if filled[wnid] < self.per_class
        }
        return Pick(pick.entries, short, over=pick.over)


def walk(entries: Iterable[CandidateRow], places: Mapping[str, int], draws: Draws) -> Pick:
    """Take the highest of all classes, then the next, while its class has a place and its owner.

    An owner's photos may be in several classes: the limit takes the lower ones out, whatever their
    classes are called. Of photos that are tied, as many of each owner as the limit leaves are drawn
    first, and then which of these go in; the owner's others come after them, for places that are
    left.

    Args:
        entries: the candidates.
        places: how many photos each class takes, by wnid; none where it is not there.
        draws: the limit, and what is taken already.
    """
    remaining, owners = Counter(places), Counter(draws.taken)
    picked: list[CandidateRow] = []
    over: list[CandidateRow] = []

    def level(entry: CandidateRow) -> tuple[float, int]:
        return -entry.frequency, -entry.labels

    for _, tied in groupby(sorted(entries, key=level), key=level):
        open_entries = [entry for entry in tied if remaining[entry.wnid] > 0]
        first = {entry.task for entry in replace(draws, taken=owners).limit_owners(open_entries)}
        for entry in sorted(draws.order(open_entries), key=lambda entry: entry.task not in first):
            if remaining[entry.wnid] <= 0:
                continue
            if draws.max_per_owner is not None and owners[entry.owner] >= draws.max_per_owner:
                over.append(entry)
                continue
            picked.append(entry)
            remaining[entry.wnid] -= 1
            owners[entry.owner] += 1
    return Pick(tuple(picked), over=tuple(over))
