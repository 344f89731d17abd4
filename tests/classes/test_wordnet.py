"""WordNet's nouns as a table, read on demand alone; and the keyword map that is made of them."""

import gzip
import os
import shutil
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from genset.classes import imagenet1k
from genset.classes.wordnet import imagenet_below, nouns
from genset.scrape.queries import newest_queries
from wordnet_maps import build
from wordnet_maps import nouns as packed

COMMITTED = files("wordnet_maps").joinpath("nouns.tsv.gz")
IRREGULAR = files("wordnet_maps").joinpath("noun.exc")


@pytest.mark.soak
def test_the_table_rebuilt_is_the_committed_one(wordnet: Path, tmp_path: Path) -> None:
    assert packed.main(["--wordnet", str(wordnet), "-o", str(tmp_path / "nouns.tsv.gz")]) == 0
    made = (tmp_path / "nouns.tsv.gz").read_bytes()
    # What packs it may be of another version, and then pack it otherwise.
    assert gzip.decompress(made) == gzip.decompress(COMMITTED.read_bytes())
    assert made == packed.pack(packed.table(wordnet))
    assert (tmp_path / "noun.exc").read_bytes() == IRREGULAR.read_bytes()


def test_senses_stand_in_wordnets_order(wordnet: Path) -> None:
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


MAP = files("wordnet_maps").joinpath("imagenet1k.json")


@pytest.fixture(scope="session")
def wordnet() -> Path:
    pytest.importorskip("nltk", reason="needs NLTK: pip install 'genset[maps]'")
    folder = Path(os.environ.get("GENSET_WORDNET", "/usr/share/wordnet"))
    if not (folder / "data.noun").is_file():
        pytest.skip("no WordNet 3.0: apt install wordnet-base, or set GENSET_WORDNET")
    return folder


def test_the_rebuilt_map_is_the_committed_one_to_the_byte(wordnet: Path, tmp_path: Path) -> None:
    (bare := tmp_path / "bare").mkdir()  # nothing but data and indexes is needed
    for name in build.NEEDED:
        shutil.copyfile(wordnet / name, bare / name)
    before = sorted((path.name, path.stat().st_mtime_ns) for path in bare.iterdir())
    assert build.main(["--wordnet", str(bare), "-o", str(tmp_path / "map.json")]) == 0
    assert (tmp_path / "map.json").read_bytes() == MAP.read_bytes()
    after = sorted((path.name, path.stat().st_mtime_ns) for path in bare.iterdir())
    assert after == before


def test_a_folder_of_another_wordnet_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = "  14 WordNet 3.1 Copyright 2011 by Princeton University.\n"
    (tmp_path / "data.noun").write_text(header)
    assert build.main(["--wordnet", str(tmp_path)]) == 2
    said = "holds WordNet 3.1; ImageNet's wnids are of WordNet 3.0"
    assert capsys.readouterr().err == f"error: {tmp_path} {said}\n"
    (tmp_path / "data.noun").unlink()
    assert build.main(["--wordnet", str(tmp_path)]) == 1
    assert f"No such file or directory: {tmp_path}" in capsys.readouterr().err


def test_the_licence_of_wordnet_goes_with_the_map() -> None:
    notice = files("wordnet_maps").joinpath("LICENSE-WordNet.txt").read_text("utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in notice
    assert '"notice": "LICENSE-WordNet.txt"' in MAP.read_text("utf-8")


# Which classes are a taxon, so that iNaturalist can be searched.

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
