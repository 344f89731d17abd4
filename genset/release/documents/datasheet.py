"""DATASHEET.md: the questions of a datasheet, answered by what is known.

Source: Gebru et al., "Datasheets for Datasets", Communications of the ACM, 2021.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.numbers import count
from genset.release.documents.about import NOT_STATED, About
from genset.release.documents.card import NEVER_CHANGES, limits, reasons
from genset.release.documents.classes import its_number, uses
from genset.release.documents.labels import agreement, annotation, labels_per_photo
from genset.release.documents.lineage import ORIGINAL_BYTES, changes, is_changed, lineage, raw_data
from genset.release.documents.origin import Place, collection, places, third_parties, timeframe
from genset.release.documents.rights import licenses_seen, persons, reserved
from genset.release.documents.words import choice_rule, line, markdown
from genset.release.reader import ReleasePhoto

_Answers = Iterator[tuple[str, str]]


def datasheet(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> str:
    """The questions and answers, in Markdown; "Not stated." where nobody says it."""
    about = About(manifest)
    sections = {
        "Motivation": _motivation(about, taxonomy),
        "Composition": _composition(manifest, photos, taxonomy),
        "Collection process": _collection(manifest, photos, about),
        "Preprocessing, cleaning, labeling": _labeling(manifest, photos),
        "Uses": _uses(manifest, photos, taxonomy),
        "Distribution": _distribution(manifest, photos, about),
        "Maintenance": _maintenance(about),
    }
    parts = [f"# Datasheet of {markdown(manifest['name'])}", _HEAD]
    for title, answers in sections.items():
        parts.append(f"## {title}")
        for question, answer in answers:
            parts += [f"**{question}**", markdown(answer)]
    return "\n\n".join(parts) + "\n"


_HEAD = (
    "The questions are those of Gebru et al., Datasheets for Datasets (2021). The answers are what "
    "the manifest knows, and what the maintainer says; where nobody says it, it says so."
)


def _motivation(about: About, taxonomy: Taxonomy) -> _Answers:
    yield "For what purpose was the dataset created?", uses(taxonomy)
    yield "Who created the dataset, and on behalf of which entity?", about.makers() or NOT_STATED
    yield "Who funded the creation of the dataset?", about.answer("funding")


def _composition(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> _Answers:
    excluded = "; ".join(reasons(manifest))
    known_limits = limits(manifest, photos)
    yield "What do the instances that comprise the dataset represent?", "Photos."
    yield (
        "How many instances are there in total?",
        f"{len(photos):,} photos of {len({photo.wnid for photo in photos}):,} classes.",
    )
    yield (
        "Does the dataset contain all possible instances or is it a sample?",
        " ".join(["A sample of the pool.", *lineage(manifest, photos), choice_rule(manifest)])
        + (f" Candidates that are not in it: {excluded}." if excluded else ""),
    )
    yield (
        "What data does each instance consist of?",
        f"The photo's {'' if is_changed(manifest) else 'original '}bytes, and a record: "
        "its source, owner, title, licence and dates as far as they are known, and its labels.",
    )
    yield (
        "Is there a label or target associated with each instance?",
        f"Yes: its class, by {'wnid' if taxonomy.is_imagenet else 'id'}, and its place among "
        f"{its_number(taxonomy)}. Labels by photo: {labels_per_photo(photos)}.",
    )
    yield "Is any information missing from individual instances?", _missing(photos)
    yield "Are relationships between individual instances made explicit?", _OWNERS
    yield "Are there recommended data splits?", "It is a test set as a whole."
    yield (
        "Are there any errors, sources of noise, or redundancies?",
        " ".join([agreement(manifest), *known_limits]),
    )
    yield (
        "Is the dataset self-contained, or does it link to external resources?",
        _addresses(photos),
    )
    yield "Does the dataset contain data that might be considered confidential?", NOT_STATED
    yield "Does it contain data that might be offensive, threatening or cause anxiety?", NOT_STATED
    yield "Does the dataset identify any subpopulations?", "No field of its records does."
    yield (
        "Is it possible to identify individuals?",
        " ".join(persons(manifest, photos, taxonomy)),
    )
    yield "Does the dataset contain data that might be considered sensitive?", NOT_STATED


_OWNERS = "Photos of one owner have the same owner in their records, where it is known."


def _missing(photos: Sequence[ReleasePhoto]) -> str:
    missing = {
        "title": sum(not photo.title for photo in photos),
        "owner": sum(not (photo.owner_name or photo.owner) for photo in photos),
        "day when it was taken": sum(not photo.taken_at for photo in photos),
        "page": sum(not photo.page_url for photo in photos),
        "label recorded with it": sum(not photo.labels for photo in photos),
    }
    parts = [f"no {what}: {count(n, 'photo')}" for what, n in missing.items() if n]
    return f"{'; '.join(parts)}." if parts else "No."


def _addresses(photos: Sequence[ReleasePhoto]) -> str:
    linked = sum(bool(photo.image_url) for photo in photos)
    return (
        "Self-contained where it has the photos' bytes. The manifest alone has an address for "
        f"{linked:,} of {len(photos):,} photos, which may go away, and the hash of each."
    )


def _collection(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], about: About
) -> _Answers:
    collected = " ".join(collection(manifest, photos))
    yield "How was the data associated with each instance acquired?", collected
    yield (
        "What mechanisms or procedures were used to collect the data?",
        " ".join(f"{place.title}: {place.words['found']}." for place in _searched(manifest, photos))
        or "How the photos were found is not stated.",
    )
    yield "If it is a sample, what was the sampling strategy?", choice_rule(manifest)
    yield (
        "Who was involved in the data collection process and how were they compensated?",
        f"{' '.join(annotation(manifest, photos))} Pay of labelers: {about.answer('labelers_pay')}",
    )
    yield "Over what timeframe was the data collected?", _timeframe(manifest, photos)
    yield "Were any ethical review processes conducted?", about.answer("ethics_review")
    yield (
        "Was it collected from the individuals directly, or via third parties?",
        " ".join(third_parties(manifest, photos)),
    )
    yield "Were the individuals in question notified about the data collection?", NOT_STATED
    yield "Did the individuals consent to the collection and use of their data?", NOT_STATED
    yield "Was there a mechanism to revoke consent?", NEVER_CHANGES
    yield "Has an analysis of the potential impact on data subjects been conducted?", NOT_STATED


def _searched(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> Iterator[Place]:
    return (
        place for place in places(manifest, photos) if place.found and place.words.get("found", "")
    )


def _timeframe(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> str:
    return "; ".join(timeframe(manifest, photos)) or NOT_STATED


def _labeling(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> _Answers:
    yield (
        "Was any preprocessing, cleaning or labeling of the data done?",
        f"{changes(manifest) or f'Photos {ORIGINAL_BYTES}.'} "
        f"{' '.join(annotation(manifest, photos))}",
    )
    yield "Was the raw data saved in addition?", raw_data(manifest)
    yield (
        "Is the software that was used available?",
        f"genset {line(manifest.get('genset', ''))} chose and froze the photos.",
    )


def _uses(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], taxonomy: Taxonomy
) -> _Answers:
    yield "Has the dataset been used for any tasks already?", NOT_STATED
    yield "Is there a repository that links to papers or systems that use it?", NOT_STATED
    yield "What other tasks could the dataset be used for?", NOT_STATED
    yield (
        "Is there anything about it that might impact future uses?",
        " ".join(limits(manifest, photos)),
    )
    yield "Are there tasks for which the dataset should not be used?", uses(taxonomy)


def _distribution(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], about: About
) -> _Answers:
    yield "Will the dataset be distributed to third parties?", about.answer("hosting")
    doi = about.word("doi")
    yield "How will it be distributed? Does it have a DOI?", f"DOI: {doi}" if doi else NOT_STATED
    yield "When will the dataset be distributed?", NOT_STATED
    yield (
        "Under which licence or terms of use will it be distributed?",
        f"Labels and documents: {about.answer('license').rstrip('.')}. Each photo is under its own "
        "licence, which its record names; LICENSES.txt counts them."
        + "".join(f" {sentence}" for sentence in licenses_seen(manifest, photos)),
    )
    yield (
        "Have third parties imposed restrictions on the data?",
        reserved(photos) or "Those of each photo's licence: see LICENSES.txt.",
    )
    yield "Do export controls or other regulatory restrictions apply?", NOT_STATED


def _maintenance(about: About) -> _Answers:
    yield (
        "Who will be supporting, hosting and maintaining the dataset?",
        about.answer("maintenance"),
    )
    yield "How can the owner or manager of the dataset be contacted?", about.contact or NOT_STATED
    yield "Is there an erratum?", NOT_STATED
    yield "Will the dataset be updated?", NEVER_CHANGES
    yield "Are there limits on the retention of data that relate to people?", NOT_STATED
    yield "Will older versions continue to be supported?", NOT_STATED
    yield (
        "Can others extend, augment, build on or contribute to the dataset?",
        NOT_STATED,
    )
