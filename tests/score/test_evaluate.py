"""Score a set: the counts, what is kept, and what is scored again."""

import csv
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor

from genset.__main__ import main
from genset.core.errors import BadInput, GensetError, ModelError
from genset.score.audit import audit
from genset.score.options import ScoringOptions
from genset.score.results.results import load_results
from genset.score.results.runs import Run, find_runs, load_predictions
from genset.sets.open import open_set
from tests.commands import as_json
from tests.killing import killed_at_each_change
from tests.score.colours import BLUE, GREEN, RED, WNIDS, Colours, colours, paint, painted_set
from tests.score.listed import write_list, write_npy
from tests.score.scoring import evaluate, load_model
from tests.terminal import Answer


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return painted_set(tmp_path / "photos")


def score(photos: Path, *specs: str) -> list[Run]:
    return evaluate(open_set(str(photos)), specs, photos.parent / "runs")


def kept(photos: Path) -> list[tuple[Path, Run]]:
    return find_runs(photos.parent / "runs", photos.name)


def test_the_five_best_classes_are_kept_and_nothing_is_scored_again(photos: Path) -> None:
    spec = colours(photos.parent)
    first = score(photos, spec)
    ((folder, run),) = kept(photos)
    before = [path.stat().st_mtime_ns for path in sorted(folder.iterdir())]
    assert score(photos, spec) == first == [run]
    assert [path.stat().st_mtime_ns for path in sorted(folder.iterdir())] == before
    assert run.set_hash == open_set(str(photos)).content_hash
    with (folder / "predictions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    best = [[row[f"top{n}"] for n in range(1, 6)] for row in rows]
    assert [row["image"] for row in rows] == [
        f"{WNIDS[0]}/a.jpg",
        f"{WNIDS[0]}/b.jpg",
        f"{WNIDS[2]}/c.jpg",
        f"{WNIDS[3]}/d.jpg",
    ]
    assert best[1] == [WNIDS[place] for place in (1, 3, 4, 5, 6)]
    assert best[3] == [WNIDS[place] for place in (0, 3, 4, 5, 6)]
    assert run.top1.correct == sum(
        row["wnid"] == top[0] for row, top in zip(rows, best, strict=True)
    )
    assert run.top5.correct == sum(row["wnid"] in top for row, top in zip(rows, best, strict=True))
    shares = [[float(row[f"p{n}"]) for n in range(1, 6)] for row in rows]
    assert all(0 < sum(each) <= 1 and each == sorted(each, reverse=True) for each in shares)
    (folder / "run.json").write_text("{}")
    with pytest.raises(GensetError, match=f"{folder / 'run.json'} is not a run's record"):
        score(photos, spec)


def test_a_changed_photo_and_changed_weights_make_new_runs(photos: Path) -> None:
    spec = colours(photos.parent)
    score(photos, spec)
    paint(photos, 0, "b.jpg", RED)
    (run,) = score(photos, spec)
    assert run.top1.correct == 3
    assert len(kept(photos)) == 2
    weights = photos.parent / "colours.pth"
    changed = torch.load(weights)
    changed["scores.bias"][1] = 100.0  # always class 1
    torch.save(changed, weights)
    (run,) = score(photos, spec)
    assert (run.top1.correct, run.top5.correct) == (0, 4)
    assert len(kept(photos)) == 3


def test_one_model_asked_for_twice_or_later_from_another_file_is_scored_once(photos: Path) -> None:
    spec = colours(photos.parent) + "&name=same"
    copy = colours(photos.parent, name="copy.pth") + "&name=same"
    first, second, third = (replace(r, checkpoints=[]) for r in score(photos, spec, copy, spec))
    assert first == second == third
    later = colours(photos.parent, name="later.pth") + "&name=same"
    assert replace(score(photos, later)[0], checkpoints=[]) == first
    ((_, run),) = kept(photos)
    assert len(set(run.checkpoints)) == 3  # the files of all are noted


def test_unreadable_photos_are_named_and_left_out_of_the_counts(photos: Path) -> None:
    cut = paint(photos, 0, "cut.png", RED)
    cut.write_bytes(cut.read_bytes()[:60])
    (photos / WNIDS[2] / "text.png").write_text("I am no photo.")
    (photos / WNIDS[2] / "empty.jpg").touch()
    (run,) = score(photos, colours(photos.parent))
    assert set(run.excluded) == {
        f"{WNIDS[0]}/cut.png",
        f"{WNIDS[2]}/text.png",
        f"{WNIDS[2]}/empty.jpg",
    }
    assert "truncated" in run.excluded[f"{WNIDS[0]}/cut.png"]
    assert "cannot identify image file" in run.excluded[f"{WNIDS[2]}/text.png"]
    assert (run.top1.correct, run.top5.correct, run.top1.photos) == (2, 3, 4)
    ((folder, _),) = kept(photos)
    assert len(load_predictions(folder)) == 4
    for path in photos.rglob("*.jpg"):
        path.write_text("I am no photo.")
    with pytest.raises(GensetError, match="not one photo of photos can be read"):
        score(photos, colours(photos.parent))
    assert len(kept(photos)) == 1


def score_into(moment: int, photos: Path, runs: Path) -> None:
    spec = f"file:{photos.parent}/colours.pth?arch=tests.score.colours:Colours&mean=0.5&std=0.5"
    evaluate(open_set(str(photos)), [spec], runs / str(moment))


@pytest.mark.soak
@pytest.mark.parametrize("form", ["folder", "tar"])
def test_a_killed_run_does_not_count_as_made_and_runs_again(photos: Path, form: str) -> None:
    colours(photos.parent)
    if form == "tar":
        photos = Path(shutil.make_archive(str(photos), "tar", photos))
    runs = photos.parent / "runs"
    unfinished = 0
    for moment in killed_at_each_change(score_into, photos, runs, needs=["timm"]):
        left = find_runs(runs / str(moment), "photos")
        score_into(moment, photos, runs)
        made = find_runs(runs / str(moment), "photos")
        ((folder, run),) = made
        # Killed before the file of its weights was noted, a run is finished all the same.
        assert left in ([], made, [(folder, replace(run, checkpoints=[]))])
        assert (run.top1.correct, run.top5.correct, run.top1.photos) == (2, 3, 4)
        assert len(load_predictions(folder)) == 4
        unfinished += not left
    assert unfinished > 6  # two files are made, finished and given their names


class Written(Colours):
    """Its file is written meanwhile, as by a training that goes on."""

    path: Path

    def forward(self, pixels: Tensor) -> Tensor:
        self.path.touch()
        return super().forward(pixels)


def test_the_hash_of_a_file_that_is_written_meanwhile_is_not_known(photos: Path) -> None:
    Written.path = photos.parent / "colours.pth"
    (run,) = score(photos, colours(photos.parent, network=f"{__name__}:Written"))
    assert run.top1.correct and run.checkpoints == []


def test_runs_of_one_name_are_told_apart_by_what_differs(photos: Path) -> None:
    found, runs = open_set(str(photos)), photos.parent / "runs"
    spec = colours(photos.parent)
    evaluate(found, [spec], runs)
    evaluate(found, [f"{spec}&crop=16"], runs)
    with pytest.raises(BadInput, match=r"by its key alone: .* \(.*crop=16.*\)"):
        load_results(found, runs).find("colours")


@pytest.mark.parametrize("decoding", ["exact", "fast"])
@pytest.mark.parametrize("deep", ["png", "tiff"])
def test_16_bit_photos_are_answered_as_8_bit(tmp_path: Path, deep: str, decoding: str) -> None:
    grey = np.random.default_rng(3).integers(0, 120, (40, 48), np.uint8)
    folder = tmp_path / "photos" / WNIDS[0]
    folder.mkdir(parents=True)
    Image.fromarray(grey).save(folder / "flat.png")
    Image.fromarray(grey.astype(np.uint16) * 257).save(folder / f"deep.{deep}")
    Image.new("L", (48, 40), 255).save(folder / "white.png")
    options = ScoringOptions(decoding=decoding)
    evaluate(open_set(str(folder.parent)), [colours(tmp_path)], tmp_path / "runs", options)
    ((place, _),) = kept(folder.parent)
    said = {Path(p.image).stem: (p.top, p.probabilities) for p in load_predictions(place)}
    assert said["deep"] == said["flat"] != said["white"]


class OnlyOfHalf(Colours):
    """Right where a photo's values are from -1 to 1, as mean = std = 0.5 makes them."""

    def forward(self, pixels: Tensor) -> Tensor:
        as_trained = pixels.amin(dim=(1, 2, 3)) == -1
        return super().forward(pixels) * torch.where(as_trained, 1.0, -1.0)[:, None]


def test_a_wrong_preprocessing_is_named_with_the_better_one(tmp_path: Path) -> None:
    for number in range(60):
        colour = (RED, GREEN, BLUE)[number % 3]
        paint(tmp_path / "set", number % 3, f"{number:02}.png", colour)
    (tmp_path / "set" / WNIDS[0] / "text.jpg").write_text("I am no photo.")
    photos = open_set(str(tmp_path / "set"))
    spec = colours(tmp_path, network=f"{__name__}:OnlyOfHalf")
    right = audit(load_model(spec), photos)
    assert (right.photos, right.correct, right.better) == (60, 60, None)
    assert "none of" in str(right)
    wrong = audit(load_model(spec.replace("&mean=0.5&std=0.5", "")), photos)
    assert wrong.correct == 0
    assert wrong.better is not None
    assert (wrong.better.options, wrong.better.correct) == ("mean=0.5&std=0.5", 60)
    assert str(wrong).endswith("its preprocessing is probably wrong")
    with pytest.raises(ModelError, match="cannot be run: a bug of yours"):
        audit(load_model(colours(tmp_path, network="tests.score.colours:Broken")), photos)


# ``--limit``: a sample by class, which is never taken for the whole set.


@pytest.fixture
def forty(tmp_path: Path) -> Path:
    """30 photos of a class and 10 of another one."""
    for number in range(40):
        place = int(number >= 30)
        paint(tmp_path / "photos", 2 * place, f"{number:02}.png", (RED, BLUE)[place])
    return tmp_path / "photos"


def sampled(forty: Path, *words: str, runs: str = "runs") -> Any:
    where = ["--runs", forty.parent / runs, "--cache", forty.parent / "pixels"]
    return as_json("evaluate", forty, *where, "--model", colours(forty.parent), *words)


def images(forty: Path, runs: str) -> list[str]:
    (path,) = (forty.parent / runs).rglob("predictions.csv")
    return [line.partition(",")[0] for line in path.read_text().splitlines()[1:]]


def test_each_class_has_its_share_and_the_same_photos_again(forty: Path) -> None:
    for limit, runs in (("8", "first"), ("8", "again"), ("20%", "share"), ("16", "more")):
        found = sampled(forty, "--limit", limit, runs=runs)
    eight = images(forty, "first")
    assert [sum(image.startswith(WNIDS[n]) for image in eight) for n in (0, 2)] == [6, 2]
    assert eight == images(forty, "again") == images(forty, "share")
    assert set(eight) < set(images(forty, "more"))  # a larger sample holds the smaller one
    assert found["set"] == "16 of 40 photos of photos"
    (run,) = found["runs"]
    assert run["notes"] == ["16 of 40 photos of photos: a sample by class (--limit)."]


def test_a_sample_is_never_the_whole(forty: Path) -> None:
    part = sampled(forty, "--limit", "10.0%")
    whole = sampled(forty)
    assert [found["runs"][0]["top1"]["photos"] for found in (part, whole)] == [4, 40]
    assert part["set_hash"] != whole["set_hash"]
    assert (part["runs"][0]["set_whole"], whole["runs"][0]["notes"]) == ("", [])
    stored = as_json("evaluate", forty, "--runs", forty.parent / "runs")
    assert stored["runs"] == whole["runs"]  # beside which the sample's is not put
    assert sampled(forty, "--limit", "400") == whole


def test_runs_on_the_largest_sample_stand_for_a_set_that_has_none(forty: Path) -> None:
    other = ["--model", f"{colours(forty.parent)}&name=other"]
    for limit in ("4", "8"):
        sampled(forty, "--limit", limit, *other)
    where = ["--runs", forty.parent / "runs"]
    pair = as_json("compare", "colours", "other", "--on", forty, *where)
    stored, report = (as_json(command, forty, *where) for command in ("evaluate", "report"))
    assert {pair["set"], stored["set"], report["set"]["name"]} == {"8 of 40 photos of photos"}
    page = as_json("report", forty, *where, "-o", forty.parent / "page.html")["file"]
    assert "genset evaluate photos --limit 8 " in Path(page).read_text("utf-8")
    sampled(forty)
    assert as_json("evaluate", forty, *where)["set"] == "photos"


@pytest.mark.parametrize("limit", ["0", "-3", "ten", "0%", "101%", "1.5", "0.0%"])
def test_what_is_no_limit_is_refused(forty: Path, limit: str) -> None:
    with pytest.raises(BadInput, match=f"a share such as 10%, not {limit}"):
        sampled(forty, f"--limit={limit}")
    with pytest.raises(BadInput, match="--limit is for networks"):
        sampled(forty, "--limit", "8", "--model", "predictions:all.npy")


# Models that fail: a table of them, by name, on the terminal, and in JSON.


@pytest.fixture
def list_of_four(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of four photos in the current folder, answers to them, and answers to three."""
    monkeypatch.chdir(tmp_path)
    write_npy(tmp_path / "good.npy", [[0]] * 4)
    write_npy(tmp_path / "short.npy", [[0]] * 3)
    return write_list(tmp_path / "photos.csv", [0, 0, 1, 2])


Evaluate = Callable[..., Answer]


@pytest.fixture
def run_evaluate(
    list_of_four: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Evaluate:
    """Runs `genset evaluate` on the list as people do."""

    def run(*words: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["genset", "evaluate", "photos.csv", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return Answer(int(ended.value.code or 0), *capsys.readouterr())

    return run


def test_answers_scored_in_two_ways_have_two_names(run_evaluate: Evaluate) -> None:
    Path("few.txt").write_text("\n".join(WNIDS[:10]))
    few = "predictions:good.npy?classes=few.txt"
    for words in (("--model=predictions:good.npy", f"--model={few}"), ()):
        out = run_evaluate(*words, "--format=csv").out
        names = [line.split(",")[0] for line in out.splitlines()]
        assert sorted(names[1:]) == ["good", "good classes=few.txt"]
    results = load_results(open_set("photos.csv"), Path("runs"))
    assert results.find("good classes=few.txt").run.classes == 10


def test_a_night_ends_with_a_table_of_what_failed_and_why(run_evaluate: Evaluate) -> None:
    Path("list.txt").write_text("predictions:a.npy\n\n# new\n predictions:good.npy\n")
    specs = ("--model=predictions:gone.npy?name=first", "--model=predictions:short.npy")
    code, out, err = run_evaluate(*specs, "--models", "list.txt")
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
    code, out, _ = run_evaluate(*specs, "--models", "list.txt", "--json")
    assert code == 1
    document = json.loads(out)
    assert [run["model"] for run in document["runs"]] == ["good"]
    assert document["failed"][0] == {"model": "first", "error": "there is no file gone.npy"}


def test_where_all_fail_there_is_no_table_of_accuracies(run_evaluate: Evaluate) -> None:
    specs = ("--model=predictions:a.csv", "--model=predictions:b.npy")
    code, out, _ = run_evaluate(*specs, "--json")
    assert (code, [each["model"] for each in json.loads(out)["failed"]]) == (1, ["a", "b"])
    assert run_evaluate(*specs)[:2] == (1, "")


def test_a_list_of_specs_is_read_before_any_is_scored(run_evaluate: Evaluate) -> None:
    specs = Path("list.txt")
    specs.write_text("predictions:good.npy\n\ntorchvison:resnet50\ntimm:\n")
    code, _, err = run_evaluate("--models", "list.txt")
    first, second = err.splitlines()
    assert code == 2
    assert first.startswith("genset: list.txt, line 3: model 'torchvison:resnet50': ")
    assert second.startswith("genset: list.txt, line 4: model 'timm:': ")
    assert not Path("runs").exists()
    specs.write_text("# the good one\npredictions:good.npy?name=a # of May\n")
    out = run_evaluate("--models", "list.txt", "--json").out
    assert [run["model"] for run in json.loads(out)["runs"]] == ["a"]
    specs.write_text("# none yet\n")
    assert "list.txt names no model" in run_evaluate("--models", "list.txt").err
