"""Every format, opened by the tool that its users use."""

import hashlib
import io
import json
from pathlib import Path

import datasets
import pandas as pd
import pyarrow.parquet
import pytest
import webdataset
import yaml
from PIL import Image
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2

import genset
from genset.classes import imagenet1k
from genset.core.errors import BadInput, GensetError
from genset.release import publish as cutting
from genset.release.exports import FORMATS
from genset.release.exports.export import export
from genset.release.reader import Release
from tests.labeled_workspace import CLASSES, CRANE, TENCH, add_candidate
from tests.release.conftest import Pool

Known = dict[str, tuple[int, bytes]]


def png() -> bytes:
    content = io.BytesIO()
    Image.new("RGBA", (9, 7), "red").save(content, "PNG")
    return content.getvalue()


@pytest.fixture
def release(pool: Pool) -> Release:
    """Eight JPEGs and a PNG, of four classes."""
    pool.label_all_correct()
    pool.label(add_candidate(pool.workspace, pool.store, CRANE, 7, content=png()), ann="correct")
    return pool.create()


@pytest.fixture
def known(release: Release) -> Known:
    """What must come out: the index among ImageNet's 1,000 and the bytes of each photo."""
    return {
        photo.sha256: (
            imagenet1k()[photo.wnid].index,
            (release.root / photo.file).read_bytes(),
        )
        for photo in release.photos
    }


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_MOST_PHOTOS", 4)


@pytest.fixture
def cache(tmp_path: Path) -> str:
    return str(tmp_path / "cache")


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def pixels(image: Image.Image) -> tuple[tuple[int, int], bytes]:
    return image.size, image.convert("RGB").tobytes()


def decoded(known: Known) -> list[tuple[int, tuple[tuple[int, int], bytes]]]:
    return sorted((index, pixels(Image.open(io.BytesIO(data)))) for index, data in known.values())


def test_imagefolder_by_torchvision(release: Release, known: Known, tmp_path: Path) -> None:
    export(release, "imagefolder", tmp_path / "out")
    opened = ImageFolder(str(tmp_path / "out" / "test"))
    assert opened.classes == sorted(CLASSES)
    found = {
        digest(Path(path).read_bytes()): opened.classes[target] for path, target in opened.samples
    }
    assert found == {photo.sha256: photo.wnid for photo in release.photos}
    table = pd.read_csv(tmp_path / "out" / "test/metadata.csv")
    assert dict(zip("test/" + table.file_name, table.label, strict=True)) == {
        photo.file: known[photo.sha256][0] for photo in release.photos
    }
    Release(tmp_path / "out").verify()  # it is the release itself


def test_webdataset_by_webdataset(release: Release, known: Known, tmp_path: Path) -> None:
    export(release, "webdataset", tmp_path / "out")
    tars = sorted(str(path) for path in (tmp_path / "out").glob("*.tar"))
    assert [Path(path).name for path in tars] == [f"test-{n:06}.tar" for n in range(3)]
    samples = webdataset.WebDataset(tars, shardshuffle=False)
    found: Known = {}
    for sample in samples:
        [data] = [sample[kind] for kind in ("jpg", "png") if kind in sample]
        found[json.loads(sample["json"])["sha256"]] = int(sample["cls"]), data
    assert found == known
    images = (
        webdataset.WebDataset(tars, shardshuffle=False).decode("pil").to_tuple("jpg;png", "cls")
    )
    assert sorted((label, pixels(image)) for image, label in images) == decoded(known)


def test_the_same_release_gives_the_same_tars(release: Release, tmp_path: Path) -> None:
    for name in ("one", "two"):
        export(release, "webdataset", tmp_path / name)
    for path in (tmp_path / "one").glob("*.tar"):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_parquet_by_pyarrow_and_pandas(release: Release, known: Known, tmp_path: Path) -> None:
    export(release, "parquet", tmp_path / "out")
    files = sorted((tmp_path / "out").glob("*.parquet"))
    assert len(files) == 3
    rows = [row for path in files for row in pyarrow.parquet.read_table(path).to_pylist()]
    assert {row["sha256"]: (row["label"], row["image"]["bytes"]) for row in rows} == known
    for row, photo in zip(rows, release.photos, strict=True):
        row["labels"] = json.loads(row["labels"])
        known_of = photo.as_json()  # what no photo has (a confidence) is no column
        assert {name: row[name] for name in known_of} == known_of
    frame = pd.concat([pd.read_parquet(path) for path in files])
    assert list(frame.wnid) == [photo.wnid for photo in release.photos]


