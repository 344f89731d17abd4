"""Drafts of classes: what is known of each before it stands beside the others."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from genset.errors import BadInput
from genset.taxonomy.checks import folded, mistake_in_id
from genset.taxonomy.classes import is_wnid
from genset.taxonomy.making.ids import id_for
from genset.taxonomy.wordnet import Noun, nouns
from genset.text.safe import clean

LONGEST_NAME = 200
"""Characters of a class's name."""

_LED = re.compile(r"(n[0-9]{8})(?:[\s_-]+(.*))?")


@dataclass(frozen=True, slots=True)
class Draft:
    """A class to be.

    Attributes:
        id: its id.
        names: what the user calls it, the name first.
        noun: what it is in WordNet; None where that is not known.
        notes: what to say of how it came to be.
    """

    id: str
    names: tuple[str, ...]
    noun: Noun | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A word of which it is to be said what it means: the senses that WordNet has of it."""

    word: str
    senses: tuple[Noun, ...]


def parse_senses(said: Iterable[str]) -> dict[str, str]:
    """What was said of words, as in ``dog=n02084071`` or ``dog=1``.

    Raises:
        BadInput: it is not of that form, or said twice of a word.
    """
    found: dict[str, str] = {}
    for each in said:
        word, equals, sense = (part.strip() for part in each.rpartition("="))
        if not (word and equals and (is_wnid(sense) or re.fullmatch("[0-9]{1,3}", sense))):
            raise BadInput(f"{each!r} is no sense: write --sense dog=n02084071 or --sense dog=1")
        if found.setdefault(_plain(word), sense) != sense:
            raise BadInput(f"two senses of {word!r} are given")
    return found


def to_ask(words: Iterable[str], said: Mapping[str, str]) -> list[Asked]:
    """The words with several senses of which none is said."""
    several = [Asked(word, nouns().senses(word)) for word in words if _plain(word) not in said]
    return [each for each in several if len(each.senses) > 1]


def refuse_unasked(asked: list[Asked]) -> None:
    """Refuse words with several senses where nobody can be asked.

    Raises:
        BadInput: there are any; it lists their senses, a line for each word.
    """
    lines = []
    for word, senses in ((each.word, each.senses) for each in asked):
        listed = "; ".join(
            f"{number} = {noun.wnid} {clean(noun.gloss, 60)}"
            for number, noun in enumerate(senses, 1)
        )
        lines.append(
            f"{word!r} has {len(senses)} senses in WordNet: say which by --sense "
            f'"{word}={senses[0].wnid}" or by its number: {listed}'
        )
    if lines:
        raise BadInput("\n".join(lines))


def noun_of(word: str, said: Mapping[str, str]) -> Noun | None:
    """What a word means: the sense that is said, or its only one; None where WordNet lacks it.

    The sense "0" stands for none.

    Raises:
        BadInput: the word has no such sense.
    """
    if word in nouns():  # it is a wnid itself
        return nouns()[word]
    senses, sense = nouns().senses(word), said.get(_plain(word), "")
    if is_wnid(sense):
        return nouns()[sense]
    if sense and int(sense) > len(senses):
        raise BadInput(f"{word!r} has {len(senses)} senses in WordNet, so none is number {sense}")
    if sense:
        return senses[int(sense) - 1] if int(sense) else None
    return senses[0] if len(senses) == 1 else None


def of_words(words: Iterable[str], said: Mapping[str, str]) -> list[Draft]:
    """A class for each word, whose id is the word; all with several senses are said.

    Raises:
        BadInput: there are none, a word is there twice, or something is said of another.
    """
    words = [clean(word, LONGEST_NAME) for word in words]
    _see_all_is_meant(words, said)
    drafts = Drafts()
    for word in words:
        if folded(id_for(word, ())) in drafts.taken:
            raise BadInput(f"{word!r} is there twice")
        drafts.add(word, () if word in nouns() else (word,), noun_of(word, said))
    return drafts.whole("word")


def of_synsets(wnids: Iterable[str], depth: int | None) -> list[Draft]:
    """A class for each noun that is `depth` steps below one of these; None: for each leaf.

    Raises:
        BadInput: one of them is no noun's wnid, or there are none.
    """
    table = nouns()
    found: dict[str, None] = {}
    for wnid in wnids:
        if not is_wnid(wnid):
            meant = ", ".join(f"{each.wnid} ({each.gloss[:60]})" for each in table.senses(wnid))
            raise BadInput(
                f"{wnid!r} is no wnid, such as n02084071" + (f"; it may be {meant}" * bool(meant))
            )
        below = table.leaves(wnid) if depth is None else table.below(wnid, depth)
        found |= dict.fromkeys(below)
    drafts = Drafts()
    for wnid in found:
        drafts.add(wnid, (), table[wnid])
    return drafts.whole("synset")


def of_names(names: Iterable[str], said: Mapping[str, str], what: str) -> list[Draft]:
    """A class for each name of a folder or of a model's output, which is its id where it can be.

    A name that is a wnid, or begins with one ("n02085620-Chihuahua"), has that synset. One with
    several senses of which none is said has none.

    Raises:
        BadInput: there are none, or something is said of another.
    """
    names = list(names)
    _see_all_is_meant([word for name in names for word in (name, readable(name))], said)
    drafts = Drafts()
    for name in names:
        led = _LED.fullmatch(name)
        if led and led[1] in nouns():
            drafts.add(name, (readable(led[2]),) if led[2] else (), nouns()[led[1]])
            continue
        called = tuple(filter(None, (readable(part) for part in name.split(", "))))
        word = called[0] if called else name
        by_whole = said if _plain(name) not in said else {_plain(word): said[_plain(name)]}
        noun = noun_of(word, by_whole)
        count = len(nouns().senses(word))
        unsaid = noun is None and count > 1 and _plain(word) not in by_whole
        note = f'none of its {count} senses was chosen: --sense "{word}=1" takes the commonest'
        drafts.add(name, called, noun, *[note] * unsaid)
    return drafts.whole(what)


class Drafts:
    """Drafts in their order; `taken` are the folded ids."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self._drafts: list[Draft] = []

    def add(self, name: str, names: tuple[str, ...], noun: Noun | None, *notes: str) -> None:
        """Add a class whose id is `name` where that can be one, and say where not."""
        ok = not mistake_in_id(name) and folded(name) not in self.taken
        ok = ok and (noun is not None or not is_wnid(name))  # which would say what it is
        id = name if ok else id_for(name.partition(", ")[0], self.taken)
        self.taken.add(folded(id))
        said = [] if ok or id == name.replace(" ", "_") else [f"{clean(name)!r} became the id {id}"]
        if noun is None and not notes:
            said.append("no synset: it is searched for by its name alone")
        self._drafts.append(Draft(id, names or ((id,) if not noun else ()), noun, (*said, *notes)))

    def whole(self, what: str) -> list[Draft]:
        """All of them. Raises BadInput where there are none."""
        if not self._drafts:
            raise BadInput(f"there is no {what} to make a class of")
        return self._drafts


def readable(name: str) -> str:
    """A folder's or an output's name as people write it: "red_panda" is "red panda"."""
    plain = unicodedata.normalize("NFC", name).replace("_", " ")
    return clean(plain, LONGEST_NAME) if plain.strip() else ""


def _see_all_is_meant(words: Iterable[str], said: Mapping[str, str]) -> None:
    if strange := sorted(said.keys() - set(map(_plain, words))):
        raise BadInput(f"--sense is given for {strange[0]!r}, which is not among the classes")


def _plain(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").split())
