"""What the documents say of photos with several right answers, and answers.csv."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.db import Verdict
from genset.release.documents.words import fact, line
from genset.release.reader import LISTS, ReleasePhoto

_NOBODY = (
    "Nobody was asked what else they show: further classes are those of other searches that found "
    "the photo, by the verdicts that labelers gave on it for these."
)


_NUMBERS = ("questions", "photos_with_questions", "votes", "entered", "unanswered", "needed")


_OTHERS = {
    "confusable": "the classes that the photo's own is often confused with",
    "labeler": "labelers who saw a class that was not on their screen",
}


def has_answers(manifest: Mapping[str, Any]) -> bool:
    """Whether the manifest has several right answers for a photo."""
    return manifest.get("multilabel") is not None


def questions(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> Iterator[str]:
    """How people were asked about further classes, and what came of it, as sentences."""
    facts = fact(manifest, "multilabel", dict)
    numbers = {name: fact(facts, name, int) or 0 for name in _NUMBERS}
    earlier = fact(fact(facts, "from", dict), "name", str) or "a release"
    several = sum(len(photo.labels_correct or ()) > 1 for photo in photos)
    unclear = sum(bool(photo.labels_unclear) for photo in photos)
    first = (
        f"Its photos are those of {earlier}, of which people were asked what else they show: "
        f"{numbers['questions']:,} questions about {numbers['photos_with_questions']:,} photos, "
        f"{numbers['votes']:,} votes."
        if numbers["questions"]
        else f"Its photos are those of {earlier}. {_NOBODY}"
    )
    yield (
        f"{first} {several:,} of {len(photos):,} photos have more than one "
        f"right answer; {unclear:,} have a class of which the votes do not tell."
    )
    if entered := numbers["entered"]:
        yield (
            f"{entered:,} photos enter that {earlier} left out as correct for several classes, "
            "each in the folder of the one with the highest selection frequency."
        )
    if unanswered := numbers["unanswered"]:
        yield (
            f"{unanswered:,} questions had not all their votes when it was frozen: those with "
            f"fewer than {numbers['needed']:,} are unclear."
        )
    if withdrawn := fact(facts, "withdrawn", int):
        yield f"{withdrawn:,} questions were withdrawn before they had all their votes."
    agreement = fact(facts, "agreement", float)
    if agreement is not None:
        yield f"Agreement over these questions: Krippendorff's alpha {agreement:.3f}."
    if numbers["questions"]:
        yield _proposed(facts, photos)


def _proposed(facts: Any, photos: Sequence[ReleasePhoto]) -> str:
    """Who proposed the classes, by the records."""
    models = sorted(fact(facts, "proposers", dict) or {})
    names = {
        name
        for photo in photos
        for proposers in (photo.label_proposers or {}).values()
        for name in proposers
    }
    who = [f"the models {', '.join(models)}"] if models else []
    who += [words for name, words in _OTHERS.items() if name in names]
    advantage = (
        " These models are at an advantage over others: what one of them proposed was asked about."
        if models
        else ""
    )
    return f"What to ask about was proposed by {'; by '.join(who) or 'nobody'}.{advantage}"


def suggestion(manifest: Mapping[str, Any]) -> str:
    """Whether asking may have suggested an answer, as a sentence."""
    facts = fact(manifest, "multilabel", dict)
    if not fact(facts, "questions", int):
        return "No class was suggested to labelers."
    return "Labelers may call a class correct because it was suggested; how often was not measured."


def answer_rule(manifest: Mapping[str, Any]) -> str:
    """How votes decide, in the manifest's own words and numbers."""
    facts = fact(manifest, "multilabel", dict)
    words = fact(facts, "rule", str) or "The manifest does not say how votes decide."
    needed = fact(facts, "needed", int)
    return words + (f" Labelers needed: {needed:,}." if needed is not None else "")


def answers_protocol(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> Iterator[str]:
    """How people were asked and how votes decide; nothing where photos have one answer each."""
    if has_answers(manifest):
        yield from map(line, (*questions(manifest, photos), answer_rule(manifest)))


def answers(photos: Sequence[ReleasePhoto], taxonomy: Taxonomy) -> str:
    """A row for each class of each photo of which somebody said something.

    image: the photo's file. wnid: the class. label: its place among the classes from 0; empty
    for others. verdict: correct, unclear or wrong. primary: 1 for the class in whose folder the photo is, else 0. Then
    how many labelers said what, a reviewer's ruling, and who proposed it, separated by "; ".
    ``genset evaluate SET --multilabel answers.csv`` reads it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ("image", "wnid", "label", "verdict", "primary", *Verdict, "ruling", "proposers")
    )
    for photo in photos:
        for name in LISTS:
            for wnid in getattr(photo, name) or ():
                cells = _answer(photo, wnid, name.removeprefix("labels_"))
                index = taxonomy[wnid].index if wnid in taxonomy else ""
                writer.writerow((photo.file, wnid, index, *cells))
    return text.getvalue()


def _answer(photo: ReleasePhoto, wnid: str, verdict: str) -> tuple[object, ...]:
    votes = (photo.label_votes or {}).get(wnid, {})
    names = (photo.label_proposers or {}).get(wnid, ())
    return (
        verdict,
        int(wnid == photo.wnid),
        *(votes.get(kind.value, 0) for kind in Verdict),
        line((photo.label_rulings or {}).get(wnid, "")),
        "; ".join(map(line, names)),
    )
