"""croissant.json: the release for machines, with what responsible AI asks to be told.

Source: Croissant 1.1 and Croissant RAI 1.0 of MLCommons; the fields of the latter are at least
those that NeurIPS 2026 asks of data sets.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from genset.release.documents import changed, said, several, sources
from genset.release.documents.table import columns
from genset.release.reader import LISTS, ReleasePhoto
from genset.text.links import web_link

_SUFFIXES = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "gif": "image/gif"}
_NUMBERS = {
    "label": "sc:Integer",
    "width": "sc:Integer",
    "height": "sc:Integer",
    "rank": "sc:Integer",
    "selection_frequency": "sc:Float",
    "confidence": "sc:Float",
}
_MEANINGS = {
    "file_name": "The photo's file, in the folder of its class.",
    "label": "The place of the class among ImageNet's 1,000 wnids in order, from 0.",
    "wnid": "The class: a noun's offset in WordNet 3.0.",
    "sha256": "Hash of the photo's original bytes.",
    "labels": "How many labelers said what, as JSON.",
    "selection_frequency": "Share of labelers who said that the photo shows the class, 0 to 1.",
    "rank": "Its place by relevance in the results of the search that found it, from 1.",
    "keyword": "What was searched for.",
}
_MEANINGS_SINCE_3 = {
    "rank": "Its place in the results of the search that found it, from 1: by relevance, where its "
    "source has such an order.",
    "keyword": "What was searched for; empty where nothing was.",
    "source": "Where it was found.",
    "confidence": "How sure the method that brought the votes together is that the photo shows the "
    "class, 0 to 1; empty where a ruling decided.",
    "license_id": "The SPDX id of its licence.",
    "taken_at": "When it was taken, by the camera's clock; empty where that is not known.",
    "posted_at": "When it was posted at its source, in UTC.",
    "labels_correct": "The wnids of all classes that are right answers, its own first.",
    "labels_unclear": "The wnids of classes of which the votes do not tell whether it shows them.",
    "labels_wrong": "The wnids of classes that it does not show.",
    "label_votes": "How many labelers said what of each of these classes, as JSON.",
    "label_rulings": "What a reviewer settled of them, as JSON.",
    "label_proposers": "Who proposed to ask about them, as JSON: models, confusable, random, "
    "labeler; search or added where the photo is a candidate of that class, too.",
    "unseen": "On which ground it counts as unseen: taken (since the day from which photos count "
    "as unseen, so it was nowhere before), posted (at its source since, and it may have been "
    "elsewhere before) or none.",
}


def croissant(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], table: str) -> str:
    """The document, as JSON-LD; `table` is the text of metadata.csv."""
    name = said.line(manifest["name"])
    content_hash, created = said.line(manifest["content_hash"]), said.line(manifest["created_at"])
    contact = said.told(manifest, "contact", str)
    document: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": name,
        "description": f"A frozen test set of {len(photos):,} photos for classifiers of ImageNet's "
        "1,000 classes, with the votes of those who labeled them.",
        "url": f"urn:{content_hash}",
        "identifier": content_hash,
        "version": _version(name),
        "datePublished": created,
        "creator": {"@type": "Organization", "name": contact or "not stated"},
        "citeAs": f"{name}, {len(photos):,} photos, {content_hash}, {created[:10]}",
        "license": _licenses(manifest, photos),
        "keywords": ["image classification", "test set", "ImageNet", "generalization"],
        **_responsible(manifest, photos),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "metadata.csv",
                "name": "metadata.csv",
                "description": "A row for each photo.",
                "contentUrl": "metadata.csv",
                "encodingFormat": "text/csv",
                "sha256": hashlib.sha256(table.encode()).hexdigest(),
            },
            *_files(photos),
        ],
        "recordSet": [_records(manifest), *_pictures(photos)],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _responsible(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> dict[str, Any]:
    labels = Counter(sum(photo.labels.values()) for photo in photos)
    by_source = _by_source(manifest, photos)
    return {
        "rai:dataCollection": by_source.collection,
        "rai:dataCollectionType": by_source.kinds,
        "rai:dataCollectionTimeframe": said.span(manifest.get("collected"), "searched"),
        "rai:dataAnnotationProtocol": " ".join(
            [said.annotation(manifest), *several.protocol(manifest, photos)]
        ),
        "rai:dataAnnotationAnalysis": said.choice(manifest),
        "rai:annotationsPerItem": ", ".join(
            f"{count:,} photos with {number}" for number, count in sorted(labels.items())
        ),
        "rai:dataPreprocessingProtocol": changed.change(manifest)
        or "None: photos keep their original bytes.",
        "rai:dataUseCases": said.USES,
        "rai:dataLimitations": by_source.limits,
        "rai:dataBiases": by_source.biases,
        "rai:dataSocialImpact": said.SOCIAL_IMPACT,
        "rai:personalSensitiveInformation": said.PERSONAL,
        "rai:dataReleaseMaintenancePlan": said.MAINTENANCE,
        "rai:hasSyntheticData": False,
        "prov:wasDerivedFrom": by_source.homes,
        "prov:wasGeneratedBy": f"genset {said.line(manifest.get('genset', ''))}: "
        f"{by_source.collection} {said.annotation(manifest)} {said.choice(manifest)}",
    }


class _BySource(NamedTuple):
    """What is said of the photos' sources."""

    collection: str
    kinds: list[str]
    limits: list[str]
    biases: list[str]
    homes: list[str]


