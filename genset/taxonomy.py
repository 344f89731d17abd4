"""ImageNet's 1,000 classes: what each wnid means, and what to search for to find photos of it.

    >>> from genset.taxonomy import imagenet1k
    >>> crane = imagenet1k()["n02012849"]
    >>> crane.name, crane.index
    ('crane', 134)
    >>> [query.text for query in crane.queries]
    ['crane bird', 'sandhill crane', 'whooping crane', 'common crane']

A class is named by its wnid, a noun's offset in WordNet 3.0, and never by its English name (two
classes are called "crane") or a bare number (whose meaning drifts from list to list). The map is
a data file that is committed with genset, so nothing here needs NLTK or WordNet;
``wordnet_maps/build.py`` says how it was made. So is what tells classes apart, for those who
label: Wikipedia's pages, and which class may be taken for which (``wordnet_maps/guide.py``).
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from genset.errors import BadInput
from genset.text.query import mistake_in

MOST_QUERIES = 4
"""Queries that a class may have: more are not worth their searches."""

PHOTOS, SCREENSHOTS, OTHER = 0, 1, 2
"""Flickr's numbers of what an upload is, by its owner's word."""


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for, in the language of `genset.text.query`.

    `why` says where it is from: ``lemma`` (WordNet's own word), ``lemma with hypernym`` (a word
    that commonly means something else, with what it is here: "boxer dog"), ``override`` (a
    person's choice, explained in ``wordnet_maps/overrides.toml``) or ``own list`` (a workspace's
    ``queries.toml``, with what it says itself).
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
    """One of the 1,000 classes.

    `index` is the wnid's place among the 1,000 in sorted order, which is how models number
    their outputs. `lemmas` and `gloss` are WordNet's. `hypernyms` are what the class is a kind
    of, one name for each step from the nearest up to "entity"; where WordNet forks, the path
    takes the hypernym that it lists first. `queries` come with the most useful first.
    `wikipedia` has the pages on it, mostly one. `content_types` are what is searched: Flickr's
    numbers of photos (0), screenshots (1) and other things (2), sorted. `wikidata` are the items
    of Wikidata that it is, such as "Q194406", where a workspace's own list names them. `taxon` is
    the scientific name of what it is among organisms, "" where it is none for certain
    (``wordnet_maps/taxa.py``).
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

    @property
    def name(self) -> str:
        """The first lemma: for people to read. Not unique, so never for programs to look up."""
        return self.lemmas[0]

    @property
    def depicted(self) -> tuple[str, ...]:
        """What is searched where people say of photos what they depict: "depicts Q194406"."""
        return tuple(f"depicts {item}" for item in self.wikidata)


