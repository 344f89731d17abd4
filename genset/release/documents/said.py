"""What the data card and Croissant both say of a release, in sentences.

A manifest may come from a stranger: what is not of the kind that genset writes is left out.

Documents of releases whose manifests are in an older format are made again byte for byte, so what
they say stays; what is said of sources since is in `genset.release.documents.sources`.
"""

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from genset.release.reader import BEFORE, ReleasePhoto
from genset.text.links import web_link
from genset.text.safe import printable

_T = TypeVar("_T")

ONE_CLASS = "A photo may show more than its class; only that it shows the class was asked."
SOME_CLASSES = (
    "Of the classes that a photo may show besides its own, only those were asked about that "
    "somebody proposed: where a class is in no list of a photo, nobody was asked."
)
LIMITS = [
    "Photos are what people upload, tag and describe in English: classes, places and customs are "
    "seen as often as people there post photos, not as often as they occur in the world.",
    "Candidates were found by WordNet's keywords and taken by the search's own order of relevance, "
    "which nobody outside can explain or repeat exactly.",
    "A selection frequency that is measured with the votes that chose a photo is too high "
    "(Engstrom et al., 2020); it is measured with others where the manifest names a panel.",
    ONE_CLASS,
    "Photos that owners take down are missing from later copies, so scores drift with time.",
]
USES = (
    "To measure how well image classifiers that were trained on ImageNet-1k generalize to photos "
    "that they were not tuned on. Not for training, for recognizing persons, or for judging "
    "whether a system is safe to use."
)
SOCIAL_IMPACT = (
    "A test set that classifiers were not tuned on makes claims about them checkable. The classes "
    "are ImageNet's, with what is one-sided in them; a high score says nothing of fairness."
)
PERSONAL = (
    "Photos may show persons, places and things by which persons can be known; names of owners "
    "are kept to credit them, as licences ask. Nobody was asked to label persons."
)
MAINTENANCE = (
    "The release never changes. An owner who wants a photo out writes to the contact; a new "
    "version without it is made, which names what is gone."
)


def told(facts: Any, name: str, kind: type[_T]) -> _T | None:
    """A fact of a manifest, None where it is not there or is of another kind."""
    value = facts.get(name) if isinstance(facts, Mapping) else None
    return value if isinstance(value, kind) else None


def line(value: object) -> str:
    """Any value as words on one line."""
    return printable(value if isinstance(value, str) else json.dumps(value))


def is_before(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest is of the time when there was one source."""
    return manifest.get("format") in BEFORE


def markdown(value: object) -> str:
    """Any value as words on one line of Markdown, none of which is read as markup or an address."""
    words = html.escape(line(value), quote=False)
    words = re.sub(r"([\\`*\[\]{}|#~$])|(?<![^\W_])_|_(?![^\W_])|(?<=:)//", r"\\\g<0>", words)
    return re.sub(r"(?i)\bwww\.|^[-+=]|^\d+(?=[.)])", _broken, words)


def _broken(found: re.Match[str]) -> str:
    """A beginning that means something, with a backslash before its sign."""
    text = found[0]
    return f"{text}\\" if text.isdecimal() else f"{text[:-1]}\\{text[-1]}"


def address(url: str) -> str:
    """A web address as a link of Markdown; "" for what is none."""
    return f"<{quote(url, safe=':/?#@!$&*+,;=%~')}>" if web_link(url) else ""


def span(facts: Any, name: str) -> str:
    """A span of time, as "2020-01-01 to 2021-06-30"; "not known" where there is none."""
    days = told(facts, name, list)
    if days is None or len(days) != 2 or not all(isinstance(day, str) for day in days):
        return "not known"
    return " to ".join(line(day[:10]) for day in days)


def collection(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """How the photos were found."""
    facts = manifest.get("collected")
    sources = told(facts, "sources", list) or sorted({photo.source for photo in photos})
    keywords = len({photo.keyword for photo in photos})
    return (
        f"Photos from {', '.join(map(line, sources))}, posted {span(facts, 'posted')}, searched "
        f"{span(facts, 'searched')}. Queries are WordNet's words for each class ({keywords:,} "
        "different ones found what is in it); photos keep their original bytes"
        f"{' but for those that were changed' if told(manifest, 'variant', dict) else ''}."
    )


def annotation(manifest: Mapping[str, Any]) -> str:
    """How they were labeled."""
    facts = manifest.get("collected")
    labelers = told(manifest, "labelers", int) or 0
    labels = told(facts, "labels", int)
    agreement = told(facts, "agreement", float)
    guidelines = told(facts, "guidelines", list)
    count = f"{labels:,} labels by " if labels is not None else "Labels by "
    said = (
        f"{count}{labelers:,} labelers, {span(facts, 'labeled')}: each said of a photo, shown with "
        "the class's definition, whether it shows the class (correct, incorrect, unsure, broken)."
    )
    if guidelines:
        said += f" Instructions: version {', '.join(map(line, guidelines))}."
    if agreement is not None:
        said += f" Agreement over all candidates: Krippendorff's alpha {agreement:.3f}."
    else:
        said += " Agreement was not measured: no two labelers could differ on a photo."
    return said + aggregation(manifest)


# How each method says what a candidate's votes say together, and what its confidence is.
_METHODS = {
    "majority": "the verdict with most votes (confidence: its share of the votes)",
    "frequency": "the verdict with the largest share of the votes (confidence: this share)",
    "dawid-skene": "the most probable verdict, given an error rate estimated for each labeler "
    "(Dawid and Skene, 1979; confidence: its probability)",
}


def method(manifest: Mapping[str, Any]) -> str | None:
    """The method that brought the votes on a photo together; None where they were counted."""
    return told(told(manifest.get("strategy"), "labels", dict), "method", str)


def aggregation(manifest: Mapping[str, Any]) -> str:
    """How the votes on a photo became its label, as a sentence; "" where they were counted."""
    name = method(manifest)
    if name is None:
        return ""
    facts = told(manifest.get("strategy"), "labels", dict)
    panel, without = told(facts, "panel", str), told(facts, "without", str)
    whose = f" of panel {line(panel)}" if panel else ""
    whose += f" of all panels but {line(without)}" if without else ""
    file = told(facts, "file", str)
    read = f", read from {line(file)} (sha256 {line(facts and facts.get('sha256'))})" * bool(file)
    return (
        f" A photo's votes{whose} were brought together by {line(name)}: "
        f"{_METHODS.get(name, 'a method that is not described')}{read}."
    )


def choice(manifest: Mapping[str, Any]) -> str:
    """By which rule photos were chosen."""
    strategy = manifest.get("strategy")
    rule = told(strategy, "name", str) or "an unnamed rule"
    rest = strategy.items() if isinstance(strategy, Mapping) else ()
    words = {"name", "labels"} if method(manifest) else {"name"}
    parameters = ", ".join(f"{line(k)} {line(v)}" for k, v in rest if k not in words)
    return f"Chosen by {line(rule)}" + (f" ({parameters})." if parameters else ".")
