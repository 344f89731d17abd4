"""Photos that a release left out because they are correct for several classes.

With several right answers a photo, that is no reason any more: each enters once. Nothing else of
the release's plan changes, so what it would have rejected otherwise stays out.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from genset.db import Label, Ruling, Verdict, in_batches, is_called_correct, is_out
from genset.release.candidates import CandidateRow, CandidateTable
from genset.release.choose import (
    MORE_THAN_SMALLEST,
    Reasons,
    ReleasePlan,
    is_refused,
    narrowed,
    one_owner,
    record_rest,
    unfit,
)
from genset.release.multilabel.answers import ClassVotes, class_votes
from genset.release.multilabel.earlier import Earlier
from genset.release.strategies import Draws, Majority, Matched, Pick, Strategy, Threshold, Top
from genset.release.strategies.matched import bin_of
from genset.release.strategies.top import walk
from genset.settings import LabelRules

SEVERAL = "correct for several classes"  # the reason in the manifest of the release before


@dataclass(frozen=True, slots=True)
class Additions:
    """What becomes of the photos that were correct for several classes.

    Attributes:
        entries: those that enter, each as the candidate of its home class.
        considered: how many candidates they are in all, whether they enter or not.
        excluded: the reason for each candidate of those that do not, by its task.
        classes: those of each photo that enters, by its sha256, then by wnid.
    """

    entries: tuple[CandidateRow, ...]
    considered: int
    excluded: Reasons
    classes: dict[str, dict[str, ClassVotes]]


def find_additions(
    session: Session,
    table: CandidateTable,
    earlier: Earlier,
    plan: ReleasePlan,
    rules: LabelRules,
    stay: Sequence[CandidateRow],
    cast: Mapping[int, Counter[Verdict]],
) -> Additions:
    """Choose, by the plan of the release before, from what it left out as `SEVERAL`.

    A photo is considered when it was called correct for several classes when the release was
    frozen, and still is. What was labeled since is not: classes would gain photos of two classes
    only. Its home, and folder, is the class with the highest selection frequency of those for which
    the plan could have taken it; where two have the same, the one in whose search it stands higher;
    where this is the same too, the first by wnid. Then come the steps of `genset.release.choose`:
    sources, licences and other sets; copies; owners; what the strategy still wants. In each, the
    photos of the release before (`stay`) come first.

    Args:
        session: of the workspace's database.
        table: all stored candidates, with the votes that may choose.
        earlier: the release before.
        plan: its plan, with all files that it needs.
        rules: how many labelers a class needs.
        stay: the candidates of its photos that stay.
        cast: all votes in force.
    """
    groups = _groups(table, {entry.sha256 for entry in stay})
    once = _once_correct(
        session, earlier, [entry.id for group in groups.values() for entry in group]
    )
    classes = class_votes(session, groups, cast)
    excluded: Reasons = {}
    homes: dict[str, CandidateRow] = {}
    considered: dict[str, list[CandidateRow]] = {}
    for sha256, group in groups.items():
        right = {
            wnid
            for wnid, entry in classes[sha256].items()
            if entry.answer(rules.votes) == "correct"
        }
        before = {entry.wnid for entry in group if entry.id in once}
        if len(right) < 2 or len(before) < 2:
            continue
        considered[sha256] = [entry for entry in group if entry.wnid in right]
        fit = [
            entry
            for entry in considered[sha256]
            if not is_refused(entry, unfit(entry, plan), excluded)
        ]
        if fit:
            homes[sha256] = min(fit, key=_by_home)
    chosen = _chosen(list(homes.values()), stay, table, earlier, plan, excluded)
    taken = {entry.sha256 for entry in chosen}
    return Additions(
        entries=chosen,
        considered=sum(map(len, considered.values())),
        excluded={
            entry.task: excluded.get(entry.task) or excluded[homes[sha256].task]
            for sha256, group in considered.items()
            for entry in group
            if sha256 not in taken
        },
        classes={sha256: classes[sha256] for sha256 in taken},
    )


def _groups(table: CandidateTable, inside: Iterable[str]) -> dict[str, list[CandidateRow]]:
    """The candidates of each photo that at least somebody calls correct for several classes."""
    wnids = set(inside)
    groups: dict[str, list[CandidateRow]] = defaultdict(list)
    for entry in sorted(table.entries, key=lambda entry: entry.task):
        if entry.sha256 not in wnids and (entry.correct or entry.ruling is Verdict.CORRECT):
            groups[entry.sha256].append(entry)
    return {
        sha256: group
        for sha256, group in groups.items()
        if len({entry.wnid for entry in group}) > 1
    }


def _by_home(entry: CandidateRow) -> tuple[float, int, str, str]:
    return -entry.frequency, entry.rank, entry.wnid, entry.task


def _chosen(
    homes: Sequence[CandidateRow],
    stay: Sequence[CandidateRow],
    table: CandidateTable,
    earlier: Earlier,
    plan: ReleasePlan,
    excluded: Reasons,
) -> tuple[CandidateRow, ...]:
    remaining, draws = narrowed(homes, table, plan, excluded, stay)
    pick = Pick(()) if plan.balance else _pick(remaining, earlier, plan.strategy, draws)
    full = MORE_THAN_SMALLEST if plan.balance else "its class has its photos"
    record_rest(remaining, pick.entries, full, excluded)
    record_rest(pick.over, (), one_owner(draws), excluded)
    return tuple(sorted(pick.entries, key=lambda entry: entry.task))


def _pick(
    remaining: Sequence[CandidateRow], earlier: Earlier, strategy: Strategy, draws: Draws
) -> Pick:
    """What the strategy takes for the places that it could not fill."""
    if isinstance(strategy, Majority):
        return Pick(tuple(remaining))
    if isinstance(strategy, Top):
        return walk(remaining, earlier.short, draws)
    classes: dict[str, list[CandidateRow]] = defaultdict(list)
    for entry in remaining:
        classes[entry.wnid].append(entry)
    picked: list[CandidateRow] = []
    for wnid, entries in classes.items():
        if isinstance(strategy, Matched):
            picked += _to_bins(draws.order(entries), earlier.short_bins.get(wnid, ()))
        elif isinstance(strategy, Threshold) and (missing := earlier.short.get(wnid, 0)):
            few = replace(strategy, per_class=missing)
            picked += few.pick({wnid: entries}, draws).entries
    return Pick(tuple(picked))


def _to_bins(entries: Iterable[CandidateRow], lacking: Sequence[int]) -> list[CandidateRow]:
    places, taken = list(lacking), []
    for entry in entries:
        index = bin_of(entry.correct, entry.labels)
        if index < len(places) and places[index] > 0:
            places[index] -= 1
            taken.append(entry)
    return taken


def _once_correct(session: Session, earlier: Earlier, candidates: Sequence[int]) -> set[int]:
    """Those of these candidates that were called correct when the release was frozen."""
    found = set()
    for some in in_batches(candidates):
        votes = _votes_until(session, some, earlier.labeled, earlier.plan.panel)
        rulings = _rulings_until(session, some, earlier.frozen)
        found |= {
            candidate
            for candidate in some
            if is_called_correct(votes.get(candidate, Counter()), rulings.get(candidate))
        }
    return found


def _votes_until(
    session: Session, candidates: Sequence[int], until: datetime, without: str | None
) -> Mapping[int, Counter[Verdict]]:
    newest = (
        select(func.max(Label.number))
        .where(Label.candidate_id.in_(candidates), Label.decided_at <= until, ~is_out(Label))
        .group_by(Label.candidate_id, Label.worker)
    )
    if without is not None:
        newest = newest.where(Label.panel != without)
    found: dict[int, Counter[Verdict]] = defaultdict(Counter)
    rows = select(Label.candidate_id, Label.verdict).where(Label.number.in_(newest))
    for candidate, verdict in session.execute(rows):
        found[candidate][verdict] += 1
    return found


def _rulings_until(
    session: Session, candidates: Sequence[int], until: datetime
) -> dict[int, Verdict]:
    newest = (
        select(func.max(Ruling.number))
        .where(Ruling.candidate_id.in_(candidates), Ruling.at <= until)
        .group_by(Ruling.candidate_id)
    )
    rows = select(Ruling.candidate_id, Ruling.verdict).where(Ruling.number.in_(newest))
    return {row.candidate_id: row.verdict for row in session.execute(rows)}
