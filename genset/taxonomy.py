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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from genset.errors import BadInput


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for.

    `why` says where it is from: ``lemma`` (WordNet's own word), ``lemma with hypernym`` (a word
    that commonly means something else, with what it is here: "boxer dog") or ``override`` (a
    person's choice, explained in ``wordnet_maps/overrides.toml``).
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
    `wikipedia` has the pages on it, mostly one.
    """

    index: int
    wnid: str
    lemmas: tuple[str, ...]
    gloss: str
    hypernyms: tuple[str, ...]
    queries: tuple[Query, ...]
    wikipedia: tuple[WikipediaPage, ...] = ()

    @property
    def name(self) -> str:
        """The first lemma: for people to read. Not unique, so never for programs to look up."""
        return self.lemmas[0]


class Taxonomy:
    """The classes, in the order of their index; looked up by wnid."""

    def __init__(
        self, classes: Iterable[ImageClass], confusable: Mapping[str, Iterable[str]]
    ) -> None:
        self._classes = tuple(classes)
        self._by_wnid = {each.wnid: each for each in self._classes}
        self._confusable = {wnid: tuple(others) for wnid, others in confusable.items()}

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
            )
            for index, each in enumerate(_read("imagenet1k.json"))
        ),
        {wnid: each["confusable"] for wnid, each in guide.items()},
    )


def _read(name: str) -> list[dict[str, Any]]:
    """The classes of a committed map."""
    document = json.loads(files("wordnet_maps").joinpath(name).read_text("utf-8"))
    classes: list[dict[str, Any]] = document["classes"]
    return classes
