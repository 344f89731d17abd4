"""What is wrong with a document of a taxonomy, named by the keys that lead to it."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from genset.classes.classes import is_wnid
from genset.classes.document import class_of, quoted
from genset.classes.entries import MOST_QUERIES, is_content_type
from genset.classes.imagenet import imagenet1k
from genset.classes.taxonomy import IMAGENET
from genset.classes.wordnet import nouns
from genset.core.marks import MARK, as_one
from genset.core.query import mistake_in
from genset.core.safe import clean

LONGEST_ID = 64
"""Characters of a class's id."""

_ID = re.compile(rf"\w(?:[\w{MARK}.-]*[\w{MARK}])?")
_LONGEST_NAME = 255  # bytes of a file's name
_MOST_CLASSES = 100_000

# Names that a file system, or genset's own folders and lists, give another meaning.
_TAKEN = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
_TAKEN |= {"unknown", "background"}

# How files end that lie beside the folders of classes, such as a release's documents.
_DOCUMENTS = (".md", ".txt", ".csv", ".json", ".bib", ".cff")


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong, and the keys that lead to it."""

    keys: tuple[str, ...]
    words: str


def mistakes_in(document: Mapping[str, Any]) -> Iterator[Mistake]:
    """What is wrong with a document, in its order."""
    for key in document.keys() - {"name", "classes"}:
        yield Mistake((key,), f"there is no {key} here; a file has name and [classes.ID]")
    name = document.get("name")
    if not isinstance(name, str) or clean(name, 100) != name.strip() or not name.strip():
        yield Mistake(("name",), "name is a text of 1 to 100 characters on one line")
    elif name.strip() == IMAGENET:
        yield Mistake(("name",), f"{IMAGENET} is the name of ImageNet's own 1,000")
    classes = document.get("classes")
    if not isinstance(classes, dict) or not classes:
        yield Mistake(("classes",), "there is no class: each has a table, such as [classes.dog]")
        return
    if len(classes) > _MOST_CLASSES:
        yield Mistake(("classes",), f"at most {_MOST_CLASSES:,} classes, not {len(classes):,}")
        return
    alike: dict[str, list[str]] = {}
    for id in classes:
        alike.setdefault(folded(id), []).append(id)
    holders: dict[str, str] = {}
    for id, given in classes.items():
        if words := mistake_in_id(id):
            yield Mistake(("classes", id), words)
        if others := [other for other in alike[folded(id)] if other != id]:
            same = f"{id}: another id is the same but for case or form: {others[0]}"
            yield Mistake(("classes", id), same)
        if not isinstance(given, dict):
            yield Mistake(("classes", id), f"{id} must be a table: write [classes.{id}]")
        else:
            yield from _in_class(id, given, classes, holders)


def folded(id: str) -> str:
    """An id without what file systems do not tell apart: case, and forms of a letter."""
    return unicodedata.normalize("NFKC", id).casefold()


def _in_class(
    id: str, given: Mapping[str, Any], classes: Mapping[str, Any], holders: dict[str, str]
) -> Iterator[Mistake]:
    """What is wrong with what is said of a class; `holders` has whose each output is."""
    found = []
    for key, value in given.items():
        if key not in _CHECKS:
            found.append((key, f"there is no {key}; known are {', '.join(_CHECKS)}"))
        elif words := _CHECKS[key](value):
            found.append((key, f"{key} {words}"))
        else:
            found += [(key, words) for words in _clash(id, key, value, classes, holders)]
    if not (mistake_in_id(id) or {"name", "queries", "without"} & {key for key, _ in found}):
        for words in _in_queries(id, given):
            found.append(("queries", words))
    if "synset" not in given and _is_unknown(id):
        found.append(("", f"WordNet 3.0 has no noun {id}"))
    for key, words in found:
        keys = ("classes", id, key) if key in given else ("classes", id)
        yield Mistake(keys, f"{clean(id, LONGEST_ID)}: {words}")


def _in_queries(id: str, given: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with queries that are made of a name, or of `without`."""
    if "without" in given or "queries" not in given:
        said = {key: given[key] for key in ("name", "queries", "without") if key in given}
        for query in class_of(0, id, said).queries:
            if mistake := mistake_in(query.text):
                yield f"the query {query.text!r} {mistake}; write queries"


def _is_unknown(synset: str) -> bool:
    """Whether it is a wnid that WordNet lacks."""
    return is_wnid(synset) and synset not in imagenet1k() and synset not in nouns()


