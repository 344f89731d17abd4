"""The commands that a page prints make the same report again, of the photos and models alone."""

import html
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import genset
from genset.classes import imagenet1k
from tests.commands import says
from tests.score.colours import Colours, colours, painted_set
from tests.score.listed import write_list, write_npy
from tests.score.test_own_classes import painted

_OF_A_RUN = ("created_at", "seconds", "cost", "spec")
_MAX, _SUBSET = ("--pool", "max"), ("--among", "subset")


def printed(page: Path) -> str:
    """The commands at the end of a page."""
    text = page.read_text("utf-8").rpartition("To make it again</h2>")[2]
    (found,) = re.findall(r"<pre><code>(.*?)</code></pre>", text, re.DOTALL)
    return html.unescape(found)


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command, as a shell takes them."""
    for line in text.replace("\\\n", " ").splitlines():
        if words := shlex.split(line, comments=True):
            assert words.pop(0) == "genset"
            yield words


def made_again(text: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, Any]:
    """Run the commands in a folder; what the last one, the report's, says as JSON."""
    monkeypatch.chdir(folder)
    for model in folder.parent.glob("colours.pth"):
        shutil.copy(model, folder)  # as the first line says
    said = ""
    for words in commands(text):
        said = says(*words, *["--json"] * (words[0] == "report"))
    return numbers(said)


def numbers(said: str) -> dict[str, Any]:
    """A report's JSON without the time at which each run was made."""
    found: dict[str, Any] = json.loads(said)
    for model in (*found["models"], *found.get("flagged", ())):
        for name in _OF_A_RUN:
            del model[name]
    return found


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with photos/, own.toml and a model; beside it another one with the same."""
    for name in ("here", "fresh"):
        (tmp_path / name).mkdir()
        painted(tmp_path / name)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def test_on_own_classes_by_every_convention(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of conventions, of a table of a run, which is made before it is read, and by all classes."""
    spec = colours(here.parent)
    own = ("photos", "--taxonomy", "own.toml")
    photos = genset.open_set("photos", taxonomy="own.toml").photos
    rows = [f"{each.id},{wnid},correct" for each in photos for wnid in ("cool", each.wnid)]
    for folder in (here, here.parent / "fresh"):
        text = "\n".join(["image,wnid,verdict", *dict.fromkeys(rows)])
        (folder / "truth.csv").write_text(text, "utf-8")
    asked = ("--logits", "--multilabel", "truth.csv", "--json")
    key = json.loads(says("evaluate", *own, *asked, "--model", spec))["runs"][0]["key"]
    for words in (_MAX, _SUBSET, (*_MAX, *_SUBSET)):
        says("evaluate", *own, *words, "--model", spec)
    table = f"predictions:runs/photos/colours-{key[:12]}/predictions.csv"
    for name, words in (("a-subset", _SUBSET), ("a-max", _MAX)):
        says("evaluate", *own, *words, "--model", f"{table}?name={name}")
    says("evaluate", *own, "--model", f"{spec}&name=other")
    says("report", *own, "--seed", "3", "-o", "page.html")
    before = numbers(says("report", *own, "--seed", "3", "--json"))
    assert len(before["models"]) == 7
    assert before["by_truth"]["truth"]["with_several"] == 4
    text = printed(here / "page.html")
    assert (text.count("--logits"), text.count("--multilabel truth.csv")) == (1, 1)
    assert made_again(text, monkeypatch, here.parent / "fresh") == before
    # Where the runs are there already, nothing is scored again and none is added.
    assert made_again(text, monkeypatch, here) == before


def test_what_is_kept_and_how_it_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("here", "fresh"):
        painted_set(tmp_path / name / "photos")
    monkeypatch.chdir(tmp_path / "here")
    spec = colours(tmp_path)
    says("evaluate", "photos", "--k", "7", "--precision", "bf16", "--model", spec)
    says("evaluate", "photos", "--k", "7", "--model", f"{spec}&name=exact")
    says("evaluate", "photos", "--k", "7", "--decode", "fast", "--model", f"{spec}&name=fast")
    asked = ("photos", "--k", "7", "--reference", "none")
    says("report", *asked, "-o", "page.html")
    before = numbers(says("report", *asked, "--json"))
    text = printed(tmp_path / "here" / "page.html")
    assert made_again(text, monkeypatch, tmp_path / "fresh") == before


