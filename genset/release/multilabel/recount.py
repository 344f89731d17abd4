"""The manifest's numbers on answers, counted again from the records of some of its photos."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from genset.db import Verdict
from genset.db.growth import question_lacks
from genset.release.facts import alpha
from genset.release.multilabel.answers import ADDED, SEARCH
from genset.release.reader import ReleasePhoto
from genset.workspace import LabelRules

_FOUND = {SEARCH, ADDED}  # nobody asked about these


def recounted(told: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> dict[str, Any]:
    """What a manifest says of its photos' answers, for these photos alone.

    All numbers are counted again but three. `entered` stays: no record says whether its photo did.
    `unanswered` and `withdrawn` are what the records tell, and at most what they were: they do not
    say which questions were withdrawn, nor which were sent to review.

    Args:
        told: the field `multilabel` of the manifest.
        photos: those that remain, with all their lists.
    """
    classes = [each for photo in photos for each in _further(photo)]
    questions = [cls for cls in classes if not _FOUND.issuperset(cls.proposers)]
    needed = int(told["needed"])
    rules = LabelRules(votes=needed, grow_to=tuple(told["grow_to"]))
    names = {name for question in questions for name in question.proposers}
    lack = sum(_lacks(question, rules) for question in questions)
    return {
        **told,
        "photos_with_several": sum(len(photo.labels_correct or ()) > 1 for photo in photos),
        "questions": len(questions),
        "photos_asked": len({question.file for question in questions}),
        "unanswered": min(told["unanswered"], lack),
        "withdrawn": min(told["withdrawn"], lack),
        "answered_before": len(classes) - len(questions),
        "votes": sum(question.said.total() for question in questions),
        "agreement": alpha(question.said for question in questions),
        "proposers": {name: run for name, run in told["proposers"].items() if name in names},
    }


class _Further(NamedTuple):
    """A further class of a photo, as its record has it."""

    file: str
    said: Counter[Verdict]
    is_right: bool
    is_ruled: bool
    proposers: Sequence[str]


def _further(photo: ReleasePhoto) -> Iterator[_Further]:
    votes, rulings = photo.label_votes or {}, photo.label_rulings or {}
    for wnid, counts in votes.items():
        if wnid != photo.wnid:
            yield _Further(
                photo.file,
                Counter({Verdict(name): count for name, count in counts.items()}),
                wnid in (photo.labels_correct or ()),
                wnid in rulings,
                (photo.label_proposers or {}).get(wnid, ()),
            )


def _lacks(each: _Further, rules: LabelRules) -> bool:
    return not each.is_ruled and question_lacks(rules, each.said, ruled=False) > 0
