"""A takedown's new version, and what differs between two."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from genset.cli import cli
from genset.core.errors import BadInput, GensetError
from genset.core.table import render
from genset.release.choose import ReleasePlan
from genset.release.freeze import create
from genset.release.reader import MANIFEST, Release
from genset.release.strategies import Threshold
from genset.release.versions import diff, takedown
from genset.scrape.removal import remove, remove_owner
from genset.workspace import Workspace
from tests.labeled_workspace import GOLDFISH, TENCH
from tests.release.conftest import Genset, Pool

TODAY = datetime.now(UTC).date().isoformat()


@pytest.fixture
def release(pool: Pool) -> Release:
    pool.label_all_correct()
    plan = ReleasePlan(Threshold(per_class=5), seed=3)
    return create(pool.workspace, pool.store, "v1", plan)


def named(release: Release) -> set[str]:
    return {photo.source_id for photo in release.photos}


def test_a_takedown_is_a_new_version_without_what_was_removed(
    pool: Pool, release: Release, genset: Genset
) -> None:
    remove(pool.workspace, pool.store, "flickr:100", "its owner asked")
    told = json.loads(genset("release", "takedown", "v1", "--requested", "2026-05-03", "--json"))
    new = Release(pool.workspace.releases / "v1.1")
    assert named(new) == named(release) - {"100"}
    new.verify()
    release.verify()  # and the old one stays as it is
    [gone] = [photo for photo in release.photos if photo.source_id == "100"]
    assert told["answer"] == (
        f"v1.1 ({new.content_hash}) replaces v1 without 1 photo, as was asked on 2026-05-03. "
        "Please delete it from every copy of v1 and use v1.1: its manifest names the files under "
        "replaces."
    )
    before, after = (
        json.loads((each.root / MANIFEST).read_text("utf-8")) for each in (release, new)
    )
    assert after["replaces"] == {
        "name": "v1",
        "content_hash": release.content_hash,
        "removed": [gone.file],
        "requested": "2026-05-03",
        "taken_out": TODAY,
    }
    for same in ("strategy", "labelers", "excluded", "dataset", "labeling"):
        assert after[same] == before[same]
    card = (new.root / "docs/DATA_CARD.md").read_text("utf-8")
    assert f"Taken out:\n\n- `{gone.file}`" in card and "as was asked on 2026-05-03" in card
    assert gone.owner not in card
    said = f"It replaces v1 ({release.content_hash}), of which 1 photo was taken out"
    croissant = json.loads((new.root / "croissant.json").read_text("utf-8"))
    assert said in card and said in croissant["description"]
    assert said in (new.root / "docs/DATASHEET.md").read_text("utf-8")
    assert f"a new version of v1 ({release.content_hash})" in croissant["citeAs"]


def test_versions_are_counted_and_an_owner_takes_all_out(
    pool: Pool, release: Release, genset: Genset
) -> None:
    assert "no photo of v1 was removed" in genset("release", "takedown", "v1")
    remove(pool.workspace, pool.store, "flickr:100", "its owner asked")
    first = takedown(pool.workspace, pool.store, release).new
    with pytest.raises(BadInput, match=r"v1\.1 exists|no photo of v1\.1 was removed"):
        takedown(pool.workspace, pool.store, first)
    remove_owner(pool.workspace, pool.store, "flickr:201@N00", "does not want to take part")
    # The first version has the owner's photo, too.
    said = "replaces v1.1 without 1 photo. Please delete it from every copy of v1.1, v1 and"
    assert said in genset("release", "takedown", "v1.1")
    second = Release(pool.workspace.releases / "v1.2")
    assert named(second) == named(release) - {"100", "201"}
    assert json.loads((second.root / "croissant.json").read_text("utf-8"))["version"] == "1.2.0"
    replaces = json.loads((second.root / MANIFEST).read_text("utf-8"))["replaces"]
    assert replaces["taken_out"] == TODAY and "requested" not in replaces


def test_nothing_left_is_told_and_a_name_that_looks_like_a_version_is_not_one(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct")
    release = pool.create()
    pool.label(f"{TENCH}/flickr:1", ann="correct")
    other = pool.create("set-2024.5")
    remove(pool.workspace, pool.store, "flickr:0", "its owner asked")
    with pytest.raises(GensetError, match="no photo of v1 would be left: delete"):
        takedown(pool.workspace, pool.store, release)
    assert takedown(pool.workspace, pool.store, other).new.name == "set-2024.5.1"


def test_a_diff_names_what_came_went_and_changed(pool: Pool) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct")
    pool.label(f"{TENCH}/flickr:1", ann="correct")
    pool.label(f"{GOLDFISH}/flickr:100", ann="correct")
    one = pool.create("one")
    assert not diff(one, one).table().rows and diff(one, one).same == 3
    pool.label(f"{TENCH}/flickr:0", bob="correct")
    pool.label(f"{TENCH}/flickr:1", ann="incorrect")
    pool.label(pool.also_found_for(TENCH, 100), ann="correct")
    pool.label(f"{GOLDFISH}/flickr:100", ann="incorrect")
    pool.label(f"{GOLDFISH}/flickr:101", ann="correct")
    found = diff(one, pool.create("two"))
    files = {photo.source_id: photo.file for photo in one.photos}
    assert found.same == 0
    assert found.removed == [files["1"]]
    assert [file.split("/")[1] for file in found.added] == [GOLDFISH]
    moved = files["100"].replace(GOLDFISH, TENCH)
    assert found.moved == {moved: files["100"]}
    assert found.changed == {files["0"]: {"labels": [{"correct": 1}, {"correct": 2}]}}
    assert found.facts["labelers"] == [1, 2]
    text = render(found.table(), "text")
    assert "0 photos the same, 1 added, 1 removed, 1 moved, 1 changed" in text
    rows = found.table().rows
    assert ("changed", files["0"], "labels", {"correct": 1}, {"correct": 2}) in rows
    assert ("moved", moved, "file", files["100"], moved) in rows
    assert ("manifest", "labelers", None, 1, 2) in rows


def test_an_owner_s_photos_go_though_the_pool_never_had_them(
    pool: Pool, release: Release, tmp_path: Path
) -> None:
    """As where another workspace made the release, and its folder was brought here."""
    workspace = Workspace.create(tmp_path / "other")
    shutil.copytree(release.root, workspace.releases / "v1")

    def run(*words: str) -> Result:
        return CliRunner().invoke(cli, ["-w", str(workspace.root), *words])

    assert "no photo of v1 was removed" in str(run("release", "takedown", "v1").exception)
    run("remove", "--owner", "flickr:100@N00", "--reason", "does not want to take part")
    assert run("release", "takedown", "v1").exit_code == 0
    assert named(Release(workspace.releases / "v1.1")) == named(release) - {"100"}
