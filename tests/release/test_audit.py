"""A reviewer's checklist, as `genset release audit` prints it."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from genset.cli import cli
from genset.hashes import HEAD
from genset.release.reader import MANIFEST, Release, manifest_hash, manifest_lines
from genset.scrape.upkeep.duplicates import propose
from genset.store import DuplicatePair
from tests.labeled_workspace import CRANE, GOLDFISH, TABBY, TENCH, add_candidate, picture
from tests.release.conftest import Pool

Checks = dict[str, dict[str, Any]]
Audit = Callable[..., Checks]


@pytest.fixture
def audit(pool: Pool) -> Audit:
    """The findings of a release by their names; checks that the exit code says the same."""

    def call(name: object, *words: object) -> Checks:
        line = ["-w", pool.workspace.root, "release", "audit", name, *words, "--no-faces", "--json"]
        done = CliRunner().invoke(cli, list(map(str, line)))
        assert done.stdout, repr(done.exception)
        told = json.loads(done.stdout)
        failed = [each["check"] for each in told["findings"] if each["verdict"] == "fail"]
        assert (told["failed"], done.exit_code) == (failed, 1 if failed else 0)
        return {each["check"]: each for each in told["findings"]}

    return call


def with_position(number: int, latitude: bool = True) -> bytes:
    """A JPEG whose Exif says where it was taken; without `latitude`, only that it could."""
    content = io.BytesIO()
    with Image.open(io.BytesIO(drawn(number))) as image:
        exif = image.getexif()
        gps: dict[int, Any] = {0: b"\2\3\0\0"}
        if latitude:
            gps |= {1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)}
        exif[0x8825] = gps
        image.save(content, "JPEG", exif=exif)
    return content.getvalue()


def drawn(number: int, quality: int = 95) -> bytes:
    """A JPEG that no other number's looks like."""
    cells = np.random.default_rng(number).integers(0, 256, (8, 8), np.uint8)
    noise = Image.fromarray(cells).resize((96, 96), Image.Resampling.BICUBIC)
    content = io.BytesIO()
    noise.convert("RGB").save(content, "JPEG", quality=quality)
    return content.getvalue()


def file_of(release: Release, number: int) -> str:
    [found] = [photo.file for photo in release.photos if photo.source_id == str(number)]
    return found


@pytest.fixture
def flawed(pool: Pool) -> Release:
    """A release of whose photos each from 300 on has a fault of its own."""
    said = {"ann": "correct", "bo": "correct", "cy": "correct"}
    faults: list[tuple[int, dict[str, Any]]] = [
        (900, {"content": drawn(1)}),
        (901, {"content": with_position(2)}),
        (902, {"content": with_position(3, latitude=False)}),
        (903, {"license": "All Rights Reserved", "license_url": ""}),
        (904, {"license": "My own words", "license_url": ""}),
        (905, {"owner_name": "", "owner": ""}),
        (906, {"image_url": "", "page_url": ""}),
    ]
    for number, values in faults:
        values.setdefault("content", drawn(number))
        pool.label(add_candidate(pool.workspace, pool.store, TENCH, number, **values), **said)
    copy = add_candidate(pool.workspace, pool.store, TABBY, 907, content=drawn(1, quality=60))
    pool.label(copy, ann="correct")
    return pool.create()


def test_each_fault_is_found_and_its_photo_named(flawed: Release, audit: Audit) -> None:
    found = audit("v1")

    def named(check: str) -> set[str]:
        return set(found[check]["named"])

    assert named("licences") == {file_of(flawed, 903), file_of(flawed, 904)}
    assert "6 of 8 photos under open licences" in found["licences"]["says"]
    assert named("credits") == {file_of(flawed, 905)}
    assert named("addresses") == {file_of(flawed, 906)}
    assert named("places") == {file_of(flawed, 901)}
    [pair] = named("duplicates within")
    assert set(pair.split(" looks like ")) == {file_of(flawed, 900), file_of(flawed, 907)}
    assert len(named("class coverage")) == 998 and TENCH not in named("class coverage")
    for check in ("readable", "labels per photo", "content hash", "croissant"):
        assert (found[check]["verdict"], found[check]["named"]) == ("pass", []), check
    assert "1 photo has one labeler alone" in found["labels per photo"]["says"]
    assert found["duplicates against"]["verdict"] == "not said"
    assert found["datasheet"]["verdict"] == "not said"
    assert "funding" in named("datasheet")


