"""How a release's photos are chosen: the plan, as its manifest keeps it, and its steps."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from genset.core.errors import BadInput
from genset.db import Verdict
from genset.licenses import License, LicenseChoice
from genset.release.candidates import AggregatedLabels, CandidateRow, CandidateTable, Exclusion
from genset.release.strategies import RULE, Draws, Majority, Matched, Pick, Reason, Strategy


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """How a release's photos are chosen.

    Attributes:
        strategy: chooses from the candidates that pass all other rules.
        seed: of all random draws.
        panel: the panel whose votes are recorded and do not choose; None: all votes do both.
        labels: aggregated labels, of which only "correct" is taken; None: votes are counted.
        min_confidence: the lowest confidence of such a label, 0 to 1; None: any.
        licenses: the allowed licences; None for any.
        sources: the allowed sources; none for any.
        max_per_owner: the most photos of one owner in the release, at least 1; None: no limit.
        balance: whether every class gets as many photos as the class with the fewest.
        exclude: photos of other sets, which the release must not contain.
        deduplicate: whether only one of several similar photos is taken.
    """

    strategy: Strategy = field(default_factory=Majority)
    seed: int = 0
    panel: str | None = None
    labels: AggregatedLabels | None = None
    min_confidence: float | None = None
    licenses: LicenseChoice | None = None
    sources: tuple[str, ...] = ()
    max_per_owner: int | None = None
    balance: bool = False
    exclude: tuple[Exclusion, ...] = ()
    deduplicate: bool = False

    def __post_init__(self) -> None:
        """Check the numbers, and what goes together.

        Raises:
            BadInput: `max_per_owner` is below 1, or labels or their confidence do not apply.
        """
        if self.labels is not None and isinstance(self.strategy, Matched):
            raise BadInput(
                "--labels does not apply to --strategy matched, which takes photos of every "
                "selection frequency"
            )
        if self.min_confidence is not None:
            if self.labels is None:
                raise BadInput("--min-confidence needs --labels: votes alone have no confidence")
            if not 0 <= self.min_confidence <= 1:
                raise BadInput("--min-confidence must be from 0 to 1")
        if self.max_per_owner is not None and self.max_per_owner < 1:
            raise BadInput("--max-per-owner must be at least 1")

    def as_json(self) -> dict[str, Any]:
        """The plan as JSON, for the manifest. Unused options are left out."""
        rest: dict[str, Any] = {
            "panel": self.panel,
            "labels": self.labels and self.labels.as_json(),
            "min_confidence": self.min_confidence,
            "licenses": list(self.licenses.words) if self.licenses else [],
            "sources": sorted(self.sources),
            "max_per_owner": self.max_per_owner,
            "balance": self.balance,
            "exclude": [
                {"file": exclusion.name, "sha256": exclusion.sha256} for exclusion in self.exclude
            ],
            "deduplicate": self.deduplicate,
            "rule": RULE if self.max_per_owner is not None or self.balance else None,
        }
        return {
            "name": self.strategy.name,
            **self.strategy.parameters(),
            "seed": self.seed,
            **{word: value for word, value in rest.items() if value},
        }

    def without_effect(self, choice: "Choice") -> list[str]:
        """The options that changed nothing."""
        parameters = self.strategy.parameters()
        used = {
            "--source": self.sources,
            "--licenses": self.licenses,
            "--min-labels": parameters["min_labels"] > 1,
            "--min-confidence": self.min_confidence,
            "--relax": parameters.get("relax"),
            "--fill-up": parameters.get("fill_up"),
            "--exclude duplicates": self.deduplicate,
            "--max-per-owner": self.max_per_owner,
            "--balance": self.balance,
            **{f"--exclude {file.name}": True for file in self.exclude},
        }
        remarks = (*choice.excluded.values(), *choice.notes)
        effective = {remark.option for remark in remarks if isinstance(remark, Reason)}
        return [option for option, is_used in used.items() if is_used and option not in effective]


Reasons = dict[str, str]
"""By the candidates' tasks."""

