"""The same photos get the same counts in every layout that ``docs/evaluating.md`` lists."""

import csv
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import datasets
import pytest
from click.testing import CliRunner

from genset.classes import imagenet1k
from genset.cli import cli
from genset.score.results.runs import find_runs
from genset.sets.open import open_set
from tests.conftest import ROOT
from tests.score.colours import BLUE, GREEN, RED, WNIDS, colours, paint
from tests.sets import layouts
from tests.sets.layouts import refused

# The rows of the table in docs/evaluating.md, by their commands. A release is tested by itself.
ROWS: dict[str, layouts.Writer] = {
    "genset evaluate photos": layouts.folders,
    "genset evaluate val/labels.csv": layouts.flat,
    "genset evaluate val": layouts.flat_folder,
    "genset evaluate photos.tar": layouts.tar_of_folders,
    "genset evaluate val.tar": layouts.tar_of_table,
    "genset evaluate ILSVRC2012_img_val.tar": layouts.tar_beside_table,
    "genset evaluate 'shards-{000..006}.tar' --taxonomy imagenet1k": layouts.shards_of_numbers,
    "genset evaluate 'json-{000..006}.tar'": layouts.shards_of_wnids,
    "genset evaluate photos.parquet": layouts.parquet,
    "genset evaluate mine": layouts.hub_folder,
    "genset evaluate saved": layouts.saved_to_disk,
}
# Whose ids are those of the folder of classes, so that the hash is the same, too.
SAME_HASH = [name for name in ROWS if "val" not in name.split()[2]]


@pytest.fixture(scope="module", autouse=True)
def _quietly() -> Iterator[None]:
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


