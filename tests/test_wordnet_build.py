"""The committed keyword map is what ``wordnet_maps.build`` makes of WordNet's nouns and queries."""

from importlib.resources import files
from pathlib import Path

import pytest

from genset.classes import Entry
from genset.core.errors import BadInput
from wordnet_maps.build import build, main, read_queries

COMMITTED = files("wordnet_maps").joinpath("imagenet1k.json")


def test_the_rebuilt_map_is_the_committed_one_to_the_byte(tmp_path: Path) -> None:
    assert main(["-o", str(tmp_path / "map.json")]) == 0
    assert (tmp_path / "map.json").read_bytes() == COMMITTED.read_bytes()


def test_a_place_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["-o", str(tmp_path / "no" / "map.json")]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ") and captured.err.count("\n") == 1
    assert str(tmp_path / "no") in captured.err


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
def test_queries_that_do_not_fit_are_refused(entries: dict[str, Entry], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        build(["n02012849", "n03126707"], entries)


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
