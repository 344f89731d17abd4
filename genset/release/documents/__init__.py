"""What is written beside a release's manifest, for people and for other programs.

All of it is made of the manifest alone, so who has a manifest can make it again
(``genset pull`` does).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.classes.taxonomy import CLASSES_TABLE
from genset.release.documents.card import data_card
from genset.release.documents.croissant import croissant
from genset.release.documents.datasheet import datasheet
from genset.release.documents.labels import answers, has_answers
from genset.release.documents.provenance import places
from genset.release.documents.rights import attributions, licenses
from genset.release.documents.tables import class_map, metadata
from genset.release.documents.words import About
from genset.release.reader import PHOTOS, ReleasePhoto, classes_of

CARD, DATASHEET = "docs/DATA_CARD.md", "docs/DATASHEET.md"
CREDITS, LICENSES = "docs/ATTRIBUTION.txt", "docs/LICENSES.txt"
TABLE, CROISSANT, ANSWERS = f"{PHOTOS}/metadata.csv", "croissant.json", "answers.csv"
CLASSES = CLASSES_TABLE

CITATION = "CITATION.bib"  # made when it is asked for: a DOI comes after the release


def documents(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> dict[str, str]:
    """The text of each document, by the name of its file."""
    taxonomy = classes_of(manifest)
    table = metadata(manifest, photos, taxonomy)
    several = {ANSWERS: answers(photos, taxonomy)} if has_answers(manifest) else {}
    via = {place.name: place.credit for place in places(manifest, photos)}
    return {
        CARD: data_card(manifest, photos, taxonomy),
        DATASHEET: datasheet(manifest, photos, taxonomy),
        CREDITS: attributions(manifest, photos, via),
        LICENSES: licenses(photos, About(manifest)),
        TABLE: table,
        CLASSES: class_map(taxonomy),
        CROISSANT: croissant(manifest, photos, table, taxonomy),
        **several,
    }
