"""Which outputs each class has, and what it gets of them. No model, no photo, no WordNet."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genset.classes import Taxonomy, taxonomy_of
from genset.classes.files import taxonomy_in
from genset.core.errors import BadInput
from genset.models.mapping.outputs import match_by_words, outputs_of
from genset.models.mapping.pooling import Among, ClassMapping, Convention, Pool, explain, record_of

# A hierarchy of its own: a kind and what it is a kind of. A minivan is a car and a truck.
UP = {
    "poodle": ["dog"],
    "husky": ["dog"],
    "dog": ["animal"],
    "tabby": ["cat"],
    "cat": ["animal"],
    "animal": [],
    "minivan": ["car", "truck"],
    "car": [],
    "truck": [],
}
OUTPUTS = ("poodle", "minivan", "tabby", "husky", "")


def above(noun: str) -> set[str]:
    return {noun}.union(*map(above, UP[noun])) if noun in UP else set()


def taxonomy(**classes: dict[str, object]) -> Taxonomy:
    """Classes whose synsets are nouns of `UP`, which no document may name."""
    tables = {
        id: {key: value for key, value in table.items() if key != "synset"}
        for id, table in classes.items()
    }
    made = taxonomy_of({"name": "mine", "classes": tables})
    return Taxonomy(
        (replace(cls, synset=str(classes[cls.wnid].get("synset", cls.synset))) for cls in made),
        dict.fromkeys(classes, ()),
        made.name,
    )


def mapping(
    own: Taxonomy, pool: Pool = "sum", among: Among = "all", outputs: tuple[str, ...] = OUTPUTS
) -> ClassMapping:
    return ClassMapping.of(outputs, own, Convention(pool, among), above)


def test_a_class_gets_its_own_id_or_its_list_or_what_is_below_its_synset() -> None:
    own = taxonomy(tabby={"synset": "animal"}, husky={})
    assert outputs_of(OUTPUTS, own, above) == {"tabby": [2], "husky": [3]}
    own = taxonomy(cat={"synset": "animal", "imagenet": ["n02123159", "n02123045"]})
    assert outputs_of(("n02123045", "n02123159", "poodle"), own, above) == {"cat": [0, 1]}
    own = taxonomy(hound={"synset": "dog"}, beast={"synset": "animal"}, deer={"synset": "deer"})
    assert outputs_of(OUTPUTS, own, above) == {"hound": [0, 3], "beast": [2], "deer": []}
    # What is below a class with its own output is of no class above it.
    own = taxonomy(dog={"synset": "dog"}, beast={"synset": "animal"})
    assert outputs_of(("dog", "poodle", "tabby"), own, above) == {"dog": [0], "beast": [2]}


def test_an_output_below_two_classes_is_refused_with_the_mend() -> None:
    own = taxonomy(auto={"synset": "car"}, lorry={"synset": "truck"})
    with pytest.raises(BadInput, match="minivan is below several classes of mine in WordNet: auto"):
        outputs_of(OUTPUTS, own, above)
    same = taxonomy(one={"synset": "cat"}, two={"synset": "cat"})
    with pytest.raises(BadInput, match="leave out the synset of all but one"):
        outputs_of(OUTPUTS, same, above)
    with pytest.raises(BadInput, match=r'imagenet = \["n02123045", ...\] under one of them'):
        outputs_of(("n02123045",), same, lambda wnid: {wnid, "cat"})
    own = taxonomy(auto={"imagenet": ["n03770679"]}, lorry={"synset": "truck"})
    found = outputs_of(("n03770679", "truck"), own, lambda wnid: {wnid, "truck"})
    assert found == {"auto": [0], "lorry": [1]}


@given(
    st.lists(st.sampled_from([*UP, ""]), min_size=1, max_size=12, unique=True),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["sum", "max"]),
    st.sampled_from(["all", "subset"]),
)
def test_shares_are_those_of_a_plain_loop(
    outputs: list[str], seed: int, pool: Pool, among: Among
) -> None:
    own = taxonomy(hound={"synset": "dog"}, feline={"synset": "cat"}, beast={"synset": "animal"})
    found = mapping(own, pool, among, tuple(outputs))
    if not found.columns:
        return
    scores = np.random.default_rng(seed).normal(0, 5, (3, len(outputs)))
    mapped = {place for places in found.classes.values() for place in places}
    competing = [p for p in range(len(outputs)) if among == "all" or p in mapped]
    groups = [list(places) for places in found.classes.values() if places]
    groups += [[p] for p in competing if p not in mapped]
    shares = found.shares(scores)
    for row, said in zip(scores, shares, strict=True):
        odds = {p: np.exp(row[p]) / sum(np.exp(row[q]) for q in competing) for p in competing}
        pooled = [(sum if pool == "sum" else max)(odds[p] for p in group) for group in groups]
        assert said == pytest.approx(pooled)
    if pool == "sum":
        assert shares.sum(axis=1) == pytest.approx(1.0)


# Outputs that models call in their own words meet classes by lists, ids and names.


def plain(**classes: dict[str, object]) -> Taxonomy:
    return taxonomy_of({"name": "mine", "classes": classes})


def test_lists_come_before_ids_ids_before_names_and_spellings_are_one_name() -> None:
    own = plain(
        red_panda={"outputs": ["Ailurus/fulgens"]}, panda_2={"outputs": ["red_panda"]}, cat={}
    )
    found = match_by_words(["red_panda", "Ailurus/fulgens", "cat", "CAT"], own)
    listed = {"panda_2": ["red_panda"], "red_panda": ["Ailurus/fulgens"], "cat": ["cat"]}
    assert (found.outputs, found.by_name) == (listed, ())
    own = plain(red_panda={}, c1={"name": "Tabby cat"}, deer={})
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
        assert match_by_words(outputs, plain(**classes)).outputs == {}


def test_what_met_by_its_name_alone_is_kept_and_said() -> None:
    own = plain(cat={}, dog={})
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
