"""Which class a name in words means, as people and vision-language models write it."""

import re
import unicodedata
from collections import defaultdict
from functools import cache

from genset.classes import IMAGENET, ImageClass, Taxonomy, imagenet1k, synonyms

NAMES_VERSION = 1
"""Part of a run's key: counted up where a name would mean another class than before."""

_ARTICLE = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)


class ClassNames:
    """The names of a taxonomy's classes; nothing is guessed.

    A class has its id, its lemmas, the first of these with what it is a kind of ("crane (wading
    bird)"), and, if it is ImageNet's, further names (``wordnet_maps/synonyms.json``: "sneaker").
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._names: defaultdict[str, set[str]] = defaultdict(set)
        self._synonyms: defaultdict[str, set[str]] = defaultdict(set)
        for cls in taxonomy:
            for name in (cls.wnid, *cls.lemmas, *with_kind(cls)):
                self._names[normalized(name)].add(cls.wnid)
        for wnid, names in synonyms().items() if taxonomy.name == IMAGENET else ():
            for name in names:
                self._synonyms[normalized(name)].add(wnid)

    def find(self, name: str) -> frozenset[str]:
        """The ids of the classes that have this name: none, one, or several that share it."""
        without = _ARTICLE.sub("", name.strip(), count=1)
        return frozenset(self._look_up(name) or self._look_up(without))

    def _look_up(self, name: str) -> set[str]:
        key = normalized(name)
        return self._names.get(key) or self._synonyms.get(key) or set()


@cache
def imagenet_names() -> ClassNames:
    """The names of ImageNet's 1,000 classes."""
    return ClassNames(imagenet1k())


def with_kind(cls: ImageClass) -> list[str]:
    """A class's name with the next thing above it: "crane (wading bird)"; none if there is none."""
    return [f"{cls.name} ({kind})" for kind in cls.hypernyms[:1]]


def normalized(name: str) -> str:
    """A name without what people write differently: case, accents, punctuation, spaces.

    >>> normalized("Jack-o’-Lantern"), normalized("pay_phone")
    ('jackolantern', 'payphone')
    """
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    return "".join(letter for letter in letters if letter.isalnum())
