"""How a release with several right answers a photo is made of one with one answer a photo."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy.orm import Session

from genset.core.errors import GensetError
from genset.core.numbers import agree, count
from genset.db import votes
from genset.release.candidates import AggregatedLabels, read_table
from genset.release.choose import Exclusion, Reasons
from genset.release.freeze import Draft, records
from genset.release.multilabel.additions import SEVERAL, Additions, find_additions
from genset.release.multilabel.answers import ClassVotes, class_votes, with_answers
from genset.release.multilabel.earlier import Earlier, candidates_of, photos_still_usable
from genset.release.multilabel.facts import multilabel_facts
from genset.settings import LabelRules
from genset.workspace import Workspace


@dataclass(frozen=True, slots=True)
class MultilabelPlan:
    """An earlier release's photos with all their right answers.

    Its photos are those of the earlier release, which stays as it is, but for those that were
    removed or rejected since, and those whose own class a reviewer ruled not correct since: a photo
    that is known to be labeled wrong is left out, and a later release may take it for another
    class. Added are the photos that it left out as correct for several classes
    (`genset.release.multilabel.additions`). What else its records say stays: their `labels` and
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
            self.labels.check(session, plan.panel)
        table = read_table(session, without=plan.panel, labels=self.labels)
        usable, gone = photos_still_usable(session, earlier)
        if not usable:
            raise GensetError(f"no photo of {earlier.release.name} is in the pool any more")
        every_vote = votes(session)
        cast = votes(session, plan.panel) if plan.panel is not None else every_vote
        stay = candidates_of(table, usable)
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
        asked = list(chain.from_iterable(questions.values()))
        answers = multilabel_facts(session, earlier, photos, asked, len(new.entries), rules)
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
            contact=before.get("contact", ""),
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