def test_on_imagenet_there_is_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    painted_set(tmp_path / "photos")
    monkeypatch.chdir(tmp_path)
    spec = colours(tmp_path)
    for name in ("one", "two"):
        says("evaluate", "photos", "--logits", "--model", f"{spec}&name={name}")
    says("report", "photos", "-o", "page.html")
    assert str(tmp_path) not in (tmp_path / "page.html").read_text("utf-8")
    assert printed(tmp_path / "page.html") == (
        "# In a folder that holds photos and the files of the models\n"
        "genset evaluate photos \\\n"
        f"    --model '{spec.replace(f'{tmp_path}/', '')}&name=one' \\\n"
        f"    --model '{spec.replace(f'{tmp_path}/', '')}&name=two'\n"
        "genset report photos"
    )


def test_before_anything_is_scored_the_classes_are_said(here: Path) -> None:
    says("report", "photos", "--taxonomy", f"{here}/own.toml", "-o", "page.html")
    page = (here / "page.html").read_text("utf-8")
    assert "genset evaluate photos --taxonomy own.toml \\\n    --model torchvision:resnet50" in page
    assert "genset report photos --taxonomy own.toml</code>" in page
    assert str(here) not in page


def test_models_for_a_line_are_scored_on_these_classes(here: Path) -> None:
    own = ("photos", "--taxonomy", "own.toml")
    says("evaluate", *own, "--among", "subset", "--model", colours(here))
    text = says("report", *own, "--reference", "imagenet-val", "--format", "markdown")
    assert (
        "genset evaluate photos --taxonomy own.toml --among subset \\\n"
        "    --model torchvision:alexnet@IMAGENET1K_V1"
    ) in text


def test_what_python_had_in_memory_is_no_command(here: Path) -> None:
    photos = genset.open_set("photos", taxonomy="own.toml")
    scores = np.random.default_rng(1).normal(size=(len(photos), 1000))
    array = genset.evaluate(photos, predictions=scores, name="array")
    network = genset.evaluate(photos, Colours(), name="network", transform=_pixels)
    spec = colours(here)
    genset.report([array, network, genset.evaluate(photos, spec)], "page.html")
    text = printed(here / "page.html")
    lines = text.replace(" \\\n   ", "").splitlines()[1:]
    assert f"photos --taxonomy own.toml --model '{spec.replace(f'{here}/', '')}'" in lines[0]
    assert sorted(lines[1:3]) == [
        f"# {name}: handed over in Python, which no command scores" for name in ("array", "network")
    ]
    assert lines[3:] == ["genset report photos --taxonomy own.toml"]


def _pixels(image: Any) -> Any:
    import torch

    resized = np.asarray(image.convert("RGB").resize((32, 32)), np.float32)
    return torch.from_numpy(resized / 127.5 - 1).permute(2, 0, 1)


def test_on_all_sets_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = ("new", "more", "val")
    for folder in ("here", "fresh"):
        (tmp_path / folder).mkdir()
        for size, name in enumerate(sets, 8):
            write_list(tmp_path / folder / f"{name}.csv", range(size))
    monkeypatch.chdir(tmp_path / "here")
    # Two are named with their folders on this machine, and one lies where the commands are typed.
    for label, folder, right in (("one", "one/", 8), ("two", "two/", 4), ("three", "", 6)):
        for size, name in enumerate(sets, 8):
            (file := Path(f"{folder}{name}/best.npy")).parent.mkdir(parents=True)
            write_npy(file, [[place if place < right else 999] for place in range(size)])
            place = Path.cwd() / file if folder else file
            says("evaluate", f"{name}.csv", "--model", f"predictions:{place}?name={label}")
    Path("old.json").write_text(says("report", "new.csv", "--json"))
    old = str(Path.cwd() / "old.json")
    asked = ("new.csv", "more.csv", "--reference", f"{Path.cwd()}/val.csv", "--compare", old)
    says("report", *asked, "-o", "page.html")
    text = printed(Path("page.html"))
    files = "new.csv, more.csv, val.csv, old.json"
    assert text.startswith(f"# In a folder that holds {files} and the files of the models\n")
    assert str(tmp_path) not in text
    before = numbers(says("report", *asked, "--json"))
    assert {row["there"] for row in before["reference"]["models"]} == {0.8, 0.6, 0.4}
    for name in ("one", "two", *sets):
        shutil.copytree(name, f"../fresh/{name}")
    shutil.copy("old.json", "../fresh")
    assert without_paths(made_again(text, monkeypatch, tmp_path / "fresh")) == without_paths(before)


def without_paths(report: dict[str, Any]) -> dict[str, Any]:
    """What a report found, without the words that it was asked for in."""
    return {name: value for name, value in report.items() if name != "options"}


# Reports on many classes of a user's own: in groups, on a page that stays small.

