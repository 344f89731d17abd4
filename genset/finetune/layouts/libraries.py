"""Data sets in the forms of libraries: Hugging Face's `datasets`, and torchvision's own classes."""

import inspect
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Integral
from pathlib import Path
from typing import Any

from genset.classes import imagenet1k
from genset.core.errors import BadInput, first_line
from genset.finetune.layouts.listing import Layout, Listing, Place, Row, listing_of
from genset.sets.hashes import HashStore
from genset.sets.layouts.hugging_face import rows_of, splits_of
from genset.sets.layouts.layout import Classes


def _listed(data: Path, photos: Sequence[tuple[Row, Place]], split: str) -> Listing:
    """A listing of photos where they are."""
    listing = listing_of(data, (row for row, _ in photos))
    split = listing.split and f"{split}, {listing.split}"
    return replace(listing, split=split, places={row[0]: place for row, place in photos})


# Hugging Face


def _hugging_face(data: Path, variant: str) -> Listing:
    """Parquet files as on the hub, or what save_to_disk wrote; labels are a ClassLabel or text."""
    photos: list[tuple[Row, Place]] = []
    excluded = {}
    store, classes = HashStore(None, data), Classes(imagenet1k())  # no row needs to be of these
    splits = splits_of(data)
    if not splits:
        raise BadInput(f"{data} holds no such data set. {HUGGING_FACE.described}")
    for part, files in splits.items():
        for row in (row for path in files for row in rows_of(path, data, store, classes)):
            id = f"{part or 'photos'}/{row.number}"
            if row.label:
                photos.append(((id, row.label, part), (row.path, row.part)))
            else:
                excluded[id] = "it has no label"
    return replace(_listed(data, photos, "its own"), excluded=excluded)


HUGGING_FACE = Layout(
    "hugging-face",
    "hugging-face: images and labels of Hugging Face's datasets, in Parquet files as on the hub, "
    "or as save_to_disk writes them",
    _hugging_face,
    by_folder=True,
)


# torchvision

Options = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A photo that a class of torchvision makes, whatever of: as a PNG."""

    name: str
    options: Options
    index: int

    def read(self, path: Path) -> bytes:
        """The PNG of the data set's photo; `path` is the data set's root."""
        file = io.BytesIO()
        _made(path, self.name, self.options)[self.index][0].save(file, "png", compress_level=1)
        return file.getvalue()


@lru_cache(maxsize=4)
def _made(root: Path, name: str, options: Options) -> Any:
    """The data set."""
    from torchvision import datasets

    return getattr(datasets, name)(root, **dict(options))


def _torchvision(data: Path, variant: str) -> Listing:
    """What one of torchvision's classes reads; photos that are files of their own stay these."""
    try:
        return _listed(data, list(_photos(data, variant)), "official")
    except BadInput:
        raise
    except Exception as error:  # noqa: BLE001 - each class raises what it likes
        why = first_line(error)
        raise BadInput(f"torchvision's {variant} in {data}: {why}") from None


def _photos(data: Path, variant: str) -> Iterator[tuple[Row, Place]]:
    for part, options in _parts(data, variant).items():
        found = _made(data, variant, options)
        names = getattr(found, "classes", None) or getattr(found, "categories", ())
        for index in range(len(found)):
            sample, label = found[index]
            if not isinstance(label, Integral):
                raise BadInput(f"torchvision's {variant} has no classes, but {label!r:.40}")
            name = names[label] if names else f"{label}"
            id = f"{part or 'photos'}/{index:06}"
            place: Place = (data, Item(variant, options, index))
            if isinstance(sample, Path):
                id, place = sample.relative_to(data).as_posix(), (sample, None)
            yield (id, name if isinstance(name, str) else ", ".join(name), part), place


def _parts(data: Path, name: str) -> dict[str, Options]:
    """The parts that a class of torchvision's has, and what it takes for each."""
    from torchvision import datasets

    kind = getattr(datasets, name, None)
    takes = inspect.signature(kind).parameters if isinstance(kind, type) else {}
    if "root" not in takes:
        raise BadInput(f"torchvision has no data set {name!r}. {TORCHVISION.described}")
    options: Options = (("loader", Path),) if "loader" in takes else ()  # the path is the photo
    if "train" in takes:
        return {part: (*options, ("train", part == "train")) for part in ("train", "test")}
    if "split" not in takes:
        return {"": options}
    parts = {}
    for part in ("trainval", "train", "val", "valid", "test"):
        if "trainval" in parts and part in ("train", "val"):
            continue
        try:
            _made(data, name, (*options, ("split", part)))
        except ValueError as error:
            if "for argument split" in str(error):
                continue
            raise
        parts[part] = (*options, ("split", part))
    return parts


TORCHVISION = Layout(
    "torchvision",
    "torchvision: a data set as its class in torchvision.datasets reads it in DIR, its root, as in "
    "torchvision:CIFAR10",
    _torchvision,
    variants=("",),
)
