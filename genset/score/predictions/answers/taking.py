"""Which class an answer means, by a fixed rule: the first of these steps that finds a name.

1. The whole answer, without its markup (`wording`), is a name: exactly as listed, then without
   case, accents, punctuation, spaces and a leading article; then a listed synonym.
2. It is a letter of the photo's options, alone or with a name of the same class; without options,
   a letter before a name says nothing and is left out.
3. Its opening words ("The image shows") are left out, and the rest is taken by steps 1 and 2.
4. It is several names, with commas, brackets, slashes or "or" between them, and exactly one class
   has all of them: "tench (Tinca tinca)", "maillot, tank suit".

Anything else is no class. Plurals that are not listed, names beside other words, and names that are
nearly right are not taken: to guess would be to help some models more than others.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from genset.score.predictions.answers.names import ClassNames, Meaning, normalized
from genset.score.predictions.answers.wording import unwrapped, without_opening

# How an answer was taken. Those in `NOT_TAKEN` name no single class, and count as wrong.
TAKEN = ("exact", "normalized", "synonym", "letter", "several names")
NOT_TAKEN = {
    "empty": "with no text",
    "unknown": "with no name of a class",
    "shared": "with a name that several classes share",
    "several": "with names of several classes",
    "letter without options": "with a letter of options that are not known (&prompts=FILE)",
    "letter against name": "with a letter that is no option’s, or not that of the name beside it",
}

_LETTER = re.compile(r"(?:option |choice )?[(\[]?([A-Za-z])[)\].:]*", re.IGNORECASE)
_LETTER_AND_NAME = re.compile(
    r"(?:option |choice )?(?:[(\[]([A-Za-z])[)\]][.:]?|([A-Za-z])[).:]|([A-Z])(?= [-–—] ))"
    r"\s*[-–—]?\s*(\S.*)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*[,;/()|]\s*|\s+or\s+|\s+aka\s+", re.IGNORECASE)
_OPENINGS = 3  # "The answer is: this is a tench"


@dataclass(frozen=True, slots=True)
class Taken:
    """An answer's class, "" for none; and how it was taken, in `TAKEN` or `NOT_TAKEN`."""

    wnid: str
    how: str


@dataclass(frozen=True, slots=True)
class Options:
    """What a photo's question offered: wnids by letter, and by normalized name."""

    letters: Mapping[str, str]
    names: Mapping[str, str]


NO_OPTIONS = Options({}, {})


def take(answer: str, names: ClassNames, options: Options = NO_OPTIONS) -> Taken:
    """Which class an answer means.

    Args:
        answer: what was said of a photo.
        names: of the classes among which the model chose.
        options: those of the photo's question.
    """
    text = unwrapped(answer)
    if not text:
        return Taken("", "unknown" if answer.strip() else "empty")
    for _ in range(_OPENINGS):
        taken = _name_or_letter(text, names, options)
        if taken is not None:
            return taken
        text, before = without_opening(text), text
        if text == before:
            break
    return _several_names(text, names, options)


def _name_or_letter(text: str, names: ClassNames, options: Options) -> Taken | None:
    if (meaning := _find(text, names, options)) is not None:
        return _of(meaning)
    if found := _LETTER.fullmatch(text):
        if not options.letters:
            return Taken("", "letter without options")
        wnid = options.letters.get(found[1].upper(), "")
        return Taken(wnid, "letter" if wnid else "letter against name")
    if found := _LETTER_AND_NAME.fullmatch(text):
        return _letter_and_name(found[1] or found[2] or found[3], found[4], names, options)
    return None


def _letter_and_name(letter: str, name: str, names: ClassNames, options: Options) -> Taken | None:
    meaning = _find(name, names, options)
    if meaning is None:
        return None
    if not options.letters:
        return _of(meaning)
    wnid = options.letters.get(letter.upper(), "")
    return Taken(wnid, "letter") if wnid in meaning.wnids else Taken("", "letter against name")


def _several_names(text: str, names: ClassNames, options: Options) -> Taken:
    parts = [part for part in _BETWEEN.split(text) if part]
    meanings = [_find(part, names, options) for part in parts]
    known = [meaning.wnids for meaning in meanings if meaning is not None]
    if len(parts) < 2 or len(known) < len(parts):
        return Taken("", "unknown")
    common = frozenset.intersection(*known)
    if len(common) == 1:
        return Taken(next(iter(common)), "several names")
    return Taken("", "shared" if common else "several")


def _find(name: str, names: ClassNames, options: Options) -> Meaning | None:
    """What a name means: an option's name before any other."""
    if wnid := options.names.get(normalized(name)):
        return Meaning(frozenset([wnid]), "exact")
    return names.find(name)


def _of(meaning: Meaning) -> Taken:
    if len(meaning.wnids) > 1:
        return Taken("", "shared")
    return Taken(next(iter(meaning.wnids)), meaning.how)
