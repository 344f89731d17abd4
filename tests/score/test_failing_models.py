"""Models that fail: a table of them, by name, on the terminal, and in JSON."""

import json
import sys
from pathlib import Path

import pytest

from genset.__main__ import main
from tests.score.listed import write_list, write_npy


@pytest.fixture(autouse=True)
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of four photos in the current folder, answers to them, and answers to three."""
    monkeypatch.chdir(tmp_path)
    write_npy(tmp_path / "good.npy", [[0]] * 4)
    write_npy(tmp_path / "short.npy", [[0]] * 3)
    return write_list(tmp_path / "photos.csv", [0, 0, 1, 2])


def genset(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Run the command as people do; its exit code."""
    monkeypatch.setattr(sys, "argv", ["genset", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def models(*specs: str) -> list[str]:
    return [word for spec in specs for word in ("--model", spec)]


def test_a_night_ends_with_a_table_of_what_failed_and_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("list.txt").write_text("predictions:a.npy\n\n# new\n predictions:good.npy\n")
    specs = models("predictions:gone.npy?name=first", "predictions:short.npy")
    words = ["evaluate", "photos.csv", *specs, "--models", "list.txt"]
    assert genset(monkeypatch, *words) == 1
    said = capsys.readouterr()
    assert [line.split("  ")[0] for line in said.err.splitlines()] == [
        "failed",
        "first",
        "short",
        "a",
        "genset: 3 of 4 models failed",
    ]
    assert "short.npy has 3 rows, and photos has 4 photos: it needs one row a photo" in said.err
    assert said.out.splitlines()[1].split()[:2] == ["good", "50.0"]
    assert genset(monkeypatch, *words, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert [run["model"] for run in document["runs"]] == ["good"]
    assert document["failed"][0] == {"model": "first", "error": "there is no file gone.npy"}


def test_where_all_fail_there_is_no_table_of_accuracies(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = models("predictions:a.csv", "predictions:b.npy")
    assert genset(monkeypatch, "evaluate", "photos.csv", *specs, "--json") == 1
    assert [each["model"] for each in json.loads(capsys.readouterr().out)["failed"]] == ["a", "b"]
    assert genset(monkeypatch, "evaluate", "photos.csv", *specs) == 1
    assert capsys.readouterr().out == ""


def test_misspelt_specs_of_a_file_are_refused_before_any_is_scored(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("list.txt").write_text("predictions:good.npy\n\ntorchvison:resnet50\ntimm:\n")
    assert genset(monkeypatch, "evaluate", "photos.csv", "--models", "list.txt") == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("genset: list.txt, line 3: model 'torchvison:resnet50': ")
    assert second.startswith("genset: list.txt, line 4: model 'timm:': ")
    assert not Path("runs").exists()


def test_what_stands_behind_a_sign_in_a_list_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("list.txt").write_text("# the good one\npredictions:good.npy?name=a # of May\n")
    assert genset(monkeypatch, "evaluate", "photos.csv", "--models", "list.txt", "--json") == 0
    assert [run["model"] for run in json.loads(capsys.readouterr().out)["runs"]] == ["a"]
    Path("list.txt").write_text("# none yet\n")
    assert genset(monkeypatch, "evaluate", "photos.csv", "--models", "list.txt") == 2
    assert "list.txt names no model" in capsys.readouterr().err
