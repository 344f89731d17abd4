"""Drafts of classes: what is known of each before it stands beside the others."""

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from genset.classes.checks import LONGEST_ID, folded, mistake_in_id
from genset.classes.classes import is_wnid
from genset.classes.making.senses import Senses, distinctions, looked_up, nouns_of, plain
from genset.classes.query import MARK, as_one
from genset.classes.wordnet import Noun, nouns
from genset.core.errors import BadInput, SeveralMistakes
from genset.core.safe import clean

LONGEST_NAME = 200
"""Characters of a class's name."""

_SHOWN = 100  # mistakes that are told at once

_NOT_OF_AN_ID = re.compile(rf"[^\w{MARK}.-]")
_LED = re.compile(r"(n[0-9]{8})(?:[\s_-]+(.*))?")


@dataclass(frozen=True, slots=True)
class Draft:
    """A class to be.

    Attributes:
        id: its id.
        names: what the user calls it, the name first.
        noun: what it is in WordNet; None where that is not known.
        notes: what to say of how it came to be.
        output: what the model calls it of whose output it was made, where its id differs; "".
        title: the class's name, where the first of `names` does not do: "crane (wading bird)".
    """

    id: str
    names: tuple[str, ...]
    noun: Noun | None
    notes: tuple[str, ...] = ()
    output: str = ""
    title: str = ""


def of_words(words: Iterable[str], senses: Senses) -> list[Draft]:
    """A class for each word, whose id is the word; all with several senses are said.

    A word that is said to have two senses or more makes a class of each, whose id has what it is
    behind the word: "crane_wading_bird".

    Raises:
        BadInput: there are none, one makes no class, two mean the same, or something is said of
            another word.
    """
    words = list(words)
    check_words(words)
    _check_senses(words, senses)
    drafts = Drafts()
    holders: dict[Noun, str] = {}
    for word in words:
        names = () if word in nouns() else (word,)
        meant = nouns_of(word, senses)
        for noun in filter(None, meant):
            if (other := holders.setdefault(noun, word)) is not word:
                raise BadInput(
                    f"{word!r} and {other!r} mean the same, {noun.wnid}: give one of them"
                )
        if len(meant) == 1:
            drafts.add(word, names, meant[0], *looked_up(word, meant[0]))
            continue
        for meaning, kind in zip(meant, distinctions(meant), strict=True):
            drafts.add(
                f"{word} {kind}",
                names,
                meaning,
                *looked_up(word, meaning),
                title=f"{word} ({kind})",
            )
    return drafts.whole("word")


def check_words(words: Iterable[str]) -> None:
    """Refuse words of which no class can be made, the first hundred at once.

    Raises:
        BadInput: there are such, which have 201 characters or more, are there twice (but for
            case), are wnids that WordNet lacks, or have nothing that prints.
    """
    wrong: list[str] = []
    seen: dict[str, str] = {}
    for word in words:
        if len(word) > LONGEST_NAME:
            wrong.append(f"{clean(word, 40)!r} has {len(word)} characters: at most {LONGEST_NAME}")
        elif is_wnid(word.casefold()) and word not in nouns():
            lower = word.casefold()
            wrong.append(
                f"WordNet 3.0 has no noun {word!r}" + f", but {lower}" * (lower in nouns())
            )
        elif clean(word, LONGEST_NAME) != word:
            wrong.append(f"{word!r} has characters that do not print")
        elif (same := seen.setdefault(folded(plain(word)), word)) is not word:
            other = "" if same == word else f", as {same!r}"
            wrong.append(f"{word!r} is there twice{other}")
    if wrong:
        more = [f"and {len(wrong) - _SHOWN:,} more"] * (len(wrong) > _SHOWN)
        raise SeveralMistakes(*wrong[:_SHOWN], *more)


def of_synsets(wnids: Iterable[str], depth: int | None) -> list[Draft]:
    """A class for each noun that is `depth` steps below one of these; None: for each leaf.

    Raises:
        BadInput: one of them is no noun's wnid, or there are none.
    """
    table = nouns()
    found: dict[str, None] = {}
    for wnid in wnids:
        if not is_wnid(wnid):
            meant = ", ".join(f"{sense.wnid} ({sense.gloss[:60]})" for sense in table.senses(wnid))
            raise BadInput(
                f"{wnid!r} is no wnid, such as n02084071" + (f"; it may be {meant}" * bool(meant))
            )
        below = table.leaves(wnid) if depth is None else table.below(wnid, depth)
        found |= dict.fromkeys(below)
    drafts = Drafts()
    for wnid in found:
        drafts.add(wnid, (), table[wnid])
    return drafts.whole("synset")


