"""Models that fail: a table of them, by name, on the terminal, and in JSON."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from genset.__main__ import main
from tests.score.listed import write_list, write_npy
from tests.terminal import Answer


@pytest.fixture(autouse=True)
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of four photos in the current folder, answers to them, and answers to three."""
    monkeypatch.chdir(tmp_path)
    write_npy(tmp_path / "good.npy", [[0]] * 4)
    write_npy(tmp_path / "short.npy", [[0]] * 3)
    return write_list(tmp_path / "photos.csv", [0, 0, 1, 2])


Evaluate = Callable[..., Answer]


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Evaluate:
    """Runs `genset evaluate` on the list as people do."""

    def run(*words: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["genset", "evaluate", "photos.csv", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return Answer(int(ended.value.code or 0), *capsys.readouterr())

    return run


def models(*specs: str) -> list[str]:
    return [word for spec in specs for word in ("--model", spec)]


def test_a_night_ends_with_a_table_of_what_failed_and_why(evaluate: Evaluate) -> None:
    Path("list.txt").write_text("predictions:a.npy\n\n# new\n predictions:good.npy\n")
    specs = models("predictions:gone.npy?name=first", "predictions:short.npy")
    code, out, err = evaluate(*specs, "--models", "list.txt")
    assert code == 1
    assert [line.split("  ")[0] for line in err.splitlines()] == [
        "failed",
        "first",
        "short",
        "a",
        "genset: 3 of 4 models failed",
    ]
    assert "short.npy has 3 rows, and photos has 4 photos: it needs one row a photo" in err
    assert out.splitlines()[1].split()[:2] == ["good", "50.0"]
    code, out, _ = evaluate(*specs, "--models", "list.txt", "--json")
    assert code == 1
    document = json.loads(out)
    assert [run["model"] for run in document["runs"]] == ["good"]
    assert document["failed"][0] == {"model": "first", "error": "there is no file gone.npy"}


def test_where_all_fail_there_is_no_table_of_accuracies(evaluate: Evaluate) -> None:
    specs = models("predictions:a.csv", "predictions:b.npy")
    code, out, _ = evaluate(*specs, "--json")
    assert (code, [each["model"] for each in json.loads(out)["failed"]]) == (1, ["a", "b"])
    assert evaluate(*specs)[:2] == (1, "")


def test_a_list_of_specs_is_read_before_any_is_scored(evaluate: Evaluate) -> None:
    specs = Path("list.txt")
    specs.write_text("predictions:good.npy\n\ntorchvison:resnet50\ntimm:\n")
    code, _, err = evaluate("--models", "list.txt")
    first, second = err.splitlines()
    assert code == 2
    assert first.startswith("genset: list.txt, line 3: model 'torchvison:resnet50': ")
    assert second.startswith("genset: list.txt, line 4: model 'timm:': ")
    assert not Path("runs").exists()
    specs.write_text("# the good one\npredictions:good.npy?name=a # of May\n")
    out = evaluate("--models", "list.txt", "--json").out
    assert [run["model"] for run in json.loads(out)["runs"]] == ["a"]
    specs.write_text("# none yet\n")
    assert "list.txt names no model" in evaluate("--models", "list.txt").err
