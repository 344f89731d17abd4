"""DATA_CARD.md: what somebody should know before they use or cite a release."""

from collections import Counter
from collections.abc import Mapping, Sequence
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
    whole,
)
from genset.release.documents.rights import by_license, licenses_seen, persons, reserved
from genset.release.documents.tables import contents, its_classes
from genset.release.documents.words import (
    About,
    address,
    bullets,
    choice_rule,
    coverage,
    fact,
    filled,
    line,
    linked,
    markdown,
    paragraphs,
)
from genset.release.reader import ReleasePhoto
from genset.settings import TOPICS

_LISTED = 200  # classes without a photo; of more, the manifest says which there are

NEVER_CHANGES = (
    "The release never changes. Photos that are taken out are missing from a new version "
    "(genset release takedown), which names their files: scores on the two differ."
)

_CARD = """\
# {name}

{title}

{summary}

Content: `{content_hash}`. Cite it with this hash; `genset release verify FOLDER` checks a copy.

{part}

## How it was collected

{collection}

## How it was labeled

{labeling}

## More than one right answer

{several}

## How it was chosen

{choice}

{excluded}

{replaced}

## Changed photos

{changes}

## Classes

{classes}

## Uses

{uses}

## Known limits

{limits}

## Persons

{persons}

## Licences

{licenses}

{rights}

This copy's ATTRIBUTION.txt credits each photo; LICENSES.txt has the licences' addresses.

## Who made it

{makers}

## Not stated

{missing}

## Versions

{versions}

## Sources

{sources}
"""


def data_card(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> str:
    """The card, in Markdown; it has no words of strangers but sources' and licences' names."""
    about = About(manifest)
    several = [*questions(manifest, photos), suggestion(manifest), answer_rule(manifest)]
    recorded = f"Labels recorded with the photos: {labels_per_photo(photos)}."
    labels = [*annotation(manifest, photos), agreement(manifest, photos), recorded]
    made = "the whole was made" if whole(manifest) else "made"
    data = {
        "name": markdown(manifest["name"]),
        "title": linked(about.title),
        "summary": markdown(
            f"A frozen test set: {contents(photos, taxonomy)}; {made} on "
            f"{line(manifest['created_at'])} with genset {line(manifest.get('genset', ''))}."
        ),
        "content_hash": line(manifest["content_hash"]),
        "part": paragraphs(part_of(manifest, photos)),
        "collection": paragraphs([*collection(manifest, photos), *unseen(manifest, photos)]),
        "labeling": paragraphs(labels),
        "several": paragraphs(several) if has_answers(manifest) else "",
        "choice": markdown(choice_rule(manifest)),
        "excluded": bullets(map(markdown, reasons(manifest)), "Candidates that are not in it:"),
        "replaced": bullets(
            (f"`{file}`" for file in removed_files(manifest)),
            paragraphs([*replaced(manifest), "Taken out:"]),
        ),
        "changes": markdown(changes(manifest, len(photos))),
        "classes": paragraphs([*_by_class(manifest, photos, taxonomy), _short(manifest)]),
        "uses": linked(about.uses()),
        "limits": bullets(map(markdown, limits(manifest, photos))),
        "persons": paragraphs(persons(manifest, photos, taxonomy)),
        "licenses": "\n".join(by_license(photos)),
        "rights": paragraphs([reserved(photos), *licenses_seen(manifest, photos)]),
        "makers": bullets(about.lines(*(name for name in TOPICS if name != "biases"))),
        "missing": bullets(about.not_stated().values()),
        "versions": NEVER_CHANGES,
        "sources": _sources(manifest, photos),
    }
    return filled(_CARD, data)


def limits(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """What a release cannot tell, as sentences."""
    return [*biases(manifest, photos), *label_limits(manifest, photos)]


def _by_class(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> list[str]:
    """How many photos classes have, as sentences."""
    chosen = fact(manifest, "chosen_classes", list) or [cls.wnid for cls in taxonomy]
    sizes = Counter(photo.wnid for photo in photos)
    by_size = sorted(Counter(sizes.values()).items(), reverse=True)
    missing = [wnid for wnid in chosen if wnid not in sizes]
    parts = "; ".join(
        f"{count(n, 'class has', 'classes have')} {count(size, 'photo')}{' each' * (n > 1)}"
        for size, n in by_size
    )
    found = [f"{parts}. classes.csv lists {its_classes(taxonomy)}."]
    if len(chosen) < len(taxonomy):
        found.append(f"{coverage(len(sizes), len(chosen), len(taxonomy))}.")
    if missing:
        named = f": {', '.join(map(line, missing))}" if len(missing) <= _LISTED else ""
        found.append(f"{count(len(missing), 'class', 'classes')} without a photo{named}.")
    return found


def reasons(manifest: Mapping[str, Any]) -> list[str]:
    """Why candidates were left out, and how many for each reason."""
    excluded = fact(manifest, "excluded", dict) or {}
    return [f"{line(reason)} ({line(number)})" for reason, number in excluded.items()]


def _short(manifest: Mapping[str, Any]) -> str:
    """The classes that have fewer photos than were asked for, and how many each lacks."""
    short = fact(manifest, "short", dict)
    if not short:
        return ""
    listed = ", ".join(f"{line(wnid)} ({line(lack)})" for wnid, lack in short.items())
    named = f"; what each lacks: {listed}" if len(short) <= _LISTED else ""
    return f"{count(len(short), 'class', 'classes')} with fewer photos than were asked for{named}."


def _sources(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    """How each source is searched, what its words mean, what it asks."""
    return "\n\n".join(
        bullets(
            (f"{word}: {address(text) or markdown(text)}" for word, text in place.facts()),
            f"### {markdown(place.title)}",
        )
        for place in places(manifest, photos)
    )
