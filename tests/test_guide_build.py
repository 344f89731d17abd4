"""The committed guide is what ``wordnet_maps.guide`` makes of the ImageNetV2 project's tables."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from genset.classes import imagenet1k
from wordnet_maps.guide import main

COMMITTED = files("wordnet_maps").joinpath("guide.json")
WNIDS = [each.wnid for each in imagenet1k()]
TENCH, GOLDFISH = WNIDS[:2]


def facts(folder: Path, pages: object = None, nearest: object = None) -> Path:
    """A folder with both tables: as they should be, but for what is given."""
    good_pages = {wnid: ["https://en.wikipedia.org/wiki/Tench"] for wnid in WNIDS}
    good_nearest = {wnid: [wnid] for wnid in WNIDS}
    for name, good, given in [
        ("wikipedia_pages", good_pages, pages),
        ("most_similar_wnids", good_nearest, nearest),
    ]:
        table = {**good, **given} if isinstance(given, dict) else given or good
        (folder / f"{name}.json").write_text(json.dumps(table))
    return folder


@pytest.mark.realdata
@pytest.mark.soak
def test_the_rebuilt_guide_is_the_committed_one_to_the_byte(realdata: Path, tmp_path: Path) -> None:
    output = tmp_path / "guide.json"
    assert main(["--facts", str(realdata / "imagenetv2"), "-o", str(output)]) == 0
    assert output.read_bytes() == COMMITTED.read_bytes()


@pytest.mark.parametrize(
    ("pages", "nearest", "says"),
    [
        ({TENCH: ["https://evil.example/wiki/Tench"]}, None, f"{TENCH}: no page of Wikipedia"),
        ({TENCH: ["https://en.wikipedia.org/wiki/User:Ann"]}, None, "no page of Wikipedia"),
        ({TENCH: ['https://en.wikipedia.org/wiki/T"><b>']}, None, "no page of Wikipedia"),
        ({TENCH: ["https://en.wikipedia.org/wiki/"]}, None, "no page of Wikipedia"),
        ({TENCH: "Tench"}, None, "no table of wnid"),
        (["n01440764"], None, "no table of wnid"),
        ({"n00000000": []}, None, "wikipedia_pages.json has 1 unknown classes: n00000000"),
        (None, {TENCH: [TENCH, "n00000000"]}, "has 1 unknown classes: n00000000"),
        (None, {"n00000000": []}, "most_similar_wnids.json has 1 unknown classes: n00000000"),
        ({"x": []}, {"x": []}, "unknown classes: x"),
    ],
)
def test_tables_that_are_wrong_are_refused(
    pages: object,
    nearest: object,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = tmp_path / "guide.json"
    code = main(["--facts", str(facts(tmp_path, pages, nearest)), "-o", str(output)])
    said = capsys.readouterr().err
    assert code == 2
    assert says in said
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert not output.exists()


def test_a_table_that_lacks_a_class_or_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts(tmp_path)
    (tmp_path / "most_similar_wnids.json").write_text(json.dumps({TENCH: [TENCH]}))
    assert main(["--facts", str(tmp_path), "-o", str(tmp_path / "guide.json")]) == 2
    assert f"most_similar_wnids.json lacks 999 classes: {GOLDFISH}" in capsys.readouterr().err

    (tmp_path / "wikipedia_pages.json").unlink()
    assert main(["--facts", str(tmp_path), "-o", str(tmp_path / "guide.json")]) == 2
    assert "wikipedia_pages.json cannot be read" in capsys.readouterr().err


def test_the_source_and_its_licence_go_with_the_guide() -> None:
    notice = files("wordnet_maps").joinpath("LICENSE-ImageNetV2.txt").read_text("utf-8")
    assert "Copyright (c) 2019 Benjamin Recht, Rebecca Roelofs, Ludwig Schmidt" in notice
    document = json.loads(COMMITTED.read_text("utf-8"))
    assert document["notice"] == "LICENSE-ImageNetV2.txt"
    assert document["source"] == "https://github.com/modestyachts/ImageNetV2"
