"""The examples in CONTRIBUTING.md, put in place as they say, do what they say."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from genset.db import Verdict
from tests.commands import run
from tests.labeled_workspace import TENCH, labeled_workspace, vote
from tests.score.painted import RED, WNIDS, hundred_photos, paint

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
BLOCK = r":\n\n```python\n(.*?)```"
FILES = re.findall(r"Copy\s+\[.*\]\((docs/examples/\w+\.py)\) to `(genset[\w/]+\.py)`", TEXT)
ENTRY = re.findall(r'entry-points."(genset[.]\w+)"\]\n(.*?)```', TEXT, re.S)
LINES = re.findall(rf"^In `(\w+)` of `(genset/[\w/]+\.py)`[^:`]*{BLOCK}", TEXT, re.S | re.M)

Genset = Callable[..., str]


def with_lines(code: str, table: str, lines: str) -> str:
    """A module with lines put into its table, first; those of imports before its own imports."""
    imports = "".join(line for line in lines.splitlines(True) if line.startswith("from "))
    entries = lines.replace(imports, "")
    start = re.compile(rf"^{table}\b.*[({{]\n", re.M)
    code, count = start.subn(lambda found: found[0] + entries, code)
    assert count == 1, table
    return re.sub(r"^from ", f"{imports}from ", code, count=1, flags=re.M)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with genset as it is when all examples are put in place."""
    folder = tmp_path_factory.mktemp("changed")
    shutil.copytree(ROOT / "genset", folder / "genset")
    for example, name in FILES:
        assert not (folder / name).exists()
        shutil.copyfile(ROOT / example, folder / name)
    for table, name, lines in LINES:
        path = folder / name
        path.write_text(with_lines(path.read_text("utf-8"), table, lines), "utf-8")
    (info := folder / "linear-1.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: linear\nVersion: 1\n")
    [(group, entry)] = ENTRY
    (info / "entry_points.txt").write_text(f"[{group}]\n{entry}".replace('"', ""))
    return folder


@pytest.fixture
def genset(changed: Path, tmp_path: Path) -> Genset:
    environment = os.environ | {"PYTHONPATH": f"{changed}{os.pathsep}{ROOT}"}

    def run(*words: object, code: int = 0) -> str:
        command = [sys.executable, "-m", "genset", *map(str, words)]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_there_is_an_example_of_each_part() -> None:
    assert len(FILES) == len(LINES) + len(ENTRY) == 8
    assert "(docs/sources.md#adding-a-source)" in TEXT  # tests/sources/test_adding_one.py


def labeled(tmp_path: Path) -> Path:
    """A workspace in which all call photo 0 correct, two of three photo 1, and one photo 2."""
    workspace, store = labeled_workspace(tmp_path / "workspace", [TENCH], 3)
    for task, verdicts in (("0", "ccc"), ("1", "cci"), ("2", "c")):
        for worker, verdict in zip(("Ann", "Ben", "Cleo"), verdicts, strict=False):
            word = Verdict.CORRECT if verdict == "c" else Verdict.INCORRECT
            vote(store, f"{TENCH}/flickr:{task}", worker, word)
    store.close()
    return workspace.root


@pytest.mark.soak
def test_the_aggregator_the_export_and_the_section_do_what_they_say(
    genset: Genset, tmp_path: Path
) -> None:
    root = labeled(tmp_path)
    genset("-w", root, "labels", "aggregate", "--method", "unanimous", "-o", "together.csv")
    with (tmp_path / "together.csv").open(encoding="utf-8") as file:
        rows = {row["task"]: row["label"] for row in csv.DictReader(file)}
    assert [rows[f"{TENCH}/flickr:{each}"] for each in "012"] == ["correct", "", "correct"]
    genset("-w", root, "release", "create", "v1", "--labels", "unanimous")
    release = root / "releases" / "v1"
    photos = json.loads((release / "manifest.json").read_text("utf-8"))["photos"]
    assert sorted(photo["source_id"] for photo in photos) == ["0", "2"]
    card = (release / "docs/DATA_CARD.md").read_text("utf-8")
    assert "brought together by unanimous: the verdict that all labelers gave" in card
    said = genset("-w", root, "labels", "aggregate", "--method", "best", code=2)
    assert "'unanimous'" in said

    said = genset("-w", root, "release", "export", "v1", "--format", "lists", "--to", "out")
    assert "photos as lists" in said
    lines = (tmp_path / "out" / "val.txt").read_text("utf-8").splitlines()
    assert {line.rpartition(" ")[2] for line in lines} == {"0"}  # a tench is class 0
    files = {
        path.relative_to(tmp_path / "out").as_posix() for path in tmp_path.glob("out/test/n*/*")
    }
    assert {line.rpartition(" ")[0] for line in lines} == files != set()
    assert (tmp_path / "out" / "docs/DATA_CARD.md").is_file()

    rows_of_answers = [f"{photo['file']},{TENCH}" for photo in photos]
    (tmp_path / "sure.csv").write_text("\n".join(["image,top1", *rows_of_answers]))
    genset("-w", root, "evaluate", "v1", "--model", "predictions:sure.csv")
    assert "### By shape" in genset("-w", root, "report", "v1", "--format", "markdown")
    genset("-w", root, "report", "v1", "-o", "page.html")
    assert '<section id="shapes">' in (tmp_path / "page.html").read_text("utf-8")
    [shares] = json.loads(genset("-w", root, "report", "v1", "--json"))["by_shape"].values()
    upright = sum(photo["height"] > photo["width"] for photo in photos)
    for counted in ("photos", "correct"):
        assert [share[counted] for share in shares] == [upright, len(photos) - upright]


