"""A reviewer's checklist, as `genset release audit` prints it."""

import io
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from genset.cli import cli
from genset.core.hashes import HEAD
from genset.db import DuplicatePair
from genset.release.audit import papers
from genset.release.reader import MANIFEST, Release, manifest_hash, manifest_lines
from genset.scrape.upkeep.duplicates import propose
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
        (908, {"license": "Ask me", "license_url": "https://example.org/terms"}),
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

    assert named("licences") == {file_of(flawed, number) for number in (903, 904, 908)}
    says = found["licences"]["says"]
    assert "1 all rights reserved; 2 under a licence that genset does not know" in says
    assert "6 of 9 photos under open licences" in found["licences"]["says"]
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


def test_what_cannot_be_read_is_no_pass(pool: Pool, audit: Audit) -> None:
    pool.label_all_correct()
    release = pool.create()
    points = ("duplicates within", "places")
    assert [audit("v1")[each]["verdict"] for each in points] == ["fail", "pass"]
    path = release.root / file_of(release, 0)
    path.chmod(0o644)
    frames = [Image.new("RGB", (96, 96), colour) for colour in ("red", "blue")]
    for kind, frame in (
        ("GIF", frames[:1]),
        ("WEBP", frames),
        ("PNG", frames),
        ("EPS", frames[:1]),
    ):
        frame[0].save(
            path, kind, **({"save_all": True, "append_images": frame[1:]} if frame[1:] else {})
        )
        found = audit("v1")
        assert found["readable"]["named"] == [file_of(release, 0)], kind
        assert found["places"]["verdict"] == "not said"
        assert found["places"]["says"].endswith("1 photo cannot be read")
        assert found["duplicates within"]["verdict"] == "fail"  # of others
    path.unlink()
    path.symlink_to(release.root / file_of(release, 1))
    assert audit("v1")["readable"]["named"] == [file_of(release, 0)]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("place", ["exif", "xmp", "both"])
def test_places_are_found_in_every_format(kind: str, place: str, pool: Pool, audit: Audit) -> None:
    position = Image.Exif()
    position[0x8825] = {1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)}
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/" exif:GPSLatitude="52,31.2N"/>'
    values: dict[str, Any] = {"exif": position} if place != "xmp" else {}
    if place != "exif":
        written = PngInfo()
        written.add_itxt("XML:com.adobe.xmp", xmp.decode())
        values |= {"pnginfo": written} if kind == "PNG" else {"xmp": xmp}
    content = io.BytesIO()
    with Image.open(io.BytesIO(drawn(1))) as image:
        image.save(content, kind, **values)
    for number, each in ((900, content.getvalue()), (901, drawn(2))):
        task = add_candidate(pool.workspace, pool.store, TENCH, number, content=each)
        pool.label(task, ann="correct")
    release = pool.create()
    assert audit("v1")["places"]["named"] == [file_of(release, 900)]


@pytest.mark.soak
def test_damaged_metadata_are_no_words_on_the_screen(
    pool: Pool,
) -> None:
    exif = b"Exif\0\0II*\0" + b"\xff" * 26
    whole = drawn(1)
    content = whole[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + whole[2:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        task = add_candidate(pool.workspace, pool.store, TENCH, 900, content=content)
    pool.label(task, ann="correct")
    release = pool.create()
    line = [sys.executable, "-m", "genset", "release", "audit", str(release.root)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert "pass      readable" in done.stdout
    assert "pass      places" in done.stdout
    assert done.stderr == ""


def test_hundreds_of_alike_photos_are_named_in_few_words(pool: Pool, audit: Audit) -> None:
    for number in range(900, 960):
        content = drawn(1, quality=95 - (number - 900))
        task = add_candidate(pool.workspace, pool.store, TENCH, number, content=content)
        pool.label(task, ann="correct")
    pool.create()
    found = audit("v1")["duplicates within"]
    assert found["says"].startswith("60 of 60 photos are the same as another or look like it")
    assert 50 <= len(found["named"]) <= 60
    assert found["named"][0].endswith(", others") and len(max(found["named"], key=len)) < 1100


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server's address, and what was asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/context", asked
        server.shutdown()


@pytest.mark.parametrize("where", ["context", "import", "inside"])
def test_nothing_is_fetched_that_a_strangers_croissant_names(
    where: str, pool: Pool, audit: Audit, listener: tuple[str, list[str]]
) -> None:
    address, asked = listener
    pool.label_all_correct()
    path = pool.create().root / "croissant.json"
    croissant = json.loads(path.read_text("utf-8"))
    if where == "context":
        croissant["@context"] = [address, croissant["@context"]]
    elif where == "import":
        croissant["@context"] |= {"@version": 1.1, "@import": address}
    else:
        croissant["distribution"][0]["@context"] = address
    path.chmod(0o644)
    path.write_text(json.dumps(croissant), "utf-8")
    found = audit("v1")["croissant"]
    assert (found["verdict"], asked) == ("fail", [])
    assert "not fetched" in found["says"]


def test_without_the_validator_nothing_is_said(
    pool: Pool, audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers, "find_spec", lambda name: None)
    pool.label_all_correct()
    pool.create()
    found = audit("v1")["croissant"]
    assert found["verdict"] == "not said" and "pip install mlcroissant" in found["says"]


def test_releases_of_earlier_versions_have_no_datasheet(audit: Audit) -> None:
    earlier = Path(__file__).parents[1] / "compatibility" / "workspace" / "releases" / "v1"
    found = audit(earlier)
    assert found["datasheet"]["verdict"] == "not said"
    assert "DATASHEET.md is not" in found["datasheet"]["says"]
    assert found["content hash"]["verdict"] == "pass"


def test_what_is_no_release_is_said_to_be_none(pool: Pool, tmp_path: Path) -> None:
    def refused(root: Path, name: object) -> str:
        line = ["-w", str(root), "release", "audit", str(name)]
        return str(CliRunner().invoke(cli, line).exception)

    assert "is no release: it has no manifest.json" in refused(tmp_path, tmp_path)
    assert "is no release: it has no manifest.json" in refused(pool.workspace.root, "v7")
    pool.label_all_correct()
    path = pool.create().root / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    path.chmod(0o644)
    path.write_text(json.dumps(manifest | {"photos": []}), "utf-8")
    assert "v1 has no photo" in refused(tmp_path, path.parent)


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
