"""Classes are found by id and by name, or the choices are listed."""

import pytest

from genset.classes import find_classes, imagenet1k, with_distinct_names
from genset.classes.files import taxonomy_in
from genset.classes.names import find_class
from genset.core.errors import BadInput

TABBY, CRANE_BIRD, CRANE_MACHINE = "n02123045", "n02012849", "n03126707"

PETS = taxonomy_in(
    """
    [classes.cat]
    name = "house cat"
    synset = "n02121620"
    [classes.red_panda]
    lemmas = ["firefox"]
    [classes.panda]
    synset = "n02510455"
    lemmas = ["firefox"]
    """,
    "pets.toml",
)


def test_each_class_is_found_by_each_of_its_names_or_is_among_the_choices() -> None:
    found = 0
    for each in imagenet1k():
        for name in each.lemmas:
            try:
                assert each.wnid in find_class(imagenet1k(), name).wnids
                found += 1
            except BadInput as error:
                assert each.wnid in str(error)
    assert found == 1792  # of 1,860 names


@pytest.mark.parametrize(
    ("word", "wnid"),
    [
        ("Tabby Cat", TABBY),
        ("Great_White-Shark", "n01484850"),
        ("shih tzu", "n02086240"),
        ("t_shirt", "n03595614"),
        ("N02123045", TABBY),
        ("wolf spiders", "n01775062"),
    ],
)
def test_a_name_is_found_however_it_is_written(word: str, wnid: str) -> None:
    assert find_class(imagenet1k(), word).wnids == (wnid,)


@pytest.mark.parametrize(
    ("word", "choices"),
    [
        ("crane", [CRANE_BIRD, "wading bird", CRANE_MACHINE, "lifts"]),
        ("cardigan", ["n02113186", "corgi", "n02963159", "knitted jacket"]),
        ("cat", ["n02121620", TABBY, "n02127808", "big cat"]),
    ],
)
def test_a_name_of_several_classes_lists_the_choices(word: str, choices: list[str]) -> None:
    with pytest.raises(BadInput) as found:
        find_class(imagenet1k(), word)
    lines = str(found.value).splitlines()
    assert lines[0] == f"{word!r} has 2 senses among the classes: give one of these ids instead"
    assert len(lines) == 3 and all(choice in str(found.value) for choice in choices)


def test_the_only_sense_among_the_classes_is_taken_with_a_remark() -> None:
    assert find_class(imagenet1k(), "kite").remark == (
        "kite: n01608432 (any of several small graceful hawks of the family Accipitri…), the only "
        "one of its 4 senses among the classes"
    )
    assert find_class(imagenet1k(), "goldfish").remark == ""
    found = find_class(imagenet1k(), "dog")
    assert len(found.wnids) == 118
    assert found.remark == (
        "dog: 118 classes, the kinds of n02084071 (dog), the only one of its 7 senses among the "
        "classes"
    )
    assert find_class(imagenet1k(), "n02084071").wnids == found.wnids


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("tabbi", "did you mean tabby (n02123045)"),
        ("281", "index 281 is n02123045 (tabby)"),
        ("02123045", "did you mean n02123045?"),
        ("n09213565", "(sloping land"),
        ("unicorn", "an imaginary creature represented as a white horse"),
        ("", "give an id, such as n01440764, or a name"),
        ("\x1b[2J\n", "names no class"),
    ],
)
def test_a_word_that_names_no_class_is_answered_with_what_may_be_meant(
    word: str, words: str
) -> None:
    with pytest.raises(BadInput) as found:
        find_class(imagenet1k(), word)
    assert words in str(found.value) and "\n" not in str(found.value)


def test_several_words_are_classes_in_order_and_all_mistakes_are_told() -> None:
    words = ["kite", "great_white shark", TABBY, "tabby"]
    wnids, remarks = find_classes(imagenet1k(), words)
    assert wnids == ("n01484850", "n01608432", TABBY) and len(remarks) == 2
    with pytest.raises(BadInput) as found:
        find_classes(imagenet1k(), ["crane", TABBY, "tabbi"])
    assert [line.split()[0] for line in str(found.value).splitlines()] == [
        *("'crane'", f"{CRANE_MACHINE}:", f"{CRANE_BIRD}:", "'tabbi'")
    ]


@pytest.mark.parametrize(
    ("word", "ids"),
    [
        ("cat", ["cat"]),
        ("House-Cat", ["cat"]),
        ("red panda", ["red_panda"]),
        ("feline", ["cat"]),
        ("giant panda", ["panda"]),
        ("animal", ["cat", "panda"]),
    ],
)
def test_classes_of_ones_own_are_found(word: str, ids: list[str]) -> None:
    assert find_class(PETS, word).wnids == tuple(ids)


def test_classes_of_ones_own_that_share_a_name_are_the_choices() -> None:
    with pytest.raises(BadInput) as found:
        find_class(PETS, "firefox")
    assert str(found.value).splitlines() == [
        "'firefox' names 2 classes: give one of their ids",
        "red_panda: red panda",
        "panda: panda",
    ]
    with pytest.raises(BadInput, match=r"'n02121808' \(any domesticated member.* names no class"):
        find_class(PETS, "n02121808")


def test_beside_a_class_another_never_goes_by_one_of_its_names() -> None:
    taxonomy = imagenet1k()
    shown = {}
    for cls in taxonomy:
        before = taxonomy.confusable(cls.wnid)
        here, others = with_distinct_names(cls, before)
        assert here.name == cls.name
        names = {name.casefold() for name in here.lemmas}
        assert names.isdisjoint(other.name.casefold() for other in others), cls
        further = {name.casefold() for name in here.lemmas[1:]}
        assert further.isdisjoint(name.casefold() for other in others for name in other.lemmas)
        shown |= {
            (cls.wnid, here.lemmas[1:]): other.name
            for other, known in zip(others, before, strict=True)
            if other.name != known.name
        }
    assert len(shown) == 13
    assert shown["n03017168", ("bell",)] == "gong (tam-tam)"
    assert shown["n03126707", ()] == "crane (wading bird)"
