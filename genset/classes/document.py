"""A taxonomy as a document: as people write it in TOML, and as it is stored in JSON.

`genset.classes.files` shows a file, and reads and writes it; what goes beyond types is checked in
`genset.classes.checks`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Annotated, Any, Literal

from genset.classes.classes import MOST_QUERIES, PHOTOS, ImageClass, Query, WikipediaPage, is_wnid
from genset.classes.imagenet import imagenet1k
from genset.classes.query import mistake_in, phrase
from genset.classes.taxonomy import Taxonomy
from genset.core.safe import clean
from genset.core.validation import Meta, Record, check

_OWN = "own taxonomy"

_Text = Annotated[str, Meta(pattern=r"\S", max_length=200, title="a text of 1 to 200 characters")]
_Wnid = Annotated[
    str, Meta(pattern=r"^n[0-9]{8}\Z", title="the wnid of a noun", examples=["n02084071"])
]
_Page = Annotated[
    str, Meta(pattern=r"^[^\s<>\"]{1,200}\Z", title="the name of a page", examples=["Red_panda"])
]
Item = Annotated[
    str,
    Meta(pattern=r"^Q[1-9][0-9]{0,11}\Z", title="an item of Wikidata", examples=["Q144"]),
]
ContentTypes = Annotated[
    tuple[Literal[0, 1, 2], ...],
    Meta(min_length=1, title="a list of 0 (photos), 1 (screenshots) and 2 (other)"),
]


class QueryTable(Record, frozen=True):
    """A query that also says where it is from."""

    query: str
    why: _Text = _OWN


class ClassTable(Record, frozen=True):
    """What a document says of a class; what is empty, it does not say."""

    name: _Text = ""
    lemmas: Annotated[tuple[_Text, ...], Meta(min_length=1, max_length=100)] = ()
    definition: Annotated[
        str, Meta(pattern=r"\S", max_length=2000, title="a text of 1 to 2,000 characters")
    ] = ""
    queries: Annotated[
        tuple[str | QueryTable, ...],
        Meta(min_length=1, max_length=MOST_QUERIES, title=f"a list of 1 to {MOST_QUERIES} queries"),
    ] = ()
    without: Annotated[tuple[str, ...], Meta(min_length=1, max_length=10)] = ()
    content_types: ContentTypes = ()
    synset: _Wnid = ""
    hypernyms: Annotated[tuple[_Text, ...], Meta(min_length=1, max_length=40)] = ()
    wikidata: Annotated[tuple[Item, ...], Meta(min_length=1, max_length=MOST_QUERIES)] = ()
    taxon: _Text = ""
    wikipedia: Annotated[tuple[_Page, ...], Meta(min_length=1, max_length=5)] = ()
    confusable: Annotated[tuple[str, ...], Meta(min_length=1, max_length=6)] = ()
    imagenet: Annotated[tuple[_Wnid, ...], Meta(min_length=1, max_length=1000)] = ()
    outputs: Annotated[tuple[_Text, ...], Meta(min_length=1, max_length=1000)] = ()

    def mistakes(self) -> Iterator[tuple[str, str]]:
        """What is wrong with its words, as a key and what is to be read behind it."""
        for key in self.__struct_fields__:
            value = getattr(self, key)
            words = value if isinstance(value, tuple) else (value,) if value else ()
            for number, word in enumerate(words):
                text = word.query if isinstance(word, QueryTable) else word
                # Two hypernyms may have one name, as "contractor" has two senses on one path.
                if key != "hypernyms" and word in words[:number]:
                    yield key, f" has {text!r} twice"
                elif isinstance(text, str) and not (text.isprintable() or clean(text, len(text))):
                    yield key, " has no character that prints"
                elif key == "queries" and (mistake := mistake_in(text)):
                    yield key, f": the query {text[:80]!r} {mistake}"
                elif key == "without" and (mistake_in(phrase(text)) or '"' in text):
                    yield key, f": {text[:80]!r} is no word or words"


class TaxonomyTable(Record, frozen=True):
    """A document of a taxonomy."""

    name: Annotated[
        str,
        Meta(pattern=r"\S", max_length=100, title="a text of 1 to 100 characters on one line"),
    ]
    classes: Annotated[
        dict[str, ClassTable],
        Meta(
            min_length=1,
            max_length=100_000,
            title="1 to 100,000 tables, each of a class, such as [classes.dog]",
        ),
    ]


# From a document


def taxonomy_of(document: Mapping[str, Any]) -> Taxonomy:
    """The taxonomy that a document without mistakes says.

    Raises:
        BadInput: a value is not of the type that it must be.
    """
    found = check(document, TaxonomyTable, "taxonomy")
    classes = found.classes
    return Taxonomy(
        (class_of(index, id, table) for index, (id, table) in enumerate(classes.items())),
        {id: table.confusable or _confused(id, classes) for id, table in classes.items()},
        found.name.strip(),
    )


def _confused(id: str, classes: Mapping[str, Any]) -> tuple[str, ...]:
    """The classes for which one of ImageNet's own is taken, where nothing is said of it."""
    if id not in imagenet1k():
        return ()
    return tuple(cls.wnid for cls in imagenet1k().confusable(id) if cls.wnid in classes)


