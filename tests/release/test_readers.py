"""Each export by its reader's shortest call, whatever its classes are called."""

import io
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import datasets
import mlcroissant
import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image

from genset.classes.files import taxonomy_in
from genset.cli import cli
from genset.db import Verdict
from genset.db.taxonomies import store_taxonomy
from genset.release.exports import FORMATS
from genset.release.exports.export import export
from genset.release.freeze import create
from genset.release.reader import Release
from genset.sets.open import open_set
from tests.labeled_workspace import TENCH, add_candidate, labeled_workspace, vote
from tests.release.conftest import Pool

NAMES = [
    "train",
    "test",
    "val",
    "data",
    "test_tube",
    "night.train",
    "docs",
    "__a__",
    "كلب",
    "valley",
]
WITH_PHOTOS = sorted({*FORMATS} - {"manifest", "mixed"})


def release_of(root: Path, names: Sequence[str], photos: int) -> Release:
    workspace, store = labeled_workspace(root, classes=())
    own = "\n".join(['name = "mine"', *(f'[classes."{name}"]' for name in names)])
    with store.begin_alone() as session:
        store_taxonomy(session, taxonomy_in(own, "own.toml"))
    store._looked_at = -1e9
    for place, name in enumerate(names):
        for number in range(photos):
            task = add_candidate(workspace, store, name, 10 * place + number)
            vote(store, task, "ann", Verdict.CORRECT)
    release = create(workspace, store, "v1")
    store.close()
    return release


@pytest.fixture(scope="module", params=[(NAMES, 2), (["val"], 1)], ids=["many", "one"])
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Release:
    return release_of(tmp_path_factory.mktemp("odd") / "workspace", *request.param)


@pytest.fixture(scope="module")
def exports(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("exports")
    for kind in FORMATS:
        export(release, kind, folder / kind)
    yield folder


def classes_of(release: Release) -> list[int]:
    return sorted(release.targets)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("imagefolder", ("imagefolder",)),
        ("imagefolder", ()),
        ("webdataset", ("webdataset",)),
        ("webdataset", ()),
        ("parquet", ("parquet",)),
        ("parquet", ()),
        ("huggingface", ()),
    ],
)
def test_datasets(
    kind: str, words: Sequence[str], release: Release, exports: Path, tmp_path: Path
) -> None:
    folder, cache = str(exports / kind), str(tmp_path)
    rows = (
        datasets.load_dataset(*words, data_dir=folder, cache_dir=cache)
        if words
        else datasets.load_dataset(folder, cache_dir=cache)
    )
    assert list(rows) == ["test"]
    label = "cls" if kind == "webdataset" else "label"
    assert sorted(rows["test"][label]) == classes_of(release)
    image = set(rows["test"].column_names) & {"image", "jpg"}
    assert rows["test"][0][image.pop()].size[0] > 0


def test_pandas(release: Release, exports: Path) -> None:
    frame = pd.read_parquet(exports / "parquet")
    assert sorted(frame.label) == classes_of(release)
    assert sorted(pd.read_parquet(exports / "huggingface" / "data").wnid) == sorted(frame.wnid)


def test_torchvision_and_timm(release: Release, exports: Path) -> None:
    from timm.data import create_dataset
    from torchvision.datasets import ImageFolder

    photos = ImageFolder(exports / "imagefolder" / "test")
    assert len(photos) == len(release) and len(photos.classes) == len(release.wnids)
    assert len(create_dataset("", root=str(exports / "imagefolder"), split="test")) == len(release)


@pytest.mark.parametrize("kind", FORMATS)
def test_mlcroissant(
    kind: str, release: Release, exports: Path, caplog: pytest.LogCaptureFixture
) -> None:
    [path] = (exports / kind).rglob("croissant.json")
    opened = mlcroissant.Dataset(jsonld=str(path))
    assert not opened.metadata.issues.errors and not opened.metadata.issues.warnings
    for pictures in opened.metadata.record_sets[1:] if kind in WITH_PHOTOS else ():
        assert len(list(opened.records(pictures.id))) == len(release) and not caplog.records
    found = [record["records/label"] for record in opened.records("records")]
    assert sorted(found) == classes_of(release)
    text = json.loads(path.read_text("utf-8"))
    assert text["identifier"] == release.content_hash


@pytest.mark.parametrize("kind", WITH_PHOTOS)
def test_genset(kind: str, release: Release, exports: Path) -> None:
    opened = open_set(str(exports / kind))
    assert (opened.name, opened.content_hash) == (release.name, release.content_hash)
    assert [(photo.id, photo.wnid) for photo in opened.photos] == [
        (photo.file, photo.wnid) for photo in release.photos
    ]
    assert opened.photos[0].read_bytes() == (release.root / release.photos[0].file).read_bytes()
    assert [cls.wnid for cls in opened.taxonomy] == release.classes


@pytest.mark.parametrize("kind", WITH_PHOTOS)
def test_verify_takes_each_and_names_what_was_changed(
    kind: str, release: Release, exports: Path, tmp_path: Path
) -> None:
    digits = release.content_hash.removeprefix("sha256:")
    words = ["release", "verify", str(exports / kind), "--expect"]
    for expected in (release.content_hash, digits):
        done = CliRunner().invoke(cli, [*words, expected])
        assert done.exit_code == 0 and "is the expected one" in done.output, done.output
    copy = shutil.copytree(exports / kind, tmp_path / "copy", copy_function=shutil.copyfile)
    [path] = copy.rglob("manifest.json")
    path.write_text(path.read_text("utf-8").replace('"labelers": 1', '"labelers": 2'), "utf-8")
    done = CliRunner().invoke(cli, ["release", "verify", str(copy)])
    assert done.exit_code == 1 and "was changed" in done.output


def test_stripped_it_is_a_marked_variant_without_metadata(pool: Pool, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x013B], exif[0x0112], exif[0x8825] = "Ann Smith", 6, {2: (52.0, 30.0, 0.0)}
    file = io.BytesIO()
    Image.new("RGB", (64, 96), "red").save(file, "JPEG", exif=exif)
    task = add_candidate(pool.workspace, pool.store, TENCH, 7, content=file.getvalue())
    pool.label(task, ann="correct")
    dry = ["-w", str(pool.workspace.root), "release", "create", "v0", "--dry-run"]
    told = "1 photo tells where it was taken, 1 names a person: genset release export"
    assert told in CliRunner().invoke(cli, dry).stdout
    release = pool.create()
    checks = json.loads(
        CliRunner().invoke(cli, ["release", "verify", str(release.root), "--json"]).stdout
    )["checks"]
    assert checks["places"] == checks["persons"] == [release.photos[0].file]
    words = ["release", "export", str(release.root), "--format", "imagefolder", "--strip-metadata"]
    done = CliRunner().invoke(cli, [*words, "--to", str(tmp_path / "out"), "--json"])
    assert done.exit_code == 0, done.output
    found = Release(tmp_path / "out")
    found.verify()
    assert found.name == "v1-stripped" and found.content_hash != release.content_hash
    path = found.root / found.photos[0].file
    assert b"Ann" not in path.read_bytes() and Image.open(path).getexif()[0x0112] == 6
    card = (found.root / "docs" / "DATA_CARD.md").read_text("utf-8")
    assert "1 photo has no metadata but orientation" in card
