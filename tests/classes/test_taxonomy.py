"""The keyword map and its kinds: what users may rely on, its order, queries and error messages."""

import doctest
import re
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import genset.classes
from genset.classes import imagenet1k, taxonomy_of
from genset.classes.classes import MOST_QUERIES
from genset.classes.kinds import MOST_KINDS, kinds_of
from genset.classes.query import mistake_in
from genset.core.errors import BadInput

CRANE_BIRD, CRANE_MACHINE, TABBY = "n02012849", "n03126707", "n02123045"


def test_there_are_1000_classes_in_the_sorted_order_of_their_wnids() -> None:
    wnids = [each.wnid for each in imagenet1k()]
    assert len(wnids) == len(imagenet1k()) == 1000
    assert wnids == sorted(set(wnids))
    assert [each.index for each in imagenet1k()] == list(range(1000))
    assert all(re.fullmatch(r"n\d{8}", wnid) for wnid in wnids)


def test_the_order_is_that_of_the_models_outputs() -> None:
    meta = pytest.importorskip("torchvision.models._meta", reason="needs torchvision")
    names = meta._IMAGENET_CATEGORIES
    assert len(names) == 1000
    # torchvision tells two of a name apart by a second word: "crane", "crane bird".
    different = [
        (each.index, each.name, name)
        for each, name in zip(imagenet1k(), names, strict=True)
        if each.name != name and not name.startswith(f"{each.name} ")
    ]
    assert different == []


def test_a_class_says_what_it_is() -> None:
    for each in imagenet1k():
        assert each.name == each.lemmas[0], each.wnid
        assert each.gloss, each.wnid
        assert each.hypernyms[-1] == "entity", each.wnid
        assert not any("_" in word for word in (*each.lemmas, *each.hypernyms)), each.wnid


def test_queries_can_be_searched_as_they_are_and_say_where_they_are_from() -> None:
    for cls in imagenet1k():
        assert 1 <= len(cls.queries) <= MOST_QUERIES, cls.wnid
        for query in cls.queries:
            assert mistake_in(query.text) is None, query
            why, _, _ = query.why.partition(": ")
            assert why in {"reviewed", "wider"} or query.text.strip('"') in cls.lemmas, query
        # A compound is searched for as a phrase before its words apart.
        texts = [query.text for query in cls.queries]
        apart = [text for text in texts if text in cls.lemmas and " " in text]
        assert all(f'"{text}"' in texts[: texts.index(text)] for text in apart), cls.wnid
    # The helicopter of this name, steam engines, air forces, cereals, consoles, tubs, tattoos:
    # what Flickr takes for something else.
    every = {query.text for cls in imagenet1k() for query in cls.queries}
    wrong = "longbow;steam iron;aircraft wing;honeycomb;electric switch;hot pot;orange fruit"
    assert not every & set(wrong.split(";"))


def test_a_class_is_found_by_wnid_and_by_index_and_what_is_none_is_refused() -> None:
    classes = imagenet1k()
    tabby = classes[TABBY]
    assert (tabby.name, tabby.index) == ("tabby", 281)
    assert classes.by_index(281) is tabby
    assert TABBY in classes and "tabby" not in classes and 281 not in classes
    chosen = classes.select([CRANE_MACHINE, TABBY, CRANE_MACHINE])
    assert [each.wnid for each in chosen] == [TABBY, CRANE_MACHINE]
    for ask, said in (
        (lambda: classes.by_index(-1), "-1.*0 to 999"),
        (lambda: classes.by_index(1000), "1000.*0 to 999"),
        (lambda: classes.distance(TABBY, "teapot"), "no class 'teapot'"),
        (lambda: classes.select([TABBY, "maillot"]), "no class 'maillot'"),
        (lambda: classes.confusable("n99999999"), "no class 'n99999999'"),
    ):
        with pytest.raises(BadInput, match=said):
            ask()


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (TABBY, "n02123159", 1),  # tiger cat: both are domestic cats
        (TABBY, "n02127052", 2),  # lynx: both are cats
        (TABBY, "n01440764", 10),  # tench: both are animals
        ("n07920052", "n04398044", 17),  # espresso and teapot: both are entities
    ],
)
def test_classes_are_as_far_apart_as_their_lowest_common_ancestor_is_high(
    one: str, other: str, apart: int
) -> None:
    assert imagenet1k().distance(one, other) == apart


