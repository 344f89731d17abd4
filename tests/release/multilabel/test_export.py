"""Several right answers a photo, read by the tools that users read them with."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import datasets
import mlcroissant
import pyarrow.parquet
import pytest
from torchvision.datasets import ImageFolder

import genset
from genset.classes import imagenet1k
from genset.release.exports.export import export
from genset.release.reader import MANIFEST, Release
from tests.labeled_workspace import TENCH, labeled_workspace
from tests.questions import BASSINET, CROQUET, LAMPSHADE, ask_about
from tests.release.conftest import Pool
from tests.release.multilabel.conftest import Asking, photo

LISTS = ("labels_correct", "labels_unclear", "labels_wrong")
NAMES = [each.wnid for each in imagenet1k()]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Release]:
    """Photo 0 is right for a bassinet, unclear for a lampshade, and no croquet ball."""
    root = tmp_path_factory.mktemp("asked") / "workspace"
    workspace, store = labeled_workspace(root, photos=2)
    pool = Pool(workspace, store)
    pool.label_all_correct()
    asking = Asking(pool, pool.create())
    asking.ask(BASSINET, LAMPSHADE, CROQUET)
    for wnid in (BASSINET, LAMPSHADE, CROQUET):
        asking.say_of_all(wnid, ann="incorrect")
    asking.say(0, BASSINET, ann="correct")
    asking.say(0, LAMPSHADE, ann="unsure")
    yield asking.freeze()
    store.close()


def lists(release: Release) -> dict[str, list[list[str]]]:
    return {
        each.sha256: [list(getattr(each, name) or ()) for name in LISTS] for each in release.photos
    }


@pytest.mark.parametrize("kind", ["parquet", "huggingface"])
def test_datasets_has_lists_of_class_labels(kind: str, release: Release, tmp_path: Path) -> None:
    out, cache = tmp_path / "out", str(tmp_path / "cache")
    export(release, kind, out)
    if kind == "parquet":
        files = {"test": str(out / "*.parquet")}
        rows = datasets.load_dataset("parquet", data_files=files, cache_dir=cache)["test"]
    else:
        rows = datasets.load_dataset(str(out), cache_dir=cache)["test"]
    for name in LISTS:
        assert isinstance(rows.features[name].feature, datasets.ClassLabel)
        assert rows.features[name].feature.names == NAMES
    found = {
        row["sha256"]: [rows.features[name].feature.int2str(row[name]) for name in LISTS]
        for row in rows.remove_columns("image")
    }
    assert found == lists(release)
    [first] = [row for row in rows.remove_columns("image") if row["sha256"] == _first(release)]
    assert json.loads(first["label_votes"]) == photo(release, 0).label_votes
    assert json.loads(first["label_proposers"]) == photo(release, 0).label_proposers
    if kind == "parquet":
        [path] = out.glob("*.parquet")
        table = pyarrow.parquet.read_table(path)
        assert str(table.schema.field("labels_correct").type).startswith("list<")


def _first(release: Release) -> str:
    return photo(release, 0).sha256


def test_an_image_folder_keeps_home_folders_with_a_table_beside_it(
    release: Release, tmp_path: Path
) -> None:
    export(release, "imagefolder", tmp_path / "out")
    opened = ImageFolder(str(tmp_path / "out" / "test"))
    assert {Path(path).stem: opened.classes[target] for path, target in opened.samples} == {
        each.sha256: each.wnid for each in release.photos
    }
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "answers.csv").read_text("utf-8"))))
    first = [row for row in rows if row["image"] == photo(release, 0).file]
    assert [(row["wnid"], row["verdict"], row["primary"]) for row in first] == [
        (TENCH, "correct", "1"),
        (BASSINET, "correct", "0"),
        (LAMPSHADE, "unclear", "0"),
        (CROQUET, "wrong", "0"),
    ]
    assert [row["unsure"] for row in first] == ["0", "0", "1", "0"]
    assert len(rows) == 4 * len(release.photos)
    loaded = datasets.load_dataset(
        "imagefolder", data_dir=str(tmp_path / "out"), cache_dir=str(tmp_path / "cache")
    )
    [rows_] = loaded.values()
    assert {row["sha256"]: row["labels_correct"].split() for row in rows_} == {
        sha256: right for sha256, (right, _, _) in lists(release).items()
    }
    Release(tmp_path / "out").verify()


def test_mlcroissant_reads_them_as_lists(
    release: Release, caplog: pytest.LogCaptureFixture
) -> None:
    opened = mlcroissant.Dataset(jsonld=str(release.root / "croissant.json"))
    issues = opened.metadata.issues
    assert not issues.errors and not issues.warnings
    assert "is not standard" not in caplog.text
    found = {
        record["records/sha256"].decode(): [
            [wnid.decode() for wnid in record[f"records/{name}"] or ()] for name in LISTS
        ]
        for record in opened.records("records")
    }
    assert found == lists(release)


def test_the_card_says_how_people_were_asked(asking: Asking) -> None:
    asking.ask(BASSINET)
    asking.say_of_all(BASSINET, ann="correct", bob="unsure")
    classes = [wnid for wnid in NAMES if wnid not in (BASSINET, TENCH)][500:525]
    ask_about(asking.pool.store, {f"{TENCH}/flickr:0": classes})
    for wnid in classes:
        asking.say(0, wnid, ann="incorrect")
    asking.say(0, classes[0], ann="correct")
    made = asking.freeze()
    card = (made.root / "docs/DATA_CARD.md").read_text("utf-8")
    for said in (
        "## More than one right answer",
        "33 questions about 8 photos, 41 votes. 8 of 8 photos have more than one right answer",
        "proposed by the models timm:resnet50.",
        "because it was suggested; how often was not measured.",
        "Labelers needed: 1.",
        "where a class is in no list of a photo, nobody was asked",
    ):
        assert said in card
    assert "only that it shows the class was asked" not in card
    told = json.loads((made.root / "croissant.json").read_text("utf-8"))
    assert "33 questions about 8 photos" in told["rai:dataAnnotationProtocol"]
    plain = json.loads((asking.v1.root / MANIFEST).read_text("utf-8"))
    assert "multilabel" not in plain


@pytest.mark.parametrize("kind", ["webdataset", "parquet", "huggingface"])
def test_genset_reads_them_from_its_own_exports(
    kind: str, release: Release, tmp_path: Path
) -> None:
    export(release, kind, tmp_path / "out")
    opened, own = genset.open_set(tmp_path / "out"), genset.open_set(release.root).truth
    assert opened.truth is not None
    assert own is not None

    def by_photo(of: Mapping[str, object]) -> dict[str, object]:
        return {image[-68:]: said for image, said in of.items()}  # its hash and .jpg

    assert by_photo(opened.truth.correct) == by_photo(own.correct)
    assert by_photo(opened.truth.unclear) == by_photo(own.unclear)
    assert by_photo(opened.truth.proposed) == by_photo(own.proposed)
    assert set(opened.truth.correct) == set(opened.ids)
    assert set(opened.truth.proposers) == set(own.proposers)
