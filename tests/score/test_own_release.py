"""From a workspace on CIFAR-10's classes to a release, runs, reports and comparisons."""

import json
from pathlib import Path
from typing import Any

import pytest

from genset.classes.files import taxonomy_named
from genset.db import Verdict
from genset.db.taxonomies import store_taxonomy
from genset.release.freeze import create
from tests.conftest import ROOT
from tests.labeled_workspace import add_candidate, labeled_workspace, vote
from tests.score.real import pypis_lite
from tests.score.test_own_classes import genset_says

pytestmark = pytest.mark.realdata


@pytest.fixture
def released(realdata: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a release of up to three real photos a class; deer's are other animals."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "demo"))
    workspace, store = labeled_workspace(tmp_path / "ten", classes=())
    own = taxonomy_named("cifar10")
    with store.begin_alone() as session:
        store_taxonomy(session, own)
    store._looked_at = -1e9
    number = 0
    strangers = iter(sorted((realdata / "photos").glob("*/*.jpg")))
    for each in own:
        files = [
            file
            for wnid in each.imagenet
            for file in sorted((realdata / "photos" / wnid).glob("*.jpg"))[:1]
        ][:3] or [next(strangers)]
        for rank, file in enumerate(files, 1):
            content = file.read_bytes()
            task = add_candidate(workspace, store, each.wnid, number, rank, content=content)
            vote(store, task, "ann", Verdict.CORRECT)
            number += 1
    create(workspace, store, "v1")
    store.close()
    monkeypatch.chdir(workspace.root)
    return workspace.root


@pytest.mark.soak
def test_a_release_of_cifar_10_s_classes_is_scored_reported_and_compared(released: Path) -> None:
    spec = (
        f"file:{pypis_lite(0)}?arch=lite:lite0&resize=256&crop=224&interpolation=bicubic"
        "&mean=0.5&std=0.5"
    )

    def run(name: str, *words: str) -> dict[str, Any]:
        model = f"{spec}&name={name}"
        said = genset_says("evaluate", "v1", "--json", "--logits", *words, "--model", model)
        found: dict[str, Any] = json.loads(said)["runs"][0]
        return found

    runs = {
        name: run(name, *words)
        for name, words in (
            ("sum", ()),
            ("max", ("--pool", "max")),
            ("subset", ("--among", "subset")),
        )
    }
    photos = runs["sum"]["top1"]["photos"]
    assert photos >= 15
    for name, found in runs.items():
        assert found["mapping"]["taxonomy"] == "cifar10"
        assert found["mapping"]["without"] == {"deer": 1}
        assert found["mapping"]["pool"] == ("max" if name == "max" else "sum")
        assert found["top1"]["correct"] > photos / 2
    assert runs["subset"]["top1"]["correct"] >= runs["sum"]["top1"]["correct"]
    assert len({found["key"] for found in runs.values()}) == 3

    genset_says("report", "v1", "-o", "page.html")
    page = (released / "page.html").read_text("utf-8")
    assert "10 of the 10 of cifar10" in page
    assert "no output for deer (1 photo)" in page
    assert "nan %" not in page
    text = genset_says("report", "v1", "--format", "markdown")
    assert "10 of the 10 classes of cifar10" in text
    assert "| nan" not in text
    data = json.loads(genset_says("report", "v1", "--json"))
    assert data["models"][0]["label"] == "subset"
    assert {model["label"]: model["mapping"]["pool"] for model in data["models"]} == {
        "sum": "sum",
        "max": "max",
        "subset": "sum",
    }
    said = genset_says("compare", "sum", "subset", "--on", "v1")
    assert "(probabilities summed, answers among these alone)" in said
