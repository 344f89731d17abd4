"""Drafts to a taxonomy: what is searched for, ImageNet's classes below, and who may be confused."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from genset.classes.classes import ImageClass, Query
from genset.classes.imagenet import imagenet1k
from genset.classes.making.drafts import Draft
from genset.classes.making.senses import plain
from genset.classes.query import mistake_in, phrase, words
from genset.classes.taxonomy import Taxonomy
from genset.classes.wordnet import Noun, imagenet_below, nouns
from genset.classes.wordnet.queries import by_rule, distinct

MOST_CONFUSABLE = 6


def together(name: str, drafts: Sequence[Draft]) -> Taxonomy:
    """The taxonomy of these drafts, each with what the hierarchy says of it."""
    owners = Counter(word for draft in drafts for word in {w.casefold() for w in _words(draft)})
    shared = {word for word, count in owners.items() if count > 1}
    owned = _imagenet(drafts)
    classes = (
        _class(index, draft, shared, tuple(owned[draft.id])) for index, draft in enumerate(drafts)
    )
    return Taxonomy(classes, _confusable(drafts), name)


def _class(index: int, draft: Draft, shared: set[str], imagenet: tuple[str, ...]) -> ImageClass:
    noun = draft.noun
    known = imagenet1k().get(noun.wnid) if noun else None
    made = ImageClass(
        index=index,
        wnid=draft.id,
        lemmas=tuple(dict.fromkeys(filter(None, (draft.title, *_words(draft))))),
        gloss=draft.definition or (" ".join(noun.gloss.split()) if noun else ""),  # as it is read
        hypernyms=tuple(higher.name for higher in nouns().above(noun.wnid)) if noun else (),
        queries=known.queries if known and not draft.words else _queries(draft, shared),
        synset=noun.wnid if noun else "",
        imagenet=imagenet,
        outputs=(draft.output,) if draft.output else (),
        taxon=draft.taxon or (known.taxon if known else ""),
        wikipedia=known.wikipedia if known else (),
    )
    return replace(made, content_types=known.content_types) if known else made


def _words(draft: Draft) -> list[str]:
    lemmas = draft.noun.lemmas if draft.noun else ()
    return list(dict.fromkeys((*draft.names, *draft.words, *lemmas)))


def _queries(draft: Draft, shared: set[str]) -> tuple[Query, ...]:
    """What is searched for, the user's own words or else name first, and the taxon last.

    Where the rules leave nothing, the name is searched for, with what it is where that is known.
    """
    noun = draft.noun
    taxon = [(phrase(draft.taxon), "taxon")] if draft.taxon else []
    if draft.words or noun is None:
        words = draft.words or draft.names
        made = [(_as_query(word), "name") for word in words]
        return tuple(Query(text, why) for text, why in distinct([*made, *taxon]))
    above = [higher.name for higher in nouns().above(noun.wnid)]
    made = [
        (query[0], "name" if query == (phrase(word), "lemma") and not is_lemma else query[1])
        for word in _words(draft)
        if word.casefold() not in shared
        if (is_lemma := _is_lemma(word, noun)) or not _is_inflected(word, noun)
        if (query := by_rule(word, above, _is_first(noun, word))) and not mistake_in(query[0])
    ]
    if not made:
        name = _words(draft)[0]
        made = [(f"{name} {above[0]}", "lemma with hypernym")] if above else []
        made = [query for query in made if not mistake_in(query[0])] or [(_as_query(name), "name")]
    return tuple(Query(text, why) for text, why in distinct([*made, *taxon]))


def _is_lemma(word: str, noun: Noun) -> bool:
    """Whether it is WordNet's word for this, and not the user's own."""
    return word in noun.lemmas or plain(word) in map(plain, noun.lemmas)


def _is_inflected(word: str, noun: Noun) -> bool:
    """Whether a word is a form of a name that is searched for: "dogs" where "dog" is."""
    base = nouns().base(word)
    return base != " ".join(word.lower().split()) and base in map(str.lower, noun.lemmas)


def _is_first(noun: Noun, word: str) -> bool:
    """Whether this is what a word commonly means; of a word that WordNet lacks, the user's word."""
    senses = nouns().senses(word)
    return not senses or senses[0] == noun


def _as_query(name: str) -> str:
    """A name as a query, without what has another meaning there."""
    query = phrase(" ".join(name.replace('"', " ").split()))
    if not mistake_in(query):
        return query
    return phrase(" ".join(words(name)[:20])) or "photo"


def _imagenet(drafts: Sequence[Draft]) -> dict[str, list[str]]:
    """By id, the classes of ImageNet that each holds: each in one class, the nearest above it."""
    claims = defaultdict(list)
    for draft in drafts:
        for wnid in imagenet_below(draft.noun.wnid) if draft.noun else ():
            claims[wnid].append(draft)
    owned = defaultdict(list)
    for cls in imagenet1k():
        if owner := _nearest(claims[cls.wnid]):
            owned[owner.id].append(cls.wnid)
    return owned


def _nearest(drafts: Sequence[Draft]) -> Draft | None:
    """The draft that is below all others; None where there is none such."""
    nearest = [
        draft
        for draft in drafts
        if draft.noun
        and {draft.noun.wnid for draft in drafts if draft.noun}
        <= nouns().all_above(draft.noun.wnid)
    ]
    return nearest[0] if len(nearest) == 1 else None


def _confusable(drafts: Sequence[Draft]) -> dict[str, list[str]]:
    """By id, classes that it may be taken for: as ImageNet's map has it, then by one hypernym."""
    by_hypernym: dict[str, list[str]] = defaultdict(list)
    by_wnid: dict[str, str] = {}
    for draft in drafts:
        if draft.noun:
            by_wnid.setdefault(draft.noun.wnid, draft.id)
            for above in draft.noun.hypernyms:
                by_hypernym[above].append(draft.id)
    found = {}
    for draft in drafts:
        noun = draft.noun
        near = (
            list(imagenet1k().confusable(noun.wnid)) if noun and noun.wnid in imagenet1k() else []
        )
        others = [by_wnid[cls.wnid] for cls in near if cls.wnid in by_wnid]
        for above in noun.hypernyms if noun else ():
            others += by_hypernym[above][: MOST_CONFUSABLE + 1]
        others = [other for other in dict.fromkeys(others) if other != draft.id]
        found[draft.id] = others[:MOST_CONFUSABLE]
    return found
