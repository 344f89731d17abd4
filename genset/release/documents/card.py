"""DATA_CARD.md: what somebody should know before they use or cite a release."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.numbers import count
from genset.release.documents.labels import (
    agreement,
    annotation,
    answer_rule,
    has_answers,
    label_limits,
    labels_per_photo,
    questions,
    suggestion,
)
from genset.release.documents.provenance import (
    biases,
    changes,
    collection,
    part_of,
    places,
    removed_files,
    replaced,
    unseen,
)
from genset.release.documents.rights import by_license, licenses_seen, persons, reserved
from genset.release.documents.tables import its_classes, uses
from genset.release.documents.words import (
    NOT_STATED,
    About,
    choice_rule,
    fact,
    line,
    linked,
    markdown,
)
from genset.release.reader import ReleasePhoto

_LISTED = 200  # classes without a photo; of more, the manifest says which there are

NEVER_CHANGES = (
    "The release never changes. Photos that are taken out are missing from a new version "
    "(genset release takedown), which names their files: scores on the two differ."
)


def data_card(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> str:
    """The card, in Markdown; it has no words of strangers but sources' and licences' names."""
    about = About(manifest)
    classes = len({photo.wnid for photo in photos})
    parts = [
        f"# {markdown(manifest['name'])}",
        *([markdown(about.title)] if about.title else []),
        markdown(
            f"A frozen test set: {count(len(photos), 'photo')} of {classes:,} of "
            f"{its_classes(taxonomy)}, made on {line(manifest['created_at'])} with genset "
            f"{line(manifest.get('genset', ''))}."
        ),
        f"Content: `{line(manifest['content_hash'])}`. Cite it with this hash; "
        "`genset release verify` checks it in the release's folder.",
        *map(markdown, part_of(manifest, photos)),
        "## How it was collected",
        *map(markdown, collection(manifest, photos)),
        *map(markdown, unseen(manifest, photos)),
        "## How it was labeled",
        *map(markdown, annotation(manifest, photos)),
        markdown(agreement(manifest)),
        markdown(f"Labels recorded with the photos: {labels_per_photo(photos)}."),
        *_several(manifest, photos),
        "## How it was chosen",
        markdown(choice_rule(manifest)),
        *_excluded(manifest),
        *_replaced(manifest),
        *_changed(manifest),
        "## Classes",
        *map(markdown, coverage(photos, taxonomy)),
        *_short(manifest),
        "## Uses",
        markdown(uses(taxonomy)),
        "## Known limits",
        _listed(limits(manifest, photos)),
        "## Persons",
        *map(markdown, persons(manifest, photos, taxonomy)),
        "## Licences",
        "\n".join(by_license(photos)),
        *([markdown(reserved(photos))] if reserved(photos) else []),
        *map(markdown, licenses_seen(manifest, photos)),
        "ATTRIBUTION.txt credits each photo; LICENSES.txt has the licences' addresses.",
        *_made(about),
        "## Contact and maintenance",
        f"Contact: {markdown(about.contact or NOT_STATED)}",
        NEVER_CHANGES,
        f"Plan: {markdown(about.answer('maintenance'))}",
        *_sources(manifest, photos),
    ]
    return "\n\n".join(parts) + "\n"


def limits(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """What a release cannot tell, as sentences."""
    return [*biases(manifest, photos), *label_limits(manifest, photos)]


def coverage(photos: Sequence[ReleasePhoto], taxonomy: Taxonomy) -> list[str]:
    """How many photos classes have, as sentences."""
    sizes = Counter(photo.wnid for photo in photos)
    by_size = sorted(Counter(sizes.values()).items(), reverse=True)
    missing = [cls.wnid for cls in taxonomy if cls.wnid not in sizes]
    parts = ["; ".join(f"{count(n, 'class', 'classes')} with {size:,}" for size, n in by_size)]
    place = f"classes.csv has each class's place among the {len(taxonomy):,}."
    parts = [f"Photos by class: {parts[0]}. {place}"]
    if missing:
        named = f": {', '.join(missing)}" if len(missing) <= _LISTED else ""
        parts.append(f"{count(len(missing), 'class', 'classes')} without a photo{named}.")
    return parts


def _listed(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {markdown(sentence)}" for sentence in sentences)


def _several(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    if not has_answers(manifest):
        return []
    sentences = (*questions(manifest, photos), suggestion(manifest), answer_rule(manifest))
    return ["## More than one right answer", *map(markdown, sentences)]


def _excluded(manifest: Mapping[str, Any]) -> list[str]:
    excluded = fact(manifest, "excluded", dict)
    if not excluded:
        return []
    return ["Candidates that are not in it:", _listed(reasons(manifest))]


def reasons(manifest: Mapping[str, Any]) -> list[str]:
    """Why candidates were left out, and how many for each reason."""
    excluded = fact(manifest, "excluded", dict) or {}
    return [f"{line(reason)} ({line(number)})" for reason, number in excluded.items()]


def _short(manifest: Mapping[str, Any]) -> list[str]:
    """The classes that have fewer photos than were asked for, and how many each lacks."""
    short = fact(manifest, "short", dict) or {}
    if not short:
        return []
    listed = ", ".join(f"{line(wnid)} ({line(lack)})" for wnid, lack in short.items())
    named = f"; what each lacks: {listed}" if len(short) <= _LISTED else ""
    words = f"{count(len(short), 'class', 'classes')} with fewer photos than were asked for{named}."
    return [markdown(words)]


def _changed(manifest: Mapping[str, Any]) -> list[str]:
    sentences = changes(manifest)
    return ["## Changed photos", markdown(sentences)] if sentences else []


def _replaced(manifest: Mapping[str, Any]) -> list[str]:
    files = removed_files(manifest)
    if not files:
        return []
    sentences = map(markdown, replaced(manifest))
    return [*sentences, "Taken out:", "\n".join(f"- `{file}`" for file in files)]


def _made(about: About) -> Iterator[str]:
    """Who made it, and what nobody says."""
    if lines := about.lines():
        yield "## Who made it"
        yield "\n".join(f"- {word}: {linked(text)}" for word, text in lines)
    if missing := about.not_stated():
        yield "## Not stated"
        yield "\n".join(f"- {words}" for words in missing)


def _sources(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> Iterator[str]:
    """A section for each source: how it is searched, what its words mean, what it asks."""
    yield "## Sources"
    for place in places(manifest, photos):
        yield f"### {markdown(place.title)}"
        yield "\n".join(f"- {word}: {linked(text)}" for word, text in place.facts())