def test_what_people_called_different_is_no_duplicate(
    pool: Pool, flawed: Release, audit: Audit
) -> None:
    propose(pool.workspace, pool.store, [])
    with pool.store.begin() as session:
        for pair in session.query(DuplicatePair):
            pair.verdict = "different"
    assert audit("v1")["duplicates within"]["verdict"] == "pass"
    # The folder alone knows nothing of that.
    moved = flawed.root.parent.parent / "moved"
    flawed.root.rename(moved)
    line = ["release", "audit", str(moved)]
    text = CliRunner().invoke(cli, ["-w", str(moved.parent.parent), *line]).output
    assert "fail      duplicates within" in text and "looks like" in text


def test_photos_of_another_set_are_found_by_looks_and_by_bytes(
    flawed: Release, audit: Audit, tmp_path: Path
) -> None:
    runner = CliRunner()
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "a.jpg").write_bytes(drawn(904, quality=50))
    line = ["hash", str(tmp_path / "train"), "-o", str(tmp_path / "train.hashes")]
    assert runner.invoke(cli, line).exit_code == 0
    some = next(photo for photo in flawed.photos if photo.source_id == "906")
    (tmp_path / "sums").write_text(f"{some.sha256}  b.jpg\n", "utf-8")
    words = ("--against", tmp_path / "train.hashes", "--against", tmp_path / "sums")
    against = audit("v1", *words)["duplicates against"]
    assert against["named"] == [
        f"{file_of(flawed, 904)} is or looks like a photo of train.hashes",
        f"{file_of(flawed, 906)} is or looks like a photo of sums",
    ]
    (tmp_path / "none").write_text(HEAD, "utf-8")
    assert audit("v1", "--against", tmp_path / "none")["duplicates against"]["verdict"] == "pass"


def test_damage_and_what_no_decoder_reads(pool: Pool, audit: Audit) -> None:
    pool.label(f"{TENCH}/flickr:0", ann="correct", bo="incorrect", cy="correct")
    pool.label(f"{GOLDFISH}/flickr:100", ann="correct")
    pool.label(f"{CRANE}/flickr:200", ann="correct", bo="incorrect", cy="correct")
    release = pool.create()
    path = release.root / file_of(release, 0)
    path.chmod(0o644)
    path.write_bytes(picture(0)[:300])
    found = audit("v1")
    assert found["content hash"]["named"] == [f"{file_of(release, 0)} was changed"]
    assert found["readable"]["named"] == [file_of(release, 0)]
    assert found["agreement"]["verdict"] == "fail"  # two of three, each time: as chance would
    croissant = release.root / "croissant.json"
    croissant.chmod(0o644)
    croissant.write_text(croissant.read_text("utf-8").replace("sc:Dataset", "sc:Movie", 1), "utf-8")
    assert audit("v1")["croissant"]["verdict"] == "fail"


def test_a_datasheet_that_says_all_passes(pool: Pool, audit: Audit) -> None:
    pool.label_all_correct()
    release = pool.create()
    path = release.root / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    topics = ("authors", "affiliation", "funding", "ethics_review", "labelers_pay", "hosting")
    manifest["dataset"] = dict.fromkeys((*topics, "doi", "maintenance", "license"), "x")
    manifest["contact"] = "ann@example.org"
    manifest["manifest_hash"] = manifest_hash(manifest)
    path.chmod(0o644)
    path.write_text("".join(manifest_lines(manifest)), "utf-8")
    assert audit(release.root)["datasheet"]["verdict"] == "pass"
    manifest["dataset"]["funding"] = ""
    path.write_text("".join(manifest_lines(manifest)), "utf-8")
    found = audit(release.root)
    assert (found["datasheet"]["verdict"], found["datasheet"]["named"]) == ("not said", ["funding"])
    assert found["content hash"]["verdict"] == "fail"  # its own hash does not say so
