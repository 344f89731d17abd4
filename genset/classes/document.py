"""A taxonomy as a document: as people write it in TOML, and as it is stored in JSON.

What a document has is told in `genset.classes.own`, what is wrong with one in
`genset.classes.checks`.
"""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from genset.classes.classes import PHOTOS, ImageClass, Query, WikipediaPage, is_wnid
from genset.classes.imagenet import imagenet1k
from genset.classes.taxonomy import Taxonomy
from genset.core.safe import clean

_OWN = "own taxonomy"


def taxonomy_of(document: Mapping[str, Any]) -> Taxonomy:
    """The taxonomy that a document without mistakes says."""
    classes = document["classes"]
    return Taxonomy(
        (class_of(index, id, given) for index, (id, given) in enumerate(classes.items())),
        {id: given.get("confusable") or _confused(id, classes) for id, given in classes.items()},
        document["name"].strip(),
    )


def _confused(id: str, classes: Mapping[str, Any]) -> tuple[str, ...]:
    """The classes for which one of ImageNet's own is taken, where nothing is said of it."""
    if id not in imagenet1k():
        return ()
    return tuple(each.wnid for each in imagenet1k().confusable(id) if each.wnid in classes)


def document_of(taxonomy: Taxonomy) -> dict[str, Any]:
    """The document of a taxonomy, with all that it says spelled out, as it is stored."""
    classes = {each.wnid: _told(taxonomy, each) for each in taxonomy}
    return {"name": taxonomy.name, "classes": classes}


def hash_of(taxonomy: Taxonomy) -> str:
    """A taxonomy's hash, as ``sha256:...``, over all that it says, the order of its classes too."""
    return hash_of_document(document_of(taxonomy))


def hash_of_document(document: Mapping[str, Any]) -> str:
    """The hash of the taxonomy whose document, with all spelled out, this is."""
    told = [document["name"], list(document["classes"].items())]
    canonical = json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"sha256:{sha256(canonical.encode()).hexdigest()}"


def _told(taxonomy: Taxonomy, each: ImageClass) -> dict[str, Any]:
    usual = _types_of(imagenet1k().get(each.wnid))
    told: dict[str, Any] = {
        "name": each.name,
        "lemmas": list(each.lemmas[1:]) or _alone(each),
        "definition": each.gloss,
        "queries": [{"query": query.text, "why": query.why} for query in each.queries],
        "content_types": [] if each.content_types == usual else list(each.content_types),
        "synset": each.synset,
        "hypernyms": list(each.hypernyms),
        "wikidata": list(each.wikidata),
        "taxon": each.taxon,
        "wikipedia": [page.path for page in each.wikipedia],
        "confusable": [other.wnid for other in taxonomy.confusable(each.wnid)],
        "imagenet": list(each.imagenet),
        "outputs": list(each.outputs),
    }
    return {key: value for key, value in told.items() if value}


def _alone(each: ImageClass) -> list[str]:
    """The one name of a class, where ImageNet's map would else give it others."""
    known = imagenet1k().get(each.wnid)
    return [each.name] if known and known.lemmas != each.lemmas else []


def class_of(index: int, id: str, given: Mapping[str, Any]) -> ImageClass:
    """A class; what one of ImageNet's own does not say is as ImageNet's map has it."""
    known = imagenet1k().get(id)
    name = clean(given.get("name", ""), 200) or (known.name if known else _words(id))
    lemmas = [clean(each, 200) for each in given.get("lemmas", known.lemmas if known else ())]
    pages = tuple(map(WikipediaPage, given.get("wikipedia", ())))
    return ImageClass(
        index=index,
        wnid=id,
        lemmas=tuple(dict.fromkeys((name, *lemmas))),
        gloss=clean(given.get("definition", ""), 2000) or (known.gloss if known else ""),
        hypernyms=tuple(given.get("hypernyms", known.hypernyms if known else ())),
        queries=_queries(name, given, known),
        wikipedia=pages or (known.wikipedia if known else ()),
        content_types=tuple(sorted(set(given.get("content_types", _types_of(known))))),
        wikidata=tuple(given.get("wikidata", ())),
        taxon=given.get("taxon", known.taxon if known else ""),
        synset=given.get("synset", id if is_wnid(id) else ""),
        imagenet=tuple(given.get("imagenet", (id,) if known else ())),
        outputs=tuple(given.get("outputs", ())),
    )


def _queries(name: str, given: Mapping[str, Any], known: ImageClass | None) -> tuple[Query, ...]:
    """What is searched for: what is said, else as ImageNet's map has it, else the name."""
    said = tuple(
        Query(each, _OWN) if isinstance(each, str) else Query(each["query"], each.get("why", _OWN))
        for each in given.get("queries", ())
    )
    queries = said or (
        known.queries
        if known
        else (Query(quoted(" ".join(name.replace('"', " ").split())), "name"),)
    )
    without = "".join(f" -{quoted(term)}" for term in given.get("without", ()))
    return tuple(Query(query.text + without, query.why) for query in queries)


def _types_of(known: ImageClass | None) -> tuple[int, ...]:
    """What is searched, where nothing is said of it."""
    return known.content_types if known else (PHOTOS,)


def _words(id: str) -> str:
    return re.sub(r"[\s_-]+", " ", id).strip()


def quoted(term: str) -> str:
    """A term of a query: a phrase of several words stands in quotes."""
    return f'"{term}"' if re.search(r"\s", term) else term
