"""Classes by what people type: an id, or a name.

    >>> from genset.classes import imagenet1k
    >>> find_classes(imagenet1k(), ["n02123045", "great_white shark"])[0]
    ('n01484850', 'n02123045')
    >>> found = find_class(imagenet1k(), "kite")
    >>> found.wnids, found.remark
    (('n01608432',), 'kite: n01608432, the only one of 4 senses among these classes')

A name stands for every class that it names, or that is a kind of what it names: "shark" for all
sharks. A word has several senses; where exactly one of them is among the classes, that one is
meant, and otherwise the choices are listed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from genset.classes.classes import ImageClass, is_wnid
from genset.classes.imagenet import synonyms
from genset.classes.taxonomy import Taxonomy, plain
from genset.classes.wordnet import Noun, imagenet_below, nouns
from genset.core.errors import SeveralMistakes
from genset.core.safe import clean

_SHOWN = 6  # classes and choices in a line


@dataclass(frozen=True, slots=True)
class NamedClasses:
    """The classes that a word stands for, and what to say of how it was read; "" for nothing."""

    wnids: tuple[str, ...]
    remark: str = ""


def find_classes(
    taxonomy: Taxonomy, words: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the classes that words stand for, in the order of the taxonomy, and remarks.

    Raises:
        BadInput: a word names no class, or several; it lists the choices of each such word.
    """
    found: list[NamedClasses] = []
    mistakes: list[str] = []
    for word in words:
        try:
            found.append(find_class(taxonomy, word))
        except SeveralMistakes as error:
            mistakes += error.lines
    if mistakes:
        raise SeveralMistakes(*mistakes)
    wnids = {wnid for named in found for wnid in named.wnids}
    remarks = tuple(named.remark for named in found if named.remark)
    return tuple(cls.wnid for cls in taxonomy if cls.wnid in wnids), remarks


def find_class(taxonomy: Taxonomy, word: str) -> NamedClasses:
    """The classes that a word stands for.

    Raises:
        BadInput: it names no class, or several.
    """
    if word in taxonomy:
        return NamedClasses((word,))
    if is_wnid(word) and word in nouns():
        return _of_one_sense(taxonomy, word, nouns()[word], 1)
    if not taxonomy.is_imagenet and (named := _called(taxonomy, word)):
        return _of_one_class(word, named)
    senses = nouns().senses(word)
    meant = meant_senses(taxonomy, word)
    if len({tuple(below) for below in meant.values()}) > 1:
        raise SeveralMistakes(*_choices(word, meant))
    for sense in meant:
        return _of_one_sense(taxonomy, word, sense, len(senses))
    if named := _called(taxonomy, word):
        return _of_one_class(word, named)
    raise SeveralMistakes(_unknown(taxonomy, word, senses))


def meant_senses(taxonomy: Taxonomy, word: str) -> dict[Noun, list[ImageClass]]:
    """The senses of a word that are classes, or have kinds that are, with these classes."""
    return {noun: below for noun in nouns().senses(word) if (below := _below(taxonomy, noun))}


def _called(taxonomy: Taxonomy, word: str) -> list[ImageClass]:
    """The classes that have this id or name, or else those with such a further name."""
    same = plain(word)
    ways = (
        lambda cls: (cls.wnid, cls.name),
        lambda cls: cls.lemmas,
        lambda cls: synonyms().get(cls.wnid, ()) if taxonomy.is_imagenet else (),
    )
    found = ([cls for cls in taxonomy if same in map(plain, names(cls))] for names in ways)
    return next(filter(None, found), [])


def _of_one_class(word: str, named: list[ImageClass]) -> NamedClasses:
    if len(named) > 1:
        lines = (
            ", ".join(filter(None, (f"{cls.wnid}: {cls.name}", clean(cls.gloss, 60))))
            for cls in named
        )
        raise SeveralMistakes(f"{word!r} names {len(named)} classes: give one of their ids", *lines)
    return NamedClasses((named[0].wnid,))


def _below(taxonomy: Taxonomy, sense: Noun) -> list[ImageClass]:
    """The classes that are this noun or a kind of it."""
    table = nouns()
    if taxonomy.is_imagenet:
        return [taxonomy[wnid] for wnid in imagenet_below(sense.wnid)]
    return [
        cls for cls in taxonomy if cls.synset in table and sense.wnid in table.all_above(cls.synset)
    ]


def _of_one_sense(taxonomy: Taxonomy, word: str, sense: Noun, senses: int) -> NamedClasses:
    below = _below(taxonomy, sense)
    if not below:
        gloss = clean(sense.gloss, 60)
        raise SeveralMistakes(f"{word!r} ({gloss}) names no class, nor do kinds of it")
    only = f", the only one of its {senses} senses among the classes" if senses > 1 else ""
    wnids = tuple(cls.wnid for cls in below)
    if len(below) > 1:
        remark = f"{word}: {len(below)} classes, the kinds of {sense.wnid} ({sense.name}){only}"
    else:
        remark = f"{word}: {wnids[0]} ({clean(below[0].gloss, 60)}){only}" if only else ""
    return NamedClasses(wnids, remark)


def _choices(word: str, meant: dict[Noun, list[ImageClass]]) -> list[str]:
    lines = [f"{word!r} has {len(meant)} senses among the classes: give one of these ids instead"]
    for sense, below in meant.items():
        ids = ", ".join(cls.wnid for cls in below[:_SHOWN])
        more = f" and {len(below) - _SHOWN} more" if len(below) > _SHOWN else ""
        kinds = "" if [cls.wnid for cls in below] == [sense.wnid] else f" ({ids}{more})"
        lines.append(f"{sense.wnid}: {sense.name}, {clean(sense.gloss, 60)}{kinds}")
    return lines


def _unknown(taxonomy: Taxonomy, word: str, senses: tuple[Noun, ...]) -> str:
    """That a word names no class, and what may have been meant."""
    number = plain(word).removeprefix("n")
    if f"n{number}" in taxonomy:
        return f"{word!r} names no class: did you mean n{number}?"
    if re.fullmatch(r"\d{1,6}", number) and int(number) < len(taxonomy):
        meant = taxonomy.by_index(int(number))
        return f"{word!r} names no class: index {number} is {meant.wnid} ({meant.name})"
    if is_wnid(word):
        return f"{word!r} names no class of {taxonomy.name}"
    if len(senses) == 1:
        return f"{word!r} ({clean(senses[0].gloss, 60)}) names no class, nor do kinds of it"
    if senses:
        return (
            f"{word!r} names no class of {taxonomy.name}, in none of its {len(senses)} senses in "
            "WordNet, nor do kinds of these"
        )
    known = {plain(name): cls for cls in taxonomy for name in (cls.wnid, *cls.lemmas)}
    near = [f"{name} ({known[name].wnid})" for name in get_close_matches(plain(word), known, 3)]
    if near:
        return f"{word!r} names no class: did you mean {' or '.join(near)}?"
    return f"{word!r} names no class: give an id, such as {next(iter(taxonomy)).wnid}, or a name"


def hint(taxonomy: Taxonomy, word: str) -> str:
    """The classes that a word, which is no id, may stand for, in one line."""
    try:
        wnids = find_class(taxonomy, word).wnids
    except SeveralMistakes as error:
        return "; ".join(error.lines)
    more = f" and {len(wnids) - _SHOWN} more" if len(wnids) > _SHOWN else ""
    return f"{word!r} is the name of {', '.join(wnids[:_SHOWN])}{more}"