EVIL = "<b>tools</b> & 'more'"
FAMILIES = ("cat", "dog", "bird", EVIL, "ship", "tree")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(folder: Path, each: int) -> None:
    """So many classes of each family, two photos a class; of the n-th family n of six are right."""
    ids = [f"c{place}_{number}" for place in range(len(FAMILIES)) for number in range(each)]
    lines = ['name = "many"']
    for id in ids:
        family = FAMILIES[int(id[1])]
        above = json.dumps([family, "thing"])
        lines += [f"[classes.{id}]", f'name = "a {id}"', f"hypernyms = {above}"]
    (folder / "many.toml").write_text("\n".join(lines), "utf-8")
    (folder / "classes.txt").write_text("\n".join(["# not ImageNet", *ids]))
    rows = [f"{id}/{n}.jpg,{id}" for id in ids for n in range(2)]
    (folder / "set.csv").write_text("\n".join(["image,wnid", *rows]))
    truth = np.repeat(np.arange(len(ids)), 2)
    wrong = truth // (2 * each) < (np.arange(len(truth)) % 6)
    best = np.stack([(truth + wrong + step) % len(ids) for step in range(5)], axis=1)
    np.save(folder / "one.npy", best)
    np.save(folder / "two.npy", np.roll(best, 1, axis=0))
    for name in ("one", "two"):
        said("evaluate", "set.csv", "--model", f"predictions:{name}.npy?classes=classes.txt")


def said(*words: str) -> str:
    return says(*words, "--taxonomy", "many.toml")


@pytest.mark.soak
def test_a_report_on_many_classes_has_them_by_kind_in_all_its_forms(folder: Path) -> None:
    made(folder, 60)
    said("report", "set.csv", "-o", "page.html")
    page = (folder / "page.html").read_text("utf-8")
    data: dict[str, Any] = json.loads(said("report", "set.csv", "--json"))
    text = said("report", "set.csv", "--format", "markdown")
    kinds = data["kinds"]
    assert {kind["name"]: len(kind["classes"]) for kind in kinds} == dict.fromkeys(FAMILIES, 60)
    listed = [wnid for kind in kinds for wnid in kind["classes"]]
    assert sorted(listed) == sorted(group["name"] for group in data["classes"])
    for kind in kinds:
        groups = [group for group in data["classes"] if group["name"] in kind["classes"]]
        assert kind["photos"] == sum(group["photos"] for group in groups) == 120
        for place, found in enumerate(kind["top1"]):
            assert found["correct"] == sum(group["top1"][place]["correct"] for group in groups)
    right = [sum(found["correct"] for found in kind["top1"]) for kind in kinds]
    assert right == sorted(right)  # the hardest first
    assert "### By kind" in text
    row = next(line for line in text.splitlines() if line.startswith("| bird"))
    bird = next(kind for kind in kinds if kind["name"] == "bird")
    share = 100 * bird["top1"][0]["correct"] / bird["top1"][0]["photos"]
    assert re.search(rf"\| {share:.1f}", row)
    assert "360 of the 360 classes of many" in text
    assert "By kind" in page
    assert "&lt;b&gt;tools&lt;/b&gt; &amp;" in page
    assert "<b>tools</b>" not in page


def test_few_classes_and_imagenet_s_are_not_grouped(folder: Path) -> None:
    made(folder, 16)  # 96
    said("report", "set.csv", "-o", "page.html")
    assert "By kind" not in (folder / "page.html").read_text("utf-8")
    assert "kinds" not in json.loads(said("report", "set.csv", "--json"))
    wnids = [each.wnid for each in imagenet1k()][:150]
    rows = [f"{wnid}.jpg,{wnid}" for wnid in wnids]
    (folder / "plain.csv").write_text("\n".join(["image,wnid", *rows]))
    np.save(folder / "plain.npy", np.tile(np.arange(150)[:, None], 5) + np.arange(5))
    says("evaluate", "plain.csv", "--model", "predictions:plain.npy")
    assert "kinds" not in json.loads(says("report", "plain.csv", "--json"))


def test_a_run_by_another_version_of_the_classes_is_said(folder: Path) -> None:
    made(folder, 2)
    plain = "predictions:two.npy?classes=classes.txt&name=bare"
    says("evaluate", "set.csv", "--model", plain)
    with (folder / "many.toml").open("a", encoding="utf-8") as file:
        file.write("\n[classes.newt]\n")
    said("evaluate", "set.csv", "--model", "predictions:two.npy?classes=classes.txt&name=new")
    said("report", "set.csv", "-o", "page.html")
    text = said("report", "set.csv", "--format", "markdown")
    for found in (text, (folder / "page.html").read_text("utf-8")):
        assert "was scored by another version of the classes" in found
        assert "was not scored by the set’s own classes" in found
    new = next(line for line in text.splitlines() if "| new" in line)
    assert "version" not in new
    assert "newt" not in new  # it has no photos
    assert "many: 12 of 13 classes" in new
