"""The language of queries: what a query finds, which mistakes are named, what covers what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.classes.query import LONGEST, mistake_in, parse, stages, words

WORDS = st.sampled_from(["sea", "lion", "mountain", "guinea", "pig"])
TEXTS = st.lists(st.lists(WORDS, max_size=4).map(tuple), max_size=3)
TERMS = st.one_of(
    WORDS,
    WORDS.map(lambda word: f"-{word}"),
    st.lists(WORDS, min_size=1, max_size=3).map(lambda said: f'"{" ".join(said)}"'),
)
QUERIES = st.lists(TERMS, min_size=1, max_size=4).map(" ".join)


@pytest.mark.parametrize(
    ("query", "title", "is_found"),
    [
        ('"sea lion"', "A lion by the sea", False),
        ('"sea lion"', "A Sea Lion", True),
        ("lion -sea -mountain", "A lion", True),
        ("lion -sea -mountain", "A sea lion", False),
        ('pig -"guinea pig"', "guinea pig", False),
        ('pig -"guinea pig"', "a pig in Guinea", True),
        ("half-track", "half a track", True),  # a hyphen inside a word excludes nothing
        ("carpenter's plane", "the carpenter's plane", True),
        ("हिन्दी", "हिन्दी भाषा", True),  # its vowels are marks, and part no words
        ("हिन", "हिन्दी भाषा", False),
        ("caf\u00e9", "cafe\u0301", True),  # composed or not
        ("cafe", "cafe\u0301", False),
        ("scissors", "✂\ufe0f scissors", True),
        ("-sea", "a lion", False),  # wants nothing, so finds nothing
        ('""', "a lion", False),
        ("", "a lion", False),
    ],
)
def test_what_a_query_finds(query: str, title: str, is_found: bool) -> None:
    assert parse(query).fit([words(title)]) is is_found
    texts = [words("by the sea"), words("lion")]  # a phrase stands in one text, words in any
    assert parse("sea lion").fit(texts) and not parse('"sea lion"').fit(texts)


@given(QUERIES, QUERIES, TEXTS)
def test_what_covers_another_query_finds_all_that_it_finds(
    wide: str, narrow: str, texts: list[tuple[str, ...]]
) -> None:
    wider, narrower = parse(wide), parse(narrow)
    # What the photo says beside the query's own words may still exclude it.
    if wider.included and wider.cover(narrower) and narrower.fit(texts):
        assert wider.fit(texts) or wider.exclude(texts)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", "no word that"),
        ("-lion", "no word that"),
        ("lion  sea", "one space"),
        (" lion", "one space"),
        ("li\non", "one space"),
        ('"sea lion', "not closed"),
        ('sea"lion"', "inside a word"),
        ("lion -", "without a word"),
        ('lion ""', "without a word"),
        ("lion OR tiger", "two queries"),
        ('lion "sea OR lion"', "two queries"),
        ("lion -lion", "excludes what it asks for"),
        ('"sea lion" -sea', "excludes what it asks for"),
        ("lion " * 60 + "x", f"longer than {LONGEST}"),
    ],
)
def test_a_mistake_is_named(query: str, says: str) -> None:
    assert says in (mistake_in(query) or "")
    assert mistake_in('"sea lion" -"circus act" T-shirt É') is None


@given(st.text())
def test_whatever_is_typed_is_read(text: str) -> None:
    parse(text).fit([words(text)])
    mistake_in(text)


@pytest.mark.parametrize(
    ("queries", "later"),
    [
        (('"steam iron"', "clothes iron", "steam iron -train"), {"steam iron -train"}),
        (("peacock bird", "Pavo cristatus", "peacock"), {"peacock"}),
        (("sea lion", '"sea lion"'), set()),  # the wider one is asked anyway
        (("lion -sea", "lion"), {"lion"}),
        (('"steam iron"', "iron", "steam iron"), {"iron", "steam iron"}),
    ],
)
def test_what_is_wider_than_a_query_before_it_is_for_later(
    queries: tuple[str, ...], later: set[str]
) -> None:
    first, last = stages(queries)
    assert set(last) == later
    assert first == tuple(query for query in queries if query not in later)
