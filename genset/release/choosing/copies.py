"""Which candidates are copies of others: of the pool's, or of another set's."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from genset.release.choosing.left_out import Reasons, is_refused, record_rest
from genset.release.exclusions import Exclusion
from genset.release.table import CandidateRow, CandidateTable


def like_others(remaining: Sequence[CandidateRow], exclude: Iterable[Exclusion]) -> Reasons:
    """The reason for each candidate whose photo is in another set."""
    found: Reasons = {}
    for each in exclude:
        for entry in each.shared_with(remaining):
            found.setdefault(entry.task, f"looks like a photo of {each.name}")
    return found


def without_copies(
    remaining: Sequence[CandidateRow],
    table: CandidateTable,
    left_out: Reasons,
    first: Collection[str] = (),
) -> list[CandidateRow]:
    """Keep one photo of each cluster of copies: the first by date of posting, then by name.

    The candidates named `first` come before all others.
    """
    in_other_sets = {
        photo: other for photo, other in table.pairs if other.partition(":")[0] not in table.sources
    }
    kept = []
    for entry in remaining:
        other = in_other_sets.get(entry.photo)
        reason = f"looks like a photo of {other.rpartition(':')[0]}" if other else None
        if not is_refused(entry, reason, left_out):
            kept.append(entry)
    cluster = _clusters(kept, table.pairs)
    survivors: dict[str, CandidateRow] = {}

    def order(entry: CandidateRow) -> tuple[bool, str, str]:
        return entry.task not in first, entry.posted_at, entry.task

    for entry in sorted(kept, key=order):
        survivors.setdefault(cluster[entry.task], entry)
    record_rest(kept, survivors.values(), "looks like a photo that was posted before it", left_out)
    return [entry for entry in kept if survivors[cluster[entry.task]] is entry]


def _clusters(entries: Sequence[CandidateRow], pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Each candidate's cluster, by its task. Candidates are linked by similar photos."""
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
