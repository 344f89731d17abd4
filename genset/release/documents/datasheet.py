"""DATASHEET.md: the questions of a datasheet, answered by what is known.

Source: Gebru et al., "Datasheets for Datasets", Communications of the ACM, 2021.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.numbers import count
from genset.release.documents.card import NEVER_CHANGES, limits, reasons
from genset.release.documents.labels import agreement, annotation, labels_per_photo
from genset.release.documents.provenance import (
    ORIGINAL_BYTES,
    changes,
    collection,
    is_changed,
    lineage,
    places,
    raw_data,
    third_parties,
    timeframe,
)
from genset.release.documents.rights import licenses_seen, persons, reserved
from genset.release.documents.tables import its_number, uses
from genset.release.documents.words import NOT_STATED, About, choice_rule, line, markdown
from genset.release.reader import ReleasePhoto

_Facts = Mapping[str, Any]
_Photos = Sequence[ReleasePhoto]

_HEAD = (
    "The questions are those of Gebru et al., Datasheets for Datasets (2021). The answers are what "
    "the manifest knows, and what the maintainer says; where nobody says it, it says so."
)


def datasheet(manifest: _Facts, photos: _Photos, taxonomy: Taxonomy) -> str:
    """The questions and answers, in Markdown; "Not stated." where nobody says it."""
    about = About(manifest)
    sections = {
        "Motivation": {
            "For what purpose was the dataset created?": uses(taxonomy),
            "Who created the dataset, and on behalf of which entity?": about.makers() or NOT_STATED,
            "Who funded the creation of the dataset?": about.answer("funding"),
        },
        "Composition": _composition(manifest, photos, taxonomy),
        "Collection process": _collection(manifest, photos, about),
        "Preprocessing, cleaning, labeling": _labeling(manifest, photos),
        "Uses": {
            "Has the dataset been used for any tasks already?": NOT_STATED,
            "Is there a repository that links to papers or systems that use it?": NOT_STATED,
            "What other tasks could the dataset be used for?": NOT_STATED,
            "Is there anything about it that might impact future uses?": " ".join(
                limits(manifest, photos)
            ),
            "Are there tasks for which the dataset should not be used?": uses(taxonomy),
        },
        "Distribution": _distribution(manifest, photos, about),
        "Maintenance": {
            "Who will be supporting, hosting and maintaining the dataset?": about.answer(
                "maintenance"
            ),
            "How can the owner or manager of the dataset be contacted?": about.contact
            or NOT_STATED,
            "Is there an erratum?": NOT_STATED,
            "Will the dataset be updated?": NEVER_CHANGES,
            "Are there limits on the retention of data that relate to people?": NOT_STATED,
            "Will older versions continue to be supported?": NOT_STATED,
            "Can others extend, augment, build on or contribute to the dataset?": NOT_STATED,
        },
    }
    parts = [f"# Datasheet of {markdown(manifest['name'])}", _HEAD]
    for title, answers in sections.items():
        parts.append(f"## {title}")
        for question, answer in answers.items():
            parts += [f"**{question}**", markdown(answer)]
    return "\n\n".join(parts) + "\n"


def _composition(manifest: _Facts, photos: _Photos, taxonomy: Taxonomy) -> dict[str, str]:
    excluded = "; ".join(reasons(manifest))
    sample = " ".join(["A sample of the pool.", *lineage(manifest, photos), choice_rule(manifest)])
    linked = sum(bool(photo.image_url) for photo in photos)
    return {
        "What do the instances that comprise the dataset represent?": "Photos.",
        "How many instances are there in total?": f"{len(photos):,} photos of "
        f"{len({photo.wnid for photo in photos}):,} classes.",
        "Does the dataset contain all possible instances or is it a sample?": sample
        + (f" Candidates that are not in it: {excluded}." if excluded else ""),
        "What data does each instance consist of?": "The photo's "
        f"{'' if is_changed(manifest) else 'original '}bytes, and a record: its source, owner, "
        "title, licence and dates as far as they are known, and its labels.",
        "Is there a label or target associated with each instance?": "Yes: its class, by "
        f"{'wnid' if taxonomy.is_imagenet else 'id'}, and its place among {its_number(taxonomy)}. "
        f"Labels by photo: {labels_per_photo(photos)}.",
        "Is any information missing from individual instances?": _missing(photos),
        "Are relationships between individual instances made explicit?": "Photos of one owner have "
        "the same owner in their records, where it is known.",
        "Are there recommended data splits?": "It is a test set as a whole.",
        "Are there any errors, sources of noise, or redundancies?": " ".join(
            [agreement(manifest), *limits(manifest, photos)]
        ),
        "Is the dataset self-contained, or does it link to external resources?": "Self-contained "
        "where it has the photos' bytes. The manifest alone has an address for "
        f"{linked:,} of {len(photos):,} photos, which may go away, and the hash of each.",
        "Does the dataset contain data that might be considered confidential?": NOT_STATED,
        "Does it contain data that might be offensive, threatening or cause anxiety?": NOT_STATED,
        "Does the dataset identify any subpopulations?": "No field of its records does.",
        "Is it possible to identify individuals?": " ".join(persons(manifest, photos, taxonomy)),
        "Does the dataset contain data that might be considered sensitive?": NOT_STATED,
    }


def _missing(photos: _Photos) -> str:
    missing = {
        "title": sum(not photo.title for photo in photos),
        "owner": sum(not (photo.owner_name or photo.owner) for photo in photos),
        "day when it was taken": sum(not photo.taken_at for photo in photos),
        "page": sum(not photo.page_url for photo in photos),
        "label recorded with it": sum(not photo.labels for photo in photos),
    }
    parts = [f"no {what}: {count(n, 'photo')}" for what, n in missing.items() if n]
    return f"{'; '.join(parts)}." if parts else "No."


def _collection(manifest: _Facts, photos: _Photos, about: About) -> dict[str, str]:
    searched = [
        f"{place.title}: {place.words['found']}."
        for place in places(manifest, photos)
        if place.found and place.words.get("found", "")
    ]
    return {
        "How was the data associated with each instance acquired?": " ".join(
            collection(manifest, photos)
        ),
        "What mechanisms or procedures were used to collect the data?": " ".join(searched)
        or "How the photos were found is not stated.",
        "If it is a sample, what was the sampling strategy?": choice_rule(manifest),
        "Who was involved in the data collection process and how were they compensated?": " ".join(
            [*annotation(manifest, photos), f"Pay of labelers: {about.answer('labelers_pay')}"]
        ),
        "Over what timeframe was the data collected?": "; ".join(timeframe(manifest, photos))
        or NOT_STATED,
        "Were any ethical review processes conducted?": about.answer("ethics_review"),
        "Was it collected from the individuals directly, or via third parties?": " ".join(
            third_parties(manifest, photos)
        ),
        "Were the individuals in question notified about the data collection?": NOT_STATED,
        "Did the individuals consent to the collection and use of their data?": NOT_STATED,
        "Was there a mechanism to revoke consent?": NEVER_CHANGES,
        "Has an analysis of the potential impact on data subjects been conducted?": NOT_STATED,
    }


def _labeling(manifest: _Facts, photos: _Photos) -> dict[str, str]:
    done = [changes(manifest) or f"Photos {ORIGINAL_BYTES}.", *annotation(manifest, photos)]
    return {
        "Was any preprocessing, cleaning or labeling of the data done?": " ".join(done),
        "Was the raw data saved in addition?": raw_data(manifest),
        "Is the software that was used available?": f"genset {line(manifest.get('genset', ''))} "
        "chose and froze the photos.",
    }


def _distribution(manifest: _Facts, photos: _Photos, about: About) -> dict[str, str]:
    doi = about.word("doi")
    terms = [
        f"Labels and documents: {about.answer('license').rstrip('.')}. Each photo is under its own "
        "licence, which its record names; LICENSES.txt counts them.",
        *licenses_seen(manifest, photos),
    ]
    return {
        "Will the dataset be distributed to third parties?": about.answer("hosting"),
        "How will it be distributed? Does it have a DOI?": f"DOI: {doi}" if doi else NOT_STATED,
        "When will the dataset be distributed?": NOT_STATED,
        "Under which licence or terms of use will it be distributed?": " ".join(terms),
        "Have third parties imposed restrictions on the data?": reserved(photos)
        or "Those of each photo's licence: see LICENSES.txt.",
        "Do export controls or other regulatory restrictions apply?": NOT_STATED,
    }
