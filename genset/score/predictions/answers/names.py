"""What classes are called, and which class a name means: by lists alone, nothing is guessed."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from genset.classes import ImageClass, Taxonomy, imagenet1k, synonyms

_ARTICLE = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name may mean: classes by wnid, several where they share it; and how it was found.

    `how` is "exact", "normalized" or "synonym".
    """

    wnids: frozenset[str]
    how: str


class ClassNames:
    """The names of some classes.

    A class of ImageNet has its wnid, its lemmas, the name that prompts give it (`name_in_prompts`),
    and CLIP's name of it; another class has the name that it is listed under.
    """

    def __init__(self, classes: Iterable[str], taxonomy: Taxonomy | None = None) -> None:
        """Take the names of these classes.

        Args:
            classes: wnids, or the names of classes that are not ImageNet's.
            taxonomy: the set's, where it is not ImageNet's.
        """
        self._as_written: set[str] = set()
        self._own: defaultdict[str, set[str]] = defaultdict(set)
        self._synonyms: defaultdict[str, set[str]] = defaultdict(set)
        further = synonyms()
        for wnid in classes:
            names = [wnid]
            if found := (taxonomy or imagenet1k()).get(wnid):
                names += [*found.lemmas, name_offered(wnid, taxonomy)]
            self._as_written.update(names)
            for name in names:
                self._own[normalized(name)].add(wnid)
            for name in further.get(wnid, ()):
                self._synonyms[normalized(name)].add(wnid)

    def find(self, name: str) -> Meaning | None:
        """What a name means; None where it is no class's.

        A name that classes share when it is normalized means all of them, however it is written:
        "Cardigan" is a dog to WordNet and "cardigan" a sweater, but not to those who answer.
        """
        without = _ARTICLE.sub("", name.strip(), count=1)
        return self._listed(name) or (self._listed(without) if without != name else None)

    def _listed(self, name: str) -> Meaning | None:
        key = normalized(name)
        if wnids := self._own.get(key):
            how = "exact" if name in self._as_written else "normalized"
            return Meaning(frozenset(wnids), how)
        if wnids := self._synonyms.get(key):
            return Meaning(frozenset(wnids), "synonym")
        return None


def normalized(name: str) -> str:
    """A name without what people write differently: case, accents, punctuation, spaces.

    >>> normalized("Jack-o’-Lantern"), normalized("pay_phone")
    ('jackolantern', 'payphone')
    """
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    return "".join(letter for letter in letters if letter.isalnum())


def name_in_prompts(each: ImageClass) -> str:
    """A name that no other class has: the first lemma, with what it is a kind of if need be.

    It is needed where classes share the lemma, and where the lemma commonly means something else:
    "crane (wading bird)", "boxer (working dog)".
    """
    unclear = normalized(each.name) in _shared() or any(
        query.why == "lemma with hypernym" for query in each.queries
    )
    return f"{each.name} ({each.hypernyms[0]})" if unclear else each.name


def name_offered(wnid: str, taxonomy: Taxonomy | None = None) -> str:
    """What a question calls a class; no two classes of a set have one name.

    `taxonomy` is the set's, where it is not ImageNet's: there ids tell apart what shares a name.
    """
    if taxonomy is None:
        found = imagenet1k().get(wnid)
        return name_in_prompts(found) if found else wnid
    name = taxonomy[wnid].name
    return f"{name} ({wnid})" if normalized(name) in _shared_in(taxonomy) else name


@cache
def _shared_in(taxonomy: Taxonomy) -> frozenset[str]:
    """The names that several classes of a taxonomy have, normalized."""
    counts = Counter(normalized(each.name) for each in taxonomy)
    return frozenset(name for name, classes in counts.items() if classes > 1)


@cache
def _shared() -> frozenset[str]:
    """The lemmas that several classes have, normalized."""
    counts = Counter(
        name for each in imagenet1k() for name in {normalized(lemma) for lemma in each.lemmas}
    )
    return frozenset(name for name, classes in counts.items() if classes > 1)
