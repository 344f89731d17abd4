"""The committed keyword map is what ``wordnet_maps.build`` makes of WordNet 3.0."""

import os
import shutil
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from genset.classes import Entry, imagenet1k
from genset.core.errors import BadInput
from genset.scrape.queries import newest_queries
from wordnet_maps.build import NEEDED, build, main, read_queries

COMMITTED = files("wordnet_maps").joinpath("imagenet1k.json")


@pytest.fixture(scope="session")
def wordnet() -> Path:
    pytest.importorskip("nltk", reason="needs NLTK: pip install 'genset[maps]'")
    folder = Path(os.environ.get("GENSET_WORDNET", "/usr/share/wordnet"))
    if not (folder / "data.noun").is_file():
        pytest.skip("no WordNet 3.0: apt install wordnet-base, or set GENSET_WORDNET")
    return folder


def copy_of(wordnet: Path, folder: Path) -> Path:
    folder.mkdir()
    for name in NEEDED:
        shutil.copyfile(wordnet / name, folder / name)
    return folder


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error, which is all that a failed command prints."""
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_the_rebuilt_map_is_the_committed_one_to_the_byte(wordnet: Path, tmp_path: Path) -> None:
    bare = copy_of(wordnet, tmp_path / "bare")  # nothing but data and indexes is needed
    before = sorted((path.name, path.stat().st_mtime_ns) for path in bare.iterdir())
    assert main(["--wordnet", str(bare), "-o", str(tmp_path / "map.json")]) == 0
    assert (tmp_path / "map.json").read_bytes() == COMMITTED.read_bytes()
    after = sorted((path.name, path.stat().st_mtime_ns) for path in bare.iterdir())
    assert after == before


def test_a_folder_that_is_not_wordnet_3_0_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for header, says in (
        ("  14 WordNet 3.1 Copyright 2011 by Princeton University.", "WordNet 3.1"),
        ("a file of something else", "unknown version"),
    ):
        for name in NEEDED:
            (tmp_path / name).write_text(f"{header}\n")
        assert main(["--wordnet", str(tmp_path)]) == 2
        message = complaint(capsys)
        assert says in message and "WordNet 3.0" in message
    for name in ("index.verb", "data.noun"):
        (tmp_path / name).unlink()
        assert main(["--wordnet", str(tmp_path)]) == 2
        message = complaint(capsys)
        assert str(tmp_path) in message and f" {name}" in message.partition(" lacks")[2]


@pytest.mark.soak
def test_a_folder_cut_short_and_a_place_that_cannot_be_written_are_refused(
    wordnet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--wordnet", str(wordnet), "-o", str(tmp_path / "no" / "map.json")]) == 1
    assert str(tmp_path / "no") in complaint(capsys)
    cut = copy_of(wordnet, tmp_path / "cut")
    os.truncate(cut / "data.noun", 9_000_000)
    assert main(["--wordnet", str(cut), "-o", str(tmp_path / "map.json")]) == 2
    assert "complete?" in complaint(capsys)
    assert not (tmp_path / "map.json").exists()


CRANE = Entry(queries=("construction crane",))


@pytest.mark.soak
def test_queries_that_do_not_fit_are_refused(wordnet: Path) -> None:
    for entries, says in (
        ({"n03126707": CRANE}, "lacks, or has beside them: n02012849"),
        ({"n02012849": CRANE, "n03126707": CRANE, "n0": CRANE}, "beside them: n0"),
        (
            {"n02012849": Entry(queries=("crane",)), "n03126707": CRANE},
            "'crane' of n02012849 finds all that 'construction crane' of n03126707 finds",
        ),
    ):
        with pytest.raises(BadInput, match=says):
            build(wordnet, ["n02012849", "n03126707"], entries)


ITEMS = '[classes]\nn02012849 = { wikidata = ["Q1"] }'


def test_a_malformed_file_of_queries_is_refused(tmp_path: Path) -> None:
    for text in ("drop = ", "drop = []", "classes = 3", ITEMS):
        (tmp_path / "queries.toml").write_text(text)
        with pytest.raises(BadInput, match=r"^queries.toml\b"):
            read_queries(tmp_path / "queries.toml")


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