def of_names(
    names: Iterable[str], senses: Senses, what: str, outputs: Iterable[str] = ()
) -> list[Draft]:
    """A class for each name of a folder or of a model's output, which is its id where it can be.

    `outputs` are what the model itself calls them, where they are a model's.

    A name that is a wnid, or begins with one ("n02085620-Chihuahua"), has that synset. One with
    several senses of which none is said has none.

    Raises:
        BadInput: there are none, or something is said of another.
    """
    names = list(names)
    _check_senses([word for name in names for word in (name, readable(name))], senses)
    called_so = dict(zip(names, outputs, strict=False))
    drafts = Drafts(called_so, names, tell_spaces=not called_so)
    for name in names:
        led = _LED.fullmatch(name)
        if led and led[1] in nouns():
            drafts.add(name, (readable(led[2]),) if led[2] else (), nouns()[led[1]])
            continue
        called = tuple(filter(None, (readable(part) for part in name.split(", "))))
        word = called[0] if called else name
        by_whole = senses if plain(name) not in senses else {plain(word): senses[plain(name)]}
        noun, *others = nouns_of(word, by_whole)
        if others:
            raise BadInput(f"several senses of {word!r} are given, and its photos are one class")
        count = len(nouns().senses(word))
        unsaid = noun is None and count > 1 and plain(word) not in by_whole
        note = f'none of its {count} senses was chosen: --sense "{word}=1" takes the commonest'
        drafts.add(name, called, noun, *[note] * unsaid, *looked_up(word, noun))
    return drafts.whole(what)


class Drafts:
    """Drafts in their order; `taken` are the folded ids, `outputs` what a model calls a name.

    `names`: all that will come. `tell_spaces`: whether it is said where an id differs from the name
    by "_" for spaces alone.
    """

    def __init__(
        self,
        outputs: Mapping[str, str] | None = None,
        names: Iterable[str] = (),
        *,
        tell_spaces: bool = False,
    ) -> None:
        self._tell_spaces = tell_spaces
        self.taken: set[str] = set()
        # A name that can be an id is one, and not what another name becomes.
        self._own = {folded(name) for name in names if not mistake_in_id(name)}
        self._outputs = outputs or {}
        self._drafts: list[Draft] = []

    def add(
        self, name: str, names: tuple[str, ...], noun: Noun | None, *notes: str, title: str = ""
    ) -> None:
        """Add a class whose id is `name` where that can be one, and say where not."""
        ok = not mistake_in_id(name) and folded(name) not in self.taken
        ok = ok and (noun is not None or not is_wnid(name))  # which would say what it is
        id = name if ok else id_for(name.partition(", ")[0], self.taken | self._own)
        self.taken.add(folded(id))
        is_plain = ok or title or (id == name.replace(" ", "_") and not self._tell_spaces)
        remarks = [] if is_plain else [f"{clean(name)!r} became the id {id}"]
        if noun is None and not notes:
            remarks.append("no synset: it is searched for by its name alone")
        called = names or (() if noun else (id,))
        output = self._outputs.get(name, id)
        differs = "" if output == id else output
        self._drafts.append(Draft(id, called, noun, (*remarks, *notes), differs, title))

    def whole(self, what: str) -> list[Draft]:
        """All of them. Raises BadInput where there are none."""
        if not self._drafts:
            raise BadInput(f"there is no {what} to make a class of")
        return self._drafts


def readable(name: str) -> str:
    """A folder's or an output's name as people write it: "red_panda" is "red panda"."""
    word = unicodedata.normalize("NFC", name).replace("_", " ")
    return clean(word, LONGEST_NAME) if word.strip() else ""


def _check_senses(words: Iterable[str], senses: Senses) -> None:
    if strange := sorted(senses.keys() - set(map(plain, words))):
        raise BadInput(f"--sense is given for {strange[0]!r}, which is not among the classes")


def id_for(name: str, taken: Container[str]) -> str:
    """The name as an id, as little changed as it can be.

    What no id has becomes "_", so does a dot where the word else had another meaning (CON.txt),
    and a number is put behind one whose folded form is in `taken`.
    """
    word = unicodedata.normalize("NFC", name)
    ok = _NOT_OF_AN_ID.sub(" ", as_one(word))
    word = "_".join("".join(c if o != " " else " " for c, o in zip(word, ok, strict=True)).split())
    word = re.sub(r"^\W+", "", word[:LONGEST_ID]).rstrip(".-")
    word = word.strip("_") or word
    if mistake_in_id(word):
        word = word.replace(".", "_")
    if mistake_in_id(word) or is_wnid(word):
        word = f"class_{word}"[:LONGEST_ID].rstrip("_.-")
    found, number = word, 1
    while folded(found) in taken:
        number += 1
        found = f"{word[: LONGEST_ID - 6].rstrip('.-')}_{number}"
    return found