def test_the_layout_reads_photos_named_by_their_class(genset: Genset, tmp_path: Path) -> None:
    photo = paint(tmp_path / "photos", 0, "a.png", RED)
    photo.rename(tmp_path / f"{WNIDS[0]}_1.png")
    (tmp_path / "top1.csv").write_text(f"image,top1\n{WNIDS[0]}_1.png,{WNIDS[0]}\n")
    words = ("evaluate", tmp_path, "--model", "predictions:top1.csv", "--json")
    assert json.loads(genset(*words))["runs"][0]["top1"]["correct"] == 1


def test_the_log_reader_reads_json_lines(genset: Genset, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "fast.jsonl"
    log.parent.mkdir()
    epochs = [(1, 1800, 0.5), (2, 3600, 0.91), (3, 5400, 0.95)]
    written = [{"epoch": n, "seconds": time, "val_acc": share} for n, time, share in epochs]
    log.write_text("".join(f"{json.dumps(each)}\n" for each in written), "utf-8")
    # The same in a table, which genset reads already.
    (tmp_path / "fast.csv").write_text(
        "epoch,seconds,val_acc\n" + "".join(f"{n},{time},{share}\n" for n, time, share in epochs)
    )
    words = ("--threshold", "90", "--json")
    read = json.loads(genset("tta", "table", "logs", *words))
    known = json.loads(genset("tta", "table", "fast.csv", *words))
    assert without_files(read) == without_files(known)
    assert '"fast"' in json.dumps(read)
    log.write_text('{"epoch": 1, "seconds": 60, "val_acc": 0.5}\n[1]\n', "utf-8")
    assert "fast.jsonl, line 2: it is no JSON object" in genset("tta", "table", log, code=1)


def without_files(answer: object) -> str:
    return re.sub(r'[^"]*fast\.(csv|jsonl)', "FILE", json.dumps(answer))


@pytest.mark.soak
def test_the_linear_model_is_scored(genset: Genset, tmp_path: Path) -> None:
    paint(tmp_path / "photos", 0, "a.png", RED)
    paint(tmp_path / "photos", 1, "b.png", "green")
    paint(tmp_path / "photos", 1, "c.png", RED)  # which it has wrong
    weight = np.zeros((len(WNIDS), 3, 4, 4), np.float32)
    weight[0, 0] = weight[1, 1] = 1
    file = tmp_path / "base.npz"
    np.savez(file, weight=weight.reshape(len(WNIDS), -1), bias=np.zeros(len(WNIDS)))
    [run] = json.loads(genset("evaluate", "photos", "--model", f"linear:{file}", "--json"))["runs"]
    assert run["model"] == "base"
    assert (run["top1"]["correct"], run["top1"]["photos"]) == (2, 3)
    np.savez(file, weight=np.zeros((10, 5)), bias=np.zeros(10))
    said = genset("evaluate", "photos", "--model", f"linear:{file}", code=2)
    assert "weight must be 1000 x 3*S*S" in said
    assert "or linear:..." in genset("evaluate", "photos", "--model", "x", code=2)


@pytest.mark.soak
def test_the_task_has_its_official_parts(genset: Genset, tmp_path: Path) -> None:
    from tests.finetune.layouts import paint
    from tests.score.colours import colours

    for part, numbers in (("Train", range(4)), ("Test", range(4, 6))):
        photos = [f"{name}/{number}.png" for number in numbers for name in ("bar", "gym")]
        (tmp_path / f"{part}Images.txt").write_text("\n".join(photos))
        for number, photo in enumerate(photos):
            paint(tmp_path / "Images" / photo, 10 * number + numbers[0])
    words = ("--data", ".", "--model", colours(tmp_path), "--engine", "torch", "--json")
    answer = genset("finetune", "indoor-67", *words)
    assert '"split": "official, train and test"' in answer
    assert "MIT Indoor Scenes has 6,700 photos of 67 classes; here are 12 photos of 2." in answer


def test_the_executor_gives_the_answers_of_one_process(genset: Genset, tmp_path: Path) -> None:
    from tests.score.colours import colours

    hundred_photos(tmp_path / "photos")
    spec = colours(tmp_path)
    tables = []
    words = ("evaluate", "photos", "--model", spec, "--runs")
    done = run(*words, "one", "--workers", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    genset(*words, "two", "--engine-cluster", "threads")
    for folder in ("one", "two"):
        [table] = (tmp_path / folder).glob("photos/*/predictions.csv")
        tables.append(table.read_text("utf-8"))
    assert len(tables[0].splitlines()) == 100  # a head, and a line for each that can be read
    assert tables[0] == tables[1]
