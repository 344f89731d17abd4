"""Outputs that models call in their own words meet classes by lists, ids and names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.classes import Taxonomy, taxonomy_of
from genset.classes.files import taxonomy_in
from genset.core.errors import BadInput
from genset.models.mapping.outputs import match_by_words
from genset.models.mapping.pooling import ClassMapping, Convention, explain, record_of


def taxonomy(**classes: dict[str, object]) -> Taxonomy:
    return taxonomy_of({"name": "mine", "classes": classes})


def test_lists_come_before_ids_ids_before_names_and_spellings_are_one_name() -> None:
    own = taxonomy(
        red_panda={"outputs": ["Ailurus/fulgens"]}, panda_2={"outputs": ["red_panda"]}, cat={}
    )
    found = match_by_words(["red_panda", "Ailurus/fulgens", "cat", "CAT"], own)
    listed = {"panda_2": ["red_panda"], "red_panda": ["Ailurus/fulgens"], "cat": ["cat"]}
    assert (found.outputs, found.by_name) == (listed, ())
    own = taxonomy(red_panda={}, c1={"name": "Tabby cat"}, deer={})
    found = match_by_words(["Red-Panda", "tabby  cat", "moose"], own)
    assert found.outputs == {"red_panda": ["Red-Panda"], "c1": ["tabby  cat"]}
    assert found.by_name == ("red_panda", "c1")


def test_a_name_that_could_mean_another_is_not_taken() -> None:
    for outputs, classes in (
        (["Crane"], {"bird": {"lemmas": ["crane"]}}),  # a lemma is no name
        (["Crane"], {"crane": {}, "machine": {"lemmas": ["crane"]}}),  # two could be meant
        (["Crane", "CRANE"], {"crane": {}}),  # by two outputs
        (["N02123045"], {"tabby": {"synset": "n02123045"}}),
        (["", "?"], {"a": {}}),
    ):
        assert match_by_words(outputs, taxonomy(**classes)).outputs == {}


@given(st.lists(st.sampled_from(["cat", "Cat", "cat ", "dog", "a-b", "a b", ""]), max_size=7))
def test_an_output_is_of_one_class_and_each_met_class_is_known(outputs: list[str]) -> None:
    own = taxonomy(cat={}, puppy={"name": "dog", "outputs": ["Cat"]}, a_b={})
    found = match_by_words(outputs, own).outputs
    given_away = [output for its in found.values() for output in its]
    assert len(given_away) == len(set(given_away))
    assert set(given_away) <= set(outputs)
    assert set(found) <= {"cat", "puppy", "a_b"}


def test_what_met_by_its_name_alone_is_kept_and_said() -> None:
    own = taxonomy(cat={}, dog={})
    mapping = ClassMapping.of(("Cat", "dog", "sofa"), own, Convention(), lambda noun: ())
    record = record_of(mapping, ["cat", "dog"])
    assert (record["by_name"], record["outputs"]) == (["cat"], {"cat": ["Cat"], "dog": ["dog"]})
    assert "outputs mapped by name alone: 'Cat' as cat" in explain(record)
    assert "by_name" not in record_of(
        ClassMapping.of(("cat", "dog"), own, Convention(), lambda noun: ()), ["cat"]
    )


def test_an_output_is_in_one_list_alone() -> None:
    text = '[classes.cat]\noutputs = ["Cat"]\n[classes.dog]\noutputs = [\n"Dog", "Cat"]\n'
    with pytest.raises(
        BadInput, match=r"line 4: classes\.dog\.outputs: the output 'Cat' is of cat"
    ):
        taxonomy_in(text, "c.toml")
