"""``taxa.toml``: which of ImageNet's classes are a taxon, so that iNaturalist can be searched."""

import tomllib
from importlib.resources import files

from genset.classes import imagenet1k
from genset.scrape.queries import newest_queries

DOCUMENT = tomllib.loads(files("wordnet_maps").joinpath("taxa.toml").read_text("utf-8"))
BREEDS = {"dog", "domestic cat"}


def test_a_class_knows_its_taxon_and_most_have_none() -> None:
    named = {cls.wnid: cls.taxon for cls in imagenet1k() if cls.taxon}
    assert len(named) == len(set(named.values())) == 183
    assert named["n01440764"] == "Tinca tinca"  # as WordNet has it
    assert named["n01532829"] == "Haemorhous mexicanus"  # WordNet: Carpodacus mexicanus
    assert named["n02165456"] == "Coccinellidae"  # ladybugs
    assert "n02085620" not in named  # Chihuahua
    assert "n02123045" not in named  # tabby
    assert "n02395406" not in named  # hog, of which wild boars have the same scientific name


def test_each_class_of_organisms_but_for_breeds_is_there_once() -> None:
    names = [name for part in DOCUMENT["lemma"] for name in part["names"]]
    names += DOCUMENT["renamed"]
    listed = [*DOCUMENT["classes"], *(w for part in DOCUMENT["left_out"] for w in part["wnids"])]
    for name in names:
        (owner,) = [cls.wnid for cls in imagenet1k() if name in cls.lemmas]
        listed.append(owner)
    organisms = [
        cls.wnid
        for cls in imagenet1k()
        if "organism" in cls.hypernyms and not {"person", *BREEDS} & set(cls.hypernyms)
    ]
    assert sorted(listed) == sorted(organisms)


def test_the_list_of_queries_keeps_its_version() -> None:
    # Workspaces keep their list under it.
    assert newest_queries().version == "6cff96ba509f"
