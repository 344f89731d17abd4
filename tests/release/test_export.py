"""Every format by its reader's shortest call, whatever its classes are called."""

import hashlib
import io
import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import datasets
import mlcroissant
import pandas as pd
import pyarrow.parquet
import pytest
import webdataset
import yaml
from click.testing import CliRunner
from PIL import Image
from timm.data import create_dataset
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2

import genset
from genset.classes.files import taxonomy_in
from genset.cli import cli
from genset.core.errors import BadInput, GensetError
from genset.db import Verdict
from genset.db.taxonomies import store_taxonomy
from genset.release import publish as cutting
from genset.release.exports import FORMATS
from genset.release.exports.export import export
from genset.release.freeze import create
from genset.release.reader import Release
from genset.sets.open import open_set
from tests.labeled_workspace import CLASSES, CRANE, TENCH, add_candidate, labeled_workspace, vote
from tests.release.conftest import Pool
from tests.release.test_killed import contents

ODD = ["train", "test", "val", "data", "test_tube", "night.train", "docs", "__a__", "كلب", "valley"]


def png() -> bytes:
    content = io.BytesIO()
    Image.new("RGBA", (9, 7), "red").save(content, "PNG")
    return content.getvalue()


@pytest.fixture(scope="module", params=["ImageNet", "odd", "one"])
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Eight JPEGs and a PNG of ImageNet's classes; 20 photos of ten classes; one of one."""
    root, names = tmp_path_factory.mktemp("made") / "workspace", {"odd": ODD, "one": ["val"]}
    own = names.get(request.param)
    workspace, store = labeled_workspace(root, classes=() if own else CLASSES, photos=2)
    if own:
        text = "\n".join(['name = "mine"', *(f'[classes."{name}"]' for name in own)])
        with store.begin_alone() as session:
            store_taxonomy(session, taxonomy_in(text, "own.toml"))
        store._looked_at = -1e9
        for place, name in enumerate(own):
            for number in range(min(len(own), 2)):
                task = add_candidate(workspace, store, name, 10 * place + number)
                vote(store, task, "ann", Verdict.CORRECT)
    else:
        Pool(workspace, store).label_all_correct()
        task = add_candidate(workspace, store, CRANE, 7, content=png())
        vote(store, task, "ann", Verdict.CORRECT)
    made = create(workspace, store, "v1")
    store.close()
    return made


