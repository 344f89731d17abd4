"""How a release with several right answers a photo is made of one with one answer a photo."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from sqlalchemy.orm import Session

from genset.core.errors import GensetError
from genset.core.numbers import agree, count
from genset.db import Verdict, is_called_correct, rulings_in_force, votes
from genset.release.candidates import (
    AggregatedLabels,
    CandidateRow,
    CandidateTable,
    Exclusion,
    read_table,
)
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
from genset.release.freeze import Draft, records
from genset.release.multilabel.answers import ClassVotes, class_votes, with_answers
from genset.release.multilabel.earlier import Earlier, photos_still_usable
from genset.release.multilabel.facts import multilabel_facts
from genset.release.strategies import Draws, Majority, Matched, Pick, Strategy, Threshold, Top
from genset.release.strategies.matched import bin_of
from genset.release.strategies.strategy import walk
from genset.settings import LabelRules
from genset.workspace import Workspace

SEVERAL = "correct for several classes"  # the reason in the manifest of the release before


@dataclass(frozen=True, slots=True)
class MultilabelPlan:
    """An earlier release's photos with all their right answers.

    Its photos are those of the earlier release, which stays as it is, but for those that were
    removed or rejected since, and those whose own class a reviewer ruled not correct since: a photo
    that is known to be labeled wrong is left out, and a later release may take it for another
    class. Added are the photos that it left out as correct for several classes
    (`find_additions`). What else its records say stays: their `labels` and
    selection frequencies are those with which the photos were chosen. Licences are those that the
    pool has now; a photo that the earlier release's choice of licences has no place for is left
    out.

    Attributes:
        earlier: the release whose photos it has.
        exclude: the files of hashes with which the earlier release was chosen.
        labels: the aggregated labels of its method, made again; None where it has none.
        allow_unanswered: take questions that lack votes as they stand.
    """

    earlier: Earlier
    exclude: Sequence[Exclusion] = ()
    labels: AggregatedLabels | None = None
    allow_unanswered: bool = False

    def draft(self, session: Session, workspace: Workspace) -> Draft:
        """What would be frozen now.

        Raises:
            BadInput: a file of hashes is missing.
            GensetError: no photo is left.
        """
        earlier, rules = self.earlier, workspace.label
        plan = earlier.again(self.exclude, self.labels)
        if self.labels is not None:
            self.labels.check(session)
        table = read_table(session, without=plan.panel, labels=self.labels)
        usable, gone = photos_still_usable(session, earlier, table)
        if not usable:
            raise GensetError(f"no photo of {earlier.release.name} is in the pool any more")
        every_vote = votes(session)
        cast = votes(session, plan.panel) if plan.panel is not None else every_vote
        tasks = {f"{photo.wnid}/{photo.source}:{photo.source_id}" for photo in usable}
        stay = [entry for entry in table.entries if entry.task in tasks]
        new = find_additions(session, table, earlier, plan, rules, stay, every_vote)
        classes = class_votes(session, [photo.sha256 for photo in usable], every_vote)
        classes |= new.classes
        every = [*usable, *records(session, new.entries, cast, earlier.since)]
        photos = [with_answers(photo, classes[photo.sha256], rules) for photo in every]
        photos.sort(key=lambda photo: photo.file)
        before = earlier.manifest
        questions = {
            photo.file: [
                votes
                for wnid, votes in classes[photo.sha256].items()
                if votes.is_question and wnid != photo.wnid
            ]
            for photo in photos
        }
        further = list(chain.from_iterable(questions.values()))
        answers = multilabel_facts(session, earlier, photos, further, len(new.entries), rules)
        return Draft(
            photos=photos,
            facts={
                "strategy": before["strategy"],
                "excluded": _excluded(before, gone, new),
                "short": _short(earlier, new),
                "notes": before["notes"],
                "without_effect": [],
                "multilabel": answers,
            },
            reasons={**gone, **new.excluded},
            votes=cast,
            since=earlier.since,
            problem=self._problem(answers, questions.values(), rules),
        )

    def _problem(
        self,
        facts: Mapping[str, Any],
        questions: Iterable[Sequence[ClassVotes]],
        rules: LabelRules,
    ) -> str:
        """Why it cannot be frozen: nobody was asked, or questions lack votes; else ""."""
        name = self.earlier.release.name
        if not facts["questions"] and not facts["answered_before"]:
            return (
                f"nobody was asked which further classes are in {name}'s photos: begin with "
                f"genset labels propose {name}"
            )
        if not facts["unanswered"] or self.allow_unanswered:
            return ""
        photos = sum(any(cls.is_open(rules) for cls in of_photo) for of_photo in questions)
        return (
            f"{facts['unanswered']:,} of {count(facts['questions'], 'question')}, about "
            f"{count(photos, 'photo')}, {agree(facts['unanswered'], 'lacks', 'lack')} votes: go on "
            "with genset label, or take these as they stand, those with too few votes as unclear, "
            "with --allow-unanswered"
        )


# Photos that the earlier release left out because they are correct for several classes


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
    once_votes = votes(session, without=earlier.plan.panel, until=earlier.labeled)
    once_ruled = rulings_in_force(session, until=earlier.frozen)
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
        before = {
            entry.wnid
            for entry in group
            if is_called_correct(once_votes.get(entry.id, Counter()), once_ruled.get(entry.id))
        }
        if len(right) < 2 or len(before) < 2:
            continue
        considered[sha256] = [entry for entry in group if entry.wnid in right]
        fit = [
            entry
            for entry in considered[sha256]
            if not is_refused(entry, unfit(entry, plan), excluded)
        ]
        if fit:
            homes[sha256] = min(fit, key=lambda row: (-row.frequency, row.rank, row.wnid, row.task))
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


def _excluded(before: Mapping[str, Any], gone: Reasons, new: Additions) -> dict[str, int]:
    """How many candidates are not in it, by reason: as before, but for what changed."""
    counts = Counter(before["excluded"])
    counts[SEVERAL] = max(0, counts[SEVERAL] - new.considered)
    counts.update(gone.values())
    counts.update(new.excluded.values())
    return {reason: count for reason, count in sorted(counts.items()) if count}


def _short(earlier: Earlier, new: Additions) -> dict[str, int]:
    filled = Counter(entry.wnid for entry in new.entries)
    lacking = {wnid: count - filled[wnid] for wnid, count in earlier.short.items()}
    return {wnid: count for wnid, count in lacking.items() if count > 0}