def mistake_in_id(id: str) -> str:
    """What keeps a word from being an id, which names a folder everywhere; "" for nothing."""
    if not _ID.fullmatch(as_one(id)) or unicodedata.normalize("NFC", id) != id:
        return (
            f"{id[:LONGEST_ID]!r} is no id: it names folders, so it has letters, digits, '_', '-' "
            "and '.', and begins and ends with a letter or a digit; its name may be any text"
        )
    if len(id) > LONGEST_ID:
        return f"{id[:20]}... has {len(id)} characters: an id has at most {LONGEST_ID}"
    if len(id.encode()) > _LONGEST_NAME:
        return f"{id[:20]}... is too long for a folder's name: it has {len(id.encode())} bytes"
    if id.casefold().partition(".")[0] in _TAKEN or id.casefold().endswith(_DOCUMENTS):
        return f"{id} has another meaning: choose another id"
    return ""


def _clash(
    id: str, key: str, value: Any, classes: Mapping[str, Any], holders: dict[str, str]
) -> Iterator[str]:
    """What does not go with the other classes, or with WordNet."""
    if key == "synset" and _is_unknown(value):
        yield f"WordNet 3.0 has no noun {value}"
    if key == "confusable":
        for other in value:
            if other == id or other not in classes:
                yield f"{other} is {'itself' if other == id else 'no class of this file'}"
    if key == "imagenet":
        for wnid in value:
            if wnid not in imagenet1k():
                yield f"{wnid} is not one of ImageNet's 1,000"
            elif (holder := holders.setdefault(wnid, id)) != id:
                yield f"{wnid} is in {holder} already"
    if key == "outputs":
        for output in value:
            if (holder := holders.setdefault(f"output {output}", id)) != id:
                yield f"the output {output!r} is of {holder} already"


def _text(most: int) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if isinstance(value, str) and value.strip() and len(value) <= most:
            printable = value.isprintable() or clean(value, most)
            return "" if printable else "has no character that prints"
        return f"is a text of 1 to {most:,} characters"

    return check


def _texts(
    what: str, most: int, mistake: Callable[[str], str | None], once: bool = True
) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            return f"is a list of 1 to {most} {what}"
        for each in value:
            if not isinstance(each, str):
                return f"is a list of texts, and {each!r} is none"
            if words := mistake(each):
                return f"has {each[:80]!r}, which {words}"
            if once and value.count(each) > 1:
                return f"has {each[:80]!r} twice"
        return ""

    return check


def _pattern(pattern: str, words: str) -> Callable[[str], str]:
    return lambda text: "" if re.fullmatch(pattern, text) else words


def _term(text: str) -> str:
    return "is no word or words" if mistake_in(quoted(text)) or '"' in text else ""


def _query_list(value: Any) -> str:
    """A query is a text, or a table that also says where it is from."""
    for each in value if isinstance(value, list) else []:
        if isinstance(each, dict) and (strange := each.keys() - {"query", "why"}):
            return f'has a table with {min(strange)}; it is {{ query = "...", why = "..." }}'
    said = [
        each["query"]
        if isinstance(each, dict)
        and set(each) <= {"query", "why"}
        and isinstance(each.get("query"), str)
        and not _text(200)(each.get("why", "-"))
        else each
        for each in (value if isinstance(value, list) else [])
    ]
    return _texts("queries", MOST_QUERIES, mistake_in)(said)


def _types(value: Any) -> str:
    if isinstance(value, list) and value and all(map(is_content_type, value)):
        return ""
    return "is a list of 0 (photos), 1 (screenshots) and 2 (other)"


_CHECKS: dict[str, Callable[[Any], str]] = {
    "name": _text(200),
    "lemmas": _texts("names", 100, _text(200)),
    "definition": _text(2000),
    "queries": _query_list,
    "without": _texts("words", 10, _term),
    "content_types": _types,
    "synset": lambda value: (
        "" if isinstance(value, str) and is_wnid(value) else "is a noun's, such as n02084071"
    ),
    # Two steps may have one name, as "contractor" has two senses on one path of WordNet.
    "hypernyms": _texts("names, the nearest first", 40, _text(200), once=False),
    "wikidata": _texts(
        "items", MOST_QUERIES, _pattern("Q[1-9][0-9]{0,11}", "is no item, such as Q144")
    ),
    "taxon": _text(200),
    "wikipedia": _texts(
        "pages", 5, _pattern(r"[^\s<>\"]{1,200}", "is no page's name, such as Red_panda")
    ),
    "confusable": _texts("ids", 6, lambda text: ""),
    "imagenet": _texts("wnids", 1000, lambda text: "" if is_wnid(text) else "is no wnid"),
    "outputs": _texts("models' own names of it", 1000, _text(200)),
}
