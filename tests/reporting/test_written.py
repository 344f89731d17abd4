"""A report is made of what is there now: the runs, the options, the labels, the photos."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from genset.cli import cli
from genset.score.results.runs import find_runs
from genset.sets.open import open_set
from genset.sets.truths.store import keep_truth
from genset.sets.truths.truth import Truth
from tests.reporting.heads import keep_finetuned
from tests.reporting.sets import WNIDS, release_of, score
from tests.tta.dawnbench_entries import write_entry


def printed(*words: str) -> str:
    done = CliRunner().invoke(cli, ["report", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models on a release, with a table and a log beside it; one stands there."""
    photos = release_of(tmp_path / "small", 12)
    score(photos, tmp_path / "runs", "good", 9)
    score(photos, tmp_path / "runs", "weak", 4, weights="sha256:2")
    (tmp_path / "there.csv").write_text("model,top1\ngood,81\nweak,52\n")
    write_entry(tmp_path / "ImageNet" / "speedy.tsv", [50, 80, 93.5], hour=0.1)
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
def test_whatever_changes_every_form_says_it(folder: Path, change: str) -> None:
    def forms() -> list[str]:
        printed(*ASKED, "-o", "page.html")
        return [printed(*ASKED, "--json"), Path("page.html").read_text("utf-8")]

    before = forms()
    CHANGES[change](folder)
    assert all(now != then for now, then in zip(forms(), before, strict=True))


@pytest.mark.parametrize(
    "more",
    [("--seed", "1"), ("--k", "2"), ("--include-flagged",)],
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


def test_a_photo_that_changed_makes_another_set(folder: Path) -> None:
    plain = str(folder / "small" / "test")  # a folder of photos, without the manifest beside it
    score(open_set(plain), folder / "runs", "plain", 9)
    before = printed(plain, "--json")
    assert json.loads(before)["models"][0]["label"] == "plain"
    photo = next((folder / "small").rglob("*.jpg"))
    photo.write_bytes(bytes(photo.stat().st_size))
    assert json.loads(printed(plain, "--json"))["models"] == []


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
