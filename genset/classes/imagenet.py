"""ImageNet-1k: its classes from the committed maps of ``wordnet_maps``."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from genset.classes.classes import PHOTOS, ImageClass, Query, WikipediaPage
from genset.classes.taxonomy import Taxonomy


@cache
def imagenet1k() -> Taxonomy:
    """ImageNet-1k, as in ILSVRC 2012 to 2017. Read once and kept: a few milliseconds."""
    guide = {each["wnid"]: each for each in _read("guide.json")}
    taxa = {each["wnid"]: each["taxon"] for each in _read("taxa.json")}
    return Taxonomy(
        (
            ImageClass(
                index=index,
                wnid=each["wnid"],
                lemmas=tuple(each["lemmas"]),
                gloss=each["gloss"],
                hypernyms=tuple(each["hypernyms"]),
                queries=tuple(Query(query["text"], query["why"]) for query in each["queries"]),
                wikipedia=tuple(map(WikipediaPage, guide[each["wnid"]]["wikipedia"])),
                content_types=tuple(each.get("content_types", (PHOTOS,))),
                taxon=taxa.get(each["wnid"], ""),
                synset=each["wnid"],
                imagenet=(each["wnid"],),
            )
            for index, each in enumerate(_read("imagenet1k.json"))
        ),
        {wnid: each["confusable"] for wnid, each in guide.items()},
    )


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """Names of classes, by wnid, that are no lemma of WordNet: those that CLIP's prompts use.

    No two classes share one, and none is another class's lemma.
    """
    return {each["wnid"]: tuple(each["names"]) for each in _read("synonyms.json")}


def _read(name: str) -> list[dict[str, Any]]:
    """The classes of a committed map."""
    document = json.loads(files("wordnet_maps").joinpath(name).read_text("utf-8"))
    classes: list[dict[str, Any]] = document["classes"]
    return classes
