"""From a new workspace to the report without a key, and from two sources to a copy of a release."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genset.classes import imagenet1k
from tests.commands import run as run_command
from tests.release.test_killed import contents
from tests.scrape.several import CLASSES, Start, rows_of

Genset = Callable[..., Any]

WNIDS = ",".join(cls.wnid for cls in CLASSES)


@pytest.fixture
def genset(start: Start, tmp_path: Path) -> Genset:
    """The command line, which answers in JSON, in `work` where no other folder is named."""

    def run(*words: str, folder: str = "work") -> Any:
        environment = dict(os.environ)
        if "flickr" not in " ".join(words):
            environment.pop("FLICKR_API_KEY", None)
        done = run_command(*words, "--json", cwd=tmp_path / folder, env=environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def label_all(genset: Genset, root: Path, sources: list[str], first: list[int]) -> None:
    """Have Ann call the first three photos of each class and source correct."""
    rows = ["task,worker,label"]
    for source, number in zip(sources, first, strict=True):
        for place, cls in enumerate(CLASSES):
            rows += [
                f"{cls.wnid}/{source}:{number + 100 * place + each},Ann,correct"
                for each in range(3)
            ]
    (root / "labels.csv").write_text("\n".join(rows) + "\n")
    genset("labels", "import", str(root / "labels.csv"))


@pytest.mark.soak
def test_without_a_key_commons_is_scraped_labeled_released_and_reported(
    start: Start, genset: Genset, tmp_path: Path
) -> None:
    start("commons", rows_of(2000, commons_license="cc-by-sa-3.0-de"))
    made = genset("init", "work", "--contact", "you@example.org", folder=".")
    assert made["sources"] == ["commons"]
    done = genset("scrape", "--classes", WNIDS, "--per-class", "3")
    assert (done["full"], done["stored"]) == (2, 6)
    label_all(genset, tmp_path, ["commons"], [2000])
    genset("release", "create", "v1")
    genset("release", "verify", "v1")
    folder = tmp_path / "work" / "releases" / "v1"
    photos = json.loads((folder / "manifest.json").read_text("utf-8"))["photos"]
    assert {(each["source"], each["license_id"], each["unseen"]) for each in photos} == {
        ("commons", "CC-BY-SA-3.0-DE", "taken")
    }
    card = (folder / "docs/DATA_CARD.md").read_text("utf-8")
    assert "Wikimedia Commons" in card
    assert "Each photo has a free licence of its own" in card
    assert "Flickr" not in card
    truth = [imagenet1k()[each["wnid"]].index for each in photos]
    np.save(tmp_path / "work" / "preds.npy", np.array(truth))
    genset("evaluate", "v1", "--model", "predictions:preds.npy?name=mine")
    genset("report", "v1", "-o", "report.html")
    page = (tmp_path / "work" / "report.html").read_text("utf-8")
    for each in photos:
        assert each["page_url"] in page
    assert "CC BY-SA 3.0" in page
    assert "Wikimedia Commons" in page


def test_a_release_of_two_sources_is_rebuilt_from_its_manifest(
    start: Start, genset: Genset, tmp_path: Path
) -> None:
    start("flickr", rows_of(1000))
    start("commons", rows_of(2000))
    genset("init", "work", "--contact", "you@example.org", folder=".")
    done = genset("scrape", "--source", "flickr,commons", "--classes", WNIDS, "--per-class", "3")
    assert {name: each["full"] for name, each in done.items()} == {"flickr": 2, "commons": 2}
    label_all(genset, tmp_path, ["flickr", "commons"], [1000, 2000])
    genset("release", "create", "v1")
    release = tmp_path / "work" / "releases" / "v1"
    (tmp_path / "elsewhere").mkdir()
    manifest = str(release / "manifest.json")
    pulled = genset("pull", manifest, "--contact", "her@example.org", folder="elsewhere")
    assert (pulled["pulled"], pulled["photos"]) == (12, 12)
    copy = tmp_path / "elsewhere" / "v1"
    assert contents(copy) == contents(release)
    credits = (copy / "docs/ATTRIBUTION.txt").read_text("utf-8")
    assert credits.count("via Flickr") == credits.count("via Wikimedia Commons") == 6
