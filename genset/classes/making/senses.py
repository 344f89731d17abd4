"""What words mean: the senses that WordNet has of them, asked for or said."""

import re
from collections.abc import Iterable, Iterator

from genset.classes.checks import folded
from genset.classes.classes import is_wnid
from genset.classes.imagenet import imagenet1k
from genset.classes.names import meant_senses
from genset.classes.wordnet import Noun, imagenet_below, nouns
from genset.core.errors import BadInput
from genset.core.numbers import count
from genset.core.safe import clean

Senses = dict[str, tuple[str, ...]]
"""By word, what is said that it means: wnids, or numbers among its senses."""

_ORGANISM = "n00004475"


def parse_senses(options: Iterable[str]) -> Senses:
    """What was said of words, as in ``dog=n02084071`` or ``dog=1``; of a word as often as it is.

    Raises:
        BadInput: it is not of that form.
    """
    found: Senses = {}
    for option in options:
        word, equals, sense = (part.strip() for part in option.rpartition("="))
        if not (word and equals and (is_wnid(sense) or re.fullmatch("[0-9]{1,3}", sense))):
            raise BadInput(f"{option!r} is no sense: write --sense dog=n02084071 or --sense dog=1")
        found[plain(word)] = (*found.get(plain(word), ()), sense)
    return found


def only_sense(word: str) -> tuple[Noun | None, list[str]]:
    """A word's only sense, or the only one among ImageNet's classes, and notes; else None."""
    several = nouns().senses(word)
    if len(several) == 1:
        return several[0], [*_doubt(word, several[0])]
    meant = meant_senses(imagenet1k(), word)
    if len(set(map(tuple, meant.values()))) != 1:
        return None, []
    noun = next(iter(meant))
    only = f"the only one of its {len(several)} senses among ImageNet's classes"
    return noun, [f"{noun.wnid} ({clean(noun.gloss, 60)}), {only}"]


def _doubt(word: str, noun: Noun) -> Iterator[str]:
    """A note where a word's only sense may not be what is meant: a Mini is a car, too.

    A word in small letters that comes first of an organism's or an ImageNet class's is not in
    doubt, nor are several words.
    """
    if len(plain(word).split()) > 1 or word in nouns():
        return
    is_thing = imagenet_below(noun.wnid) or _ORGANISM in nouns().all_above(noun.wnid)
    is_plain = is_thing and word.islower() and nouns().base(word) == noun.name.lower()
    if not is_plain:
        gloss = clean(noun.gloss, 60)
        yield f'WordNet\'s only {clean(word)!r} is this: {gloss}; if it is not, --sense "{word}=0"'


def choices(word: str) -> list[str]:
    """Of a word with senses a line on it, and one for each of its senses."""
    if not (several := nouns().senses(word)):
        return []
    base = nouns().base(word)
    also = f" (looked up as {base!r})" if base != plain(word) else ""
    return [
        f"{word!r}{also} has {len(several)} senses in WordNet: say which by "
        f'--sense "{word}=NUMBER", 0 for none',
        *(
            f"{number} = {noun.wnid} {', '.join(noun.lemmas[:3])}: {clean(noun.gloss, 60)}"
            for number, noun in enumerate(several, 1)
        ),
    ]


def nouns_of(word: str, senses: Senses) -> tuple[Noun | None, ...]:
    """What a word is said to mean, or is, a wnid; None for the sense "0".

    Raises:
        BadInput: the word has no such sense, or is said to have one and none.
    """
    if word in nouns():  # it is a wnid itself
        return (nouns()[word],)
    found = nouns().senses(word)
    chosen = tuple(dict.fromkeys(_sense(word, found, sense) for sense in senses[plain(word)]))
    if None in chosen and len(chosen) > 1:
        raise BadInput(f"--sense {word}=0 says that no sense of {word!r} is meant: give no other")
    return chosen


def _sense(word: str, senses: tuple[Noun, ...], sense: str) -> Noun | None:
    if is_wnid(sense):
        return nouns()[sense]
    if int(sense) > len(senses):
        raise BadInput(
            f"{word!r} has {count(len(senses), 'sense')} in WordNet, so none is number {sense}"
        )
    return senses[int(sense) - 1] if int(sense) else None


def distinctions(several: tuple[Noun | None, ...]) -> list[str]:
    """What each is and the others are not: their nearest hypernyms that differ, else numbers."""
    paths = [[above.name for above in nouns().above(noun.wnid)] for noun in several if noun]
    for level in range(max(map(len, paths))):
        kinds = [path[min(level, len(path) - 1)] if path else "" for path in paths]
        if all(kinds) and len(set(map(folded, kinds))) == len(kinds):
            return kinds
    return [str(number) for number in range(1, len(several) + 1)]


def looked_up(word: str, noun: Noun | None) -> Iterator[str]:
    """A note where WordNet has another form of the word, or does not call the noun so at all."""
    found = nouns().base(word)
    if noun is None or word in nouns():
        return
    if noun not in nouns().senses(word):
        lemmas, gloss = ", ".join(noun.lemmas[:3]), clean(noun.gloss, 60)
        yield f"WordNet does not call {noun.wnid} {clean(word)!r}: it is {lemmas} ({gloss})"
    elif found and found.replace("-", " ") != plain(word).replace("-", " "):
        yield f"{clean(word)!r} was looked up as {found!r}"


def plain(word: str) -> str:
    """A word without the differences of case, and of what joins its parts."""
    return " ".join(word.casefold().replace("_", " ").split())
