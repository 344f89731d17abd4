"""Who labeled a release's photos and how, and photos with several right answers; answers.csv."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.files import csv_text
from genset.core.numbers import agree, count
from genset.release.documents.words import aggregation, days, fact, line, missing_votes
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

    image: the photo's file. wnid: the class. label: its place among the classes from 0.
    verdict: correct, unclear or wrong. primary: 1 for the class in whose folder the
    photo is, else 0. Then how many labelers said what, a reviewer's ruling, and who proposed it,
    separated by "; ".
    ``genset evaluate SET --multilabel answers.csv`` reads it.
    """
    from genset.db import Verdict

    rows = []
    for photo in photos:
        for name in LISTS:
            for wnid in getattr(photo, name) or ():
                cells = _answer(photo, wnid, name.removeprefix("labels_"))
                rows.append((photo.file, wnid, taxonomy[wnid].index, *cells))
    return csv_text(
        ("image", "wnid", "label", "verdict", "primary", *Verdict, "ruling", "proposers"), rows
    )


def _answer(photo: ReleasePhoto, wnid: str, verdict: str) -> tuple[object, ...]:
    from genset.db import Verdict

    votes = (photo.label_votes or {}).get(wnid, {})
    names = (photo.label_proposers or {}).get(wnid, ())
    return (
        verdict,
        int(wnid == photo.wnid),
        *(votes.get(kind.value, 0) for kind in Verdict),
        line((photo.label_rulings or {}).get(wnid, "")),
        "; ".join(map(line, names)),
    )


_ABOUT_OWN = "Labels are about a photo's own class alone; it may show other classes too."
_ABOUT_SOME = (
    "Of the classes that a photo may show besides its own, only those were asked about that "
    "somebody proposed: where a class is in no list of a photo, nobody was asked."
)
_BY_WAY = {
    "page": "given on genset's labeling page, by {}, {}: each labeler saw the photo with the "
    "class's definition, and said whether it shows the class (correct, incorrect, unsure, broken).",
    "import": "read from a table that somebody brought, by {} named there, with dates of {}. Who "
    "these labelers are, how they were found and what they were shown and asked, the table does "
    "not tell.",
    "review": "given in review, by {}, {}.",
}
_SIGNED_IN = {
    "invite": "came with a personal invitation",
    "mturk": "came from Mechanical Turk",
    "name": "signed in with a name of their choice",
    "oidc": "signed in with an account that they have elsewhere",
    "prolific": "came from Prolific",
}


def annotation(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """How the photos were labeled, as sentences."""
    facts = fact(manifest, "labeling", dict)
    labels, candidates, labelers = (
        fact(facts, name, int) or 0 for name in ("labels", "candidates", "labelers")
    )
    found = [
        f"{count(labels, 'label')} by {count(labelers, 'labeler')} on "
        f"{count(candidates, 'candidate')} of the pool, as they stood when photos were chosen."
        if labels
        else "The pool had no labels when photos were chosen."
    ]
    found += _ways(facts)
    if guidelines := fact(facts, "guidelines", list):
        found.append(f"Instructions: version {', '.join(map(line, guidelines))}.")
    if missing := missing_votes(manifest.get("missing_votes")):
        found.append(f"Labeling was not finished: {missing} that labelers were to give.")
    found += _resting(manifest, len(photos))
    if ruled := fact(fact(manifest, "strategy", dict), "ruled", int):
        found.append(
            f"{count(ruled, 'photo')} chosen by a ruling, which wins over labels: given in "
            "review, or brought by an import."
        )
    if together := aggregation(manifest).strip():
        found.append(together)
    return found


def _resting(manifest: Mapping[str, Any], photos: int) -> list[str]:
    facts = fact(manifest, "resting_on", dict)
    some, fast = (fact(facts, name, int) or 0 for name in ("flagged", "too_fast"))
    every = count(photos, "photo")
    return [
        f"{number:,} of {every} {agree(number, 'rests', 'rest')} on labelers {words}."
        for number, words in (
            (fast, "flagged as too fast"),
            (some * (some > fast), "flagged by genset labels stats"),
        )
        if number
    ]


def doubts(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """What speaks against the labels, as sentences: who gave them, and that nobody agreed."""
    found, every = _resting(manifest, len(photos)), count(len(photos), "photo")
    single = sum(sum(photo.labels.values()) == 1 for photo in photos)
    if 2 * single > len(photos):
        which = f"{single:,} of {every} {agree(single, 'has', 'have')} one label"
        found.append(f"{which}, so that agreement on {agree(single, 'it', 'them')} is not known.")
    return found


def _ways(facts: Any) -> list[str]:
    found = []
    by_way, signed_in = fact(facts, "by_way", dict), fact(facts, "signed_in", dict)
    every = fact(facts, "labels", int)
    for way, words in _BY_WAY.items():
        one = fact(by_way, way, dict)
        if number := fact(one, "labels", int):
            verb = agree(number, "was", "were")
            which = agree(number, "It", "They") if number == every else f"{number:,} of them"
            people = count(fact(one, "labelers", int) or 0, "labeler")
            how = words.format(people, days(one, "dates"))
            found.append(f"{which} {verb} {how}")
    kinds = {kind: fact(signed_in, kind, int) for kind in _SIGNED_IN}
    parts = [f"{n:,} {_SIGNED_IN[kind]}" for kind, n in kinds.items() if n]
    return [*found, f"Labelers: {', '.join(parts)}."] if parts else found


def labels_per_photo(photos: Sequence[ReleasePhoto]) -> str:
    """How many labels photos have: "1 label on each photo"."""
    numbers = Counter(sum(photo.labels.values()) for photo in photos)
    if len(numbers) == 1:
        return f"{count(max(numbers), 'label')} on each photo"
    parts = (f"{count(n, 'label')} on {count(numbers[n], 'photo')}" for n in sorted(numbers))
    return ", ".join(parts)


def agreement(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """How far labelers agree, as a sentence; "" where that is not known."""
    facts = fact(manifest, "labeling", dict)
    alpha = fact(facts, "agreement", float)
    panel = fact(fact(manifest, "strategy", dict), "panel", str)
    of_panel = f" of panel {line(panel)}" if panel else ""
    labels, candidates = (fact(facts, name, int) or 0 for name in ("labels", "candidates"))
    if alpha is not None:
        return f"Agreement over all candidates' labels{of_panel}: Krippendorff's alpha {alpha:.3f}."
    several = any(sum(photo.labels.values()) > 1 for photo in photos)
    if several or (labels > candidates and not panel):
        return f"The labels{of_panel} on candidates that have several are all the same."
    if labels and labels == candidates:
        return "Each candidate has one label, so that nobody knows how far labelers agree."
    return ""


def label_limits(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """What the labels cannot tell."""
    found = []
    if any(photo.selection_frequency is not None for photo in photos):
        panel = fact(fact(manifest, "strategy", dict), "panel", str)
        found.append(
            f"Selection frequencies are of the labels of panel {line(panel)}, which did not "
            "choose the photos."
            if panel
            else "Selection frequencies are of the labels that chose the photos, so they are too "
            "high on average (Engstrom et al., 2020)."
        )
    if has_answers(manifest):
        return [*found, _ABOUT_SOME, suggestion(manifest)]
    return [*found, _ABOUT_OWN]
