"""A class: what it is, and what to search for to find photos of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import unquote

PHOTOS, SCREENSHOTS, OTHER = 0, 1, 2
"""Flickr's numbers of what an upload is, by its owner's word."""

MOST_QUERIES = 6
"""Queries that a class may have: more are not worth their searches."""


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for, in the language of `genset.classes.query`.

    `why` says where it is from: ``lemma`` (WordNet's own word), ``lemma with hypernym`` (a word
    that commonly means something else, with what it is here: "boxer dog"), ``reviewed`` (a person's
    choice), ``wider`` (for where those before it find too few), with a remark from
    ``wordnet_maps/queries.toml`` on some; or ``own list`` (a workspace's ``queries.toml``, with
    what it says itself).
    """

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class WikipediaPage:
    """A page, or a part of one, of the English Wikipedia; `path` is the end of its address."""

    path: str

    @property
    def title(self) -> str:
        """For people to read, as Wikipedia writes it: "Clock § Analog" is a part of "Clock"."""
        return unquote(self.path).replace("_", " ").replace("#", " § ")

    @property
    def url(self) -> str:
        """Its address."""
        return f"https://en.wikipedia.org/wiki/{self.path}"


@dataclass(frozen=True, slots=True)
class ImageClass:
    """A class of a taxonomy: one of ImageNet's 1,000, or of a user's own.

    `wnid` is its id: a wnid, or in a user's own taxonomy any word that can name a folder. `index`
    is its place among the classes; for ImageNet the place of its wnid in sorted order, which is how
    models number their outputs. `lemmas` and `gloss` are WordNet's, or what the user calls it and
    how they define it. `hypernyms` are what the class is a kind of, one name for each step from the
    nearest up to "entity"; where WordNet forks, the path takes the hypernym that it lists first.
    `queries` come with the most useful first. `wikipedia` has the pages on it, mostly one.
    `content_types` are what is searched: Flickr's numbers of photos (0), screenshots (1) and other
    things (2), sorted. `wikidata` are the items of Wikidata that it is, such as "Q194406", where a
    workspace's own list names them. `taxon` is the scientific name of what it is among organisms,
    "" where it is none for certain (``wordnet_maps/taxa.toml``). `synset` is the wnid of what it is
    in WordNet, "" where that is not said. `imagenet` are the classes of ImageNet that it holds:
    itself, if it is one. `outputs` are what models call it, in their own words.
    """

    index: int
    wnid: str
    lemmas: tuple[str, ...]
    gloss: str
    hypernyms: tuple[str, ...]
    queries: tuple[Query, ...]
    wikipedia: tuple[WikipediaPage, ...] = ()
    content_types: tuple[int, ...] = (PHOTOS,)
    wikidata: tuple[str, ...] = ()
    taxon: str = ""
    synset: str = ""
    imagenet: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The first lemma: for people to read. Not unique, so never for programs to look up."""
        return self.lemmas[0]

    @property
    def depicted(self) -> tuple[str, ...]:
        """What is searched where people say of photos what they depict: "depicts Q194406"."""
        return tuple(f"depicts {item}" for item in self.wikidata)


def with_distinct_names(
    cls: ImageClass, others: Iterable[ImageClass]
) -> tuple[ImageClass, list[ImageClass]]:
    """A class and others that it may be taken for, to be read side by side: no name is both's.

    A shared name is left out of the class's further names. Another class that goes by one gets what
    tells it apart, in brackets: what it is a kind of, or a further name ("gong (tam-tam)").
    """
    others = list(others)
    known = {name.casefold() for name in (*cls.lemmas, *cls.hypernyms)}
    shared = {name.casefold() for other in others for name in other.lemmas}
    further = [name for name in cls.lemmas[1:] if name.casefold() not in shared]

    def distinct(other: ImageClass) -> ImageClass:
        if other.name.casefold() not in map(str.casefold, cls.lemmas):
            return other
        options = (*other.hypernyms[:1], *other.lemmas[1:], *other.hypernyms[1:])
        telling = next((name for name in options if name.casefold() not in known), other.wnid)
        return replace(other, lemmas=(f"{other.name} ({telling})", *other.lemmas[1:]))

    return replace(cls, lemmas=(cls.name, *further)), [distinct(other) for other in others]


def is_wnid(word: str) -> bool:
    """Whether a word has the form of a wnid, such as n02084071."""
    return re.fullmatch(r"n[0-9]{8}", word) is not None