class Taxonomy:
    """The classes, in the order of their index; looked up by wnid."""

    def __init__(
        self, classes: Iterable[ImageClass], confusable: Mapping[str, Iterable[str]]
    ) -> None:
        self._classes = tuple(classes)
        self._by_wnid = {each.wnid: each for each in self._classes}
        self._confusable = {wnid: tuple(others) for wnid, others in confusable.items()}
        self._heights: dict[tuple[str, ...], int] = {}

    def __len__(self) -> int:
        return len(self._classes)

    def __iter__(self) -> Iterator[ImageClass]:
        return iter(self._classes)

    def __contains__(self, wnid: object) -> bool:
        return wnid in self._by_wnid

    def __getitem__(self, wnid: str) -> ImageClass:
        """The class with this wnid.

        Raises BadInput for any other word. An English name is not taken for its class, since
        the user may not know that there are two of it, but the message lists the wnids it may
        stand for.
        """
        try:
            return self._by_wnid[wnid]
        except KeyError:
            raise BadInput(f"no class {wnid!r}: {self._hint(str(wnid))}") from None

    def by_index(self, index: int) -> ImageClass:
        """The class that a model's output number `index` stands for.

        Raises BadInput where there is none (a negative one too: it does not count from the end).
        """
        if not 0 <= index < len(self):
            raise BadInput(f"no class has index {index}: they are 0 to {len(self) - 1}")
        return self._classes[index]

    def select(self, words: Iterable[str] = ()) -> tuple[ImageClass, ...]:
        """The classes with these wnids, in order and each once; all of them for no words.

        Raises BadInput, as a look-up does, for the first word that is no wnid.
        """
        wanted = {self[word].wnid for word in words}
        return tuple(each for each in self if not wanted or each.wnid in wanted)

    def confusable(self, wnid: str) -> tuple[ImageClass, ...]:
        """The classes that this one may be taken for, the likeliest first: none to six.

        Raises BadInput for a word that is no wnid.
        """
        return tuple(self[other] for other in self._confusable[self[wnid].wnid])

    def distance(self, one: str, other: str) -> int:
        """How far apart two classes are: the height of their lowest common ancestor.

        The classes' `hypernyms` form a tree, from "entity" down to the classes. A node's height is
        the number of steps from it to the deepest class below it. So a class is at 0 from itself,
        a tabby at 1 from a tiger cat (both are domestic cats), and two classes that have nothing
        but "entity" in common at `height`. It is an ultrametric: a third class is never farther
        from one of two than both the other and they are from each other.

        Source: Bertinetto et al., "Making Better Mistakes", 2020, which measures by it how severe a
        mistake is; before them Deng et al., "What does classifying more than 10,000 image
        categories tell us?", 2010.

        Raises:
            BadInput: one of them is no wnid of these classes.
        """
        first, second = self[one].hypernyms[::-1], self[other].hypernyms[::-1]
        if one == other:
            return 0
        common = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
        return self._height(tuple(name for name, _ in common))

    @property
    def height(self) -> int:
        """The largest distance that two classes can have."""
        return self._height(())

    def _height(self, node: tuple[str, ...]) -> int:
        """A node's height. It is named by all names from the top down to it: one may come twice."""
        if not self._heights:
            for each in self:
                path = each.hypernyms[::-1]
                for depth in range(len(path) + 1):
                    above = path[:depth]
                    below = len(path) + 1 - max(depth, 1)
                    self._heights[above] = max(below, self._heights.get(above, 0))
        return self._heights[node]

    def _hint(self, word: str) -> str:
        """What the user may have meant by `word`."""
        plain = _plain(word)
        named = [each for each in self if plain in map(_plain, each.lemmas)]
        if named:
            meanings = ", ".join(f"{each.wnid} ({each.name}: {each.gloss})" for each in named)
            return f"classes are named by wnid; you may mean {meanings}"
        if re.fullmatch(r"\d{1,3}", plain) and int(plain) < len(self):
            return (
                f"a number is no name; the class of this index is {self.by_index(int(plain)).wnid}"
            )
        wnid = f"n{plain.removeprefix('n')}"
        if wnid in self:
            return f"you may mean {wnid}"
        if re.fullmatch(r"n\d{8}", wnid):
            return "it is not one of ImageNet's 1,000"
        return "a class is named by its wnid, such as n02123045"


def _plain(text: str) -> str:
    """The words of `text` without what people write differently: case, hyphens, spaces."""
    return " ".join(re.split(r"[\s_-]+", text.casefold().strip()))


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


@dataclass(frozen=True, slots=True)
class Entry:
    """What a list of queries that people write says of a class.

    Without `queries` the class keeps those that it has, and what is searched among.
    """

    queries: tuple[str, ...]
    content_types: tuple[int, ...] = (PHOTOS,)
    why: str = ""
    wikidata: tuple[str, ...] = ()


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file that people write. Raises BadInput, with the line where it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name} cannot be read: {error.reason}; write it in UTF-8") from None
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path.name} cannot be read: {error}") from None


