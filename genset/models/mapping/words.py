"""Outputs that models call in words of their own, as heads trained on other classes do."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from genset.classes import ImageClass, Taxonomy
from genset.classes.classes import is_wnid


class Met(NamedTuple):
    """The classes that have outputs by words, with these outputs, as the model calls them.

    `by_name` are those of them that have theirs only because the two names are one word.
    """

    outputs: dict[str, list[str]]
    by_name: tuple[str, ...]


def met_by_words(outputs: Iterable[str], taxonomy: Taxonomy) -> Met:
    """Which outputs classes have by what both are called.

    An output is of the class whose `outputs` list it; else of the class whose id it is, letter by
    letter. A class that has none so has the output whose word is its id or its name, but for case,
    spaces, hyphens and underscores: if no other output, and no other class's id, name or lemma, is
    that word. Lemmas find nothing by themselves: a crane may be a bird. Neither do wnids, which
    have no second spelling.
    """
    outputs = list(dict.fromkeys(filter(None, outputs)))
    listed = {output: each.wnid for each in taxonomy for output in each.outputs}
    found: dict[str, list[str]] = defaultdict(list)
    rest: dict[str, list[str]] = defaultdict(list)
    for output in outputs:
        if output in listed or output in taxonomy:
            found[listed.get(output, output)].append(output)
        elif not is_wnid(output):
            rest[_plain(output)].append(output)
    by_name = []
    for wnid, output in _by_name(rest, taxonomy) if rest else ():
        if wnid not in found:
            found[wnid].append(output)
            by_name.append(wnid)
    return Met(dict(found), tuple(by_name))


def _by_name(rest: dict[str, list[str]], taxonomy: Taxonomy) -> Iterable[tuple[str, str]]:
    """Each class with the one output that has its word."""
    owners: dict[str, set[str]] = defaultdict(set)
    for each in taxonomy:
        for word in (*_called(each), *map(_plain, each.lemmas)):
            owners[word].add(each.wnid)
    for each in taxonomy:
        same = [
            output
            for word in dict.fromkeys(_called(each))
            if word and len(owners[word]) == 1
            for output in rest.get(word, ())
        ]
        if len(same) == 1:
            yield each.wnid, same[0]


def _called(each: ImageClass) -> tuple[str, str]:
    return _plain(each.wnid), _plain(each.name)


def _plain(word: str) -> str:
    """A word without what people write differently: case, hyphens, underscores, spaces."""
    return " ".join(re.split(r"[\s_-]+", unicodedata.normalize("NFKC", word).casefold())).strip()