def twenty_photos(folder: Path) -> Path:
    """20 photos, two shards of work: `Colours` has 9 right, and one cannot be read."""
    for number in range(19):
        colour = (RED, GREEN, BLUE)[number // 3 % 3]
        paint(folder, number % 3, f"{number:02}.png", colour)
    (folder / WNIDS[1] / "text.jpg").write_text("I am no photo.")
    return folder


def evaluated(named: str, spec: str, runs: Path, *more: str) -> tuple[dict[str, list[str]], str]:
    """Of each photo, by its name, the true class and the answers; and why one is left out."""
    words = ["evaluate", named, "--model", spec, "--runs", str(runs), "--json", *more]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    (run,) = json.loads(done.stdout)["runs"]
    (answers,) = runs.rglob("predictions.csv")
    with answers.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    (why,) = run["excluded"].values()
    reason = why.partition(" '")[0]  # and then the photo's path, which is another in each layout
    return {row[0].rpartition("/")[2]: row[1:] for row in rows}, reason


@pytest.mark.parametrize("command", ROWS)
def test_every_layout_gives_the_same_answers(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path /= "a+b"  # which is no space
    photos = twenty_photos(tmp_path / "photos")
    (tmp_path / "list.txt").write_text("\n".join(WNIDS))
    spec = f"{colours(tmp_path)}&classes={tmp_path / 'list.txt'}"
    expected, why = evaluated(str(photos), spec, tmp_path / "expected")
    assert len(expected) == 19
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    named = ROWS[command](photos, place)
    options = command.split()[3:]
    assert evaluated(named, spec, tmp_path / "runs", *options) == (expected, why)
    if command in SAME_HASH:
        found = open_set(named, taxonomy=imagenet1k() if options else None)
        assert found.content_hash == open_set(str(photos)).content_hash
        assert found.ids == open_set(str(photos)).ids
    # Nothing was unpacked.
    written = {path.suffix for path in (tmp_path / "runs").rglob("*") if path.is_file()}
    assert written <= {".csv", ".json"}


def test_the_table_of_layouts_is_what_is_tested() -> None:
    text = (ROOT / "docs" / "evaluating.md").read_text("utf-8")
    section = text.partition("## Which sets")[2].partition("\n## ")[0]
    commands = re.findall(r"\| `(genset evaluate [^`]+)` \|", section)
    assert commands == ["genset evaluate v1", *ROWS]


def test_answers_to_a_list_still_count_where_its_photos_are_there(tmp_path: Path) -> None:
    photos = twenty_photos(tmp_path / "photos")
    place = tmp_path / "place"
    place.mkdir()
    table = place / layouts.flat(photos, place)
    alone = tmp_path / "val" / "labels.csv"
    alone.parent.mkdir()
    alone.write_bytes(table.read_bytes())
    answers = tmp_path / "answers.csv"
    rows = [f"{path.name},{path.parent.name}" for path in layouts.photos_of(photos)]
    answers.write_text("\n".join(["image,top1", *rows]) + "\n")
    runs = ["--runs", str(tmp_path / "runs")]
    listed = ["evaluate", str(alone), "--model", f"predictions:{answers}", *runs]
    assert CliRunner().invoke(cli, listed).exit_code == 0
    there = ["evaluate", str(table), "--model", colours(tmp_path), *runs]
    assert CliRunner().invoke(cli, there).exit_code == 0
    assert CliRunner().invoke(cli, [*there[:3], f"predictions:{answers}", *runs]).exit_code == 0
    assert len(find_runs(tmp_path / "runs", "val")) == 2  # the answers' run was found again
    words = ["compare", "answers", "colours", "--on", str(table), *runs]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(cli, ["evaluate", str(alone), *there[2:]])
    assert "lists photos that are not here" in str(done.exception)
    # A row without its photo costs that photo.
    (place / "val" / "00.png").unlink()
    done = CliRunner().invoke(cli, [*there, "--json"])
    (run,) = json.loads(done.stdout)["runs"]
    assert run["excluded"]["00.png"] == "No such file or directory"
    assert run["top1"]["photos"] == 18


def test_shards_that_are_no_such_set_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paint(tmp_path / "photos", 0, "a.png", RED)
    monkeypatch.chdir(tmp_path)
    layouts.shards_of_numbers(tmp_path / "photos", tmp_path)
    assert "there is no file shards-001.tar" in refused("shards-{000..001}.tar")
    subprocess.run(["gzip", "-k", "shards-000.tar"], check=True)
    assert "packed: unpack it (gunzip shards-000.tar.gz)" in refused("shards-000.tar.gz")
    whole = Path("shards-000.tar").read_bytes()
    Path("cut.tar").write_bytes(whole[:600])
    assert "cut.tar is no tar, or cut off" in refused("cut.tar")
    Path("a").mkdir()
    paint(tmp_path / "a", 0, "x.png", RED).rename("a/1.png")
    Path("a/1.cls").write_text("1000")
    subprocess.run(["tar", "-cf", "high.tar", "-C", "a", "1.png", "1.cls"], check=True)
    line = refused("high.tar")
    assert "high.tar has numbers for classes, and only 1 of them" in line
    subprocess.run(["tar", "-cf", "flat.tar", "-C", "a", "1.png"], check=True)
    assert "flat.tar has 1 photo, but in no class's folder: it needs" in refused("flat.tar")


def test_data_sets_that_cannot_be_matched_are_named(tmp_path: Path) -> None:
    paint(tmp_path / "photos", 0, "a.png", RED)
    paint(tmp_path / "photos", 1, "b.png", GREEN)
    found = layouts.data_set(tmp_path / "photos", lambda wnid: f"class of {wnid}")
    found.to_parquet(tmp_path / "strange.parquet")
    assert f"'class of {WNIDS[0]}' is not a class of ImageNet" in refused(
        tmp_path / "strange.parquet"
    )
    numbers = found.cast_column("label", datasets.Value("int64"))
    numbers.to_parquet(tmp_path / "numbers.parquet")
    assert "numbers.parquet has numbers for classes" in refused(tmp_path / "numbers.parquet")
    hidden = numbers.map(lambda _: {"label": -1})
    hidden.to_parquet(tmp_path / "hidden.parquet")
    assert refused(tmp_path / "hidden.parquet").endswith("hidden.parquet: no photo has a label")
    found.remove_columns("image").to_parquet(tmp_path / "none.parquet")
    assert "needs a column of images" in refused(tmp_path / "none.parquet")
    (tmp_path / "splits").mkdir()
    for split in ("train", "test"):
        found.to_parquet(tmp_path / "splits" / f"{split}-00000-of-00001.parquet")
    assert "has the splits test, train" in refused(tmp_path / "splits")
    both = datasets.DatasetDict(test=found, train=found)
    both.save_to_disk(tmp_path / "saved")
    assert "has the splits test, train" in refused(tmp_path / "saved")
    (tmp_path / "text.parquet").write_text("I am no table.")
    assert "text.parquet cannot be read" in refused(tmp_path / "text.parquet")


def test_only_class_names_that_are_certain_are_matched(tmp_path: Path) -> None:
    cranes = [134, 517]
    for place in cranes:
        paint(tmp_path / "photos", place, f"{place}.png", RED)
    names = iter(["crane", "Crane "])
    layouts.data_set(tmp_path / "photos", lambda _: next(names)).to_parquet(
        tmp_path / "two.parquet"
    )
    assert "'crane' is not a class" in refused(tmp_path / "two.parquet")
    # All 1,000 in ImageNet's order say by their places what two names leave open, in full or short.
    for name_of in (layouts.long_name, lambda wnid: imagenet1k()[wnid].name):
        every: list[str] = []
        for name in map(name_of, WNIDS):
            every.append(f"{name}2" if name in every else name)
        whole = layouts.data_set(tmp_path / "photos").remove_columns("label")
        labels = datasets.ClassLabel(names=every)
        whole = whole.add_column("label", cranes).cast_column("label", labels)
        whole.to_parquet(tmp_path / f"{every[0]}.parquet")
        assert open_set(str(tmp_path / f"{every[0]}.parquet")).ids == [
            f"{WNIDS[134]}/134.png",
            f"{WNIDS[517]}/517.png",
        ]
