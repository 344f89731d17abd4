"""croissant.json: the release for machines, with what responsible AI asks to be told.

Source: Croissant 1.1 and Croissant RAI 1.0 of MLCommons; the fields of the latter are at least
those that NeurIPS 2026 asks of data sets. They say what the card and the datasheet say.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.safe import web_link
from genset.release.documents.card import NEVER_CHANGES, limits
from genset.release.documents.citation import Citation, bibtex
from genset.release.documents.labels import (
    agreement,
    annotation,
    answers_protocol,
    labels_per_photo,
)
from genset.release.documents.provenance import (
    ORIGINAL_BYTES,
    Place,
    biases,
    changes,
    collection,
    collection_days,
    lineage,
    places,
    raw_data,
    unseen,
)
from genset.release.documents.rights import persons
from genset.release.documents.tables import columns, contents, its_classes
from genset.release.documents.words import About, choice_rule, fact, line
from genset.release.reader import LISTS, PHOTOS, ReleasePhoto

_NUMBERS = dict.fromkeys(("label", "width", "height", "rank"), "sc:Integer")
_NUMBERS |= dict.fromkeys(("selection_frequency", "confidence"), "sc:Float")


_MEANINGS = {
    "file_name": "The photo's file, in the folder of its class.",
    "label": "The place of the class among ImageNet's 1,000 wnids in order, from 0.",
    "wnid": "The class: a noun's offset in WordNet 3.0.",
    "sha256": "SHA-256 of the photo's file, as 64 hexadecimal digits.",
    "width": "Pixels of a row, as the file stores them.",
    "height": "Rows of pixels, as the file stores them.",
    "source": "The site or the folder that the photo is from.",
    "source_id": "The photo's id at its source; of a photo from a folder, digits of its hash.",
    "page_url": "Address of the page that shows the photo at its source; empty for none.",
    "owner_name": "Whom to credit, as the source names them; empty where that is not known.",
    "license": "The licence, as its source calls it.",
    "license_url": "Address of the licence's text; empty for none.",
    "labels": "How many labelers gave which verdict, as JSON.",
    "selection_frequency": "Share of labelers who said that the photo shows the class, 0 to 1.",
    "rank": "Its place in the results of the search that found it, from 1: by relevance, where its "
    "source has such an order. The second search for photos posted since ranks from 1,000,001.",
    "keyword": "What was searched for; empty where nothing was.",
    "confidence": "How sure the method that brought the votes together is that the photo shows the "
    "class, 0 to 1; empty where a ruling decided.",
    "license_id": "The SPDX id of its licence; LicenseRef- and its name where SPDX lists none.",
    "taken_at": "When it was taken, by the camera's clock; empty where that is not known.",
    "posted_at": "When it was posted at its source, in UTC; of a photo from a folder, the day that "
    "whoever added it gave, or that of adding.",
    "labels_correct": "The wnids of all classes that are right answers, its own first.",
    "labels_unclear": "The wnids of classes of which the votes do not tell whether it shows them.",
    "labels_wrong": "The wnids of classes that it does not show.",
    "label_votes": "How many labelers gave which verdict on each of these classes, as JSON.",
    "label_rulings": "What a reviewer ruled of them, as JSON.",
    "label_proposers": "Who proposed to ask about them, as JSON: models, confusable, random, "
    "labeler; search or added where the photo is a candidate of that class, too.",
    "unseen": "On which ground it counts as unseen: taken (since the day from which photos count "
    "as unseen, so it was nowhere before), posted (at its source since, and it may have been "
    "elsewhere before) or none.",
}


# The standard's own, with the names of provenance.
_CROISSANT_WORDS = (
    "citeAs column equivalentProperty extract field fileProperty fileObject fileSet format "
    "includes isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated "
    "replace samplingRate separator source subField transform"
)


CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{word: f"cr:{word}" for word in _CROISSANT_WORDS.split()},
}


def croissant(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], table: str, taxonomy: Taxonomy
) -> str:
    """The document, as JSON-LD; `table` is the text of metadata.csv."""
    about = About(manifest)
    cited = Citation.of(manifest, len(photos))
    document: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": about.title or cited.name,
        **({"alternateName": cited.name} if about.title else {}),
        "description": " ".join(
            (
                *([f"{about.title}, release {cited.name}."] if about.title else []),
                f"A frozen test set for image classifiers, with its labels: "
                f"{contents(photos, taxonomy)}.",
                *lineage(manifest, photos),
            )
        ),
        "url": cited.url or f"urn:{cited.content_hash}",
        "identifier": cited.content_hash,
        "version": version(cited.name),
        "datePublished": cited.created_at,
        **_creators(about),
        "citeAs": bibtex(cited),
        "license": sorted({web_link(photo.license_url) or photo.license_id for photo in photos}),
        "keywords": list(cited.keywords),
        **({"sameAs": f"https://doi.org/{cited.doi}"} if cited.doi else {}),
        **_whole(manifest),
        **_responsible(manifest, photos, about, taxonomy),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "metadata.csv",
                "name": "metadata.csv",
                "description": "A row for each photo.",
                "contentUrl": f"{PHOTOS}/metadata.csv",
                "encodingFormat": "text/csv",
                "sha256": hashlib.sha256(table.encode()).hexdigest(),
            },
            *files(photos, taxonomy),
        ],
        "recordSet": [records(manifest, taxonomy), *pictures(photos)],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def of_export(text: str, table: str, includes: str, encoding: str) -> str:
    """The same of an export, whose photos lie in other files.

    Args:
        text: that of the release.
        table: where metadata.csv is, from there on.
        includes: the files that have the photos.
        encoding: their type.
    """
    document = json.loads(text)
    document["distribution"] = [
        {**document["distribution"][0], "contentUrl": table},
        {
            "@type": "cr:FileSet",
            "@id": "photos",
            "name": "photos",
            "description": "The photos.",
            "encodingFormat": encoding,
            "includes": includes,
        },
    ]
    document["recordSet"] = document["recordSet"][:1]
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _whole(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The release of which it is a part."""
    facts = fact(manifest, "part_of", dict) or {}
    named = {"name": line(facts.get("name")), "identifier": line(facts.get("content_hash"))}
    return {"isPartOf": {"@type": "sc:Dataset", **named}} if facts else {}


