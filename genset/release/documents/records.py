"""What every release's croissant.json has: its files, its records, and what the words mean."""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.release.documents.facts.classes import its_number
from genset.release.documents.tables.metadata import columns
from genset.release.reader import LISTS, ReleasePhoto

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


def _of_own_classes(taxonomy: Taxonomy) -> dict[str, str]:
    """What columns mean where classes are not ImageNet's."""
    wnids = {name: _MEANINGS[name].replace("The wnids", "The ids") for name in LISTS}
    place = f"The place of the class among {its_number(taxonomy)} in their order, from 0."
    return {**wnids, "label": place, "wnid": "The id of the class; classes.csv has its name."}


def version(name: str) -> str:
    """Semantic, as Croissant asks: each takedown, as in ``v1.2``, counts in the second place."""
    last = name.rpartition(".")[2]
    return f"1.{last}.0" if "." in name and last.isdecimal() else "1.0.0"


def files(photos: Sequence[ReleasePhoto], taxonomy: Taxonomy) -> list[dict[str, Any]]:
    ours = taxonomy.is_imagenet
    return [
        {
            "@type": "cr:FileSet",
            "@id": f"photos-{suffix}",
            "name": f"photos-{suffix}",
            "description": f"Photos in folders that are named by {'wnid' if ours else 'class'}.",
            "encodingFormat": _SUFFIXES.get(suffix, f"image/{suffix}"),
            "includes": f"{'n' if ours else ''}*/*.{suffix}",
        }
        for suffix in _suffixes(photos)
    ]


def _suffixes(photos: Sequence[ReleasePhoto]) -> list[str]:
    return sorted({photo.file.rpartition(".")[2] for photo in photos})


def records(manifest: Mapping[str, Any], taxonomy: Taxonomy) -> dict[str, Any]:
    meanings = _MEANINGS
    if not taxonomy.is_imagenet:
        meanings = meanings | _of_own_classes(taxonomy)
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


def pictures(photos: Sequence[ReleasePhoto]) -> list[dict[str, Any]]:
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
