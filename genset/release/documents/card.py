"""DATA_CARD.md: what somebody should know before they use or cite a release."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from genset.release.documents import changed, said, several
from genset.release.documents.facts import labels, origin, rights
from genset.release.documents.facts.about import NOT_SAID, About
from genset.release.documents.part import part
from genset.release.reader import ReleasePhoto
from genset.taxonomy import imagenet1k
from genset.text.numbers import count

_LISTED = 200  # classes without a photo; of more, the manifest says which there are

USES = (
    "Made to measure how well image classifiers that were trained on ImageNet-1k generalize to "
    "photos that they were not tuned on. Not for training, for recognizing persons, or for judging "
    "whether a system is safe to use."
)
NEVER_CHANGES = (
    "The release never changes. Photos that are taken out are missing from a new version "
    "(genset release takedown), which names their files: scores on the two differ."
)


def data_card(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """The card, in Markdown; it has no words of strangers but sources' and licences' names."""
    about, words = About(manifest), said.markdown
    classes = len({photo.wnid for photo in photos})
    parts = [
        f"# {words(manifest['name'])}",
        *([words(about.title)] if about.title else []),
        f"A frozen test set: {len(photos):,} photos of {classes:,} of ImageNet's 1,000 classes, "
        f"made on {words(manifest['created_at'])} with genset {words(manifest.get('genset', ''))}.",
        f"Content: `{said.line(manifest['content_hash'])}`. Cite it with this hash; "
        "`genset release verify` checks it.",
        *map(words, part(manifest, photos)),
        "## How it was collected",
        *map(words, origin.collection(manifest, photos)),
        *map(words, origin.unseen(manifest, photos)),
        "## How it was labeled",
        *map(words, labels.annotation(manifest, photos)),
        words(labels.agreement(manifest)),
        words(f"Labels recorded with the photos: {labels.per_photo(photos)}."),
        *_several(manifest, photos),
        "## How it was chosen",
        words(said.choice(manifest)),
        *_left_out(manifest),
        *_replaced(manifest),
        *_changed(manifest),
        "## Classes",
        *coverage(photos),
        "## Uses",
        USES,
        "## Known limits",
        _listed(limits(manifest, photos)),
        "## Persons",
        *map(words, rights.persons(photos)),
        "## Licences",
        "\n".join(rights.by_license(photos)),
        *([words(rights.reserved(photos))] if rights.reserved(photos) else []),
        *map(words, rights.seen(manifest)),
        "ATTRIBUTION.txt credits each photo; LICENSES.txt has the licences' addresses.",
        *_made(about),
        "## Contact and maintenance",
        f"Contact: {words(about.contact or NOT_SAID)}",
        NEVER_CHANGES,
        f"Plan: {words(about.answer('maintenance'))}",
        *_sources(manifest, photos),
    ]
    return "\n\n".join(parts) + "\n"


def limits(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """What a release cannot tell, as sentences."""
    return [*origin.biases(manifest, photos), *labels.limits(manifest, photos)]


def coverage(photos: Sequence[ReleasePhoto]) -> list[str]:
    """How many photos classes have, as sentences."""
    sizes = Counter(photo.wnid for photo in photos)
    by_size = sorted(Counter(sizes.values()).items(), reverse=True)
    missing = [each.wnid for each in imagenet1k() if each.wnid not in sizes]
    parts = ["; ".join(f"{count(n, 'class', 'classes')} with {size:,}" for size, n in by_size)]
    parts = [f"Photos by class: {parts[0]}. classes.csv has each class's place among the 1,000."]
    if missing:
        named = f": {', '.join(missing)}" if len(missing) <= _LISTED else ""
        parts.append(f"{count(len(missing), 'class', 'classes')} without a photo{named}.")
    return parts


def _listed(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {said.markdown(each)}" for each in sentences)


def _several(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    if not several.is_told(manifest):
        return []
    said_of = (*several.asking(manifest, photos), several.bias(manifest), several.rule(manifest))
    return ["## More than one right answer", *map(said.markdown, said_of)]


def _left_out(manifest: Mapping[str, Any]) -> list[str]:
    left_out = said.told(manifest, "left_out", dict)
    if not left_out:
        return []
    rows = [f"{said.line(number)} {said.line(reason)}" for reason, number in left_out.items()]
    return ["Candidates that are not in it:", _listed(rows)]


def _changed(manifest: Mapping[str, Any]) -> list[str]:
    sentences = changed.change(manifest)
    return ["## Changed photos", said.markdown(sentences)] if sentences else []


def _replaced(manifest: Mapping[str, Any]) -> list[str]:
    replaces = said.told(manifest, "replaces", dict)
    removed = said.told(replaces, "removed", list)
    if replaces is None or removed is None:
        return []
    name, asked = said.markdown(replaces.get("name", "")), said.told(replaces, "requested", str)
    return [
        f"It replaces {name}, of which {count(len(removed), 'photo')} {_were(removed)} taken out"
        f"{f', as was asked on {said.markdown(asked)}' if asked else ''}:",
        "\n".join(f"- `{said.line(file)}`" for file in removed),
        f"What is said of how it was labeled and chosen, and of what was left out, is of {name}.",
    ]


def _were(photos: Sequence[object]) -> str:
    return "was" if len(photos) == 1 else "were"


def _made(about: About) -> Iterator[str]:
    """Who made it, and what nobody says."""
    if told := about.lines():
        yield "## Who made it"
        yield "\n".join(f"- {word}: {said.markdown(text)}" for word, text in told)
    if missing := about.not_said():
        yield "## Not said"
        yield "\n".join(f"- {words}" for words in missing)


def _sources(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> Iterator[str]:
    """A section for each source: how it is searched, what its words mean, what it asks."""
    yield "## Sources"
    for place in origin.places(manifest, photos):
        yield f"### {said.markdown(place.title)}"
        yield "\n".join(
            f"- {word}: {said.address(text) if word == 'Home' else said.markdown(text)}"
            for word, text in place.facts()
        )
