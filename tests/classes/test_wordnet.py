"""WordNet's nouns: the committed table, what it says, and that it is read on demand alone."""

import gzip
from importlib.resources import files
from pathlib import Path

import pytest

from genset.classes import imagenet1k
from genset.classes.wordnet import imagenet_below, nouns
from tests.test_wordnet_build import wordnet  # noqa: F401 - a fixture
from wordnet_maps.nouns import main, pack, table

COMMITTED = files("wordnet_maps").joinpath("nouns.tsv.gz")
IRREGULAR = files("wordnet_maps").joinpath("noun.exc")


@pytest.mark.soak
def test_the_table_rebuilt_is_the_committed_one(wordnet: Path, tmp_path: Path) -> None:  # noqa: F811
    assert main(["--wordnet", str(wordnet), "-o", str(tmp_path / "nouns.tsv.gz")]) == 0
    made = (tmp_path / "nouns.tsv.gz").read_bytes()
    # What packs it may be of another version, and then pack it otherwise.
    assert gzip.decompress(made) == gzip.decompress(COMMITTED.read_bytes())
    assert made == pack(table(wordnet))
    assert (tmp_path / "noun.exc").read_bytes() == IRREGULAR.read_bytes()


def test_senses_stand_in_wordnets_order(wordnet: Path) -> None:  # noqa: F811
    lines = (wordnet / "index.noun").read_text("ascii").splitlines()
    for line in [line for line in lines if not line.startswith(" ")][::97]:
        lemma, _, count, *rest = line.split()
        found = [noun.wnid for noun in nouns().senses(lemma)]
        assert found == [f"n{offset}" for offset in rest[-int(count) :]], lemma


def test_it_says_of_imagenets_classes_what_their_map_says() -> None:
    assert len(nouns()) == 82_115
    for each in imagenet1k():
        noun = nouns()[each.wnid]
        assert (noun.lemmas, noun.gloss) == (each.lemmas, each.gloss)
        assert tuple(above.name for above in nouns().above(each.wnid)) == each.hypernyms


def test_all_hypernyms_are_followed_down_to_imagenets_classes() -> None:
    above = {
        line.split("\t")[0]: [up.lstrip("i") for up in line.split("\t")[2].split()]
        for line in gzip.decompress(COMMITTED.read_bytes()).decode().splitlines()
    }

    def is_below(offset: str, top: str) -> bool:
        return offset == top or any(is_below(up, top) for up in above[offset])

    for top in ("n02084071", "n02121808", "n04490091", "n02958343", "n02430045", "n00001740"):
        found = [each.wnid for each in imagenet1k() if is_below(each.wnid[1:], top[1:])]
        assert imagenet_below(top) == tuple(found)
    minivan = "n03770679"  # a car and a truck
    assert minivan in imagenet_below("n02958343") and minivan in imagenet_below("n04490091")