def _creators(about: About) -> dict[str, Any]:
    """The authors, or else their affiliation; nothing where neither is stated."""
    found = [
        {
            "@type": "Organization" if author.is_group else "Person",
            "name": author.name,
            **({"affiliation": author.affiliation} if author.affiliation else {}),
            **({"sameAs": f"https://orcid.org/{author.orcid}"} if author.orcid else {}),
        }
        for author in about.authors
    ]
    if not found and (name := about.word("affiliation")):
        found = [{"@type": "Organization", "name": name}]
    return {"creator": found} if found else {}


def _responsible(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], about: About, taxonomy: Taxonomy
) -> dict[str, Any]:
    every, days = places(manifest, photos), collection_days(manifest, photos)
    terms = [
        f"{place.title}: {word.lower()}: {text.rstrip('.')}."
        for place in every
        for word, text in place.facts()
        if word != "Home"
    ]
    labeled = annotation(manifest, photos)
    found = [*collection(manifest, photos), *unseen(manifest, photos)]
    # Of the words that Croissant RAI recommends.
    ways = fact(fact(manifest, "labeling", dict), "by_way", dict) or {}
    searched = ["Web API"] * any(place.found for place in every)
    reviewed = ["Manual Human Curator"] * bool({"page", "review"} & set(ways))
    plan = [about.word("maintenance"), about.contact and f"Contact: {about.contact}"]
    known = {
        "rai:dataCollection": " ".join([*found, *terms]),
        "rai:dataCollectionType": [*searched, *reviewed] or ["Others"],
        # As mlcroissant spells it: the specification has "Timeframe", which it does not read.
        "rai:dataCollectionTimeFrame": days,
        "rai:dataCollectionRawData": raw_data(manifest),
        "rai:dataAnnotationProtocol": " ".join(
            [*labeled, *answers_protocol(manifest, photos), choice_rule(manifest)]
        ),
        "rai:dataAnnotationPlatform": ["genset's labeling page"] * ("page" in ways),
        "rai:dataAnnotationAnalysis": agreement(manifest, photos),
        "rai:annotationsPerItem": labels_per_photo(photos),
        "rai:annotatorDemographics": about.word("labelers"),
        "rai:dataPreprocessingProtocol": changes(manifest, len(photos))
        or f"None: photos {ORIGINAL_BYTES}.",
        "rai:dataUseCases": about.uses(),
        "rai:dataLimitations": limits(manifest, photos),
        "rai:dataBiases": biases(manifest, photos),
        "rai:dataSocialImpact": line(about.answers.get("impact", "")),
        "rai:personalSensitiveInformation": " ".join(persons(manifest, photos, taxonomy)),
        "rai:dataReleaseMaintenancePlan": " ".join([NEVER_CHANGES, *filter(None, plan)]),
        "rai:hasSyntheticData": about.synthetic,
        "prov:wasDerivedFrom": [_entity(place) for place in every],
        "prov:wasGeneratedBy": [
            _activity("Collection", found, days[-1] if days else None),
            _activity("Labeling", labeled, None),
            _activity("Choice", [choice_rule(manifest)], manifest["created_at"]),
        ],
    }
    return {name: value for name, value in known.items() if value not in ("", [], None)}


