"""ImageNet and lists of photos as they lie on people's disks, opened by one command."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from genset.classes import imagenet1k
from genset.cli import cli
from genset.score.pixels import opened
from genset.sets.open import open_set
from genset.sets.photos import PhotoSet
from tests.score.colours import colours
from tests.sets.layouts import refused

# Of ImageNet's own order: the first two of tench, the first photo and the last.
VALIDATION = {1: "n01751748", 293: "n01440764", 2138: "n01440764", 50000: "n02437616"}


def photo(path: Path) -> Path:
    """A photo at this path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (48, 48)).save(path, "JPEG")
    return path


def flat(folder: Path) -> Path:
    """ImageNet's validation photos in one folder, as they come."""
    for number in VALIDATION:
        photo(folder / f"ILSVRC2012_val_{number:08}.JPEG")
    return folder


def classes_of(photos: PhotoSet) -> list[str]:
    return [photo.wnid for photo in photos.photos]


def test_imagenets_validation_photos_need_no_list(tmp_path: Path) -> None:
    val = flat(tmp_path / "val")
    found = open_set(str(val))
    assert classes_of(found) == list(VALIDATION.values())
    subprocess.run(["tar -cf ILSVRC2012_img_val.tar -C val ."], shell=True, cwd=tmp_path)
    packed = open_set(str(tmp_path / "ILSVRC2012_img_val.tar"))
    assert (packed.ids, packed.content_hash) == (found.ids, found.content_hash)
    for names in (found.ids, [Path(name).stem for name in found.ids]):
        (val / "list.txt").write_text("".join(f"{name} n02437616\n" for name in names))
        (note,) = open_set(str(val / "list.txt")).notes
        assert "another class for 3 of 4 photos: are the labels shifted" in note
    places = {cls.wnid: cls.index for cls in imagenet1k()}
    (val / "list.txt").write_text("".join(f"{p.id} {places[p.wnid]}\n" for p in found.photos))
    assert not open_set(str(val / "list.txt"), taxonomy=imagenet1k()).notes
    (val / "list.txt").unlink()
    shutil.copytree(val, tmp_path / "moved" / "n02437616")
    (note,) = open_set(str(tmp_path / "moved")).notes
    assert "another class for 3 of 4 photos" in note
    photo(val / "ILSVRC2012_val_00050001.JPEG")
    (with_stray,) = open_set(str(val)).notes
    assert "ILSVRC2012_val_00050001.JPEG has no class" in with_stray


LISTS: dict[str, bytes] = {
    "LOC_val_solution.csv": (
        b"ImageId,PredictionString\nA,n01440764 85 1 499 272 n01440764 1 1 9 9 \n"
        b"B,n02437616 1 1 9 9 \n"
    ),
    "ImageId_Class.csv": b"ImageId,Class\nA.JPEG,n01440764\nB.JPEG,n02437616\n",
    "without_endings.csv": b"image,wnid\nA,n01440764\nB,n02437616\n",
    "excel.csv": "\ufefffilename;label\r\nA.JPEG;n01440764\r\nB.JPEG;n02437616\r\n".encode(),
    "excel_unicode.txt": "file\tclass\r\nA.JPEG\tn01440764\r\nB.JPEG\tn02437616\r\n".encode(
        "utf-16"
    ),
    "val.txt": b"A.JPEG n01440764\nB.JPEG n02437616\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_read_as_it_is(tmp_path: Path, name: str) -> None:
    for image in ("A.JPEG", "B.JPEG"):
        photo(tmp_path / image)
    (tmp_path / name).write_bytes(LISTS[name])
    found = open_set(str(tmp_path / name))
    assert found.ids == ["A.JPEG", "B.JPEG"]
    assert classes_of(found) == ["n01440764", "n02437616"]
    # Who names the folder is told of the list.
    assert f"genset evaluate {tmp_path / name}" in refused(tmp_path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "lists no photos: it needs the columns image and wnid"),
        (b"image,wnid\nA.JPEG,n01440764\nA.JPEG,n01440764\n", "list.csv: A.JPEG is there twice"),
        (b"image,wnid\n,n01440764\n", "photo 1: there is no image"),
        (b"image,wnid\nA.JPEG\n", "photo 1: '' is not a class of ImageNet"),
        (b"image,wnid\nA.JPEG,cat\n", "photo 1: 'cat' is not a class of ImageNet"),
    ],
)
def test_what_is_wrong_in_a_list_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    photo(tmp_path / "A.JPEG")
    (tmp_path / "list.csv").write_bytes(content)
    assert problem in refused(tmp_path / "list.csv")


def numbered_list(folder: Path) -> Path:
    """As Caffe's val.txt."""
    for image in ("A.JPEG", "B.JPEG"):
        photo(folder / image)
    (folder / "val.txt").write_text("A.JPEG 0\nB.JPEG 10\n")
    return folder / "val.txt"


