"""`genset report` and `genset compare`, as somebody at a terminal meets them."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from csv import DictReader
from io import StringIO
from pathlib import Path

import pytest

from tests.commands import says
from tests.latex import compile_latex
from tests.reporting.many import long_names, many_made_up
from tests.score.listed import write_list, write_npy
from tests.test_cli import error_of, genset

TRUTH = [place for place in range(20) for _ in range(3)]


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on a list of photos: one right on all, one on every second."""
    here = tmp_path_factory.mktemp("scored")
    write_list(here / "photos.csv", TRUTH)
    good = write_npy(here / "good.npy", [[t] for t in TRUTH])
    half = write_npy(here / "half.npy", [[t if n % 2 else 999] for n, t in enumerate(TRUTH)])
    done = genset("evaluate", "photos.csv", "--model", good, "--model", half, cwd=here)
    assert done.returncode == 0, done.stderr
    (here / "bad.tsv").write_text("epoch\thours\ttop5Accuracy\n1\t0.5\t940\n")
    row = done.stdout.splitlines()[1].split()
    assert row == ["good", "100.0", "89.5–100.0", "–", "–", "60", "0", "–"]
    return here


@pytest.fixture
def folder(scored: Path, tmp_path: Path) -> Path:
    """A copy of it for a test."""
    return Path(shutil.copytree(scored, tmp_path, dirs_exist_ok=True))


def test_without_a_workspace_the_photos_must_be_named(folder: Path) -> None:
    compare, report = genset("compare", "half", "good", cwd=folder), genset("report", cwd=folder)
    assert "--on photos/" in error_of(compare, 2)
    assert "genset report photos/" in error_of(report, 2)


def test_tables_of_models_and_pairs_go_into_a_paper(folder: Path, tmp_path: Path) -> None:
    def pair(format: str) -> str:
        words = ("compare", "half", "good", "--on", "photos.csv", "--format", format)
        return genset(*words, cwd=folder).stdout

    assert "half − good,-0.5,-0.6" in pair("csv")
    assert "| half − good | −50.0 | " in pair("markdown")
    assert r": half $-$ good}" in pair("latex")
    assert r"Difference (points) & $-$50.0 \\" in pair("latex")
    report = genset("report", "photos.csv", "--format", "latex", cwd=folder).stdout
    assert r"\caption{" in report and r"\textbf{100.0}" in report
    assert "Overfull" not in compile_latex(report + pair("latex"), tmp_path)


def printed(*words: str) -> str:
    """What a command says that is run where one stands."""
    return says("report", *words)


def test_compare_says_what_the_models_answered_and_among_how_many_classes(folder: Path) -> None:
    listed = (folder / "photos.csv").read_text().splitlines()
    wnids = sorted({line.rpartition(",")[2] for line in listed[1:]})
    (folder / "few.txt").write_text("\n".join(wnids[:10]))
    (folder / "part.csv").write_text("\n".join(["image,top1", *listed[1:41]]))
    (folder / "easy.csv").write_text("\n".join(["image,top1", *listed[1:31]]))
    for model in ("part.csv", "easy.csv?classes=few.txt&name=few"):
        done = genset("evaluate", "photos.csv", "--model", f"predictions:{model}", cwd=folder)
        assert done.returncode == 0, done.stderr
    said = genset("compare", "part", "good", "--on", "photos.csv", cwd=folder).stdout
    assert "photos: 60 photos that count for both" in said
    assert "66.7 % (40 correct of 40 answered, 0 that good gets wrong)" in said
    assert "100.0 % (60 correct of 60 answered, 20 that part gets wrong)" in said
    assert "which is easier" not in said
    few = genset("compare", "few", "good", "--on", "photos.csv", cwd=folder).stdout
    report = genset("report", "photos.csv", "--format", "markdown", cwd=folder).stdout
    for text in (few, report):
        assert "few chose among 10 classes, not among 1,000, which is easier." in text
    table = genset("report", "photos.csv", "--format", "csv", cwd=folder).stdout
    counts = [(row["model"], row["correct"], row["photos"]) for row in DictReader(StringIO(table))]
    assert {("part", "40", "60"), ("few", "30", "30")} <= set(counts)