def _by_source(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> _BySource:
    if said.is_before(manifest):
        homes = {
            "https://www.flickr.com/" if photo.source == "flickr" else said.line(photo.source)
            for photo in photos
        }
        return _BySource(
            said.collection(manifest, photos),
            ["Web Scraping", "Manual Human Curation"],
            said.LIMITS,
            said.LIMITS[:2],
            sorted(homes),
        )
    every = sources.places(manifest, photos)
    terms = [
        f"{place.title}: {word.lower()}: {text}."
        for place in every
        for word, text in place.facts()
        if word not in ("Home", "Photos")
    ]
    collected = (sources.collection(manifest, photos), sources.unseen(manifest, photos), *terms)
    searched = ["Web Scraping"] * any(place.is_searched for place in every)
    return _BySource(
        " ".join(collected),
        [*searched, "Manual Human Curation"],
        sources.limits(manifest, photos),
        sources.biases(manifest, photos),
        sorted({place.home for place in every}),
    )


def _licenses(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> list[str]:
    """Addresses of the licences; of one without, its SPDX id (in older formats its name)."""
    before = said.is_before(manifest)
    return sorted(
        {
            web_link(photo.license_url) or (photo.license if before else photo.license_id or "")
            for photo in photos
        }
    )


def _version(name: str) -> str:
    """Semantic, as Croissant asks: each takedown, as in ``v1.2``, counts in the second place."""
    last = name.rpartition(".")[2]
    return f"1.{last}.0" if "." in name and last.isdecimal() else "1.0.0"


def _files(photos: Sequence[ReleasePhoto]) -> list[dict[str, Any]]:
    return [
        {
            "@type": "cr:FileSet",
            "@id": f"photos-{suffix}",
            "name": f"photos-{suffix}",
            "description": "Photos in folders that are named by wnid.",
            "encodingFormat": _SUFFIXES.get(suffix, f"image/{suffix}"),
            "includes": f"n*/*.{suffix}",
        }
        for suffix in _suffixes(photos)
    ]


def _suffixes(photos: Sequence[ReleasePhoto]) -> list[str]:
    return sorted({photo.file.rpartition(".")[2] for photo in photos})


def _records(manifest: Mapping[str, Any]) -> dict[str, Any]:
    meanings = _MEANINGS if said.is_before(manifest) else _MEANINGS | _MEANINGS_SINCE_3
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
                "description": meanings.get(column, f"The photo's {column.replace('_', ' ')}."),
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


def _pictures(photos: Sequence[ReleasePhoto]) -> list[dict[str, Any]]:
    return [
        {
            "@type": "cr:RecordSet",
            "@id": f"pictures-{suffix}",
            "name": f"pictures-{suffix}",
            "description": "The photos themselves.",
            "field": [
                {
                    "@type": "cr:Field",
                    "@id": f"pictures-{suffix}/file_name",
                    "name": "file_name",
                    "description": _MEANINGS["file_name"],
                    "dataType": "sc:Text",
                    "references": {"field": {"@id": "records/file_name"}},
                    "source": _of_set(suffix, "fullpath"),
                },
                {
                    "@type": "cr:Field",
                    "@id": f"pictures-{suffix}/image",
                    "name": "image",
                    "description": "The photo.",
                    "dataType": "sc:ImageObject",
                    "source": _of_set(suffix, "content"),
                },
            ],
        }
        for suffix in _suffixes(photos)
    ]


def _of_set(suffix: str, what: str) -> dict[str, Any]:
    return {"fileSet": {"@id": f"photos-{suffix}"}, "extract": {"fileProperty": what}}


# The standard's own, with the names of provenance.
_CROISSANT_WORDS = (
    "citeAs column equivalentProperty extract field fileProperty fileObject fileSet format "
    "includes isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated "
    "replace samplingRate separator source subField transform"
)
_CONTEXT: dict[str, Any] = {
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