def numbered_folders(folder: Path) -> Path:
    """As ImageNetV2's, but two of them."""
    photo(folder / "0" / "a.jpeg")
    photo(folder / "10" / "b.jpeg")
    return folder


@pytest.mark.parametrize("writer", [numbered_list, numbered_folders])
def test_numbers_are_imagenets_only_where_somebody_says_so(
    tmp_path: Path, writer: Callable[[Path], Path]
) -> None:
    named = writer(tmp_path)
    line = refused(named)
    assert f"{named} has numbers for classes, and only 2 of them" in line
    assert "--taxonomy imagenet1k" in line
    found = open_set(str(named), taxonomy=imagenet1k())
    assert classes_of(found) == [imagenet1k().by_index(number).wnid for number in (0, 10)]


def test_imagenetv2_opens_as_it_comes(tmp_path: Path) -> None:
    """A thousand folders, 0 to 999: sorted as text, 10 would come before 2."""
    drawn = photo(tmp_path / "drawn.jpeg")
    for number in range(1000):
        (tmp_path / "v2" / str(number)).mkdir(parents=True)
        (tmp_path / "v2" / str(number) / "x.jpeg").hardlink_to(drawn)
    found = {photo.id: photo.wnid for photo in open_set(str(tmp_path / "v2")).photos}
    assert found == {f"{cls.index}/x.jpeg": cls.wnid for cls in imagenet1k()}


def test_of_two_facts_on_one_sample_the_wnid_counts(tmp_path: Path) -> None:
    for key, wnid in enumerate(["n01443537", "n01491361"]):
        photo(tmp_path / "in" / f"{key}.jpg")
        (tmp_path / "in" / f"{key}.cls").write_text(str(key))
        (tmp_path / "in" / f"{key}.json").write_text(json.dumps({"wnid": wnid}))
    pack = "tar --sort=name -cf own.tar -C in ."
    subprocess.run([pack], shell=True, cwd=tmp_path)
    assert classes_of(open_set(str(tmp_path / "own.tar"))) == ["n01443537", "n01491361"]
    for file, word, problem in (
        ("1.cls", "n01440764", "it has two classes, n01440764 and n01491361"),
        ("1.cls", "1", ""),
        ("1.json", '{"label": 1, "classname": "tiger shark, Galeocerdo cuvieri"}', ""),
        ("1.json", '{"label": 1, "name": "tiger shark"}', "'tiger shark' is not the class n014435"),
        ("1.json", '{"label": 2}', "it has two classes, 1 and 2"),
        ("1.json", '{"label": 1, "filename": "n01491361/n01491361_7.JPEG"}', ""),
        (
            "1.json",
            '{"wnid": "n01491361", "filename": "n01440764_7.JPEG"}',
            "two classes, n01491361",
        ),
        ("1.json", "{}", "has numbers for classes, and only 1 of them"),
        ("1.txt", "n01491361", ""),
    ):
        (tmp_path / "in" / file).write_text(word)
        if not word.startswith("{}"):
            (tmp_path / "in" / "0.json").write_text('{"synset": "n01443537"}')
        else:
            (tmp_path / "in" / "0.jpg").unlink()
        subprocess.run([pack], shell=True, cwd=tmp_path)
        if problem:
            assert problem in refused(tmp_path / "own.tar")
        else:
            assert classes_of(open_set(str(tmp_path / "own.tar")))[-1] == "n01491361"


def test_labels_that_contradict_the_folders_are_an_error(tmp_path: Path) -> None:
    photo(tmp_path / "photos" / "n01440764" / "a.jpg")
    (tmp_path / "list.csv").write_text("image,wnid\nphotos/n01440764/a.jpg,n01443537\n")
    (tmp_path / "photos" / "labels.csv").write_text("image,wnid\nn01440764/a.jpg,n01443537\n")
    for named in ("list.csv", "photos"):
        says = "n01440764/a.jpg is labeled n01443537, and lies in n01440764"
        assert says in refused(tmp_path / named)
    photo(tmp_path / "val" / "ILSVRC2012_val_00000293.JPEG")
    for label, problem in {"n01440764": "", "n01443537": "its number says n01440764"}.items():
        listed = f"ImageId,PredictionString\nILSVRC2012_val_00000293,{label} 1 1 9 9\n"
        (tmp_path / "val" / "LOC_val_solution.csv").write_text(listed)
        if problem:
            assert problem in refused(tmp_path / "val")
        else:
            assert classes_of(open_set(str(tmp_path / "val"))) == [label]
    for fine in ("image,wnid\nn01440764/a.jpg,0\n", "image,score\na.jpg,0.5\n"):
        (tmp_path / "photos" / "labels.csv").write_text(fine)
        found = open_set(str(tmp_path / "photos"))
        assert classes_of(found) == ["n01440764"]
    assert found.notes[0].startswith("not compared with the folders: labels.csv lists no photos")


