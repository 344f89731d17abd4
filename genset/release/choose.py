"""Which candidates go into a release, and why the others do not."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from genset.errors import BadInput
from genset.release.exclusions import Exclusion
from genset.release.strategies import Majority, Pick, Strategy
from genset.release.strategies.contract import shuffled
from genset.release.table import CandidateRow, Table
from genset.store import Verdict

_Reasons = dict[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a release's photos are chosen.

    Attributes:
        strategy: which of the candidates that pass everything else.
        seed: of every random draw.
        panel: the votes that only measure, None where all votes choose and measure.
        licenses: the names of those that may be in it; none for any.
        max_per_owner: photos of one owner in all of it, at least 1; None for any number.
        balance: whether every class gets as few photos as the class with the fewest.
        exclude: photos of other sets, which it must not share.
        one_of_each: whether of photos that look alike only one may be in it.
    """

    strategy: Strategy = field(default_factory=Majority)
    seed: int = 0
    panel: str | None = None
    licenses: tuple[str, ...] = ()
    max_per_owner: int | None = None
    balance: bool = False
    exclude: tuple[Exclusion, ...] = ()
    one_of_each: bool = False

    def __post_init__(self) -> None:
        """Refuse a number that makes no sense, with BadInput."""
        if self.max_per_owner is not None and self.max_per_owner < 1:
            raise BadInput("--max-per-owner must be at least 1")

    def told(self) -> dict[str, Any]:
        """All of it, as JSON, for the manifest; what was not asked for is left out."""
        rest: dict[str, Any] = {
            "panel": self.panel,
            "licenses": list(self.licenses),
            "max_per_owner": self.max_per_owner,
            "balance": self.balance,
            "exclude": [{"file": each.name, "sha256": each.sha256} for each in self.exclude],
            "one_of_each": self.one_of_each,
        }
        return {
            "name": self.strategy.name,
            **self.strategy.parameters(),
            "seed": self.seed,
            **{word: value for word, value in rest.items() if value},
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen.

    Attributes:
        chosen: the candidates, by class and task.
        left_out: the reason for each other candidate, by its task.
        short: how many photos a class lacks of what was asked for, by wnid.
        notes: what else the strategy tells.
    """

    chosen: tuple[CandidateRow, ...]
    left_out: _Reasons
    short: dict[str, int]
    notes: dict[str, dict[str, Any]]


def choose(table: Table, plan: Plan) -> Choice:
    """Choose from a table, step by step; each step takes what the one before it left.

    1. What the strategy refuses is out.
    2. A photo goes to one class: where it is called correct for several, to none.
    3. Licences and photos of other sets are left out.
    4. Of copies (the same bytes in one class; with `one_of_each` also what looks alike) the one
       that was posted first stays.
    5. Of owners with too many photos, some are drawn.
    6. The strategy picks.
    7. `balance` draws as many of each class as the smallest has.
    """
    left_out: _Reasons = {}
    left = [
        entry
        for entry in sorted(table.entries, key=lambda entry: entry.task)
        if not _refused(entry, plan.strategy.refusal(entry), left_out)
    ]
    left = _one_class_each(left, table.entries, left_out)
    excluded = _like_others(left, plan.exclude)
    left = [
        entry for entry in left if not _refused(entry, _not_wanted(entry, plan, excluded), left_out)
    ]
    left = _without_copies(left, table if plan.one_of_each else Table(()), left_out)
    if plan.max_per_owner is not None:
        left = _few_of_each_owner(left, plan.max_per_owner, plan.seed, left_out)
    classes: dict[str, list[CandidateRow]] = {entry.wnid: [] for entry in table.entries}
    for entry in left:
        classes[entry.wnid].append(entry)
    pick = plan.strategy.pick(classes, plan.seed)
    _tell_rest(left, pick.entries, "not drawn", left_out)
    chosen = pick.entries
    if plan.balance:
        chosen = _balanced(pick, plan.seed)
        _tell_rest(pick.entries, chosen, "more than the smallest class has", left_out)
    ordered = tuple(sorted(chosen, key=lambda entry: entry.task))
    return Choice(ordered, dict(sorted(left_out.items())), pick.short, pick.notes)


def selection_frequency(said: Mapping[Verdict, int]) -> float | None:
    """Share of a candidate's labelers who said correct, from 0 to 1; None where nobody voted.

    The term of Recht et al., "Do ImageNet Classifiers Generalize to ImageNet?", 2019.
    """
    total = sum(said.values())
    return said.get(Verdict.CORRECT, 0) / total if total else None


def _refused(entry: CandidateRow, reason: str | None, left_out: _Reasons) -> bool:
    if reason is not None:
        left_out[entry.task] = reason
    return reason is not None


def _tell_rest(
    entries: Iterable[CandidateRow], kept: Iterable[CandidateRow], reason: str, left_out: _Reasons
) -> None:
    tasks = {entry.task for entry in kept}
    left_out.update((entry.task, reason) for entry in entries if entry.task not in tasks)


def _one_class_each(
    left: Sequence[CandidateRow], everything: Iterable[CandidateRow], left_out: _Reasons
) -> list[CandidateRow]:
    """Keep each photo, under one name or several, for one class at most."""
    correct_for: dict[str, set[str]] = defaultdict(set)
    for entry in everything:
        if entry.is_correct:
            correct_for[entry.sha256].add(entry.wnid)
    claimed_by: dict[str, set[str]] = defaultdict(set)
    for entry in left:
        claimed_by[entry.sha256].add(entry.wnid)

    def reason(entry: CandidateRow) -> str | None:
        correct = correct_for[entry.sha256]
        if len(correct) > 1:
            return "correct for several classes"
        if correct and entry.wnid not in correct:
            return "correct for another class"
        if not correct and len(claimed_by[entry.sha256]) > 1:
            return "claimed by several classes"
        return None

    return [entry for entry in left if not _refused(entry, reason(entry), left_out)]


def _not_wanted(entry: CandidateRow, plan: Plan, excluded: Mapping[str, str]) -> str | None:
    if plan.licenses and entry.license not in plan.licenses:
        return f"licence {entry.license}"
    return excluded.get(entry.task)


def _like_others(left: Sequence[CandidateRow], exclude: Iterable[Exclusion]) -> _Reasons:
    """The reason for each candidate whose photo another set has."""
    found: _Reasons = {}
    for each in exclude:
        for entry in each.shared_with(left):
            found.setdefault(entry.task, f"looks like a photo of {each.name}")
    return found


def _without_copies(
    left: Sequence[CandidateRow], table: Table, left_out: _Reasons
) -> list[CandidateRow]:
    """Keep one photo of each cluster of copies: the first that was posted, then by its name."""
    in_other_sets = {
        photo: other for photo, other in table.pairs if other.partition(":")[0] not in table.sources
    }
    kept = []
    for entry in left:
        other = in_other_sets.get(entry.photo)
        reason = f"looks like a photo of {other.rpartition(':')[0]}" if other else None
        if not _refused(entry, reason, left_out):
            kept.append(entry)
    cluster = _clusters(kept, table.pairs)
    survivors: dict[str, CandidateRow] = {}
    for entry in sorted(kept, key=lambda entry: (entry.posted_at, entry.task)):
        survivors.setdefault(cluster[entry.task], entry)
    _tell_rest(kept, survivors.values(), "looks like a photo that was posted before it", left_out)
    return [entry for entry in kept if survivors[cluster[entry.task]] is entry]


def _clusters(entries: Sequence[CandidateRow], pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Name each candidate's cluster, by its task; photos that look alike link candidates."""
    parent = {entry.task: entry.task for entry in entries}

    def root(task: str) -> str:
        while parent[task] != task:
            parent[task] = parent[parent[task]]
            task = parent[task]
        return task

    same: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        same[entry.photo].append(entry.task)
        same[entry.sha256].append(entry.task)
    links = [(tasks[0], task) for tasks in same.values() for task in tasks[1:]]
    links += [
        (same[one][0], same[other][0]) for one, other in pairs if one in same and other in same
    ]
    for one, other in links:
        parent[root(one)] = root(other)
    return {task: root(task) for task in parent}


def _few_of_each_owner(
    left: Sequence[CandidateRow], most: int, seed: int, left_out: _Reasons
) -> list[CandidateRow]:
    taken: Counter[str] = Counter()
    kept = []
    for entry in shuffled(left, seed):
        taken[entry.owner] += 1
        if taken[entry.owner] <= most:
            kept.append(entry)
    _tell_rest(left, kept, f"more than {most} of one owner", left_out)
    return kept


def _balanced(pick: Pick, seed: int) -> tuple[CandidateRow, ...]:
    classes: dict[str, list[CandidateRow]] = defaultdict(list)
    for entry in shuffled(pick.entries, seed):
        classes[entry.wnid].append(entry)
    fewest = min(map(len, classes.values()), default=0)
    return tuple(entry for entries in classes.values() for entry in entries[:fewest])