GONE = "gone at its source"
MORE_THAN_SMALLEST = Reason("more than the smallest class has", "--balance")


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidates that were chosen.

    Attributes:
        entries: the candidates, sorted by class and photo.
        excluded: the reason for each other candidate, by its task.
        short: the number of requested photos that a class lacks, by wnid.
        notes: further remarks of the strategy.
    """

    entries: tuple[CandidateRow, ...]
    excluded: Reasons
    short: dict[str, int]
    notes: dict[str, dict[str, Any]]


def choose(table: CandidateTable, plan: ReleasePlan) -> Choice:
    """Choose candidates from a table, step by step, each from those that remain:

    1. Remove candidates that the strategy or aggregated labels refuse.
    2. Assign each photo to one class. If it is called correct for several, or several claim it and
       people have not said of each whether it is right, remove it.
    3. Remove photos that are gone at their source, by source, by licence, and those of other sets.
    4. Of copies (the same bytes in one class; with `deduplicate` also similar photos), keep the
       one that was posted first.
    5. For owners with too many photos, draw some. (`Top` does so as it goes down its order.)
    6. Let the strategy pick, by a draw that does not know of the first one.
    7. With `balance`, draw as many of each class as the smallest class has.

    Raises:
        BadInput: the pool has no photo of one of the plan's sources.
    """
    if unknown := [name for name in plan.sources if name not in table.sources]:
        there = ", ".join(sorted(table.sources)) or "none at all"
        raise BadInput(f"the pool has no photo of a source {unknown[0]!r}; it has those of {there}")
    excluded: Reasons = {}
    remaining = [
        entry
        for entry in sorted(table.entries, key=lambda entry: entry.task)
        if not is_refused(entry, unfit(entry, plan), excluded)
    ]
    remaining = _assign_classes(remaining, table.entries, excluded)
    remaining, draws = narrowed(remaining, table, plan, excluded)
    classes: dict[str, list[CandidateRow]] = {entry.wnid: [] for entry in table.entries}
    for entry in remaining:
        classes[entry.wnid].append(entry)
    pick = plan.strategy.pick(classes, draws)
    record_rest(remaining, pick.entries, "not drawn", excluded)
    record_rest(pick.over, (), one_owner(draws), excluded)
    picked = pick.entries
    if plan.balance:
        picked = _balanced(pick, draws)
        record_rest(pick.entries, picked, MORE_THAN_SMALLEST, excluded)
    ordered = tuple(sorted(picked, key=lambda entry: entry.task))
    return Choice(ordered, dict(sorted(excluded.items())), pick.short, pick.notes)


def narrowed(
    entries: Sequence[CandidateRow],
    table: CandidateTable,
    plan: ReleasePlan,
    excluded: Reasons,
    stay: Sequence[CandidateRow] = (),
) -> tuple[list[CandidateRow], Draws]:
    """Steps 3 to 5 of `choose`; and the draws, in a release that has the photos that `stay`."""
    similar: Reasons = {}
    for exclusion in plan.exclude:
        like = Reason(f"looks like a photo of {exclusion.name}", f"--exclude {exclusion.name}")
        for entry in exclusion.shared_with(entries):
            similar.setdefault(entry.task, like)
    fit = [
        entry
        for entry in entries
        if not is_refused(entry, _outside_plan(entry, plan, similar), excluded)
    ]
    fit, stay = _without_copies(
        fit, stay, table if plan.deduplicate else CandidateTable(()), excluded
    )
    draws = Draws(plan.seed, plan.max_per_owner).after(stay)
    if plan.strategy.limits_owners:
        return fit, draws
    limited = draws.limit_owners(fit)
    record_rest(fit, limited, one_owner(draws), excluded)
    return limited, draws


def selection_frequency(votes: Mapping[Verdict, int]) -> float | None:
    """The share of a candidate's labelers who said correct, 0 to 1; None if nobody voted.

    The term of Recht et al., "Do ImageNet Classifiers Generalize to ImageNet?", 2019.
    """
    total = sum(votes.values())
    return votes.get(Verdict.CORRECT, 0) / total if total else None


def unfit(entry: CandidateRow, plan: ReleasePlan) -> str | None:
    """Why a candidate cannot be taken, whatever the others are.

    Aggregated labels speak before the strategy, whose words are of counted votes, but for
    candidates without votes or with a ruling, which they have no say in.
    """
    if plan.labels is not None and entry.aggregated and entry.ruling is None and entry.labels:
        if not entry.is_correct:
            return f"not called correct by {plan.labels.method}"
        if entry.aggregated.confidence < (plan.min_confidence or 0):
            return Reason(f"confidence below {plan.min_confidence:g}", "--min-confidence")
    return plan.strategy.refusal(entry)


def _assign_classes(
    remaining: Sequence[CandidateRow], everything: Iterable[CandidateRow], excluded: Reasons
) -> list[CandidateRow]:
    """Keep each photo for at most one class, even if it has several names."""
    correct_for: dict[str, set[str]] = defaultdict(set)
    for entry in everything:
        if entry.is_correct:
            correct_for[entry.sha256].add(entry.wnid)
    claimed_by: dict[str, set[str]] = defaultdict(set)
    for entry in remaining:
        claimed_by[entry.sha256].add(entry.wnid)

    def reason(entry: CandidateRow) -> str | None:
        correct = correct_for[entry.sha256]
        if len(correct) > 1:
            return "correct for several classes"
        if correct and entry.wnid not in correct:
            return "correct for another class"
        if entry.unsettled or (not correct and len(claimed_by[entry.sha256]) > 1):
            return "claimed by several classes"
        return None

    return [entry for entry in remaining if not is_refused(entry, reason(entry), excluded)]


def _outside_plan(
    entry: CandidateRow, plan: ReleasePlan, excluded: Mapping[str, str]
) -> str | None:
    """Why a candidate is not of the sources and licences of a plan, or is in another set."""
    if entry.is_gone:
        return GONE
    if plan.sources and entry.source not in plan.sources:
        return Reason(f"source {entry.source}", "--source")
    if plan.licenses and not plan.licenses.wants(License(entry.license, entry.license_url)):
        return Reason(f"licence {entry.license}", "--licenses")
    return excluded.get(entry.task)


def _without_copies(
    entries: Sequence[CandidateRow],
    stay: Sequence[CandidateRow],
    table: CandidateTable,
    excluded: Reasons,
) -> tuple[list[CandidateRow], list[CandidateRow]]:
    """Keep one photo of each cluster of copies: the first by date of posting, then by name.

    Those that `stay` come before all others.
    """
    in_other_sets = {
        photo: other for photo, other in table.pairs if other.partition(":")[0] not in table.sources
    }
    duplicates, first = "--exclude duplicates", {entry.task for entry in stay}
    remaining = list(stay)
    for entry in entries:
        other = in_other_sets.get(entry.photo)
        like = Reason(f"looks like a photo of {str(other).rpartition(':')[0]}", duplicates)
        if not is_refused(entry, like if other else None, excluded):
            remaining.append(entry)
    cluster = _clusters(remaining, table.pairs)
    survivors: dict[str, CandidateRow] = {}
    for entry in sorted(remaining, key=lambda e: (e.task not in first, e.posted_at, e.task)):
        survivors.setdefault(cluster[entry.task], entry)
    survived = [entry for entry in remaining if survivors[cluster[entry.task]] is entry]
    new = [entry for entry in survived if entry.task not in first]
    copies = [entry for entry in remaining if entry.task not in first]
    before = Reason("looks like a photo that was posted before it", duplicates)
    record_rest(copies, new, before, excluded)
    return new, [entry for entry in survived if entry.task in first]


def _clusters(entries: Sequence[CandidateRow], pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Each candidate's cluster, by its task. Candidates are linked by similar photos."""
    members = {entry.task: {entry.task} for entry in entries}
    same: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        same[entry.photo].append(entry.task)
        same[entry.sha256].append(entry.task)
    links = [(tasks[0], task) for tasks in same.values() for task in tasks[1:]]
    links += [
        (same[one][0], same[other][0]) for one, other in pairs if one in same and other in same
    ]
    for one, other in links:
        small, large = sorted((members[one], members[other]), key=len)
        if small is not large:
            large |= small
            members.update(dict.fromkeys(small, large))
    return {task: next(iter(cluster)) for task, cluster in members.items()}


def one_owner(draws: Draws) -> str:
    """The reason for a candidate whose owner has enough photos in the release."""
    return Reason(f"more than {draws.max_per_owner} of one owner", "--max-per-owner")


def _balanced(pick: Pick, draws: Draws) -> tuple[CandidateRow, ...]:
    classes: dict[str, list[CandidateRow]] = defaultdict(list)
    for entry in draws.order(pick.entries, "balance"):
        classes[entry.wnid].append(entry)
    fewest = min(map(len, classes.values()), default=0)
    return tuple(entry for entries in classes.values() for entry in entries[:fewest])


def is_refused(entry: CandidateRow, reason: str | None, excluded: Reasons) -> bool:
    """Whether there is a `reason` against a candidate, which is then noted."""
    if reason is not None:
        excluded[entry.task] = reason
    return reason is not None


def record_rest(
    entries: Iterable[CandidateRow], taken: Iterable[CandidateRow], reason: str, excluded: Reasons
) -> None:
    """Note the reason for all candidates that are not `taken`."""
    tasks = {entry.task for entry in taken}
    excluded.update((entry.task, reason) for entry in entries if entry.task not in tasks)
