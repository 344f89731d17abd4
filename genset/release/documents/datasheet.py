"""DATASHEET.md: the questions of a datasheet, answered by what is known.

Source: Gebru et al., "Datasheets for Datasets", Communications of the ACM, 2021.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.numbers import count
from genset.release.documents.card import NEVER_CHANGES, limits, reasons
from genset.release.documents.labels import agreement, annotation, has_answers, labels_per_photo
from genset.release.documents.provenance import (
    ORIGINAL_BYTES,
    changes,
    collection,
    collection_days,
    is_changed,
    lineage,
    places,
    raw_data,
    titles,
)
from genset.release.documents.rights import licenses_seen, persons, reserved
from genset.release.documents.tables import contents
from genset.release.documents.words import About, bullets, choice_rule, line, linked, markdown
from genset.release.reader import ReleasePhoto
from genset.settings import DATASHEET

_Facts = Mapping[str, Any]
_Photos = Sequence[ReleasePhoto]
_NAMED = 10  # classes

_HEAD = (
    "The questions are those of Gebru et al., Datasheets for Datasets (2021). The answers are what "
    "the manifest knows, and after it what the maintainer says."
)

# Each question behind its key in ``[dataset]``, or in its table `datasheet` (`DATASHEET`).
_QUESTIONS = """\
## Motivation
purpose: For what purpose was the dataset created?
authors: Who created the dataset, and on behalf of which entity?
funding: Who funded the creation of the dataset?
motivation: Any other comments on its motivation?
## Composition
instances: What do the instances that comprise the dataset represent?
number: How many instances are there in total?
sample: Does the dataset contain all possible instances or is it a sample?
content: What data does each instance consist of?
targets: Is there a label or target associated with each instance?
missing: Is any information missing from individual instances?
relationships: Are relationships between individual instances made explicit?
splits: Are there recommended data splits?
noise: Are there any errors, sources of noise, or redundancies?
self_contained: Is the dataset self-contained, or does it link to external resources?
confidential: Does the dataset contain data that might be considered confidential?
offensive: Does it contain data that might be offensive, threatening or cause anxiety?
subpopulations: Does the dataset identify any subpopulations?
individuals: Is it possible to identify individuals?
sensitive: Does the dataset contain data that might be considered sensitive?
composition: Any other comments on its composition?
## Collection process
acquired: How was the data associated with each instance acquired?
mechanisms: What mechanisms or procedures were used to collect the data?
sampling: If it is a sample, what was the sampling strategy?
involved: Who was involved in the data collection process and how were they compensated?
timeframe: Over what timeframe was the data collected?
ethics_review: Were any ethical review processes conducted?
third_parties: Was it collected from the individuals directly, or via third parties?
notified: Were the individuals in question notified about the data collection?
consent: Did the individuals consent to the collection and use of their data?
revoked: Was there a mechanism to revoke consent?
impact: Has an analysis of the potential impact on data subjects been conducted?
collection: Any other comments on its collection?
## Preprocessing, cleaning, labeling
processing: Was any preprocessing, cleaning or labeling of the data done?
raw_data: Was the raw data saved in addition?
software: Is the software that was used available?
preprocessing: Any other comments on its preprocessing?
## Uses
used: Has the dataset been used for any tasks already?
papers: Is there a repository that links to papers or systems that use it?
other_uses: What other tasks could the dataset be used for?
future_uses: Is there anything about it that might impact future uses?
unfit_uses: Are there tasks for which the dataset should not be used?
uses: Any other comments on its uses?
## Distribution
recipients: Will the dataset be distributed to third parties?
hosting: How will it be distributed? Does it have a DOI?
date: When will the dataset be distributed?
terms: Under which licence or terms of use will it be distributed?
restrictions: Have third parties imposed restrictions on the data?
export_controls: Do export controls or other regulatory restrictions apply?
distribution: Any other comments on its distribution?
## Maintenance
maintenance: Who will be supporting, hosting and maintaining the dataset?
contact: How can the owner or manager of the dataset be contacted?
erratum: Is there an erratum?
updates: Will the dataset be updated?
retention: Are there limits on the retention of data that relate to people?
older_versions: Will older versions continue to be supported?
contributions: Can others extend, augment, build on or contribute to the dataset?
"""


def datasheet(manifest: _Facts, photos: _Photos, taxonomy: Taxonomy) -> str:
    """The questions that have answers, and a list of the others, in Markdown."""
    about = About(manifest)
    license = about.word("license")
    terms = [
        *([f"Labels and documents: {license.rstrip('.')}."] if license else []),
        "Each photo is under its own licence, which its record names; LICENSES.txt counts them.",
        *licenses_seen(manifest, photos),
    ]
    known = {
        "authors": markdown(about.makers()),
        "updates": NEVER_CHANGES,
        **{name: linked(about.word(name)) for name in ("funding", "ethics_review")},
        "maintenance": "; ".join(about.lines("hosting", "contact", "maintenance")),
        "contact": linked(about.contact),
        **_composition(manifest, photos, taxonomy),
        **_collection(manifest, photos, about),
        "hosting": "; ".join(about.lines("hosting", "doi")),
        "terms": markdown(" ".join(terms)),
        "restrictions": markdown(reserved(photos))
        or "Those of each photo's licence: see LICENSES.txt.",
    }
    parts, missing = [f"# Datasheet of {markdown(manifest['name'])}", _HEAD], []
    for row in _QUESTIONS.splitlines():
        key, _, question = row.partition(": ")
        answer = f"{known.get(key, '')} {linked(about.answers.get(key, ''))}".strip()
        if not question:
            parts = [*(parts[:-1] if parts[-1].startswith("## ") else parts), row]
        elif answer:
            parts += [f"**{question}**", answer]
        elif not question.startswith("Any other"):
            table = "dataset.datasheet" if key in DATASHEET else "dataset"
            missing.append(f"{question} (`{table}.{key}`)")
    if missing:
        lead = "Nobody answers these; the maintainer can, in genset.toml, by the key behind each:"
        parts += ["## Not stated", bullets(missing, lead)]
    return "\n\n".join(parts) + "\n"


def _composition(manifest: _Facts, photos: _Photos, taxonomy: Taxonomy) -> dict[str, str]:
    origin, excluded = lineage(manifest, photos), "; ".join(reasons(manifest))
    sample = "" if origin or has_answers(manifest) else "All candidates of the pool."
    sample = "A sample of the pool's candidates." if excluded else sample
    excluded_words = f"Candidates that are not in it: {excluded}." if excluded else ""
    addresses = sum(bool(photo.image_url) for photo in photos)
    classes = sorted({photo.wnid for photo in photos})
    names = ", ".join(taxonomy[wnid].name for wnid in classes)
    names = names if len(classes) <= _NAMED else count(len(classes), "class", "classes")
    missing = {
        "title": sum(not photo.title for photo in photos),
        "owner": sum(not (photo.owner_name or photo.owner) for photo in photos),
        "day when it was taken": sum(not photo.taken_at for photo in photos),
        "page": sum(not photo.page_url for photo in photos),
        "label recorded with it": sum(not photo.labels for photo in photos),
    }
    parts = [f"no {what} ({count(n, 'photo')})" for what, n in missing.items() if n]
    known = {
        "instances": f"Photos of {names}, from {titles(places(manifest, photos))}.",
        "number": f"{contents(photos, taxonomy)}.",
        "sample": " ".join(filter(None, [sample, *origin, choice_rule(manifest), excluded_words])),
        "content": f"The photo's {'' if is_changed(manifest) else 'original '}bytes, and a record: "
        "its source, owner, title, licence and dates as far as they are known, and its labels.",
        "targets": f"Yes: its class, by {'wnid' if taxonomy.is_imagenet else 'id'}, with the "
        f"class's index in classes.csv; and {labels_per_photo(photos)}.",
        "missing": f"Yes: {'; '.join(parts)}." if parts else "No.",
        "relationships": "Photos of one owner have the same owner in their records, where it is "
        "known.",
        "splits": "It is a test set as a whole.",
        "noise": " ".join(filter(None, [agreement(manifest, photos), *limits(manifest, photos)])),
        "self_contained": "A copy with the photos' files is. The manifest alone has the hash of "
        "each photo, "
        + (
            f"and of {addresses:,} an address from which the photo may go away."
            if addresses
            else "and no address from which photos can be downloaded."
        ),
        "subpopulations": "No field of its records does.",
        "individuals": " ".join(persons(manifest, photos, taxonomy)),
    }
    return {name: markdown(words) for name, words in known.items()}


def _collection(manifest: _Facts, photos: _Photos, about: About) -> dict[str, str]:
    searched = [
        f"{place.title}: {place.words['found']}."
        for place in places(manifest, photos)
        if place.found and place.words.get("found", "")
    ]
    posted = titles([p for p in places(manifest, photos) if p.found or p.imported])
    labeled = annotation(manifest, photos)
    people = "; ".join(about.lines("labelers", "labelers_pay"))
    known = {
        "acquired": collection(manifest, photos),
        "mechanisms": searched,
        "sampling": [choice_rule(manifest)],
        "timeframe": [" to ".join(collection_days(manifest, photos))],
        "third_parties": [f"Via {posted}, where people had posted the photos."] * bool(posted),
        "processing": [changes(manifest, len(photos)) or f"Photos {ORIGINAL_BYTES}.", *labeled],
        "raw_data": [raw_data(manifest)],
        "software": [f"genset {line(manifest.get('genset', ''))} chose and froze the photos."],
    }
    request = f"Write to {about.contact}: the next version is without photos that are taken out."
    return {name: markdown(" ".join(words)) for name, words in known.items()} | {
        "involved": f"{markdown(labeled[0])} {people}".strip(),
        "revoked": linked(request) if about.contact else "",
    }
