"""Reports on many classes of a user's own: in groups, on a page that stays small."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genset.classes import imagenet1k
from tests.commands import says

EVIL = "<b>tools</b> & 'more'"
FAMILIES = ("cat", "dog", "bird", EVIL, "ship", "tree")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(here: Path, each: int) -> None:
    """So many classes of each family, two photos a class; of the n-th family n of six are right."""
    ids = [f"c{place}_{number}" for place in range(len(FAMILIES)) for number in range(each)]
    lines = ['name = "many"']
    for id in ids:
        family = FAMILIES[int(id[1])]
        above = json.dumps([family, "thing"])
        lines += [f"[classes.{id}]", f'name = "a {id}"', f"hypernyms = {above}"]
    (here / "many.toml").write_text("\n".join(lines), "utf-8")
    (here / "classes.txt").write_text("\n".join(["# not ImageNet", *ids]))
    rows = [f"{id}/{n}.jpg,{id}" for id in ids for n in range(2)]
    (here / "set.csv").write_text("\n".join(["image,wnid", *rows]))
    truth = np.repeat(np.arange(len(ids)), 2)
    wrong = truth // (2 * each) < (np.arange(len(truth)) % 6)
    best = np.stack([(truth + wrong + step) % len(ids) for step in range(5)], axis=1)
    np.save(here / "one.npy", best)
    np.save(here / "two.npy", np.roll(best, 1, axis=0))
    for name in ("one", "two"):
        said("evaluate", "set.csv", "--model", f"predictions:{name}.npy?classes=classes.txt")


def said(*words: str) -> str:
    return says(*words, "--taxonomy", "many.toml")


@pytest.mark.soak
def test_a_report_on_many_classes_has_them_by_kind_in_all_its_forms(here: Path) -> None:
    made(here, 60)
    said("report", "set.csv", "-o", "page.html")
    page = (here / "page.html").read_text("utf-8")
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


def test_few_classes_and_imagenet_s_are_not_grouped(here: Path) -> None:
    made(here, 16)  # 96
    said("report", "set.csv", "-o", "page.html")
    assert "By kind" not in (here / "page.html").read_text("utf-8")
    assert "kinds" not in json.loads(said("report", "set.csv", "--json"))
    wnids = [each.wnid for each in imagenet1k()][:150]
    rows = [f"{wnid}.jpg,{wnid}" for wnid in wnids]
    (here / "plain.csv").write_text("\n".join(["image,wnid", *rows]))
    np.save(here / "plain.npy", np.tile(np.arange(150)[:, None], 5) + np.arange(5))
    says("evaluate", "plain.csv", "--model", "predictions:plain.npy")
    assert "kinds" not in json.loads(says("report", "plain.csv", "--json"))


def test_a_run_by_another_version_of_the_classes_is_said(here: Path) -> None:
    made(here, 2)
    plain = "predictions:two.npy?classes=classes.txt&name=bare"
    says("evaluate", "set.csv", "--model", plain)
    with (here / "many.toml").open("a", encoding="utf-8") as file:
        file.write("\n[classes.newt]\n")
    said("evaluate", "set.csv", "--model", "predictions:two.npy?classes=classes.txt&name=new")
    said("report", "set.csv", "-o", "page.html")
    text = said("report", "set.csv", "--format", "markdown")
    for found in (text, (here / "page.html").read_text("utf-8")):
        assert "was scored by another version of the classes" in found
        assert "was not scored by the set’s own classes" in found
    new = next(line for line in text.splitlines() if "| new" in line)
    assert "version" not in new
    assert "newt" not in new  # it has no photos
    assert "many: 12 of 13 classes" in new
