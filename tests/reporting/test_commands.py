"""`genset report` and `genset compare`, as somebody at a terminal meets them."""

import json
from pathlib import Path

import pytest

from tests.evaluation.listed import write_list, write_npy
from tests.test_cli import error_of, genset

TRUTH = [place for place in range(20) for _ in range(3)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two models on a list of photos: one right on all, one on every second."""
    write_list(tmp_path / "photos.csv", TRUTH)
    good = write_npy(tmp_path / "good.npy", [[t] for t in TRUTH])
    half = write_npy(tmp_path / "half.npy", [[t if n % 2 else 999] for n, t in enumerate(TRUTH)])
    words = ("evaluate", "photos.csv", "--model", good, "--model", half)
    done = genset(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "bad.tsv").write_text("epoch\thours\ttop5Accuracy\n1\t0.5\t940\n")
    assert done.stdout.splitlines()[1].split() == [
        "good",
        "100.0",
        "94.0–100.0",
        "-",
        "-",
        "60",
        "0",
        "-",
    ]
    return tmp_path


def test_two_models_are_compared_in_a_few_lines(folder: Path) -> None:
    done = genset("compare", "half", "good", "--on", "photos.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "photos: 60 photos that count for both"
    assert lines[1] == "half  50.0 % right (30), on 0 of them alone"
    assert lines[2] == "good  100.0 % right (60), on 30 of them alone"
    assert lines[3].startswith("difference: −50.0 points, 95 % interval −")
    assert "They can be told apart." in lines


def test_the_same_comes_as_json(folder: Path) -> None:
    done = genset("compare", "half", "good", "--on", "photos.csv", "--json", cwd=folder)
    found = json.loads(done.stdout)
    assert (found["only_first"], found["only_second"], found["apart"]) == (0, 30, True)
    assert found["remarks"] == {"half": [], "good": []}


def test_a_report_is_written_where_it_says(folder: Path) -> None:
    done = genset("report", "photos.csv", "--markdown", cwd=folder)
    assert "| good − half | +50.0 |" in done.stdout
    as_json = json.loads(genset("report", "photos.csv", "--json", cwd=folder).stdout)
    assert Path(as_json["file"]) == Path("report-photos.html")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("compare", "good", "best"), "no model 'best' was scored on photos; known: good, half"),
        (("report", "photos.csv", "--lower", "half"), "name both --lower and --upper"),
        (("report", "photos.csv", "--k", "2"), "1 answers a photo are kept, not 2"),
        (("report", "photos.csv", "--reference", "moon"), "no reference 'moon'"),
        (("report", "photos.csv", "--labels", "none.json"), "cannot be read"),
        (("report", "photos.csv", "--tta", "run.tsv"), "--tta run.tsv: write ENTRY=MODEL"),
        (("report", "photos.csv", "--tta", "bad.tsv=best"), "no model 'best' was scored"),
        (("report", "photos.csv", "--tta", "none.tsv=good"), "there is no file none.tsv"),
        (("report", "photos.csv", "--tta", "bad.tsv=good"), "bad.tsv, line 2: "),
        (("report", "nowhere.csv"), "neither a release nor a folder"),
    ],
)
def test_what_is_not_there_is_named_in_one_line(
    folder: Path, words: tuple[str, ...], says: str
) -> None:
    on = ("--on", "photos.csv") if words[0] == "compare" else ()
    assert says in error_of(genset(*words, *on, cwd=folder), 2)
