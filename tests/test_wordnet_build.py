"""The committed keyword map is what ``wordnet_maps.build`` makes of WordNet 3.0."""

import os
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from genset.classes import Entry
from genset.core.errors import BadInput
from wordnet_maps.build import NEEDED, build, main, read_queries

COMMITTED = files("wordnet_maps").joinpath("imagenet1k.json")


@pytest.fixture(scope="session")
def wordnet() -> Path:
    """A folder with WordNet 3.0."""
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


@pytest.mark.soak
def test_the_rebuilt_map_is_the_committed_one_to_the_byte(wordnet: Path, tmp_path: Path) -> None:
    before = sorted((path.name, path.stat().st_mtime_ns) for path in wordnet.iterdir())
    assert main(["--wordnet", str(wordnet), "-o", str(tmp_path / "map.json")]) == 0
    assert (tmp_path / "map.json").read_bytes() == COMMITTED.read_bytes()
    after = sorted((path.name, path.stat().st_mtime_ns) for path in wordnet.iterdir())
    assert after == before


def test_a_folder_with_nothing_but_data_and_indexes_is_enough(
    wordnet: Path, tmp_path: Path
) -> None:
    bare = copy_of(wordnet, tmp_path / "bare")
    assert main(["--wordnet", str(bare), "-o", str(tmp_path / "map.json")]) == 0
    assert (tmp_path / "map.json").read_bytes() == COMMITTED.read_bytes()


@pytest.mark.parametrize("missing", ["data.noun", "index.verb"])
def test_missing_files_are_named(
    missing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in set(NEEDED) - {missing}:
        (tmp_path / name).touch()
    assert main(["--wordnet", str(tmp_path)]) == 2
    message = complaint(capsys)
    assert str(tmp_path) in message
    assert f"lacks {missing} " in message


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("  14 WordNet 3.1 Copyright 2011 by Princeton University.", "WordNet 3.1"),
        ("a file of something else", "unknown version"),
    ],
)
def test_another_version_is_refused(
    header: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in NEEDED:
        (tmp_path / name).write_text(f"{header}\n")
    assert main(["--wordnet", str(tmp_path)]) == 2
    message = complaint(capsys)
    assert says in message
    assert "WordNet 3.0" in message


@pytest.mark.soak
def test_a_folder_cut_short_is_refused(
    wordnet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = copy_of(wordnet, tmp_path / "cut")
    os.truncate(cut / "data.noun", 9_000_000)
    assert main(["--wordnet", str(cut), "-o", str(tmp_path / "map.json")]) == 2
    assert "complete?" in complaint(capsys)
    assert not (tmp_path / "map.json").exists()


def test_a_place_that_cannot_be_written_is_named(
    wordnet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--wordnet", str(wordnet), "-o", str(tmp_path / "no" / "map.json")]) == 1
    assert str(tmp_path / "no") in complaint(capsys)


CRANE = Entry(queries=("construction crane",))


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"n03126707": CRANE}, "lacks, or has beside them: n02012849"),
        ({"n02012849": CRANE, "n03126707": CRANE, "n0": CRANE}, "beside them: n0"),
        (
            {"n02012849": Entry(queries=("crane",)), "n03126707": CRANE},
            "'crane' of n02012849 finds all that 'construction crane' of n03126707 finds",
        ),
    ],
)
@pytest.mark.soak
def test_queries_that_do_not_fit_are_refused(
    wordnet: Path, entries: dict[str, Entry], says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        build(wordnet, ["n02012849", "n03126707"], entries)


ITEMS = '[classes]\nn02012849 = { wikidata = ["Q1"] }'


@pytest.mark.parametrize("text", ["drop = ", "drop = []", "classes = 3", ITEMS])
def test_a_malformed_file_of_queries_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "queries.toml").write_text(text)
    with pytest.raises(BadInput, match=r"^queries.toml\b"):
        read_queries(tmp_path / "queries.toml")


def test_the_licence_of_wordnet_goes_with_the_map() -> None:
    notice = files("wordnet_maps").joinpath("LICENSE-WordNet.txt").read_text("utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in notice
    assert '"notice": "LICENSE-WordNet.txt"' in COMMITTED.read_text("utf-8")
