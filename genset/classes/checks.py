"""What is wrong with a document of a taxonomy, beyond the types of its values."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from genset.classes.classes import is_wnid
from genset.classes.document import ClassTable, TaxonomyTable, class_of
from genset.classes.imagenet import imagenet1k
from genset.classes.query import MARK, as_one, mistake_in
from genset.classes.taxonomy import IMAGENET
from genset.classes.wordnet import nouns
from genset.core.expected import Keys
from genset.core.safe import clean
from genset.core.validation import Invalid, check

LONGEST_ID = 64
"""Characters of a class's id."""

_ID = re.compile(rf"\w(?:[\w{MARK}.-]*[\w{MARK}])?")

# Names that a file system, or genset's own folders and lists, give another meaning.
_TAKEN = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
_TAKEN |= {"unknown", "background"}

# How files end that lie beside the folders of classes, such as a release's documents.
_DOCUMENTS = (".md", ".txt", ".csv", ".json", ".bib", ".cff")


def mistakes_in(document: Mapping[str, Any], where: str = "taxonomy") -> Iterator[Invalid]:
    """What is wrong with a document, in its order; `where` names it."""
    tables = document.get("classes")
    tables = tables if isinstance(tables, dict) else {}
    try:
        # Classes are checked one by one below: of each, all mistakes are told.
        empty: dict[str, Any] = {"classes": {id: {} for id in tables}} if tables else {}
        check({**document, **empty}, TaxonomyTable, where)
    except Invalid as error:
        yield error
    else:
        name = str(document["name"])
        if name.strip() == IMAGENET:
            yield Invalid(where, ("name",), f" must be another: {IMAGENET} is ImageNet's own 1,000")
        elif clean(name, 100) != name.strip():
            yield Invalid(where, ("name",), " must be on one line, of characters that print")
    alike: dict[str, list[str]] = defaultdict(list)
    for id in tables:
        alike[folded(id)].append(id)
    holders: dict[str, str] = {}
    for id, table in tables.items():
        if words := mistake_in_id(id):
            yield Invalid(where, ("classes", id), f": {words}")
        if others := [other for other in alike[folded(id)] if other != id]:
            words = f": another id is the same but for case or form: {clean(others[0], 80)}"
            yield Invalid(where, ("classes", id), words)
        for keys, words in _in_class(id, table, tables, holders):
            yield Invalid(where, ("classes", id, *keys), words)


def folded(id: str) -> str:
    """An id without what file systems do not tell apart: case, and forms of a letter."""
    return unicodedata.normalize("NFKC", id).casefold()


def _in_class(
    id: str, table: Any, tables: Mapping[str, Any], holders: dict[str, str]
) -> Iterator[tuple[Keys, str]]:
    """What is wrong with what is said of a class; `holders` has the class of each output."""
    good: dict[str, Any] = {}
    wrong = set[str]()
    for key in table if isinstance(table, dict) else ():
        try:
            check({key: table[key]}, ClassTable, "")
            good[key] = table[key]
        except Invalid as error:
            wrong.add(key)
            yield error.keys, error.words
    if not isinstance(table, dict):
        yield (), f" must be a table of keys and values: write [classes.{id}]"
    found = check(good, ClassTable, "")
    for key, words in (*found.mistakes(), *_clashes(id, found, tables, holders)):
        wrong.add(key)
        yield (key,), words
    if not (mistake_in_id(id) or wrong & {"name", "queries", "without"}) and (
        found.without or not found.queries
    ):
        for query in class_of(0, id, found).queries:
            if mistake := mistake_in(query.text):
                yield (), f": the query {query.text!r} {mistake}; write queries"
    if not found.synset and "synset" not in wrong and _is_unknown(id):
        yield (), ": WordNet 3.0 has no such noun"


def _is_unknown(synset: str) -> bool:
    """Whether it is a wnid that WordNet lacks."""
    return is_wnid(synset) and synset not in imagenet1k() and synset not in nouns()


def _clashes(
    id: str, table: ClassTable, tables: Mapping[str, Any], holders: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """What does not go with the other classes, or with WordNet."""
    if _is_unknown(table.synset):
        yield "synset", f": WordNet 3.0 has no noun {table.synset}"
    for other in table.confusable:
        if other == id or other not in tables:
            what = "itself" if other == id else "no class of this file"
            yield "confusable", f": {clean(other, 80)} is {what}"
    for wnid in table.imagenet:
        if wnid not in imagenet1k():
            yield "imagenet", f": {wnid} is not one of ImageNet's 1,000"
        elif (holder := holders.setdefault(wnid, id)) != id:
            yield "imagenet", f": {wnid} is in {clean(holder, 80)} already"
    for output in table.outputs:
        if (holder := holders.setdefault(f"output {output}", id)) != id:
            yield "outputs", f": the output {output!r} is of {clean(holder, 80)} already"


def mistake_in_id(id: str) -> str:
    """What keeps a word from being an id, which names a folder everywhere; "" for nothing."""
    if not _ID.fullmatch(as_one(id)) or unicodedata.normalize("NFC", id) != id:
        return (
            f"{id[:LONGEST_ID]!r} is no id: it names folders, so it has letters, digits, '_', '-' "
            "and '.', and begins and ends with a letter or a digit; its name may be any text"
        )
    if len(id) > LONGEST_ID:
        return f"{id[:20]}... has {len(id)} characters: an id has at most {LONGEST_ID}"
    if id.casefold().partition(".")[0] in _TAKEN or id.casefold().endswith(_DOCUMENTS):
        return f"{id} has another meaning: choose another id"
    return ""
