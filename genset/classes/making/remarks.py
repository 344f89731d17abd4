"""What a reader of a taxonomy should look at.

Ambiguous words, queries that find other classes, what is no kind of thing, and what is two at once.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from genset.classes.classes import ImageClass
from genset.classes.query import stages
from genset.classes.taxonomy import Taxonomy
from genset.classes.wordnet import nouns
from genset.classes.wordnet.queries import covered

_SHOWN = 3


def remarks(taxonomy: Taxonomy) -> dict[str, list[str]]:
    """By id, what is remarkable of each class, in sentences; classes without are not in it."""
    found: dict[str, list[str]] = defaultdict(list)
    names: dict[str, dict[str, None]] = defaultdict(dict)
    by_synset = {cls.synset: cls.wnid for cls in taxonomy if cls.synset}
    for cls in taxonomy:
        found[cls.wnid] += _of_words(cls)
        found[cls.wnid] += _of_synset(cls, by_synset)
        for word in cls.lemmas:
            names[word.casefold()][cls.wnid] = None
    for word, ids in names.items():
        for id in ids if len(ids) > 1 else ():
            others = _listed([other for other in ids if other != id])
            found[id].append(f'"{word}" is a name of {others} too')
    wide: dict[tuple[str, str], list[str]] = defaultdict(list)
    for pair in covered({cls.wnid: [query.text for query in cls.queries] for cls in taxonomy}):
        wide[pair.id, pair.wide].append(pair.other)
    for (id, text), covers in wide.items():
        others = _listed(list(dict.fromkeys(covers)))
        found[id].append(
            f"the query {_quoted(text)} also finds photos of {others}: exclude words, such as "
            f"{text} -word"
        )
    return {cls.wnid: found[cls.wnid] for cls in taxonomy if found[cls.wnid]}


def _of_words(cls: ImageClass) -> Iterator[str]:
    """Queries that are one word with several senses, and those with a hypernym that nobody says."""
    for text in stages(tuple(query.text for query in cls.queries))[0]:
        senses = nouns().senses(text.strip('"'))
        if len(senses) < 2:
            continue
        numbers = [number for number, noun in enumerate(senses, 1) if noun.wnid == cls.synset]
        none = ", none of them is this one" if cls.synset else ""
        this = f", this is number {numbers[0]}" if numbers else none
        yield f"{_quoted(text)} has {len(senses)} senses in WordNet{this}"


def _of_synset(cls: ImageClass, by_synset: Mapping[str, str]) -> Iterator[str]:
    """A noun that is one thing with a name, or a kind of what is a class too."""
    if not cls.synset or cls.synset not in nouns():
        return
    if nouns()[cls.synset].is_instance:
        yield "WordNet has it as one thing with a name (a place, a person), not as a kind of thing"
    above = nouns().all_above(cls.synset)  # a few, of which to ask: there may be 21,000 classes
    if ids := [by_synset[wnid] for wnid in above if wnid in by_synset and wnid != cls.synset]:
        others = _listed(sorted(ids))
        yield f"it is a kind of {others}: a photo of it shows both"


def _quoted(text: str) -> str:
    """A query in quotes; a phrase has them already."""
    return text if text.startswith('"') else f'"{text}"'


def _listed(ids: list[str]) -> str:
    more = len(ids) - _SHOWN
    return ", ".join(ids[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
