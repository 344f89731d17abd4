"""The committed keyword map is what ``wordnet_maps.build`` makes of WordNet 3.0."""

import os
import shutil
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from genset.classes import imagenet1k
from genset.scrape.queries import newest_queries
from wordnet_maps.build import NEEDED, main

COMMITTED = files("wordnet_maps").joinpath("imagenet1k.json")


@pytest.fixture(scope="session")
def wordnet() -> Path:
    pytest.importorskip("nltk", reason="needs NLTK: pip install 'genset[maps]'")
    folder = Path(os.environ.get("GENSET_WORDNET", "/usr/share/wordnet"))
    if not (folder / "data.noun").is_file():
        pytest.skip("no WordNet 3.0: apt install wordnet-base, or set GENSET_WORDNET")
    return folder


def test_the_rebuilt_map_is_the_committed_one_to_the_byte(wordnet: Path, tmp_path: Path) -> None:
    (bare := tmp_path / "bare").mkdir()  # nothing but data and indexes is needed
    for name in NEEDED:
        shutil.copyfile(wordnet / name, bare / name)
    before = sorted((path.name, path.stat().st_mtime_ns) for path in bare.iterdir())
    assert main(["--wordnet", str(bare), "-o", str(tmp_path / "map.json")]) == 0
    assert (tmp_path / "map.json").read_bytes() == COMMITTED.read_bytes()
    after = sorted((path.name, path.stat().st_mtime_ns) for path in bare.iterdir())
    assert after == before


def test_a_folder_of_another_wordnet_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = "  14 WordNet 3.1 Copyright 2011 by Princeton University.\n"
    (tmp_path / "data.noun").write_text(header)
    assert main(["--wordnet", str(tmp_path)]) == 2
    said = "holds WordNet 3.1; ImageNet's wnids are of WordNet 3.0"
    assert capsys.readouterr().err == f"error: {tmp_path} {said}\n"
    (tmp_path / "data.noun").unlink()
    assert main(["--wordnet", str(tmp_path)]) == 1
    assert f"No such file or directory: {tmp_path}" in capsys.readouterr().err


def test_the_licence_of_wordnet_goes_with_the_map() -> None:
    notice = files("wordnet_maps").joinpath("LICENSE-WordNet.txt").read_text("utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in notice
    assert '"notice": "LICENSE-WordNet.txt"' in COMMITTED.read_text("utf-8")


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
