"""The table of WordNet's nouns, looked up by wnid and by word."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain

from genset.classes.imagenet import imagenet1k
from genset.core.errors import BadInput

_TABLE = "nouns.tsv.gz"


@dataclass(frozen=True, slots=True)
class Noun:
    """A synset: a meaning, with the words that may have it.

    `senses` has, for each of `lemmas`, which of the word's senses it is, from 1; WordNet lists the
    commonest first. `hypernyms` are the wnids of what it is a kind of, the principal one first, and
    `is_instance` tells that it is an instance of them: one of its kind, as a river with a name.
    """

    wnid: str
    lemmas: tuple[str, ...]
    senses: tuple[int, ...]
    gloss: str
    hypernyms: tuple[str, ...]
    is_instance: bool

    @property
    def name(self) -> str:
        """Its first lemma."""
        return self.lemmas[0]


class Nouns:
    """All nouns of a table, whose text `wordnet_maps/nouns.py` explains. Lines are read on need."""

    def __init__(self, text: str) -> None:
        self._lines = {f"n{line[:8]}": line for line in text.splitlines()}
        self._read: dict[str, Noun] = {}
        self._above: dict[str, tuple[Noun, ...]] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, wnid: object) -> bool:
        return wnid in self._lines

    def __getitem__(self, wnid: str) -> Noun:
        """The noun with this wnid.

        Raises:
            BadInput: WordNet 3.0 has none.
        """
        if wnid in self._read:
            return self._read[wnid]
        try:
            offset, words, above, gloss = self._lines[wnid].split("\t")
        except KeyError:
            raise BadInput(f"WordNet 3.0 has no noun {wnid!r}") from None
        pairs = [word.replace("_", " ").partition(":") for word in words.split(" ")]
        found = self._read[wnid] = Noun(
            wnid=f"n{offset}",
            lemmas=tuple(lemma for lemma, _, _ in pairs),
            senses=tuple(int(number or 1) for _, _, number in pairs),
            gloss=gloss,
            hypernyms=tuple(f"n{part.removeprefix('i')}" for part in above.split()),
            is_instance="i" in above,
        )
        return found

    def senses(self, word: str) -> tuple[Noun, ...]:
        """The nouns that a word may mean, the commonest first; none where WordNet lacks it.

        They are those of its `base`.
        """
        return tuple(self[wnid] for wnid in self._by_word.get(self._spelling(word), ()))

    def base(self, word: str) -> str:
        """The word as WordNet has it, in lower case; "" where it does not.

        Case does not matter, nor does what joins words: "red-panda" is "red panda". A word that
        WordNet lacks may be an inflected form of another: "wolves" is "wolf".
        """
        return self._spelling(word).replace("_", " ")

    def _spelling(self, word: str) -> str:
        plain = "_".join(word.lower().split())
        joined = plain.replace("-", "_")
        forms = chain((plain, joined), base_forms(plain), base_forms(joined))
        known = (form if form in self._by_word else self._hyphenated.get(form) for form in forms)
        return next(filter(None, known), "")

    def above(self, wnid: str) -> tuple[Noun, ...]:
        """What a noun is a kind of, from the nearest up to entity, by principal hypernyms."""
        if wnid not in self._above:
            up = self[wnid].hypernyms[:1]
            self._above[wnid] = (self[up[0]], *self.above(up[0])) if up else ()
        return self._above[wnid]

    def below(self, wnid: str, depth: int | None) -> tuple[str, ...]:
        """The kinds of a noun that are `depth` steps below it, sorted; None: as many as there are.

        A kind that has none below it is taken itself where the steps do not suffice.

        Raises:
            BadInput: there is no such noun.
        """
        found, level = set(), {self[wnid].wnid}
        for _ in range(len(self) if depth is None else depth):
            found |= {parent for parent in level if not self._children.get(parent)}
            level = {child for parent in level for child in self._children.get(parent, ())}
            if not level:
                break
        return tuple(sorted(found | level))

    def all_above(self, wnid: str) -> set[str]:
        """The wnids of a noun and of all above it, by every hypernym, those of instances too."""
        found: set[str] = set()
        waiting = [wnid]
        while waiting:
            next_wnid = waiting.pop()
            if next_wnid not in found:
                found.add(next_wnid)
                waiting += self[next_wnid].hypernyms
        return found

    @cached_property
    def _by_word(self) -> dict[str, list[str]]:
        """The wnids of each word's senses, in their order."""
        found: dict[str, list[tuple[int, str]]] = {}
        for wnid, line in self._lines.items():
            for word in line.split("\t", 2)[1].split(" "):
                lemma, _, number = word.lower().partition(":")
                found.setdefault(lemma, []).append((int(number or 1), wnid))
        return {
            word: [wnid for _, wnid in sorted(set(senses))] if len(senses) > 1 else [senses[0][1]]
            for word, senses in found.items()
        }

    @cached_property
    def _hyphenated(self) -> dict[str, str]:
        """Words with hyphens, by how they are spelled without: "black_footed_albatross"."""
        return {word.replace("-", "_"): word for word in self._by_word if "-" in word}

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for wnid, line in self._lines.items():
            for above in line.split("\t", 3)[2].split():
                if not above.startswith("i"):
                    found.setdefault(f"n{above}", []).append(wnid)
        return {above: sorted(below) for above, below in found.items()}


@cache
def nouns() -> Nouns:
    """WordNet's nouns. Read once and kept."""
    return Nouns(gzip.decompress(files("wordnet_maps").joinpath(_TABLE).read_bytes()).decode())


def imagenet_below(synset: str) -> tuple[str, ...]:
    """The wnids of ImageNet's 1,000 that are this noun or below it, in the order of their index.

    All hypernyms are followed, those of instances too.

    Raises:
        BadInput: `synset` is the wnid of no noun.
    """
    return tuple(_imagenet_by_noun().get(nouns()[synset].wnid, ()))


@cache
def _imagenet_by_noun() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for cls in imagenet1k():
        for above in nouns().all_above(cls.wnid):
            found.setdefault(above, []).append(cls.wnid)
    return found


# Inflected nouns. The rules are WordNet's own, for nouns (its manual's page morphy(7WN)): its list
# of exceptions, ``wordnet_maps/noun.exc``, then endings. They say what to look up: not every form
# is a word.

_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)


def base_forms(word: str) -> Iterator[str]:
    """What a word may be a form of, the likeliest first.

    Of several words one is inflected: the last one, as in "red pandas", or another, as in "birds of
    prey". The word is in lower case, with "_" between its parts, and so are its forms.
    """
    yield from _exceptions().get(word, ())
    parts = word.split("_")
    for place in reversed(range(len(parts))):
        for form in _forms(parts[place]):
            yield "_".join([*parts[:place], form, *parts[place + 1 :]])


def _forms(word: str) -> Iterator[str]:
    yield from _exceptions().get(word, ())
    if len(word) > 2 and not word.endswith("ss"):
        for ending, instead in _ENDINGS:
            if word.endswith(ending):
                yield word.removesuffix(ending) + instead


@cache
def _exceptions() -> dict[str, tuple[str, ...]]:
    """The forms of which an inflected one is no rule's."""
    text = files("wordnet_maps").joinpath("noun.exc").read_text("ascii")
    lines = (line.split() for line in text.splitlines())
    return {inflected: tuple(forms) for inflected, *forms in lines}
