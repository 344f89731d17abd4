"""What the data card and Croissant said of every release alike, in sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.release.documents.changed import bytes_kept
from genset.release.documents.said import aggregation, line, span, told
from genset.release.reader import ReleasePhoto

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


def collection(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """How the photos were found."""
    facts = manifest.get("collected")
    sources = told(facts, "sources", list) or sorted({photo.source for photo in photos})
    keywords = len({photo.keyword for photo in photos})
    return (
        f"Photos from {', '.join(map(line, sources))}, posted {span(facts, 'posted')}, searched "
        f"{span(facts, 'searched')}. Queries are WordNet's words for each class ({keywords:,} "
        f"different ones found what is in it); photos {bytes_kept(manifest)}."
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