@pytest.fixture(scope="module")
def exports(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with each format, in shards of four photos."""
    folder = tmp_path_factory.mktemp("exports")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "_MOST_PHOTOS", 4)
        for kind in FORMATS:
            export(release, kind, folder / kind)
    return folder


def known(release: Release) -> dict[str, tuple[int, bytes]]:
    """What must come out of each photo, by sha256: the index of its class, and its bytes."""
    return {
        photo.sha256: (release.class_to_idx[photo.wnid], (release.root / photo.file).read_bytes())
        for photo in release.photos
    }


def pixels(image: Image.Image) -> tuple[tuple[int, int], bytes]:
    return image.size, image.convert("RGB").tobytes()


def decoded(release: Release) -> list[tuple[int, tuple[tuple[int, int], bytes]]]:
    return sorted(
        (index, pixels(Image.open(io.BytesIO(data)))) for index, data in known(release).values()
    )


def test_imagefolder_by_torchvision_timm_and_pandas(
    release: Release, exports: Path, tmp_path: Path
) -> None:
    root = exports / "imagefolder"
    opened = ImageFolder(root / "test")
    found = {
        hashlib.sha256(Path(path).read_bytes()).hexdigest(): Path(path).parent.name
        for path, _ in opened.samples
    }
    folders = {photo.sha256: photo.file.split("/")[1] for photo in release.photos}
    assert found == folders and len(opened.classes) == len(release.wnids)
    assert len(create_dataset("", root=str(root), split="test")) == len(release)
    table = pd.read_csv(root / "test/metadata.csv")
    assert sorted(zip("test/" + table.file_name, table.label, strict=True)) == sorted(
        (photo.file, release.class_to_idx[photo.wnid]) for photo in release.photos
    )
    Release(root).verify()  # it is the release itself
    words = ["release", "export", str(release.root), "--format", "imagefolder", "--strip-metadata"]
    done = CliRunner().invoke(cli, [*words, "--to", str(tmp_path / "same")])  # nothing to remove
    assert "from 0 photos" in done.stdout and "a set of its own" not in done.stdout
    assert Release(tmp_path / "same").content_hash == release.content_hash


def test_webdataset_by_webdataset(release: Release, exports: Path, tmp_path: Path) -> None:
    tars = sorted(str(path) for path in (exports / "webdataset").glob("*.tar"))
    assert [Path(path).name for path in tars] == [f"test-{n:06}.tar" for n in range(len(tars))]
    assert len(tars) == -(-len(release) // 4)
    found, records = {}, [photo.as_json() for photo in release.photos]
    for sample in webdataset.WebDataset(tars, shardshuffle=False):
        [data] = [sample[kind] for kind in ("jpg", "png") if kind in sample]
        record = json.loads(sample["json"])
        found[record["sha256"]] = int(sample["cls"]), data
        assert record in records
    assert found == known(release)
    pairs = webdataset.WebDataset(tars, shardshuffle=False).decode("pil").to_tuple("jpg;png", "cls")
    assert sorted((label, pixels(image)) for image, label in pairs) == decoded(release)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "_MOST_PHOTOS", 4)
        export(release, "webdataset", tmp_path / "again")  # the same bytes, whenever it is made
    assert contents(tmp_path / "again") == contents(exports / "webdataset")


def test_parquet_by_pyarrow_and_pandas(release: Release, exports: Path) -> None:
    files = sorted((exports / "parquet").glob("*.parquet"))
    assert len(files) == -(-len(release) // 4)
    rows = [row for path in files for row in pyarrow.parquet.read_table(path).to_pylist()]
    assert {row["sha256"]: (row["label"], row["image"]["bytes"]) for row in rows} == known(release)
    for row, photo in zip(rows, release.photos, strict=True):
        row["labels"] = json.loads(row["labels"])
        known_of = photo.as_json()  # what no photo has (a confidence) is no column
        assert {name: row[name] for name in known_of} == known_of
    frame = pd.read_parquet(exports / "parquet")
    assert sorted(frame.label) == sorted(release.targets)
    assert sorted(pd.read_parquet(exports / "huggingface" / "data").wnid) == sorted(frame.wnid)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("kind", ["imagefolder", "webdataset", "parquet", "huggingface"])
def test_datasets(kind: str, named: bool, release: Release, exports: Path, tmp_path: Path) -> None:
    folder, cache = str(exports / kind), str(tmp_path)
    if named and kind != "huggingface":
        opened = datasets.load_dataset(kind, data_dir=folder, cache_dir=cache)
    else:
        opened = datasets.load_dataset(folder, cache_dir=cache)
    assert list(opened) == ["test"]
    rows: Any = opened["test"]
    label = "cls" if kind == "webdataset" else "label"
    assert sorted(rows[label]) == sorted(release.targets)
    if kind in ("parquet", "huggingface"):
        assert rows.features["label"].names == release.classes
        assert sorted((row["label"], pixels(row["image"])) for row in rows) == decoded(release)
        assert [row["class_name"] for row in rows] == [row["label"] for row in rows]
        names = rows.features["class_name"].names
        assert len(set(names)) == len(names) == len(release.classes)
        if len(names) == 1000:
            assert (names[134], names[517]) == (f"crane ({CRANE})", "crane (n03126707)")


def test_fiftyones_folder_is_as_its_documentation_says(release: Release, exports: Path) -> None:
    """Read here as FiftyOne does: its own database server is not to be had by installing it."""
    told = json.loads((exports / "fiftyone" / "labels.json").read_text("utf-8"))
    found = {}
    for path in (exports / "fiftyone" / "data").iterdir():
        content = path.read_bytes()
        found[hashlib.sha256(content).hexdigest()] = told["labels"][path.stem], content
    assert found == known(release) and told["classes"] == release.classes


@pytest.mark.parametrize("kind", FORMATS)
def test_mlcroissant(
    kind: str, release: Release, exports: Path, caplog: pytest.LogCaptureFixture
) -> None:
    [path] = (exports / kind).rglob("croissant.json")
    opened = mlcroissant.Dataset(jsonld=str(path))
    assert not opened.metadata.issues.errors and not opened.metadata.issues.warnings
    if kind == "imagefolder":  # has a set of records of each kind of file
        pictures = [opened.records(each.id) for each in opened.metadata.record_sets[1:]]
        assert sum(len(list(each)) for each in pictures) == len(release) and not caplog.records
    found = [record["records/label"] for record in opened.records("records")]
    assert sorted(found) == sorted(release.targets)
    assert json.loads(path.read_text("utf-8"))["identifier"] == release.content_hash


@pytest.mark.parametrize("kind", FORMATS)
def test_it_is_credited_opened_and_verified_and_never_written_over(
    kind: str, release: Release, exports: Path, tmp_path: Path
) -> None:
    before = contents(exports / kind)
    for name in ("docs/DATA_CARD.md", "docs/ATTRIBUTION.txt", "docs/LICENSES.txt", "classes.csv"):
        [path] = (exports / kind).rglob(Path(name).name)
        assert path.read_bytes() == (release.root / name).read_bytes()
    with pytest.raises(BadInput, match=rf"{kind} exists: name another folder"):
        export(release, kind, exports / kind)
    assert contents(exports / kind) == before
    if kind == "manifest":
        assert set(before) == {"manifest.json", *release.documents}
        assert Release(exports / kind).photos == release.photos
        return
    opened = open_set(str(exports / kind))
    assert (opened.name, opened.content_hash) == (release.name, release.content_hash)
    assert [(photo.id, photo.wnid) for photo in opened.photos] == [
        (photo.file, photo.wnid) for photo in release.photos
    ]
    assert opened.photos[0].read_bytes() == (release.root / release.photos[0].file).read_bytes()
    assert [cls.wnid for cls in opened.taxonomy] == release.classes
    words = ["release", "verify", str(exports / kind), "--expect"]
    for expected in (release.content_hash, release.content_hash.removeprefix("sha256:")):
        done = CliRunner().invoke(cli, [*words, expected])
        assert done.exit_code == 0 and "is the expected one" in done.output, done.output
    copy = shutil.copytree(exports / kind, tmp_path / "copy", copy_function=shutil.copyfile)
    [path] = copy.rglob("manifest.json")
    path.write_text(path.read_text("utf-8").replace('"labelers": 1', '"labelers": 2'), "utf-8")
    done = CliRunner().invoke(cli, ["release", "verify", str(copy)])
    assert done.exit_code == 1 and "was changed" in done.output


def test_in_python_a_data_loader_takes_it(release: Release) -> None:
    plain = genset.Release(release.root)
    assert sorted((target, pixels(image)) for image, target in plain) == decoded(release)
    assert [plain.classes[target] for target in plain.targets] == [
        record.wnid for record in plain.photos
    ]
    assert release.content_hash in repr(plain)
    with pytest.raises(IndexError):
        plain[len(plain)]
    to_tensor = v2.Compose([v2.Resize((8, 8)), v2.ToImage()])
    seen = genset.Release(str(release.root), to_tensor, target_transform=lambda target: -target)
    batches = list(DataLoader(seen, batch_size=4))
    assert tuple(batches[-1][0].shape) == ((len(plain) - 1) % 4 + 1, 3, 8, 8)
    assert [-int(t) for _, targets in batches for t in targets] == plain.targets
    # As each of a DataLoader's processes gets it.
    seen = pickle.loads(pickle.dumps(genset.Release(release.root, transform=to_tensor)))
    [(_, targets)] = DataLoader(seen, batch_size=99)
    assert targets.tolist() == plain.targets


def test_the_hubs_card_says_what_the_hub_asks_for(release: Release, tmp_path: Path) -> None:
    words = {"doi": "10.5281/zenodo.7"}
    export(release, "huggingface", tmp_path / "out", lambda name: words if name == "v1" else {})
    _, head, card = (tmp_path / "out" / "README.md").read_text("utf-8").split("---\n", 2)
    assert yaml.safe_load(head)["task_categories"] == ["image-classification"]
    assert "@misc{" in card and release.content_hash in card and "doi = {10.5281/zenodo.7}" in card


def test_a_changed_photo_is_named_and_nothing_is_left(pool: Pool, tmp_path: Path) -> None:
    pool.label_all_correct()
    release = pool.create()
    photo = release.root / release.photos[-1].file
    photo.chmod(0o644)
    photo.write_bytes(b"changed")
    (tmp_path / "here").mkdir()
    for kind in set(FORMATS) - {"manifest"}:
        with pytest.raises(GensetError, match=rf"{photo} was changed"):
            export(release, kind, tmp_path / "here" / "out")
        assert not list((tmp_path / "here").iterdir())
    photo.unlink()
    with pytest.raises(GensetError, match=rf"{release.photos[-1].sha256}.* cannot be read"):
        genset.Release(release.root)[len(release) - 1]


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
    done = CliRunner().invoke(cli, [*words, "--to", str(tmp_path / "out")])
    assert done.exit_code == 0 and "a set of its own" in done.stdout, done.output
    found = Release(tmp_path / "out")
    found.verify()
    assert found.name == "v1-stripped" and found.content_hash != release.content_hash
    path = found.root / found.photos[0].file
    assert b"Ann" not in path.read_bytes() and Image.open(path).getexif()[0x0112] == 6
    card = (found.root / "docs" / "DATA_CARD.md").read_text("utf-8")
    assert "1 photo has no metadata but orientation" in card
