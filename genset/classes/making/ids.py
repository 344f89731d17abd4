"""Names made safe as ids of classes."""

import re
import unicodedata
from collections.abc import Container

from genset.classes.checks import LONGEST_ID, folded, mistake_in_id
from genset.classes.classes import is_wnid
from genset.core.marks import MARK, as_one

_NOT_OF_AN_ID = re.compile(rf"[^\w{MARK}.-]")


def id_for(name: str, taken: Container[str]) -> str:
    """The name as an id, as little changed as it can be.

    What no id has becomes "_", so does a dot where the word else had another meaning (CON.txt),
    and a number is put behind one whose folded form is in `taken`.
    """
    word = unicodedata.normalize("NFC", name)
    ok = _NOT_OF_AN_ID.sub(" ", as_one(word))
    word = "_".join("".join(c if o != " " else " " for c, o in zip(word, ok, strict=True)).split())
    word = re.sub(r"^\W+", "", word[:LONGEST_ID]).rstrip(".-")
    word = word.strip("_") or word
    if mistake_in_id(word):
        word = word.replace(".", "_")
    if mistake_in_id(word) or is_wnid(word):
        word = f"class_{word}"[:LONGEST_ID].rstrip("_.-")
    found, number = word, 1
    while folded(found) in taken:
        number += 1
        found = f"{word[: LONGEST_ID - 6].rstrip('.-')}_{number}"
    return found
