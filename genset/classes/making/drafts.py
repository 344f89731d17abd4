"""Drafts of classes: what is known of each before it stands beside the others."""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from genset.classes.checks import LONGEST_ID, folded, mistake_in_id
from genset.classes.classes import is_wnid
from genset.classes.making.listed import Row
from genset.classes.making.senses import (
    Senses,
    choices,
    distinctions,
    looked_up,
    nouns_of,
    only_sense,
    plain,
)
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
        output: what a model or a folder calls it, where its id differs; "".
        title: the class's name, where the first of `names` does not do: "crane (wading bird)".
        words: what to search for, where the user says it.
        definition, taxon: the user's, or "".
    """

    id: str
    names: tuple[str, ...]
    noun: Noun | None
    notes: tuple[str, ...] = ()
    output: str = ""
    title: str = ""
    words: tuple[str, ...] = ()
    definition: str = ""
    taxon: str = ""


def of_words(words: Iterable[str], senses: Senses) -> list[Draft]:
    """A class for each word, whose id is the word; of several senses the one among ImageNet's.

    A word that is said to have two senses or more makes a class of each, whose id has what it is
    behind the word: "crane_wading_bird".

    Raises:
        BadInput: there are none, one makes no class, two mean the same, something is said of
            another word, or none or several senses of a word are among ImageNet's classes; it
            lists the senses of all such words.
    """
    words = list(words)
    check_words(words)
    _check_senses(words, senses)
    drafts = Drafts()
    unsettled: list[str] = []
    for word in words:
        names = () if word in nouns() else (word,)
        if names and plain(word) not in senses:
            noun, notes = only_sense(word)
            unsettled += choices(word) if noun is None else ()
            meant: tuple[Noun | None, ...] = (noun,)
        else:
            meant, notes = nouns_of(word, senses), []
        if len(meant) == 1:
            found = [*looked_up(word, meant[0]), *notes]
            drafts.add(word, names, meant[0], *found, taxon=taxon_in(word))
            continue
        for meaning, kind in zip(meant, distinctions(meant), strict=True):
            drafts.add(
                f"{word} {kind}",
                names,
                meaning,
                *looked_up(word, meaning),
                title=f"{word} ({kind})",
            )
    if unsettled:
        raise SeveralMistakes(*unsettled)
    return check_different(drafts.whole("word"))


def check_different(drafts: list[Draft]) -> list[Draft]:
    """The drafts themselves, if no two of them search for the same.

    That is the same words, where the user says which, else the same noun, else the same name.

    Raises:
        BadInput: two do; the first hundred are told.
    """
    wrong: list[str] = []
    holders: dict[tuple[str, ...], Draft] = {}
    for draft in drafts:
        noun = draft.noun if not draft.words else None
        searched = (noun.wnid,) if noun else (*(draft.words or draft.names), draft.taxon)
        other = holders.setdefault(tuple(sorted(map(plain, searched))), draft)
        if other is not draft:
            names = " and ".join(repr([*d.names, d.id][0]) for d in (draft, other))
            what = ", ".join(filter(None, searched))
            wrong.append(f"{names} mean the same, {what}: give one of them")
    refuse(wrong)
    return drafts


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
            wrong.append(f"WordNet 3.0 has no noun {word!r}")
        elif clean(word, LONGEST_NAME) != word:
            wrong.append(f"{word!r} has characters that do not print")
        elif (same := seen.setdefault(folded(plain(word)), word)) is not word:
            other = "" if same == word else f", as {same!r}"
            wrong.append(f"{word!r} is there twice{other}")
    refuse(wrong)


def refuse(wrong: list[str]) -> None:
    """Raise SeveralMistakes of the first hundred, if there are any."""
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
        found |= dict.fromkeys(table.below(wnid, depth))
    drafts = Drafts()
    for wnid in found:
        drafts.add(wnid, (), table[wnid])
    return drafts.whole("synset")


def of_list(rows: Sequence[Row], senses: Senses, what: str) -> list[Draft]:
    """A class for each row of a list, as `of_rows` makes them, if no two mean the same.

    Raises:
        BadInput: two do, or a name is none, or as `of_rows`.
    """
    check_words(row.id or row.name for row in rows)
    return check_different(of_rows(rows, senses, what))


def of_rows(rows: Iterable[Row], senses: Senses, what: str) -> list[Draft]:
    """A class for each row of a list, each folder or each output of a model.

    Its id is the row's, or its name, where that can be one. A name that is a wnid, or begins with
    one ("n02085620-Chihuahua"), has that synset; else a row has that of its synset or its taxon, or
    what its name means: the only sense, or the only one among ImageNet's classes. Where a row says
    what to search for, one of these words must mean the same.

    Raises:
        BadInput: there are none, or something is said of another.
    """
    rows = list(rows)
    named = [called(row.name) for row in rows]
    known = [
        (row.name, readable(row.name), *names[:1])
        for row, (names, _) in zip(rows, named, strict=True)
    ]
    _check_senses([word for words in known for word in words], senses)
    drafts = Drafts(row.id or row.name for row in rows)
    for row, (names, scientific) in zip(rows, named, strict=True):
        led = _LED.fullmatch(row.synset or row.id or row.name)
        noun, notes, taxon = None, list[str](), row.taxon or scientific
        if led and led[1] in nouns():
            noun = nouns()[led[1]]
            names = ((readable(led[2]),) if led[2] else ()) if row.name == led[0] else names
        else:
            noun, notes = _meant(row, names[0] if names else row.name, taxon, senses)
        label = row.id or row.name
        drafts.add(
            label,
            names,
            noun,
            *notes,
            short=names[0] if names and scientific else "",
            output=row.output or label * (label != row.id and bool(scientific)),
            words=row.words,
            definition=row.definition,
            taxon=taxon,
        )
    return drafts.whole(what)


def _meant(row: Row, word: str, taxon: str, senses: Senses) -> tuple[Noun | None, list[str]]:
    """What a row's name means, and notes."""
    by_whole = senses if plain(row.name) not in senses else {plain(word): senses[plain(row.name)]}
    if plain(word) in by_whole:
        noun, *others = nouns_of(word, by_whole)
        if others:
            several = f"several senses of {word!r} are given, and its photos are one class"
            raise BadInput(f"{several}: give one, or use from-words, which makes a class of each")
        return noun, [*looked_up(word, noun)]
    if word.isdigit() and not row.words:
        return None, [
            "its name is a number, which finds no photo of it: write its name and queries"
        ]
    if taxon:
        found = nouns().senses(taxon)
        return (found[0] if len(found) == 1 else None), []
    noun, notes = only_sense(word)
    if noun and row.words and not {*map(plain, row.words)} & {*map(plain, noun.lemmas)}:
        notes = [f"WordNet's {word!r} ({clean(noun.gloss, 60)}) is none of its words"]
        noun = None
    elif noun is None and nouns().senses(word):
        return None, choices(word)
    return noun, [*notes, *looked_up(word, noun)]


