"""croissant.json: the release for machines, with what responsible AI asks to be told.

Source: Croissant 1.1 and Croissant RAI 1.0 of MLCommons; the fields of the latter are at least
those that NeurIPS 2026 asks of data sets.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from genset.classes import imagenet1k
from genset.core.links import web_link
from genset.release.documents import said
from genset.release.documents.earlier import sentences, sources
from genset.release.documents.facts import changed, several
from genset.release.documents.facts.part import part
from genset.release.documents.records import CONTEXT, files, pictures, records, version
from genset.release.reader import ReleasePhoto


def croissant(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], table: str) -> str:
    """The document, as JSON-LD; `table` is the text of metadata.csv."""
    name = said.line(manifest["name"])
    content_hash, created = said.line(manifest["content_hash"]), said.line(manifest["created_at"])
    contact = said.told(manifest, "contact", str)
    document: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": name,
        "description": " ".join(
            (
                f"A frozen test set of {len(photos):,} photos for classifiers of ImageNet's 1,000 "
                "classes, with the votes of those who labeled them.",
                *part(manifest, photos),
            )
        ),
        "url": f"urn:{content_hash}",
        "identifier": content_hash,
        "version": version(name),
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
            *files(photos, imagenet1k()),
        ],
        "recordSet": [records(manifest, imagenet1k()), *pictures(photos)],
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
            [sentences.annotation(manifest), *several.protocol(manifest, photos)]
        ),
        "rai:dataAnnotationAnalysis": said.choice(manifest),
        "rai:annotationsPerItem": ", ".join(
            f"{count:,} photos with {number}" for number, count in sorted(labels.items())
        ),
        "rai:dataPreprocessingProtocol": changed.change(manifest)
        or f"None: photos {changed.KEPT}.",
        "rai:dataUseCases": sentences.USES,
        "rai:dataLimitations": by_source.limits,
        "rai:dataBiases": by_source.biases,
        "rai:dataSocialImpact": sentences.SOCIAL_IMPACT,
        "rai:personalSensitiveInformation": sentences.PERSONAL,
        "rai:dataReleaseMaintenancePlan": sentences.MAINTENANCE,
        "rai:hasSyntheticData": False,
        "prov:wasDerivedFrom": by_source.homes,
        "prov:wasGeneratedBy": f"genset {said.line(manifest.get('genset', ''))}: "
        f"{by_source.collection} {sentences.annotation(manifest)} {said.choice(manifest)}",
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
            sentences.collection(manifest, photos),
            ["Web Scraping", "Manual Human Curation"],
            sentences.LIMITS,
            sentences.LIMITS[:2],
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
