"""SIGKILL at any moment of keeping a protocol, or of freezing a year of it."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from genset.classes import imagenet1k
from genset.cli import cli
from genset.release.reader import Release, find_releases
from tests.killing import killed_at_each_change
from tests.labeled_workspace import TENCH
from tests.protocols.years import Maintainer, rows_of
from tests.scrape.several import Start


def typed(root: Path, *words: object) -> None:
    """Type a command; one that fails raises what it failed with."""
    CliRunner().invoke(cli, ["-w", str(root), *map(str, words)], catch_exceptions=False)


def save(moment: int, root: Path, hashes: Path, _protocols: Path) -> None:
    typed(root, "protocol", "save", f"p{moment}", "--classes", TENCH, "--exclude", hashes)


def freeze(moment: int, root: Path, _releases: Path) -> None:
    typed(root, "protocol", "run", "fish", "--no-search", "--release", f"v{moment}")


@pytest.mark.soak
def test_a_killed_save_leaves_a_whole_protocol_or_none_and_runs_again(
    genset: Maintainer, tmp_path: Path
) -> None:
    root = genset.workspace.root
    hashes, protocols = tmp_path / "other.sha256", root / "protocols"
    hashes.write_text("ab" * 32 + "  1.jpg\n")
    moments = 0
    for moment in killed_at_each_change(save, root, hashes, protocols):
        moments += 1
        names = [each["protocol"] for each in genset("protocol", "list")]
        if f"p{moment}" not in names:
            save(moment, root, hashes, protocols)
        assert genset("protocol", "show", f"p{moment}")["files"]
    assert moments > 3
    assert not [path for path in protocols.rglob("*") if "partial" in path.name]


def test_a_killed_run_freezes_a_whole_year_or_none_and_runs_again(
    start: Start, genset: Maintainer
) -> None:
    start("flickr", rows_of(2023, 1000, (imagenet1k()[TENCH],), 1))
    window = ("--posted-after", "2023-01-01", "--posted-before", "2024-01-01")
    genset("protocol", "save", "fish", "--classes", TENCH, "--candidates", 1, *window)
    genset("protocol", "run", "fish")
    genset.label()
    releases, found = genset.workspace.releases, dict[int, Any]()
    needs = ("genset.protocols.kept", "genset.release.freeze", "genset.scrape.upkeep.refresh")
    for moment in killed_at_each_change(freeze, genset.workspace.root, releases, needs=needs):
        for release in find_releases(releases):
            release.verify()
        again = genset("protocol", "run", "fish", "--no-search", "--release", f"v{moment}")
        Release(releases / f"v{moment}").verify()
        found[moment] = again["frozen"]["content_hash"]
    assert len(found) > 3  # a photo's file is made, closed to writing and given its name
    assert len(set(found.values())) == 1
    assert not [path for path in releases.rglob("*") if "partial" in path.name]
