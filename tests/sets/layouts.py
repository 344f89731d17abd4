"""The same photos in every layout, each written by the program that people write it with."""

import csv
import subprocess
from collections.abc import Callable
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest
import webdataset

from genset.classes import imagenet1k
from genset.core.errors import BadInput
from genset.sets.open import open_set

# The photos that are written: folders of classes, as `genset evaluate` always took them.
Photos = Path

Writer = Callable[[Photos, Path], str]
"""Writes the photos in a layout into a folder; returns the set's name there."""


def photos_of(photos: Photos) -> list[Path]:
    """The photos, in the order of their ids."""
    return sorted(photos.glob("n*/*"))


def flat(photos: Photos, place: Path) -> str:
    """All photos in one folder, with a table, as ImageNet's val/."""
    (place / "val").mkdir()
    with (place / "val" / "labels.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["image", "wnid"])
        for path in photos_of(photos):
            (place / "val" / path.name).write_bytes(path.read_bytes())
            table.writerow([path.name, path.parent.name])
    return "val/labels.csv"


def flat_folder(photos: Photos, place: Path) -> str:
    """The same, named by its folder."""
    flat(photos, place)
    return "val"


def tar_of_folders(photos: Photos, place: Path) -> str:
    """The folder itself, by tar."""
    tar = ["tar", "-cf", str(place / "photos.tar"), "-C", str(photos.parent), photos.name]
    subprocess.run(tar, check=True)
    return "photos.tar"


def tar_of_table(photos: Photos, place: Path) -> str:
    """The flat folder, by tar."""
    flat(photos, place)
    subprocess.run(["tar", "-cf", "val.tar", "-C", "val", "."], cwd=place, check=True)
    return "val.tar"


def tar_beside_table(photos: Photos, place: Path) -> str:
    """A tar of photos alone, as ILSVRC2012_img_val.tar, and a table beside it."""
    flat(photos, place)
    (place / "val" / "labels.csv").rename(place / "labels.csv")
    subprocess.run(["tar -cf val.tar -C val $(ls val)"], shell=True, cwd=place, check=True)
    return "val.tar"


def shards_of_numbers(photos: Photos, place: Path) -> str:
    """WebDataset's shards: jpg and cls, a number."""
    return _shards(photos, place, lambda wnid: {"cls": imagenet1k()[wnid].index})


def shards_of_wnids(photos: Photos, place: Path) -> str:
    """WebDataset's shards: jpg and json."""
    return _shards(photos, place, lambda wnid: {"json": {"wnid": wnid, "width": 48}})


def _shards(photos: Photos, place: Path, label: Callable[[str], dict[str, object]]) -> str:
    writer = webdataset.ShardWriter(str(place / "shards-%03d.tar"), maxcount=3, verbose=0)
    with writer as shards:
        for path in photos_of(photos):
            key = f"{path.parent.name}/{path.stem}"
            ending = path.suffix.removeprefix(".")
            shards.write({"__key__": key, ending: path.read_bytes(), **label(path.parent.name)})
    last = len(list(place.glob("shards-*.tar"))) - 1
    return f"shards-{{000..{last:03}}}.tar"


def data_set(photos: Photos, names: Callable[[str], str] = str) -> "datasets.Dataset":
    """The photos in Hugging Face's library; `names` gives a class's name in it."""
    paths = photos_of(photos)
    classes = sorted({path.parent.name for path in paths})
    features = datasets.Features(
        image=datasets.Image(), label=datasets.ClassLabel(names=list(map(names, classes)))
    )
    columns = {
        "image": [{"bytes": path.read_bytes(), "path": path.name} for path in paths],
        "label": [classes.index(path.parent.name) for path in paths],
    }
    return datasets.Dataset.from_dict(columns, features=features)


def long_name(wnid: str) -> str:
    """As ImageNet calls a class: "tench, Tinca tinca"."""
    return ", ".join(imagenet1k()[wnid].lemmas)


def parquet(photos: Photos, place: Path) -> str:
    """One Parquet file with ImageNet's names, in row groups of two."""
    data_set(photos, long_name).to_parquet(place / "photos.parquet", batch_size=2)
    return "photos.parquet"


def hub_folder(photos: Photos, place: Path) -> str:
    """A folder as on the hub: data/*.parquet, and a README.md with the names."""
    found = data_set(photos, long_name)
    half = len(found) // 2
    (place / "mine" / "data").mkdir(parents=True)
    for number, rows in enumerate([range(half), range(half, len(found))]):
        name = f"test-{number:05}-of-00002.parquet"
        found.select(rows).to_parquet(place / "mine" / "data" / name)
        # Others write Parquet without the library's own lines in its schema.
        table = pq.read_table(place / "mine" / "data" / name)
        pq.write_table(table.replace_schema_metadata(None), place / "mine" / "data" / name)
    info = datasets.DatasetInfo(features=found.features)
    datasets.info.DatasetInfosDict({"default": info}).write_to_directory(str(place / "mine"))
    return "mine"


def saved_to_disk(photos: Photos, place: Path) -> str:
    """What save_to_disk writes, in two files."""
    data_set(photos).save_to_disk(place / "saved", num_shards=2)
    return "saved"


def folders(photos: Photos, place: Path) -> str:
    """The folder itself."""
    return str(photos)


def refused(named: object) -> str:
    """Why no set opens there."""
    with pytest.raises(BadInput) as error:
        open_set(str(named))
    return str(error.value)
