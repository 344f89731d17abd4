"""Who labeled a release's photos and how, by what happened: a table that was read is a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from genset.core.numbers import count
from genset.release.documents.answers import has_answers, suggestion
from genset.release.documents.words import aggregation, days, fact, line
from genset.release.reader import ReleasePhoto

_ABOUT_OWN = "Labels are about a photo's own class alone; it may show other classes too."
_ABOUT_SOME = (
    "Of the classes that a photo may show besides its own, only those were asked about that "
    "somebody proposed: where a class is in no list of a photo, nobody was asked."
)
_BY_WAY = {
    "page": "{} given on genset's labeling page, by {}, {}: each labeler saw the photo with the "
    "class's definition, and said whether it shows the class (correct, incorrect, unsure, broken).",
    "import": "{} read from a table that somebody brought, by {} who are named there, dated {} (a "
    "row without a date: when it was read). Who these labelers are, how they were found and what "
    "they were shown and asked, the table does not tell.",
    "review": "{} given in review, by {}, {}.",
}
_SIGNED_IN = {
    "": "{} never signed in here",
    "invite": "{} came with a personal invitation",
    "mturk": "{} came from Mechanical Turk",
    "name": "{} signed in with a name of their choice",
    "oidc": "{} signed in with an account that they have elsewhere",
    "prolific": "{} came from Prolific",
}


def annotation(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """How the photos were labeled, as sentences."""
    facts = fact(manifest, "labeling", dict)
    labels, candidates, labelers = (
        fact(facts, name, int) or 0 for name in ("labels", "candidates", "labelers")
    )
    found = [
        f"{count(labels, 'label')} by {count(labelers, 'labeler')} on "
        f"{count(candidates, 'candidate')} of the pool, as they stood when photos were "
        "chosen."
        if labels
        else "The pool had no labels when photos were chosen."
    ]
    found += _ways(facts)
    if guidelines := fact(facts, "guidelines", list):
        found.append(f"Instructions: version {', '.join(map(line, guidelines))}.")
    without = sum(not photo.labels for photo in photos)
    if without:
        found.append(f"No label is recorded with {count(without, 'photo')} of the release.")
    if ruled := fact(fact(manifest, "strategy", dict), "ruled", int):
        found.append(
            f"{count(ruled, 'photo')} chosen by a ruling, which wins over labels: given in "
            "review, or brought by an import."
        )
    if together := aggregation(manifest).strip():
        found.append(together)
    return found


def _ways(facts: Any) -> list[str]:
    found = []
    by_way, signed_in = fact(facts, "by_way", dict), fact(facts, "signed_in", dict)
    for way, words in _BY_WAY.items():
        one = fact(by_way, way, dict)
        if number := fact(one, "labels", int):
            people = fact(one, "labelers", int) or 0
            numbers = (count(number, "label"), count(people, "labeler"))
            found.append(words.format(*numbers, days(one, "dates")))
    kinds = {kind: fact(signed_in, kind, int) for kind in _SIGNED_IN}
    parts = [_SIGNED_IN[kind].format(f"{n:,}") for kind, n in kinds.items() if n]
    return [*found, f"Labelers: {', '.join(parts)}."] if parts else found


def labels_per_photo(photos: Sequence[ReleasePhoto]) -> str:
    """How many labels photos have."""
    numbers = Counter(sum(photo.labels.values()) for photo in photos)
    return ", ".join(
        f"{count(photos_, 'photo')} with {number:,}" for number, photos_ in sorted(numbers.items())
    )


def agreement(manifest: Mapping[str, Any]) -> str:
    """How far labelers agree, as a sentence."""
    alpha = fact(fact(manifest, "labeling", dict), "agreement", float)
    if alpha is None:
        return (
            "Agreement cannot be told: no candidate has two labels, or no two labels of all differ."
        )
    panel = fact(fact(manifest, "strategy", dict), "panel", str)
    of_panel = f" of panel {line(panel)}" if panel else ""
    return f"Agreement over all candidates' labels{of_panel}: Krippendorff's alpha {alpha:.3f}."


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
