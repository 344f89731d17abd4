"""A report on the same things is left as it is; one on anything else is made anew."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.release.reader import MANIFEST
from genset.reporting.inputs import KEPT
from genset.score.results.runs import find_runs
from genset.sets.photos import open_set
from genset.sets.truths.keep import keep_truth
from genset.sets.truths.truth import Truth
from tests.reporting.heads import keep_finetuned
from tests.reporting.sets import WNIDS, release_of, score
from tests.tta.written import write_entry

LONG_AGO = time.time_ns() - 60 * 10**9


def settle(folder: Path) -> None:
    """Give what is new or changed one old time; the others, whose inode has a time too, stay."""
    for path in folder.rglob("*"):
        if path.stat().st_mtime_ns != LONG_AGO:
            os.utime(path, ns=(LONG_AGO, LONG_AGO))


def without_seal(page: bytes) -> bytes:
    return page.partition(b"<!-- genset report of")[0]


def printed(*words: str) -> str:
    done = CliRunner().invoke(cli, ["report", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models on a release, with a table, labels and a log beside it; one stands there."""
    photos = release_of(tmp_path / "small", 12)
    score(photos, tmp_path / "runs", "good", 9)
    score(photos, tmp_path / "runs", "weak", 4, weights="sha256:2")
    (tmp_path / "there.csv").write_text("model,top1\ngood,81\nweak,52\n")
    first = photos.photos[0]
    (tmp_path / "labels.csv").write_text(f"image,wnid,verdict\n{first.id},{first.wnid},correct\n")
    write_entry(tmp_path / "ImageNet" / "speedy.tsv", [50, 80, 93.5], hour=0.1)
    settle(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def replace_in(path: Path, old: str, new: str) -> None:
    """Change a file in its place."""
    text = path.read_text()
    assert old in text
    with path.open("r+") as file:
        file.write(text.replace(old, new, 1))
        file.truncate()


def run_of(folder: Path, model: str) -> Path:
    return next(place for place, run in find_runs(folder / "runs", "small") if run.model == model)


def give_truth(folder: Path, further: str) -> None:
    photos = open_set(str(folder / "small"))
    correct = {each.id: frozenset({each.wnid, further}) for each in photos.photos}
    truth = Truth(correct, {}, "votes.csv", f"{WNIDS.index(further):064}")
    keep_truth(photos, truth, folder / "runs")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a probability": lambda at: replace_in(run_of(at, "good") / "predictions.csv", "0.6", "0.7"),
    "a run's record": lambda at: replace_in(run_of(at, "good") / "run.json", '"cpu"', '"gpu"'),
    "a further run": lambda at: score(open_set(str(at / "small")), at / "runs", "third", 6),
    "one run fewer": lambda at: shutil.rmtree(run_of(at, "weak")),
    "a truth": lambda at: give_truth(at, WNIDS[-6]),
    "fine-tuning": lambda at: keep_finetuned(at / "runs", "good", [3], weights="sha256:1"),
    "the table": lambda at: replace_in(at / "there.csv", "81", "79"),
    "the log": lambda at: replace_in(at / "ImageNet" / "speedy.tsv", "0.30", "0.40"),
    "about the log": lambda at: replace_in(at / "ImageNet" / "speedy.json", ": 10.0", ": 20.0"),
}
ASKED = ("small", "--reference", "there.csv", "--tta", "ImageNet/speedy.tsv=good")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.soak
def test_whatever_changes_every_form_is_as_if_made_for_the_first_time(
    folder: Path, change: str
) -> None:
    before = printed(*ASKED, "--json")
    printed(*ASKED, "-o", "page.html")
    first = Path("page.html").read_bytes()
    CHANGES[change](folder)
    settle(folder)
    forms = [printed(*ASKED, "--json"), printed(*ASKED, "--markdown")]
    printed(*ASKED, "-o", "page.html")
    shutil.rmtree(folder / "runs" / KEPT)
    assert forms == [printed(*ASKED, "--json"), printed(*ASKED, "--markdown")]
    printed(*ASKED, "-o", "new.html")
    page = Path("page.html").read_bytes()
    assert page == Path("new.html").read_bytes()
    assert without_seal(page) != without_seal(first)
    assert forms[0] != before


@pytest.mark.parametrize(
    "more",
    [("--seed", "1"), ("--k", "2"), ("--include-flagged",), ("--labels", "labels.csv")],
    ids=" ".join,
)
def test_another_question_gets_another_answer(folder: Path, more: tuple[str, ...]) -> None:
    printed("small", "-o", "page.html")
    first, before = Path("page.html").read_bytes(), printed("small", "--json")
    printed("small", *more, "-o", "page.html")
    assert Path("page.html").read_bytes() != first
    if more != ("--include-flagged",):  # of models that are none
        assert printed("small", *more, "--json") != before
    printed("small", "-o", "page.html")
    assert Path("page.html").read_bytes() == first


