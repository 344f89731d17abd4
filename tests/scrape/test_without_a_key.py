"""From a new workspace to the report without a key, and from two sources to a copy of a release."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
