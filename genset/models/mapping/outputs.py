"""Which of a model's outputs each class of a taxonomy has."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from genset.classes import ImageClass, Taxonomy, imagenet1k
from genset.classes.classes import is_wnid
from genset.classes.taxonomy import plain
from genset.core.errors import BadInput


class WordMatches(NamedTuple):
    """The classes that have outputs by words, with these outputs, as the model calls them.

    `by_name` are those of them that have theirs only because the two names are one word.
    """

    outputs: dict[str, list[str]]
    by_name: tuple[str, ...]


def match_by_words(outputs: Iterable[str], taxonomy: Taxonomy) -> WordMatches:
    """Which outputs classes have by what both are called.

    An output is of the class whose `outputs` list it; else of the class whose id it is, letter by
    letter. A class that has none so has the output whose word is its id or its name, but for case,
    spaces, hyphens and underscores: if no other output, and no other class's id, name or lemma, is
    that word. Lemmas find nothing by themselves: a crane may be a bird. Neither do wnids, which
    have no second spelling.
    """
    outputs = list(dict.fromkeys(filter(None, outputs)))
    listed = {output: cls.wnid for cls in taxonomy for output in cls.outputs}
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
    return WordMatches(dict(found), tuple(by_name))


def _by_name(rest: dict[str, list[str]], taxonomy: Taxonomy) -> Iterable[tuple[str, str]]:
    """Each class with the one output that has its word."""
    owners: dict[str, set[str]] = defaultdict(set)
    for cls in taxonomy:
        for word in (*_called(cls), *map(_plain, cls.lemmas)):
            owners[word].add(cls.wnid)
    for cls in taxonomy:
        same = [
            output
            for word in dict.fromkeys(_called(cls))
            if word and len(owners[word]) == 1
            for output in rest.get(word, ())
        ]
        if len(same) == 1:
            yield cls.wnid, same[0]


def _called(cls: ImageClass) -> tuple[str, str]:
    return _plain(cls.wnid), _plain(cls.name)


def _plain(word: str) -> str:
    """A word without what people write differently: case, hyphens, underscores, spaces."""
    return plain(unicodedata.normalize("NFKC", word))


Above = Callable[[str], Collection[str]]
"""The wnids of a noun of WordNet and of all that it is a kind of; none for any other word."""

_SHOWN = 3


def outputs_of(outputs: Sequence[str], taxonomy: Taxonomy, above: Above) -> dict[str, list[int]]:
    """The outputs of each class, as their places, in the taxonomy's order.

    A class has the outputs that are called as it is (`words.match_by_words`); else those of its
    `imagenet` list; else those whose wnids are its synset or below it. Each output is of one class
    at most. Where WordNet puts it below several, it is of the one that is a kind of all others; and
    of none, if that one has outputs of its own name or list already.

    Args:
        outputs: what each stands for: wnids, or the ids of other classes; "" for no class.
        taxonomy: the set's.
        above: what is above a noun (`genset.models.mapping.outputs`).

    Returns:
        By the classes' ids, ascending places; none for a class that the model does not have.

    Raises:
        BadInput: an output is below two classes of which neither is a kind of the other.
    """
    places: dict[str, list[int]] = {}
    for place, output in enumerate(outputs):
        if output:
            places.setdefault(output, []).append(place)
    matches = match_by_words(places, taxonomy).outputs
    found = {
        cls.wnid: [place for output in matches.get(cls.wnid, ()) for place in places[output]]
        for cls in taxonomy
    }
    taken = {output for its in matches.values() for output in its}
    for cls in taxonomy:
        if not found[cls.wnid]:
            listed = [wnid for wnid in cls.imagenet if wnid in places and wnid not in taken]
            found[cls.wnid] = sorted(place for wnid in listed for place in places[wnid])
            taken.update(listed)
    mapped = {wnid for wnid, its in found.items() if its}
    synsets: dict[str, list[str]] = {}
    for cls in taxonomy:
        if cls.synset:
            synsets.setdefault(cls.synset, []).append(cls.wnid)
    if any(wnid not in mapped for its in synsets.values() for wnid in its):
        for output in sorted(set(places) - taken):
            nearest = _nearest(output, synsets, above)
            if set(nearest) <= mapped:
                continue
            if len(nearest) > 1:
                raise BadInput(_claimed(output, nearest, taxonomy))
            found[nearest[0]] += places[output]
    return {wnid: sorted(its) for wnid, its in found.items()}


def _nearest(output: str, synsets: dict[str, list[str]], above: Above) -> list[str]:
    """The classes that an output is below, without those above another of them."""
    claimed = {noun for noun in above(output) if noun in synsets}
    if len(claimed) > 1:
        claimed -= {other for noun in claimed for other in above(noun) if other != noun}
    return sorted(wnid for noun in claimed for wnid in synsets[noun])


def _claimed(output: str, classes: Sequence[str], taxonomy: Taxonomy) -> str:
    """That an output is below several classes, and how to mend it."""
    more = f" and {len(classes) - _SHOWN} more" if len(classes) > _SHOWN else ""
    mend = f'say whose it is in the taxonomy: imagenet = ["{output}", ...] under one of them'
    if output not in imagenet1k():
        mend = "leave out the synset of all but one of them in the taxonomy"
    return (
        f"the output {output} is below several classes of {taxonomy.name} in WordNet: "
        f"{', '.join(classes[:_SHOWN])}{more}; {mend}"
    )


def above(wnid: str) -> Collection[str]:
    """The wnids of a noun of WordNet 3.0 and of all that it is a kind of; none for other words."""
    from genset.classes.wordnet import nouns  # a table of all nouns, read when it is asked for

    table = nouns()
    return table.all_above(wnid) if wnid in table else ()
