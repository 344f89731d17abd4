"""Names made safe as ids of classes."""

import re
import unicodedata
from collections.abc import Container

from genset.taxonomy.checks import LONGEST_ID, folded, mistake_in_id
from genset.taxonomy.classes import is_wnid


def id_for(name: str, taken: Container[str]) -> str:
    """The name as an id, as little changed as it can be.

    What no id has becomes "_", and a number is put behind one whose folded form is in `taken`.
    """
    word = unicodedata.normalize("NFC", name)
    word = re.sub(r"[^\w.-]+", "_", word)[:LONGEST_ID]
    word = re.sub(r"^\W+|\W+$", "", word)
    word = word.strip("_") or word
    if not word or mistake_in_id(word) or is_wnid(word):
        word = f"class_{word}"[:LONGEST_ID].rstrip("_.-")
    found, number = word, 1
    while folded(found) in taken:
        number += 1
        found = f"{word[: LONGEST_ID - 6].rstrip('.-')}_{number}"
    return found