@pytest.mark.parametrize("kind", ["parquet", "huggingface"])
def test_parquet_by_datasets(
    kind: str, release: Release, known: Known, tmp_path: Path, cache: str
) -> None:
    out = tmp_path / "out"
    export(release, kind, out)
    if kind == "parquet":
        files = str(out / "*.parquet")
        opened = datasets.load_dataset("parquet", data_files={"test": files}, cache_dir=cache)
    else:
        opened = datasets.load_dataset(str(out), cache_dir=cache)
    rows = opened["test"]
    assert isinstance(rows.features["label"], datasets.ClassLabel)
    assert rows.features["label"].names == [each.wnid for each in imagenet1k()]
    assert [row["class_name"] for row in rows] == [row["label"] for row in rows]
    names = rows.features["class_name"].names
    assert (names[0], names[134], names[517]) == ("tench", f"crane ({CRANE})", "crane (n03126707)")
    assert len(set(names)) == 1000
    assert sorted((row["label"], pixels(row["image"])) for row in rows) == decoded(known)
    assert [row["wnid"] for row in rows] == [photo.wnid for photo in release.photos]
    raw = rows.cast_column("image", datasets.Image(decode=False))
    assert {row["sha256"]: (row["label"], row["image"]["bytes"]) for row in raw} == known


def test_fiftyones_folder_is_as_its_documentation_says(
    release: Release, known: Known, tmp_path: Path
) -> None:
    """Read here as FiftyOne does: its own database server is not to be had by installing it."""
    export(release, "fiftyone", tmp_path / "out")
    told = json.loads((tmp_path / "out" / "labels.json").read_text("utf-8"))
    found = {}
    for path in (tmp_path / "out" / "data").iterdir():
        content = path.read_bytes()
        found[digest(content)] = told["labels"][path.stem], content
    assert found == known
    assert [told["classes"][index] for index, _ in found.values()] == [
        next(photo.wnid for photo in release.photos if photo.sha256 == sha256) for sha256 in found
    ]


def test_the_manifest_alone_has_no_photo(release: Release, tmp_path: Path) -> None:
    done = export(release, "manifest", tmp_path / "out")
    out = tmp_path / "out"
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert files == {"manifest.json", *release.documents}
    assert Release(tmp_path / "out").photos == release.photos
    assert done.photos == 9


def test_in_python_a_data_loader_takes_it(release: Release, known: Known) -> None:
    plain = genset.Release(release.root)
    assert len(plain) == 9
    assert sorted((target, pixels(image)) for image, target in plain) == decoded(known)
    assert [plain.classes[target] for target in plain.targets] == [
        record.wnid for record in plain.photos
    ]
    assert plain.class_to_idx[TENCH] == 0 and len(plain.classes) == 1000
    assert release.content_hash in repr(plain)
    with pytest.raises(IndexError):
        plain[9]
    to_tensor = v2.Compose([v2.Resize((8, 8)), v2.ToImage()])
    seen = genset.Release(str(release.root), to_tensor, target_transform=lambda target: -target)
    batches = list(DataLoader(seen, batch_size=4))
    assert [tuple(images.shape) for images, _ in batches] == [(4, 3, 8, 8)] * 2 + [(1, 3, 8, 8)]
    assert [-int(t) for _, targets in batches for t in targets] == plain.targets


def test_a_data_loaders_processes_take_it_too(release: Release) -> None:
    seen = genset.Release(release.root, transform=v2.Compose([v2.Resize((8, 8)), v2.ToImage()]))
    [(images, targets)] = DataLoader(seen, batch_size=9, num_workers=1)
    assert (tuple(images.shape), targets.tolist()) == ((9, 3, 8, 8), seen.targets)


def test_a_photo_that_cannot_be_read_is_named(release: Release) -> None:
    (release.root / release.photos[0].file).unlink()
    with pytest.raises(GensetError, match=rf"{release.photos[0].sha256}.* cannot be read"):
        genset.Release(release.root)[0]


# What goes with every format


def test_the_hubs_card_says_what_the_hub_asks_for(release: Release, tmp_path: Path) -> None:
    words = {"doi": "10.5281/zenodo.7"}
    export(release, "huggingface", tmp_path / "out", lambda name: words if name == "v1" else {})
    _, head, card = (tmp_path / "out" / "README.md").read_text("utf-8").split("---\n", 2)
    told = yaml.safe_load(head)
    assert told["task_categories"] == ["image-classification"]
    assert "@misc{" in card and release.content_hash in card and "doi = {10.5281/zenodo.7}" in card


# Whole or not at all


@pytest.mark.parametrize("kind", FORMATS)
def test_an_export_is_credited_has_the_map_of_classes_and_is_never_written_over(
    kind: str, release: Release, tmp_path: Path
) -> None:
    export(release, kind, tmp_path / "out")
    documents = ("docs/DATA_CARD.md", "docs/ATTRIBUTION.txt", "docs/LICENSES.txt", "classes.csv")
    for name in documents:
        [path] = (tmp_path / "out").rglob(Path(name).name)
        assert path.read_bytes() == (release.root / name).read_bytes()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadInput, match=r"out exists: name another folder"):
        export(release, kind, tmp_path / "out")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", sorted(set(FORMATS) - {"manifest"}))
def test_a_changed_photo_is_named_and_nothing_is_left(
    kind: str, release: Release, tmp_path: Path
) -> None:
    photo = release.root / release.photos[-1].file
    photo.chmod(0o644)
    photo.write_bytes(b"changed")
    (tmp_path / "here").mkdir()
    with pytest.raises(GensetError, match=rf"{photo} was changed"):
        export(release, kind, tmp_path / "here" / "out")
    assert not list((tmp_path / "here").iterdir())
