"""The language of queries: words, phrases in quotes, and what a photo must not say.

    lion -sea -mountain       photos that say "lion", and neither "sea" nor "mountain"
    "guinea pig" pet          photos that say "guinea pig", in this order, and "pet"

Flickr joins all that is wanted by "and". What it does with hyphens and apostrophes inside a word
is its own affair; here they part words: "half-track" is the words "half" and "track". The marks of
a letter (vowels, tones and accents that are written with it) are of its word, composed with it or
not: to ``\\w`` they are no letters, but the words of India's scripts, and of others, have them.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from unicodedata import normalize

MARK = "\u0300"
"""One that stands for all in `as_one`, and is itself no ``\\w``."""

# Marks that nobody sees, by which two words would look the same.
_UNSEEN = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def is_mark(char: str) -> bool:
    """Whether it belongs to a word (Unicode's categories Mn and Mc) and is seen."""
    return unicodedata.category(char) in ("Mn", "Mc") and not _UNSEEN.fullmatch(char)


def as_one(text: str) -> str:
    """The text with `MARK` for each mark: patterns find in it what they cannot name in `text`."""
    if text.isascii():
        return text
    return "".join(MARK if is_mark(char) else char for char in text)


Phrase = tuple[str, ...]
"""Words that follow each other, in lower case. A single word is a phrase too."""

LONGEST = 200
"""Characters of a query."""

_OF_A_WORD = re.compile(rf"\w[\w{MARK}]*")

_TERM = re.compile(r'(?P<minus>-?)(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')

# Words and phrases of English, each of which a photo must say: what most queries are.
_WORD = r"(?!OR\b)[A-Za-z0-9]+"
_TERM_WORDS = f'(?:{_WORD}|"{_WORD}(?: {_WORD})*")'
_PLAIN = re.compile(f"{_TERM_WORDS}(?: {_TERM_WORDS})*")


@dataclass(frozen=True, slots=True)
class Terms:
    """What a query asks for: all of `included`, none of `excluded`."""

    included: tuple[Phrase, ...]
    excluded: tuple[Phrase, ...]

    def fit(self, texts: Sequence[Phrase]) -> bool:
        """Whether a photo with these texts (a title, tags...) is found.

        Its words may stand anywhere; a phrase stands in one text. A query that wants nothing
        finds nothing.
        """
        return bool(self.included) and says_all(texts, self.included) and not self.exclude(texts)

    def exclude(self, texts: Sequence[Phrase]) -> bool:
        """Whether such a photo says what the query does not want."""
        return any(says_all(texts, (phrase,)) for phrase in self.excluded)

    def cover(self, narrower: "Terms") -> bool:
        """Whether this query finds, by its words alone, all that the narrower one finds."""
        return says_all(narrower.included, self.included) and not self.exclude(narrower.included)


def parse(text: str) -> Terms:
    """Take a query apart. Whatever is no query by `mistake_in` is read as well as it can be."""
    included: list[Phrase] = []
    excluded: list[Phrase] = []
    for term in _TERM.finditer(text):
        spoken = words(term["phrase"] if term["word"] is None else term["word"])
        if not spoken:
            continue
        if term["minus"]:
            excluded.append(spoken)
        elif term["word"] is None:
            included.append(spoken)
        else:
            included += [(word,) for word in spoken]
    return Terms(tuple(included), tuple(excluded))


@cache
def stages(texts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A class's queries: those to ask first, and those for where the first find too few.

    Later is what finds, by its words alone, all that one before it finds.

    >>> stages(('"steam iron"', "steam iron -train", "clothes iron"))
    (('"steam iron"', 'clothes iron'), ('steam iron -train',))
    """
    terms = [parse(text) for text in texts]
    later = tuple(
        text
        for number, text in enumerate(texts)
        if any(terms[number].cover(narrow) for narrow in terms[:number])
    )
    return tuple(text for text in texts if text not in later), later


def phrase(term: str) -> str:
    """A term of a query: one of several words stands in quotes."""
    return f'"{term}"' if re.search(r"\s", term) else term


def words(text: str) -> Phrase:
    """The words of a text in their order: `It's a Tench` -> it, s, a, tench."""
    folded = normalize("NFC", text.casefold())
    return tuple(
        folded[match.start() : match.end()] for match in _OF_A_WORD.finditer(as_one(folded))
    )


def says_all(texts: Sequence[Phrase], included: Iterable[Phrase]) -> bool:
    """Whether each of the wanted phrases stands in one of the texts."""
    return all(any(_holds(text, phrase) for text in texts) for phrase in included)


def mistake_in(text: str) -> str | None:
    """What is wrong with a query, to be read after it; None where nothing is."""
    if _PLAIN.fullmatch(text) and len(text) <= LONGEST:
        return None  # nothing can be, and that is known sooner
    if not text.isprintable() or text != " ".join(text.split()):
        return "has characters or spaces that nobody sees: put one space between words"
    if len(text) > LONGEST:
        return f"is longer than {LONGEST} characters"
    if text.count('"') % 2:
        return "has a quotation mark that is not closed"
    if re.sub(r'(?:(?<=\s)|^)-?"[^"]*"(?=\s|$)', "", text).count('"'):
        return "has a quotation mark inside a word: leave a space before and after a phrase"
    terms = [(term["minus"], words(term[0])) for term in _TERM.finditer(text)]
    if not all(spoken for _, spoken in terms):
        return "has a minus sign or quotation marks without a word"
    if re.search(r"\bOR\b", text):
        return 'has "OR", which Flickr takes for an operator: write two queries'
    parsed = parse(text)
    if not parsed.included:
        return "names no word that photos must say"
    if parsed.exclude(parsed.included):
        return "excludes what it asks for"
    return None


def _holds(text: Phrase, phrase: Phrase) -> bool:
    length = len(phrase)
    return any(text[at : at + length] == phrase for at in range(len(text) - length + 1))
