"""What is written beside a release's manifest, for people and for other programs.

All of it is made of the manifest alone, so who has a manifest can make it again
(``genset pull`` does).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from genset.release.documents import earlier
from genset.release.documents.credits import attributions
from genset.release.documents.several import answers, is_told
from genset.release.documents.table import metadata
from genset.release.reader import ReleasePhoto

CARD, CREDITS, LICENSES = "DATA_CARD.md", "ATTRIBUTION.txt", "LICENSES.txt"
TABLE, CROISSANT, ANSWERS = "metadata.csv", "croissant.json", "answers.csv"


def documents(manifest: Mapping[str, Any], photos: Sequence[ReleasePhoto]) -> dict[str, str]:
    """The text of each document, by the name of its file."""
    table = metadata(manifest, photos)
    several = {ANSWERS: answers(photos)} if is_told(manifest) else {}
    return {
        CARD: earlier.data_card(manifest, photos),
        CREDITS: attributions(photos, earlier.credited_via(manifest, photos)),
        LICENSES: earlier.licenses(photos),
        TABLE: table,
        CROISSANT: earlier.croissant(manifest, photos, table),
        **several,
    }