# What people name of an archive as it unpacks: the photos in it, and what opens, by one more line.
ARCHIVES: dict[str, tuple[list[str], str]] = {
    "ILSVRC2012": (["train/n01440764/a.JPEG", "val/n01440764/a.JPEG", "meta.bin"], "val"),
    "kaggle": (
        [
            "ILSVRC/Data/CLS-LOC/train/n01440764/a.JPEG",
            "ILSVRC/Data/CLS-LOC/val/ILSVRC2012_val_00000293.JPEG",
            "ILSVRC/Annotations/CLS-LOC/val/ILSVRC2012_val_00000293.xml",
        ],
        "ILSVRC/Data/CLS-LOC/val",
    ),
    "ImageNet-Sketch": (["sketch/n01440764/sketch_0.JPEG"], "sketch"),
    "imagenet-a": (["n01440764/0.000116_digital clock _ digital clock_0.86.jpg", "README.txt"], ""),
    "imagenet-r": (["n01440764/art_0.jpg", "README.txt"], ""),
    "imagenette-160": (["train/n01440764/n01440764_1.JPEG", "val/n01440764/a.JPEG"], "val"),
    "fog": (["1/n01440764/a.JPEG", "2/n01440764/a.JPEG"], "1"),  # of ImageNet-C
    "imagewoof2-160": (
        ["train/n01440764/a.JPEG", "val/n01440764/a.JPEG", "noisy_imagewoof.csv", ".DS_Store"],
        "val",
    ),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_opens_as_it_unpacks_or_says_the_line_that_opens_it(
    tmp_path: Path, name: str
) -> None:
    files, part = ARCHIVES[name]
    for file in files:
        photo(tmp_path / name / file)
    root = tmp_path / name
    if part:
        assert refused(root).endswith(f"the one to score, as in genset evaluate {root / part}")
    assert classes_of(open_set(str(root / part))) == ["n01440764"]


def test_kaggles_list_opens_where_its_archive_has_it_and_a_packed_one_says_how_it_unpacks(
    tmp_path: Path,
) -> None:
    photo(tmp_path / "ILSVRC" / "Data" / "CLS-LOC" / "val" / "ILSVRC2012_val_00000293.JPEG")
    table = tmp_path / "LOC_val_solution.csv"
    table.write_text("ImageId,PredictionString\nILSVRC2012_val_00000293,n01440764 1 1 9 9 \n")
    found = open_set(str(table))
    assert (found.ids, found.listed) == (["ILSVRC2012_val_00000293.JPEG"], False)
    for tool, ending in {"unzip": "zip", "gunzip": "tar.gz", "unxz": "tar.xz"}.items():
        path = tmp_path / f"sketch.{ending}"
        path.touch()
        assert f"is packed: unpack it ({tool} {path})" in refused(path)


def objectnet(root: Path) -> Path:
    """Its photos are green within a border of one red pixel."""
    for folder in ("air_freshener", "alarm_clock", "backpack"):
        framed = Image.new("RGB", (42, 34), (255, 0, 0))
        framed.paste((0, 255, 0), (1, 1, 41, 33))
        (root / "images" / folder).mkdir(parents=True)
        framed.save(root / "images" / folder / "0a1b2c3d.png")
    pack = "backpack, back pack, knapsack, packsack, rucksack, haversack"
    to_imagenet = {"Alarm clock": "analog clock; digital clock", "Backpack": pack}
    mappings = {
        "folder_to_objectnet_label": {"alarm_clock": "Alarm clock", "backpack": "Backpack"},
        "objectnet_to_imagenet_1k": to_imagenet,
    }
    (root / "mappings").mkdir()
    for name, mapping in mappings.items():
        (root / "mappings" / f"{name}.json").write_text(json.dumps(mapping))
    return root


def test_of_objectnet_any_of_imagenets_classes_is_right(tmp_path: Path) -> None:
    root = objectnet(tmp_path / "objectnet-1.0")
    found = open_set(str(root))
    assert found.ids == ["alarm_clock/0a1b2c3d.png", "backpack/0a1b2c3d.png"]
    assert found.notes == ("The folder air_freshener is not a class of ImageNet, and is left out.",)
    assert opened(found.photos[0]).getcolors() == [(40 * 32, (0, 255, 0))]
    assert open_set(str(root / "images")).content_hash == found.content_hash
    wnids = [imagenet1k()[wnid] for wnid in ("n03196217", "n02769748")]  # digital clock, backpack
    runs = ["--runs", str(tmp_path / "runs"), "--json"]
    np.save(tmp_path / "answers.npy", np.eye(1000)[[cls.index for cls in wnids]])
    words = ["evaluate", str(root), "--model", f"predictions:{tmp_path}/answers.npy", *runs]
    done = CliRunner().invoke(cli, words)
    assert json.loads(done.stdout)["runs"][0]["top1"]["correct"] == 2, done.output
    done = CliRunner().invoke(cli, ["evaluate", str(root), "--model", colours(tmp_path), *runs])
    assert json.loads(done.stdout)["runs"][0]["top1"]["photos"] == 2, done.output