def test_the_settings_or_a_command_say_whether_classes_are_fixed(folder: Path) -> None:
    def intervals(*more: str) -> list[str]:
        """Of the model half: what evaluate prints (scoring, and of its run), and the report."""
        score = ("evaluate", "photos.csv", "--model", f"predictions:{folder / 'half.npy'}")
        lines = []
        for words in (score, score[:2], ("report", "photos.csv", "--format", "text")):
            printed = genset(*words, *more, cwd=folder).stdout.splitlines()
            lines += [line for line in printed if " half " in f" {line} "]
        return [word for line in lines for word in line.split() if "–" in word and len(word) > 1]

    def pair(*more: str) -> str:
        return genset("compare", "half", "good", "--on", "photos.csv", *more, cwd=folder).stdout

    sampled, pair_sampled = intervals(), pair()
    (folder / "genset.toml").write_text('[evaluate]\nclasses = "fixed"\n')
    assert intervals() == ["37.7–62.3"] * 3 == intervals("--classes", "fixed")
    assert intervals("--classes", "sample") == sampled
    assert len(set(sampled)) == 1 and sampled[0] != "37.7–62.3"
    assert pair() == pair("--classes", "fixed") != pair_sampled == pair("--classes", "sample")


def test_many_models_fit_on_the_pages_of_an_article(tmp_path: Path) -> None:
    many_made_up(tmp_path, 67, photos=200, names=long_names(67))
    runs = ("--runs", str(tmp_path / "runs"))
    said = compile_latex(
        printed(str(tmp_path / "photos.csv"), *runs, "--format", "latex"), tmp_path
    )
    wide = re.findall(r"Overfull \\hbox \(([\d.]+)pt", said)
    assert not [points for points in wide if float(points) > 1]
    assert "too large" not in said


@pytest.mark.soak
def test_a_report_lands_where_one_stands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    words = ("../photos.csv", "--runs", "../runs")
    assert printed(*words) == "report-photos.html\n"
    assert printed(*words, "--out", "site/") == "site/report-photos.html\n"
    assert printed(*words, "-o", "mine.html") == "mine.html\n"
    written = sorted(str(path.relative_to(elsewhere)) for path in elsewhere.rglob("*.html"))
    assert written == ["mine.html", "report-photos.html", "site/report-photos.html"]
    assert not (folder / "report-photos.html").exists()


def test_json_alone_writes_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    alone = json.loads(printed("photos.csv", "--json"))
    assert "file" not in alone
    assert not list(folder.glob("*.html"))
    both = json.loads(printed("photos.csv", "--json", "-o", "x.html"))
    assert both == {"file": "x.html", **alone}
    assert "good" in (folder / "x.html").read_text("utf-8")
    assert "| good − half | +50.0 |" in printed("photos.csv", "--format", "markdown")
    assert not (folder / "report-photos.html").exists()