def class_of(index: int, id: str, table: ClassTable) -> ImageClass:
    """A class; what one of ImageNet's own does not say is as ImageNet's map has it."""
    known = imagenet1k().get(id)
    name = clean(table.name, 200) or (known.name if known else re.sub(r"[\s_-]+", " ", id).strip())
    lemmas = tuple(clean(lemma, 200) for lemma in table.lemmas)
    return ImageClass(
        index=index,
        wnid=id,
        lemmas=tuple(dict.fromkeys((name, *(lemmas or (known.lemmas if known else ()))))),
        gloss=clean(table.definition, 2000) or (known.gloss if known else ""),
        hypernyms=table.hypernyms or (known.hypernyms if known else ()),
        queries=_queries(name, table, known),
        wikipedia=tuple(map(WikipediaPage, table.wikipedia)) or (known.wikipedia if known else ()),
        content_types=tuple(sorted(set(table.content_types or _types_of(known)))),
        wikidata=table.wikidata,
        taxon=table.taxon or (known.taxon if known else ""),
        synset=table.synset or (id if is_wnid(id) else ""),
        imagenet=table.imagenet or ((id,) if known else ()),
        outputs=table.outputs,
    )


def _queries(name: str, table: ClassTable, known: ImageClass | None) -> tuple[Query, ...]:
    """What is searched for: what is said, else as ImageNet's map has it, else the name."""
    queries = tuple(
        Query(query, _OWN) if isinstance(query, str) else Query(query.query, query.why)
        for query in table.queries
    )
    if not queries and known:
        queries = known.queries
    elif not queries:
        queries = (Query(phrase(" ".join(name.replace('"', " ").split())), "name"),)
    without = "".join(f" -{phrase(term)}" for term in table.without)
    return tuple(Query(query.text + without, query.why) for query in queries)


def _types_of(known: ImageClass | None) -> tuple[int, ...]:
    """What is searched, where nothing is said of it."""
    return known.content_types if known else (PHOTOS,)


# To a document


def document_of(taxonomy: Taxonomy) -> dict[str, Any]:
    """The document of a taxonomy, with all that it says spelled out, as it is stored."""
    return {"name": taxonomy.name, "classes": {cls.wnid: _table(taxonomy, cls) for cls in taxonomy}}


def _table(taxonomy: Taxonomy, cls: ImageClass) -> dict[str, Any]:
    known = imagenet1k().get(cls.wnid)
    # The one name of a class, where ImageNet's map would else give it others.
    alone = [cls.name] if known and known.lemmas != cls.lemmas else []
    keys: dict[str, Any] = {
        "name": cls.name,
        "lemmas": list(cls.lemmas[1:]) or alone,
        "definition": cls.gloss,
        "queries": [{"query": query.text, "why": query.why} for query in cls.queries],
        "content_types": [] if cls.content_types == _types_of(known) else list(cls.content_types),
        "synset": cls.synset,
        "hypernyms": list(cls.hypernyms),
        "wikidata": list(cls.wikidata),
        "taxon": cls.taxon,
        "wikipedia": [page.path for page in cls.wikipedia],
        "confusable": [other.wnid for other in taxonomy.confusable(cls.wnid)],
        "imagenet": list(cls.imagenet),
        "outputs": list(cls.outputs),
    }
    return {key: value for key, value in keys.items() if value}


def hash_of(taxonomy: Taxonomy) -> str:
    """A taxonomy's hash, as ``sha256:...``, over all that it says, the order of its classes too."""
    return hash_of_document(document_of(taxonomy))


def hash_of_document(document: Mapping[str, Any]) -> str:
    """The hash of the taxonomy whose document, with all spelled out, this is."""
    ordered = [document["name"], list(document["classes"].items())]
    canonical = json.dumps(ordered, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"sha256:{sha256(canonical.encode()).hexdigest()}"


def changes(before: Taxonomy, after: Taxonomy) -> dict[str, Any]:
    """What `after` says that `before` did not.

    Returns:
        The ids of classes that are "new", and of those that are "gone"; and by the id of each other
        that is "changed", the keys of what is said otherwise of it.
    """
    was, now = document_of(before)["classes"], document_of(after)["classes"]
    changed = {
        id: [key for key in (now[id] | was[id]) if now[id].get(key) != was[id].get(key)]
        for id in now
        if id in was and now[id] != was[id]
    }
    new, gone = [id for id in now if id not in was], [id for id in was if id not in now]
    return {"new": new, "changed": changed, "gone": gone}
