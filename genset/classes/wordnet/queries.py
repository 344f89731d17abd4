"""What to search for, by rules, and why.

A lemma is a query (``lemma``), of several words a phrase, whose words are searched for apart where
phrases find too few (``wider``). One that commonly means something else gets an everyday word
for what it is here (``lemma with hypernym``: "monarch butterfly"); where there is no such word it
is no query. WordNet lists a noun's senses by how common they are, so "commonly something else"
means that the synset is not the noun's first sense.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from genset.classes.classes import MOST_QUERIES
from genset.classes.query import Phrase, Terms, mistake_in, parse, phrase

WIDER = "wider"
"""Why a query is there that is asked where those before it find too few."""

_AT_ONCE = 4  # queries, before those that are wider

# The hypernyms that a photographer would write beside a name.
EVERYDAY = {
    *("bird", "butterfly", "cat", "dog", "duck", "fish", "frog", "insect", "lobster", "monkey"),
    *("rabbit", "salamander", "shark", "sheep", "snake", "spider", "turtle"),
}


def by_rule(word: str, hypernyms: Iterable[str], is_first: bool) -> tuple[str, str] | None:
    """The query that a lemma makes, with its reason; None where it makes none.

    Args:
        word: the lemma.
        hypernyms: names of what it is, the nearest first.
        is_first: whether this is the word's commonest sense.
    """
    everyday = next((name for name in hypernyms if name in EVERYDAY), None)
    if is_first or (everyday and word.endswith(everyday)):
        return phrase(word), "lemma"  # "tree frog" says it already
    return (f"{phrase(word)} {everyday}", "lemma with hypernym") if everyday else None


def distinct(queries: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The first of each spelling, then their words apart, no more than are worth a search.

    Spellings that differ only in case, hyphens or apostrophes are one.
    """
    by_spelling: dict[str, tuple[str, str]] = {}
    for text, why in queries:
        spelling = text.casefold().replace("-", " ").replace("'", "")
        by_spelling.setdefault(spelling, (text, why))
    first = list(by_spelling.values())[:_AT_ONCE]
    loose = [text.replace('"', "") for text, _ in first if '"' in text]
    last = [(text, WIDER) for text in loose if not mistake_in(text)]
    return [*first, *last][:MOST_QUERIES]


class Coverage(NamedTuple):
    """A query of the class `id` that finds all that a query of the class `other` finds."""

    id: str
    wide: str
    other: str
    narrow: str

    def __str__(self) -> str:
        return (
            f"the query {self.wide!r} of {self.id} finds all that {self.narrow!r} of {self.other} "
            "finds"
        )


def covered(queries: Mapping[str, Iterable[str]]) -> list[Coverage]:
    """Each query of a class that finds all that a query of another class finds, in words.

    As "lion" would find every "sea lion", since Flickr joins words by "and". Plurals count as their
    singular. `queries` are the texts by class.
    """
    flat = [(id, text, _singular(parse(text))) for id, texts in queries.items() for text in texts]
    # All words of a wide query are in the narrow one, its rarest too: others are not compared.
    words_of = [{word for phrase in terms.included for word in phrase} for _, _, terms in flat]
    often = Counter(chain.from_iterable(words_of))
    by_rarest: dict[str, list[int]] = {}
    for number, words in enumerate(words_of):
        by_rarest.setdefault(min(words, key=lambda word: (often[word], word)), []).append(number)
    pairs = [
        (wide, narrow)
        for narrow, words in enumerate(words_of)
        for word in words
        for wide in by_rarest.get(word, ())
    ]
    return [
        Coverage(flat[wide][0], flat[wide][1], flat[narrow][0], flat[narrow][1])
        for wide, narrow in sorted(pairs)
        if flat[wide][0] != flat[narrow][0]
        and words_of[wide] <= words_of[narrow]  # which most are not, and which is known soon
        and flat[wide][2].cover(flat[narrow][2])
    ]


def _singular(terms: Terms) -> Terms:
    """The same without the ends of plurals, which Flickr does not always keep apart."""

    def cut(phrases: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
        return tuple(
            tuple(re.sub(r"(?<=\w{3})(es|s)$", "", word) for word in phrase) for phrase in phrases
        )

    return Terms(cut(terms.included), cut(terms.excluded))