def test_the_example_in_the_documentation_is_true() -> None:
    assert doctest.testmod(genset.classes).failed == 0


def test_a_class_names_its_wikipedia_pages() -> None:
    titles = {each.wnid: [page.title for page in each.wikipedia] for each in imagenet1k()}
    assert titles[CRANE_BIRD] == ["Crane (bird)"]
    assert titles["n02708093"] == ["Clock § Analog"]
    # Left out by a person: both pages were on something else.
    assert [wnid for wnid, pages in titles.items() if not pages] == ["n02123159", "n09193705"]
    for page in (page for each in imagenet1k() for page in each.wikipedia):
        assert re.fullmatch(r"https://en\.wikipedia\.org/wiki/[\w(),.'!/#%-]+", page.url), page
        assert page.url.isascii(), page
        assert re.fullmatch(r"[A-Z0-9][\w (),.'!/§-]*", page.title), page


@pytest.mark.parametrize(
    ("wnid", "expected"),
    [
        (CRANE_BIRD, ["crane", "spoonbill", "flamingo"]),  # the other crane first
        (TABBY, ["tiger cat", "Persian cat", "Siamese cat"]),
        ("n03642806", ["notebook", "hand-held computer", "desktop computer"]),  # of one page
        ("n01698640", ["African crocodile"]),  # for the American alligator
        (CRANE_MACHINE, ["crane"]),
        ("n01704323", []),  # nothing is like a triceratops
    ],
)
def test_a_class_names_those_it_may_be_taken_for(wnid: str, expected: list[str]) -> None:
    confusable = imagenet1k().confusable(wnid)
    assert [each.name for each in confusable][:3] == expected


def test_no_class_is_taken_for_itself_and_those_of_one_name_for_each_other() -> None:
    named = defaultdict(set)
    for each in imagenet1k():
        named[each.name].add(each)
    for each in imagenet1k():
        confusable = imagenet1k().confusable(each.wnid)
        assert each not in confusable
        assert len(set(confusable)) == len(confusable) <= 6
        assert named[each.name] - {each} <= set(confusable)


WNIDS = [each.wnid for each in imagenet1k()]


@given(st.sets(st.sampled_from(WNIDS), min_size=1))
def test_each_class_is_in_one_kind_that_it_is_of(wnids: set[str]) -> None:
    kinds = kinds_of(imagenet1k(), wnids)
    listed = [wnid for kind in kinds for wnid in kind.classes]
    assert sorted(listed) == sorted(wnids)
    assert len(kinds) <= MOST_KINDS
    assert len({kind.name for kind in kinds}) == len(kinds)
    for kind in kinds:
        for wnid in kind.classes:
            path = imagenet1k()[wnid].hypernyms
            assert kind.above == path[len(path) - len(kind.above) :] or not kind.above


def test_imagenet_s_own_are_some_tens_of_kinds_that_people_know() -> None:
    kinds = kinds_of(imagenet1k(), WNIDS)
    assert 10 <= len(kinds) <= 40
    assert {"bird", "hunting dog", "musical instrument"} <= {kind.name for kind in kinds}
    assert len(kinds[0].classes) < 100


def test_classes_without_hypernyms_are_a_kind_and_alone_they_are_all() -> None:
    bare = {f"c{n}": {} for n in range(5)}
    own = taxonomy_of({"name": "x", "classes": bare})
    (kind,) = kinds_of(own, [*bare, "stranger"])
    assert (kind.name, kind.classes) == ("of no known kind", tuple(bare))
    some = {**bare, "dog": {"hypernyms": ["canine", "animal"]}}
    kinds = kinds_of(taxonomy_of({"name": "x", "classes": some}), some)
    assert [(each.name, len(each.classes)) for each in kinds] == [
        ("of no known kind", 5),
        ("all", 1),
    ]
