"""croissant.json: the release for machines, with what responsible AI asks to be told.

Source: Croissant 1.1 and Croissant RAI 1.0 of MLCommons; the fields of the latter are at least
those that NeurIPS 2026 asks of data sets. They say what the card and the datasheet say.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from genset.classes import Taxonomy
from genset.core.links import web_link
from genset.release.documents import card, said
from genset.release.documents.citation import Citation, bibtex
from genset.release.documents.facts import changed, labels, origin, rights, several
from genset.release.documents.facts.about import NOT_SAID, About
from genset.release.documents.facts.classes import its_classes, uses
from genset.release.documents.facts.lineage import lineage
from genset.release.documents.records import CONTEXT, files, pictures, records, version
from genset.release.reader import ReleasePhoto


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
        "name": cited.name,
        "description": " ".join(
            (
                f"A frozen test set of {len(photos):,} photos for classifiers of "
                f"{its_classes(taxonomy)}, with the labels that were recorded with them.",
                *lineage(manifest, photos),
            )
        ),
        "url": cited.url or f"urn:{cited.content_hash}",
        "identifier": cited.content_hash,
        "version": version(cited.name),
        "datePublished": cited.created_at,
        "creator": _creators(about),
        "citeAs": bibtex(cited),
        "license": sorted({web_link(photo.license_url) or photo.license_id for photo in photos}),
        "keywords": list(cited.keywords),
        **({"sameAs": f"https://doi.org/{cited.doi}"} if cited.doi else {}),
        **_responsible(manifest, photos, about, taxonomy),
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
            *files(photos, taxonomy),
        ],
        "recordSet": [records(manifest, taxonomy), *pictures(photos)],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _creators(about: About) -> Any:
    """The authors; that they are not said, where they are not, for Croissant wants a creator."""
    found = [
        {
            "@type": "Organization" if author.is_group else "Person",
            "name": author.name,
            **({"affiliation": author.affiliation} if author.affiliation else {}),
            **({"sameAs": f"https://orcid.org/{author.orcid}"} if author.orcid else {}),
        }
        for author in about.authors
    ]
    return found or {"@type": "Organization", "name": about.word("affiliation") or "not said"}


def _responsible(
    manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto], about: About, taxonomy: Taxonomy
) -> dict[str, Any]:
    every = origin.places(manifest, photos)
    terms = [
        f"{place.title}: {word.lower()}: {text.rstrip('.')}."
        for place in every
        for word, text in place.facts()
        if word not in ("Home", "Photos")
    ]
    annotation = labels.annotation(manifest, photos)
    found = [*origin.collection(manifest, photos), *origin.unseen(manifest, photos)]
    # Of the words that Croissant RAI recommends.
    ways = said.told(said.told(manifest, "labeling", dict), "by_way", dict) or {}
    searched = ["Web API"] * any(place.found for place in every)
    reviewed = ["Manual Human Curator"] * bool({"page", "review"} & set(ways))
    platforms = {"page": "genset's labeling page", "import": "not said: read from a table"}
    return {
        "rai:dataCollection": " ".join([*found, *terms]),
        "rai:dataCollectionType": [*searched, *reviewed] or ["Others"],
        "rai:dataCollectionTimeframe": origin.timeframe(manifest, photos) or NOT_SAID,
        "rai:dataCollectionRawData": changed.raw(manifest),
        "rai:dataAnnotationProtocol": " ".join(
            [*annotation, *several.protocol(manifest, photos), said.choice(manifest)]
        ),
        "rai:dataAnnotationPlatform": [words for way, words in platforms.items() if way in ways]
        or [NOT_SAID],
        "rai:dataAnnotationAnalysis": labels.agreement(manifest),
        "rai:annotationsPerItem": labels.per_photo(photos),
        "rai:annotatorDemographics": NOT_SAID,
        "rai:dataPreprocessingProtocol": changed.change(manifest)
        or f"None: photos {changed.KEPT}.",
        "rai:dataUseCases": uses(taxonomy),
        "rai:dataLimitations": card.limits(manifest, photos),
        "rai:dataBiases": origin.biases(manifest, photos),
        "rai:dataSocialImpact": NOT_SAID,
        "rai:personalSensitiveInformation": " ".join(rights.persons(manifest, photos, taxonomy)),
        "rai:dataReleaseMaintenancePlan": f"{card.NEVER_CHANGES} Plan: "
        f"{about.answer('maintenance')} Contact: {about.contact or NOT_SAID}",
        "rai:hasSyntheticData": False,
        "prov:wasDerivedFrom": sorted({place.home for place in every}),
        "prov:wasGeneratedBy": f"genset {said.line(manifest.get('genset', ''))}: "
        f"{' '.join([*found, *annotation])} {said.choice(manifest)}",
    }
