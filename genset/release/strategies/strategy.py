"""Strategies: which candidates each can take, and which of those it takes.

A strategy is a frozen dataclass of its parameters. Its only input is rows of
`genset.release.candidates.CandidateRow`, so the same rows and seed give the same photos on every
machine. The order of the rows must not matter.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, groupby
from typing import Any, ClassVar, Self

from genset.db import Verdict
from genset.release.candidates import CandidateRow

RULE = 1
"""The version of the rule by which photos are drawn, which a manifest names.

It does with a limit for an owner's photos or with balance, where another rule would matter.
"""


Classes = Mapping[str, Sequence[CandidateRow]]


class Reason(str):
    """Why a candidate is left out, or another remark; `option` is the one to which it is due."""

    option: str

    def __new__(cls, words: str, option: str = "") -> "Reason":
        """Words, with their option."""
        found = super().__new__(cls, words)
        found.option = option
        return found


@dataclass(frozen=True, slots=True)
class Draws:
    """The random draws of one release.

    Attributes:
        seed: of all of them.
        max_per_owner: the most photos of one owner, at least 1; None: no limit.
        taken: how many photos of each owner are in the release whatever is drawn, by owner.
    """

    seed: int
    max_per_owner: int | None = None
    taken: Mapping[str, int] = field(default_factory=dict)

    def order(self, entries: Iterable[CandidateRow], purpose: str = "") -> list[CandidateRow]:
        """The entries in a random order: sorted by the sha256 of ``SEED TASK``.

        Where the draw has a `purpose` ("owner": which of an owner's photos come first; "balance":
        which of a class's), of ``SEED PURPOSE TASK``.
        """
        lead = f"{self.seed} {purpose} " if purpose else f"{self.seed} "

        def drawn(entry: CandidateRow) -> bytes:
            return hashlib.sha256(f"{lead}{entry.task}".encode()).digest()

        return sorted(entries, key=drawn)

    def limit_owners(self, entries: Iterable[CandidateRow]) -> list[CandidateRow]:
        """Of each owner as many as the limit leaves, at random; all, where there is no limit."""
        if self.max_per_owner is None:
            return list(entries)
        counts = Counter(self.taken)
        limited = []
        for entry in self.order(entries, "owner"):
            counts[entry.owner] += 1
            if counts[entry.owner] <= self.max_per_owner:
                limited.append(entry)
        return limited

    def after(self, entries: Iterable[CandidateRow]) -> Self:
        """The same draws, when these photos are in the release too."""
        counts = Counter(self.taken)
        counts.update(entry.owner for entry in entries)
        return replace(self, taken=counts)


@dataclass(frozen=True, slots=True)
class Pick:
    """The candidates that a strategy took.

    Attributes:
        entries: the candidates.
        short: the number of requested photos that a class lacks, by wnid.
        notes: further remarks, as JSON: by title, then by wnid.
        over: candidates that it would have taken, were there not the limit for an owner's photos.
    """

    entries: tuple[CandidateRow, ...]
    short: dict[str, int] = field(default_factory=dict)
    notes: dict[str, dict[str, Any]] = field(default_factory=dict)
    over: tuple[CandidateRow, ...] = ()


@dataclass(frozen=True)
class Strategy:
    """What each is, as a dataclass of its parameters. `genset.release.choose` has the other steps.

    Attributes:
        name: the value of ``--strategy``.
        limits_owners: whether `pick` keeps to the limit for an owner's photos itself: for other
            strategies, so many of each owner are drawn before they pick.
    """

    name: ClassVar[str]
    limits_owners: ClassVar[bool] = False

    def parameters(self) -> dict[str, Any]:
        """Its parameters as JSON, for the manifest."""
        return asdict(self)

    def refusal(self, entry: CandidateRow) -> str | None:
        """Why this candidate cannot be taken, whatever the others are; None if it can."""
        raise NotImplementedError

    def pick(self, classes: Classes, draws: Draws) -> Pick:
        """Take photos of each class, from the candidates that it does not refuse, by wnid."""
        raise NotImplementedError


def unfit(entry: CandidateRow, min_labels: int) -> str | None:
    """Why no strategy may take a candidate; None if one may.

    A ruling overrides votes: a candidate that is ruled correct needs none.
    """
    if entry.ruling is Verdict.CORRECT:
        return None
    if entry.ruling is not None:
        return "ruled not correct in review"
    if entry.labels == 0:
        return "not labeled"
    if entry.labels < min_labels:
        return Reason(f"fewer than {min_labels} labels", "--min-labels")
    return None


@dataclass(frozen=True)
class Majority(Strategy):
    """Take every candidate that more labelers call correct than incorrect or broken.

    Unsure counts for neither side. If a reviewer ruled on a candidate, only the ruling counts.
    `min_labels` is the number of labelers that a candidate needs, at least 1.

    Source: Coleman et al., "Analysis of DAWNBench, a Time-to-Accuracy Machine Learning
    Performance Benchmark", 2019, section 4.2, with one labeler a photo.
    """

    min_labels: int = 1
    name: ClassVar[str] = "majority"

    def refusal(self, entry: CandidateRow) -> str | None:
        """No majority for it, or too few votes."""
        if reason := unfit(entry, self.min_labels):
            return reason
        return None if entry.is_correct else "not called correct by a majority"

    def pick(self, classes: Classes, draws: Draws) -> Pick:
        """All of them."""
        return Pick(tuple(entry for entries in classes.values() for entry in entries))


@dataclass(frozen=True)
class Threshold(Strategy):
    """Draw `per_class` of the candidates whose selection frequency is at least `threshold`.

    A candidate that is ruled correct in review passes whatever its votes are. With `relax`, the
    threshold of a class with too few candidates is lowered to the highest value that fills it.
    Candidates that a majority does not call correct are still not taken.

    Source: ImageNetV2's "Threshold0.7" in Recht et al., "Do ImageNet Classifiers Generalize to
    ImageNet?", 2019, section 3.
    """

    per_class: int = 10
    threshold: float = 0.7
    relax: bool = False
    min_labels: int = 1
    name: ClassVar[str] = "threshold"

    def refusal(self, entry: CandidateRow) -> str | None:
        """A selection frequency that is too low, or too few votes."""
        if reason := unfit(entry, self.min_labels):
            return reason
        if self._level(entry) >= self.threshold or (self.relax and entry.is_correct):
            return None
        return f"selection frequency below {self.threshold:g}"

    def pick(self, classes: Classes, draws: Draws) -> Pick:
        """Draw, and report classes that are short and thresholds that were lowered."""
        picked: list[CandidateRow] = []
        short: dict[str, int] = {}
        lowered: dict[str, float] = {}
        for wnid, entries in sorted(classes.items()):
            levels = sorted((self._level(entry) for entry in entries), reverse=True)
            used = min([self.threshold, *levels[: self.per_class][-1:]])
            if used < self.threshold:
                lowered[wnid] = used
            passing = [entry for entry in entries if self._level(entry) >= used]
            picked += draws.order(passing)[: self.per_class]
            if len(entries) < self.per_class:
                short[wnid] = self.per_class - len(entries)
        relaxed = Reason("lowered thresholds", "--relax")
        return Pick(tuple(picked), short, {relaxed: lowered} if lowered else {})

    def _level(self, entry: CandidateRow) -> float:
        return 1.0 if entry.ruling is Verdict.CORRECT else entry.frequency


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