_KINGDOMS = "Animalia|Plantae|Fungi|Chromista|Protozoa|Bacteria|Archaea"
_RANKS = re.compile(rf"\d+_(?:{_KINGDOMS})(?:_[^_]+){{4}}_([^_]+_[^_]+.*)")
_NUMBERED = re.compile(r"\d+\.\s*(?=\D)|(?:0\d+|\d{3,})[_-](?=\D)")
_BINOMIAL = re.compile(r"([A-Z][a-z]+) ([a-z-]{3,})(?: [a-z-]{3,})?")
_LATIN = re.compile(r".*(?:us|um|is|ii|ae|ensis|oides|ens|ans)")


def called(name: str) -> tuple[tuple[str, ...], str]:
    """What a folder's or an output's name calls a class, and the taxon that it names, or "".

    Left out are numbers before a name ("001.Black_footed_Albatross") and the ranks above a species
    ("00617_Animalia_..._Vanessa_atalanta", as iNaturalist's data sets name folders).
    """
    if ranks := _RANKS.fullmatch(name):
        return (readable(ranks[1]),), readable(ranks[1])
    bare = _NUMBERED.sub("", name, count=1) if _NUMBERED.match(name) else name
    names = tuple(filter(None, (readable(part) for part in bare.split(", "))))
    return names, taxon_in(names[0]) if names else ""


def taxon_in(name: str) -> str:
    """A name that is the scientific one of a species, else "".

    WordNet has the name so, or its genus; or it knows neither word and the second is Latin's.
    """
    if not (parts := _BINOMIAL.fullmatch(name)):
        return ""
    genus, species = nouns().senses(f"genus {parts[1]}"), nouns().senses(parts[2])
    is_latin = not nouns().senses(parts[1]) and _LATIN.fullmatch(parts[2])
    as_it_is = any(name in noun.lemmas for noun in nouns().senses(name))
    return name if as_it_is or (not species and (genus or is_latin)) else ""


class Drafts:
    """Drafts in their order; `names` are all that will come."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.taken: set[str] = set()
        # A name that can be an id is one, and not what another name becomes.
        self._own = {folded(name) for name in names if not mistake_in_id(name)}
        self._drafts: list[Draft] = []

    def add(
        self,
        name: str,
        names: tuple[str, ...],
        noun: Noun | None,
        *notes: str,
        short: str = "",
        output: str = "",
        **more: Any,
    ) -> None:
        """Add a class whose id is `name` where that can be one, and say where not.

        `short` is what the id is made of then, if not the name.
        """
        ok = not mistake_in_id(name) and folded(name) not in self.taken
        ok = ok and (noun is not None or not is_wnid(name))  # which would say what it is
        base = short or name.partition(", ")[0]
        id = name if ok else id_for(base, self.taken | self._own)
        self.taken.add(folded(id))
        is_plain = ok or id == normalize("NFC", name).replace(" ", "_") or "title" in more
        remarks = [] if is_plain else [f"{clean(name)!r} became the id {id}"]
        if noun is None and not notes:
            remarks.append("no synset: it is searched for by its names alone")
        differs = "" if output == id else output
        names = names or (() if noun else (id,))
        self._drafts.append(Draft(id, names, noun, (*remarks, *notes), differs, **more))

    def whole(self, what: str) -> list[Draft]:
        """All of them. Raises BadInput where there are none."""
        if not self._drafts:
            raise BadInput(f"there is no {what} to make a class of")
        return self._drafts


def readable(name: str) -> str:
    """A folder's or an output's name as people write it: "red_panda" is "red panda"."""
    word = normalize("NFC", name).replace("_", " ")
    return clean(word, LONGEST_NAME) if word.strip() else ""


def _check_senses(words: Iterable[str], senses: Senses) -> None:
    if strange := sorted(senses.keys() - set(map(plain, words))):
        raise BadInput(f"--sense is given for {strange[0]!r}, which is not among the classes")


def id_for(name: str, taken: Container[str]) -> str:
    """The name as an id, as little changed as it can be.

    What no id has becomes "_", so does a dot where the word else had another meaning (CON.txt),
    and a number is put behind one whose folded form is in `taken`.
    """
    word = normalize("NFC", name)
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