def read_entries(classes: object, name: str) -> dict[str, Entry]:
    """The table ``[classes]`` of a list of queries, by wnid, checked.

    ::

        n02129165 = ["lion -sea -mountain", "Panthera leo"]
        n06359193 = { queries = ["website screenshot"], content_types = [0, 1], why = "..." }
        n01440764 = { wikidata = ["Q194406"] }

    Raises BadInput, which names the list by `name` and the key, for the first mistake. Whether
    there is such a class is for others to say.
    """
    if not isinstance(classes, dict):
        raise BadInput(f'{name}: [classes] holds lines like: n02129165 = ["lion -sea"]')
    return {wnid: _entry(given, f"{name}: {wnid}") for wnid, given in classes.items()}


_KEYS = ("queries", "content_types", "why", "wikidata")


def _entry(given: object, where: str) -> Entry:
    given = {"queries": given} if isinstance(given, list) else given
    if not isinstance(given, dict) or not given.keys() & {"queries", "wikidata"}:
        raise BadInput(f'{where} must be queries, such as ["lion -sea"], or a table with queries')
    if unknown := sorted(given.keys() - set(_KEYS)):
        raise BadInput(f"{where}: there is no {unknown[0]}; known are {', '.join(_KEYS)}")
    types, why = given.get("content_types", [PHOTOS]), given.get("why", "")
    if not isinstance(types, list) or not types or not all(map(_is_content_type, types)):
        raise BadInput(
            f"{where}: content_types is a list of 0 (photos), 1 (screenshots) and 2 (other)"
        )
    if not isinstance(why, str):
        raise BadInput(f"{where}: why must be a text")
    if "content_types" in given and "queries" not in given:
        raise BadInput(f"{where}: content_types are given with queries")
    return Entry(
        _queries(given["queries"], where) if "queries" in given else (),
        tuple(sorted(set(types))),
        " ".join(why.split()),
        _items(given["wikidata"], where) if "wikidata" in given else (),
    )


def _queries(queries: object, where: str) -> tuple[str, ...]:
    if not isinstance(queries, list):
        raise BadInput(f'{where} must be queries, such as ["lion -sea"], or a table with queries')
    if not 1 <= len(queries) <= MOST_QUERIES:
        raise BadInput(f"{where} has {len(queries)} queries: give 1 to {MOST_QUERIES}")
    for query in queries:
        mistake = mistake_in(query) if isinstance(query, str) else "is no text"
        if mistake:
            raise BadInput(f"{where}: the query {query!r} {mistake}")
        if queries.count(query) > 1:
            raise BadInput(f"{where}: the query {query!r} is there twice")
    return tuple(queries)


def _items(items: object, where: str) -> tuple[str, ...]:
    """The items of Wikidata that a class is, checked."""
    if not isinstance(items, list) or not 1 <= len(items) <= MOST_QUERIES:
        raise BadInput(f'{where}: wikidata is a list of 1 to {MOST_QUERIES}, such as ["Q194406"]')
    for item in items:
        if not isinstance(item, str) or not re.fullmatch("Q[1-9][0-9]{0,11}", item):
            raise BadInput(f"{where}: {item!r} is no item of Wikidata, such as Q194406")
        if items.count(item) > 1:
            raise BadInput(f"{where}: the item {item} is there twice")
    return tuple(items)


def _is_content_type(value: object) -> bool:
    return type(value) is int and PHOTOS <= value <= OTHER


def earlier_queries() -> dict[str, tuple[tuple[Query, ...], tuple[int, ...]]]:
    """Queries and content types, by wnid, of the classes that had others in the first list.

    Workspaces that were made when lists had no version yet go on with it; ``wordnet_maps/
    queries-1.json`` holds what has changed since.
    """
    return {
        each["wnid"]: (
            tuple(Query(query["text"], query["why"]) for query in each["queries"]),
            (PHOTOS,),
        )
        for each in _read("queries-1.json")
    }


def _read(name: str) -> list[dict[str, Any]]:
    """The classes of a committed map."""
    document = json.loads(files("wordnet_maps").joinpath(name).read_text("utf-8"))
    classes: list[dict[str, Any]] = document["classes"]
    return classes