def test_labels_that_are_given_are_read_again_when_they_change(folder: Path) -> None:
    asked = ("small", "--labels", "labels.csv", "--json")
    before = printed(*asked)
    replace_in(folder / "labels.csv", f",{WNIDS[0]},", f",{WNIDS[7]},")
    settle(folder)
    assert printed(*asked) != before


def test_a_photo_that_changed_makes_another_set(folder: Path) -> None:
    (folder / "small" / MANIFEST).unlink()  # a plain folder of photos from here on
    score(open_set(str(folder / "small")), folder / "runs", "plain", 9)
    settle(folder)
    before = printed("small", "--json")
    assert json.loads(before)["models"][0]["label"] == "plain"
    photo = next((folder / "small").rglob("*.jpg"))
    photo.write_bytes(bytes(photo.stat().st_size))
    settle(folder)
    assert json.loads(printed("small", "--json"))["models"] == []


def test_another_version_makes_it_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed("small", "-o", "page.html")
    before = Path("page.html").stat().st_ino
    monkeypatch.setattr("genset.reporting.inputs.__version__", "9.9.9")
    printed("small", "-o", "page.html")
    assert Path("page.html").stat().st_ino != before


@pytest.mark.parametrize("spoilt", ["by hand", "cut", "gone"])
def test_a_page_that_is_not_as_it_was_written_is_written_again(folder: Path, spoilt: str) -> None:
    page = folder / "page.html"
    printed("small", "-o", "page.html")
    whole = page.read_bytes()
    if spoilt == "by hand":
        page.write_bytes(whole.replace(b"good", b"best", 1))
    elif spoilt == "cut":
        page.write_bytes(whole[: len(whole) // 2])
    else:
        page.unlink()
    printed("small", "-o", "page.html")
    assert page.read_bytes() == whole


@pytest.mark.soak
def test_nothing_is_gathered_or_written_where_nothing_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = (("-o", "page.html"), ("--json",), ("--markdown",))
    made = [printed("small", *each) for each in asked]
    before = Path("page.html").stat()

    def gathers(*_: object) -> None:
        raise AssertionError("it was gathered again")

    monkeypatch.setattr("genset.reporting.gather.collect.collect_results", gathers)
    assert [printed("small", *each) for each in asked] == made
    now = Path("page.html").stat()
    assert (now.st_ino, now.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    with pytest.raises(AssertionError):  # another set of options is not kept
        CliRunner().invoke(cli, ["report", "small", "--k", "2"], catch_exceptions=False)


@pytest.mark.soak
def test_what_is_kept_does_not_grow(folder: Path) -> None:
    for seed in range(3):
        printed("small", "--json", "--seed", str(seed))
        printed("small", "--markdown", "--seed", str(seed))
    assert sorted(path.name for path in (folder / "runs" / KEPT).iterdir()) == [
        "small.json",
        "small.md",
    ]


def test_a_damaged_copy_is_not_believed(folder: Path) -> None:
    before = printed("small", "--json")
    kept = folder / "runs" / KEPT / "small.json"
    kept.write_bytes(kept.read_bytes().replace(b"good", b"best"))
    assert printed("small", "--json") == before
    assert json.loads(before)["models"][0]["label"] == "good"


@pytest.mark.soak
def test_what_changed_just_now_may_change_again_at_the_same_time(folder: Path) -> None:
    """Where a file system knows whole seconds."""
    record = run_of(folder, "good") / "run.json"
    os.utime(record, (int(time.time()),) * 2)
    printed("small", "-o", "page.html")
    assert "genset report of" not in Path("page.html").read_text()
    os.utime(record, ns=(time.time_ns() - 500_000_001,) * 2)
    printed("small", "-o", "page.html")
    assert "genset report of" in Path("page.html").read_text()
    Path("page.html").unlink()
    settle(folder)
    printed("small", "-o", "page.html")
    assert "genset report of" in Path("page.html").read_text()


def test_no_library_is_loaded_where_nothing_changed(folder: Path) -> None:
    printed("small", "-o", "page.html")
    heavy = "numpy", "scipy", "matplotlib", "jinja2", "PIL", "torch", "sqlalchemy", "requests"
    script = (
        "import sys; from genset.cli import cli; sys.argv = ['genset', *sys.argv[1:]]\n"
        f"cli(standalone_mode=False); print([each for each in {heavy} if each in sys.modules])"
    )
    words = [sys.executable, "-c", script, "report", "small", "-o", "page.html"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["page.html", "[]"], done.stderr
