"""ImageNet-1k: its classes from the committed maps of ``wordnet_maps``."""

import json
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from genset.classes.classes import PHOTOS, ImageClass, Query, WikipediaPage
from genset.classes.taxonomy import Taxonomy


@cache
def imagenet1k() -> Taxonomy:
    """ImageNet-1k, as in ILSVRC 2012 to 2017. Read once and kept: a few milliseconds."""
    guide = {entry["wnid"]: entry for entry in _read("guide.json")}
    entries = _read("imagenet1k.json")
    taxa = _taxa(entries)
    return Taxonomy(
        (
            ImageClass(
                index=index,
                wnid=entry["wnid"],
                lemmas=tuple(entry["lemmas"]),
                gloss=entry["gloss"],
                hypernyms=tuple(entry["hypernyms"]),
                queries=tuple(Query(query["text"], query["why"]) for query in entry["queries"]),
                wikipedia=tuple(map(WikipediaPage, guide[entry["wnid"]]["wikipedia"])),
                content_types=tuple(entry.get("content_types", (PHOTOS,))),
                taxon=taxa.get(entry["wnid"], ""),
                synset=entry["wnid"],
                imagenet=(entry["wnid"],),
            )
            for index, entry in enumerate(entries)
        ),
        {wnid: entry["confusable"] for wnid, entry in guide.items()},
    )


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """Names of classes, by wnid, that are no lemma of WordNet: those that CLIP's prompts use.

    No two classes share one, and none is another class's lemma.
    """
    return {entry["wnid"]: tuple(entry["names"]) for entry in _read("synonyms.json")}


def _taxa(entries: list[dict[str, Any]]) -> dict[str, str]:
    """By wnid, the taxa of classes that are one: ``taxa.toml`` says how each is known."""
    document = tomllib.loads(files("wordnet_maps").joinpath("taxa.toml").read_text("utf-8"))
    taxa = {name: name for part in document["lemma"] for name in part["names"]}
    taxa |= document["renamed"]
    found = {
        entry["wnid"]: taxa[name] for entry in entries for name in entry["lemmas"] if name in taxa
    }
    return found | {wnid: entry["taxon"] for wnid, entry in document["classes"].items()}


def _read(name: str) -> list[dict[str, Any]]:
    """The classes of a committed map."""
    document = json.loads(files("wordnet_maps").joinpath(name).read_text("utf-8"))
    classes: list[dict[str, Any]] = document["classes"]
    return classes