def _entity(place: Place) -> dict[str, str]:
    named = {"@type": "prov:Entity", "prov:label": place.title}
    return {"@id": place.home, **named} if web_link(place.home) else named


def _activity(label: str, sentences: Sequence[str], ended: str | None) -> dict[str, str]:
    ends = {"prov:endedAtTime": line(ended)} if ended else {}
    words = {"prov:label": label, "description": " ".join(sentences)}
    return {"@type": "prov:Activity", **words, **ends}


def version(name: str) -> str:
    """Semantic, as Croissant asks: ``v2`` is 2.0.0, its takedown ``v2.1`` 2.1.0; of words 1.0.0."""
    found = re.fullmatch(r"(?:v?(\d+)|.*?)(?:\.(\d+))?(?:\.(\d+))?(?:-[a-z]+)*", name)
    major, *minor = found.groups() if found else ("",)
    return ".".join(str(int(number or 0)) for number in (major or "1", *minor))


def files(photos: Sequence[ReleasePhoto], taxonomy: Taxonomy) -> list[dict[str, Any]]:
    is_imagenet = taxonomy.is_imagenet
    return [
        {
            "@type": "cr:FileSet",
            "@id": f"photos-{suffix}",
            "name": f"photos-{suffix}",
            "description": "Photos in folders that are named by "
            f"{'wnid' if is_imagenet else 'class'}.",
            "encodingFormat": "image/jpeg" if suffix == "jpg" else f"image/{suffix}",
            "includes": f"{PHOTOS}/*/*.{suffix}",
        }
        for suffix in _suffixes(photos)
    ]


def _suffixes(photos: Sequence[ReleasePhoto]) -> list[str]:
    return sorted({photo.file.rpartition(".")[2] for photo in photos})


def records(manifest: Mapping[str, Any], taxonomy: Taxonomy) -> dict[str, Any]:
    meanings = _MEANINGS
    if not taxonomy.is_imagenet:
        meanings = meanings | _meanings_of(taxonomy)
    return {
        "@type": "cr:RecordSet",
        "@id": "records",
        "name": "records",
        "description": "What is known of each photo.",
        "key": {"@id": "records/file_name"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"records/{column}",
                "name": column,
                "description": meanings[column],
                "dataType": _NUMBERS.get(column, "sc:Text"),
                **({"repeated": True} if column in LISTS else {}),
                "source": {
                    "fileObject": {"@id": "metadata.csv"},
                    "extract": {"column": column},
                    **({"transform": {"separator": " "}} if column in LISTS else {}),
                },
            }
            for column in columns(manifest)
        ],
    }


def _meanings_of(taxonomy: Taxonomy) -> dict[str, str]:
    """What columns mean where classes are not ImageNet's."""
    wnids = {name: _MEANINGS[name].replace("The wnids", "The ids") for name in LISTS}
    place = f"The class's index in classes.csv, from 0, among {its_classes(taxonomy)}."
    return {**wnids, "label": place, "wnid": "The id of the class; classes.csv has its name."}


def pictures(photos: Sequence[ReleasePhoto]) -> list[dict[str, Any]]:
    return [
        {
            "@type": "cr:RecordSet",
            "@id": f"pictures-{suffix}",
            "name": f"pictures-{suffix}",
            "description": "The photos themselves.",
            "field": [
                _picture(suffix, "file_name", "sc:Text", "fullpath")
                | {"references": {"field": {"@id": "records/file_name"}}},
                _picture(suffix, "image", "sc:ImageObject", "content"),
            ],
        }
        for suffix in _suffixes(photos)
    ]


def _picture(suffix: str, name: str, type_: str, what: str) -> dict[str, Any]:
    source = {"fileSet": {"@id": f"photos-{suffix}"}, "extract": {"fileProperty": what}}
    # mlcroissant applies it twice.
    transform = {"transform": {"regex": f"(?:{PHOTOS}/)?(.+)"}} if what == "fullpath" else {}
    return {
        "@type": "cr:Field",
        "@id": f"pictures-{suffix}/{name}",
        "name": name,
        "description": _MEANINGS.get(name, "The photo's pixels."),
        "dataType": type_,
        "source": source | transform,
    }