def test_what_changed_since_an_older_report(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path("old.json").write_text(printed("photos.csv", "--json"))
    shutil.rmtree(next(folder.glob("runs/photos/half-*")))
    assert "Hardest" not in printed("photos.csv", "--format", "markdown")  # all are right
    better = [[t if n % 4 else 999] for n, t in enumerate(TRUTH)]
    for name in ("half", "new"):
        spec = write_npy(folder / f"{name}.npy", better)
        assert genset("evaluate", "photos.csv", "--model", spec, cwd=folder).returncode == 0
    words = ("photos.csv", "--compare", "old.json", "--format")
    text = printed(*words, "markdown")
    assert "The photos are the same. Unchanged: 1 model." in text
    assert "Rank before | Rank now |" in text
    assert "| half | 50.0 (36.5–63.5) | 75.0 (61.2–85.1) | +25.0 |" in text
    assert "| new | – | 75.0 (61.2–85.1) | new |" in text
    before = json.loads(printed(*words, "json"))
    assert [pair["apart"] for pair in before["pairs"]] == [True, True, False]
    for pair in before["pairs"][1:]:
        pair["apart"] = not pair["apart"]
    Path("old.json").write_text(json.dumps(before))
    text = printed(*words, "markdown", "--classes", "fixed")
    assert "Classes were a sample then and are fixed now" in text
    assert "Now told apart: good from new. No longer told apart: half from new." in text
    assert "Classes were" not in printed(*words, "markdown") and "Rank before" not in text
    shutil.rmtree(next(folder.glob("runs/photos/good-*")))
    models = json.loads(printed(*words, "json"))["changes"]["models"]
    assert [model["model"] for model in models if not model["now"]] == ["good"]
    # Of one name, on other photos, where their labels end with other keys.
    Path("more.csv").write_text(Path("photos.csv").read_text().replace(".jpg", ".png"))
    for named in ("photos.csv", "more.csv"):
        shutil.rmtree(f"runs/{named[:-4]}", ignore_errors=True)
        for array in ("good", "new"):
            spec = f"predictions:{array}.npy?name=best"
            assert genset("evaluate", named, "--model", spec, cwd=folder).returncode == 0
    Path("old.json").write_text(printed("photos.csv", "--json"))
    found = json.loads(printed("more.csv", *words[1:], "json"))["changes"]
    assert (found["models"], found["unchanged"]) == ([], 2)
    Path("old.json").write_text('{"models": []}')
    assert "old.json: set is missing" in error_of(genset("report", *words[:-1], cwd=folder), 2)


@pytest.mark.soak
def test_on_a_terminal_the_path_is_a_link(folder: Path) -> None:
    """A terminal's other end is read as the terminal itself would be."""
    near, far = pty.openpty()
    command = [sys.executable, "-m", "genset", "report", "photos.csv", "-o", "a b.html"]
    subprocess.run(command, cwd=folder, stdout=far, check=True, env=os.environ | {"TERM": "xterm"})
    os.close(far)
    shown = os.read(near, 4096).decode()
    os.close(near)
    target = f"file://{folder}/a%20b.html"
    assert shown.strip() == f"\x1b]8;;{target}\x1b\\a b.html\x1b]8;;\x1b\\"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("compare", "good", "good"), "good and good are the same run: name two models"),
        (("report", "photos.csv", "--k", "2"), "1 answer a photo is kept, not 2"),
        (("report", "photos.csv", "--compare", "none.json"), "cannot be read"),
        (("report", "photos.csv", "--tta", "bad.tsv=good"), "bad.tsv, line 2: "),
        (("report", "nowhere.csv"), "nowhere.csv is not there: name a release, a folder"),
    ],
)
def test_what_is_missing_is_named_in_a_line(
    folder: Path, words: tuple[str, ...], says: str
) -> None:
    on = ("--on", "photos.csv") if words[0] == "compare" else ()
    assert says in error_of(genset(*words, *on, cwd=folder), 2)


@pytest.mark.parametrize("name", ["genset.db", "labels.csv", "photo.jpg"])
def test_a_file_that_is_no_page_is_not_replaced(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"SQLite format 3\0 and much more")
    done = genset("report", "photos.csv", "-o", name, cwd=folder)
    assert error_of(done, 2) == f"genset: {name} is there, and is no HTML page: name another file\n"
    assert (folder / name).read_bytes().startswith(b"SQLite")
    assert not list(folder.glob(".partial-*"))


@pytest.mark.soak
def test_pipes_links_readers_and_full_disks(folder: Path) -> None:
    """A pipe stays one, as ``/dev/null`` must, which root could replace for everybody."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        done = genset("report", "photos.csv", "-o", "pipe", cwd=folder)
        said, _ = reader.communicate(timeout=60)
    assert done.returncode == 0, done.stderr
    assert said.startswith(b"<!DOCTYPE html>")
    assert pipe.is_fifo()
    (folder / "public").mkdir()
    page, link = folder / "public" / "page.html", folder / "link.html"
    page.write_text("<!doctype html><title>before</title>")
    page.chmod(0o640)
    link.symlink_to(page)
    done = genset("report", "photos.csv", "-o", "link.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert link.is_symlink()
    assert "<title>before" not in page.read_text()
    assert page.stat().st_mode & 0o777 == 0o640
    done = genset("report", "photos.csv", "-o", "/dev/full", cwd=folder)
    mend = "free some space, then run the same command again"
    assert error_of(done, 1) == f"genset: /dev/full: No space left on device; {mend}\n"


def test_a_set_without_runs_is_said_and_no_folder_is_made(folder: Path) -> None:
    shutil.rmtree(folder / "runs")
    done = genset("report", "photos.csv", cwd=folder)
    assert done.returncode == 0
    assert done.stderr == "no model was scored on photos by the runs in runs (--runs FOLDER)\n"
    assert not (folder / "runs").exists()
    # What the page tells to type is the file, without the folders of this machine.
    done = genset("report", str(folder / "photos.csv"), "-o", "other.html", cwd=folder)
    page = (folder / "other.html").read_text()
    assert "genset evaluate photos.csv" in page
    assert str(folder) not in page
