"""The committed map of taxa is what ``wordnet_maps.taxa`` makes of ``taxa.toml``."""

import copy
import json
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from genset.classes import imagenet1k
from genset.core.errors import BadInput
from genset.scrape.queries import newest_queries
from wordnet_maps.taxa import build, main

MAPS = files("wordnet_maps")
DOCUMENT = tomllib.loads(MAPS.joinpath("taxa.toml").read_text("utf-8"))
CLASSES = json.loads(MAPS.joinpath("imagenet1k.json").read_text("utf-8"))["classes"]
TAXA = json.loads(MAPS.joinpath("taxa.json").read_text("utf-8"))["classes"]


def test_the_rebuilt_map_is_the_committed_one_to_the_byte(tmp_path: Path) -> None:
    assert main(["-o", str(tmp_path / "taxa.json")]) == 0
    assert (tmp_path / "taxa.json").read_bytes() == MAPS.joinpath("taxa.json").read_bytes()


def test_a_class_knows_its_taxon_and_most_have_none() -> None:
    named = {cls.wnid: cls.taxon for cls in imagenet1k() if cls.taxon}
    assert named == {each["wnid"]: each["taxon"] for each in TAXA}
    assert named["n01440764"] == "Tinca tinca"  # as WordNet has it
    assert named["n01532829"] == "Haemorhous mexicanus"  # WordNet: Carpodacus mexicanus
    assert named["n02165456"] == "Coccinellidae"  # ladybugs
    assert "n02085620" not in named  # Chihuahua
    assert "n02123045" not in named  # tabby
    assert "n02395406" not in named  # hog, of which wild boars have the same scientific name


def test_each_species_is_wordnets_own_word_or_says_whose_place_it_takes() -> None:
    lemmas = {each["wnid"]: each["lemmas"] for each in CLASSES}
    for each in TAXA:
        if each["evidence"] == "lemma":
            assert each["taxon"] in lemmas[each["wnid"]]
        elif each.get("note", "").startswith("WordNet: "):
            assert each["note"].removeprefix("WordNet: ") in lemmas[each["wnid"]]
        else:
            assert each["note"]


def test_no_breed_and_nothing_that_is_no_organism_has_a_taxon() -> None:
    for cls in imagenet1k():
        if cls.taxon:
            assert "organism" in cls.hypernyms
            assert not {"dog", "domestic cat", "person"} & set(cls.hypernyms)


def test_the_list_of_queries_keeps_its_version() -> None:
    # Workspaces keep their list under it.
    assert newest_queries().version == "6cff96ba509f"


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENT)
    inner: Any = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (changed(("lemma", 0, "names"), []), r"lacks \d+ classes: n0"),
        (changed(("lemma", 0, "names"), ["Felis silvestris"]), "is the lemma of 0 classes"),
        (changed(("renamed", "Sus scrofa"), "Sus scrofa"), "Sus scrofa is the lemma of 2 classes"),
        (changed(("renamed", "Tinca tinca"), "Tinca tinca"), "Tinca tinca as it is and renamed"),
        (changed(("renamed", "Felis concolor"), "Puma"), "'Puma' is no name of a species"),
        (changed(("renamed", "Felis concolor"), "Panthera leo"), "2 classes are Panthera leo"),
        (changed(("classes", "n02165456", "rank"), "tribe"), "no name of a tribe"),
        (changed(("classes", "n13037406", "taxon"), "Morchella"), "does not name Morchella"),
        (changed(("left_out", 0, "wnids"), ["n01440764"]), "n01440764 twice"),
        (changed(("left_out", 0, "wnids"), ["n02085620"]), "n02085620, which is no class of org"),
    ],
)
def test_what_does_not_fit_is_refused(document: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        build(document, CLASSES)
