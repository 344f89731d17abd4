"""Sets that a caller has in memory: of torchvision, of Hugging Face, or any that gives items.

A loader stands for its data set, in whose order photos are, however it shuffles. No library of
these is imported: what an object has says what it is.
"""

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from genset.core.errors import BadInput, first_line
from genset.core.pixels import eight_bit
from genset.models.preprocessing import numbers_of
from genset.sets.formats import is_photo_name
from genset.sets.hashes import HashStore
from genset.sets.layouts import hugging_face
from genset.sets.layouts.layout import Classes, Row, photo_set
from genset.sets.photos import PhotoSet

# Where an item that is a dictionary has its photo and its class.
_PHOTOS, _LABELS = ("pixel_values", "image", "img"), ("labels", "label")
_COLLATED = ("default", "default_collate", "default_convert")  # which change nothing
_TRIED = 8  # photos: of some, a flip by chance is the same twice
_NUMBERS = b"P6 # numbers\n"  # how a PPM begins that holds them


def photos_in_memory(data: Any, classes: Classes, names: Sequence[str] = ()) -> PhotoSet:
    """The photos of a data set or of a loader, in the data set's order.

    Args:
        data: a torch ``DataLoader``; a torchvision ``ImageFolder``; a Hugging Face ``Dataset``; a
            ``Subset`` of one; or any data set whose items are a photo (a Pillow image, or 3 x H x W
            floats as the network takes them) and the number or the name of its class.
        classes: which words are classes.
        names: what numbers stand for where the data set has no ``classes``; none: nothing.

    Raises:
        BadInput: it is none of these, or its items do not say their classes.
    """
    notes = []
    if getattr(getattr(data, "collate_fn", None), "__name__", "default") not in _COLLATED:
        notes.append("The loader's collate_fn is not used: photos and classes are its data set's.")
    data, items = _unwrapped(data)
    root, rows = Path(str(getattr(data, "root", type(data).__name__))), []
    names = getattr(data, "wnids", None) or getattr(data, "classes", None) or names
    names = [word if isinstance(word, str) else ", ".join(word) for word in names]
    transform, files = getattr(data, "transform", None), getattr(data, "samples", None)
    is_table = hasattr(data, "cast_column")  # Hugging Face's
    if any(_is_random(data, item) for item in items[:_TRIED]):
        raise BadInput(f"{root} gives another photo each time: leave out what is random in it")
    if is_table and data.format["type"] != "custom":
        rows = hugging_face.rows_in_memory(data.select(items), classes, names)
    elif isinstance(files, list) and files and is_photo_name(str(files[0][0])):
        if getattr(data, "target_transform", None) is not None:
            raise BadInput(
                f"{root} makes other labels of its classes: leave out its target_transform"
            )
        for path, label in (files[item] for item in items):
            image = Path(path).relative_to(root).as_posix()
            if not 0 <= label < len(names):
                raise BadInput(f"{root}: {image} is of class {label}, and there are {len(names)}")
            rows.append(Row(image, names[label], Path(path)))
    else:
        if is_table:  # with a transform of the caller's
            labels = next((data.features[word] for word in _LABELS if word in data.features), None)
            names = getattr(labels, "names", names)
        rows = [_row(data, item, names) for item in items]
        is_numbers = rows and Item(data, items[0]).read(root).startswith(_NUMBERS)
        transform = numbers_in if is_numbers else None
    photos = photo_set(
        root.name, root, rows, classes, HashStore(None, root), notes, by_class=is_table
    )
    return replace(photos, transform=transform)


def _unwrapped(data: Any) -> tuple[Any, Sequence[int]]:
    """The data set below loaders and subsets, and which of its items are meant.

    Raises:
        BadInput: it has no items that can be asked for, or a sampler draws one twice.
    """
    items: Sequence[int] | None = None
    if hasattr(data, "batch_sampler") and _has_items(data.dataset):
        # Of the last photos, which a shuffling loader may drop, others would be left out each time.
        batches = None if data.drop_last else data.batch_sampler
        items = sorted(chain.from_iterable(batches) if batches else data.sampler)
        if len(set(items)) < len(items):
            raise BadInput("the loader's sampler draws photos twice: give its data set instead")
        data = data.dataset
    while hasattr(data, "indices") and hasattr(data, "dataset"):  # a Subset
        items = [int(data.indices[item]) for item in items or range(len(data))]
        data = data.dataset
    if isinstance(data, Mapping) and data:
        names = ", ".join(map(str, data))
        raise BadInput(f"it has the splits {names}: give one, as in data[{next(iter(data))!r}]")
    if not _has_items(data):
        name = type(getattr(data, "dataset", data)).__name__
        raise BadInput(
            f"a set is a name, a path, a data set with items, or a DataLoader of one, not {name}"
        )
    return data, range(len(data)) if items is None else items


def _has_items(data: Any) -> bool:
    names = {kind.__name__ for kind in type(data).__mro__}
    none = {"IterableDataset", "IterableDatasetDict", "ndarray", "Tensor", "list", "tuple", "bytes"}
    return hasattr(data, "__getitem__") and hasattr(data, "__len__") and not names & none


# Any data set that gives items


@dataclass(frozen=True, slots=True)
class Item:
    """A photo that a data set gives when it is asked for one."""

    data: Any
    index: int

    def read(self, path: Path) -> bytes:
        """The photo as a PPM; of numbers, their shape and their bytes as one.

        Raises:
            OSError: the data set fails, or gives no photo.
        """
        try:
            return _encoded(_item(self.data, self.index)[0])
        except BadInput as error:
            raise OSError(str(error)) from None


def _row(data: Any, index: int, names: Sequence[str]) -> Row:
    photo, label = _item(data, index)
    try:
        word = label if isinstance(label, str) else str(int(label))
        word = names[int(label)] if names and not isinstance(label, str) else word
        sha256 = hashlib.sha256(_encoded(photo)).hexdigest()
    except (TypeError, ValueError, RuntimeError, IndexError):
        raise BadInput(f"item {index} of the data set has no class, but {label!r:.60}") from None
    return Row(f"{index:06}", word, Path(type(data).__name__), Item(data, index), sha256)


def _is_random(data: Any, index: int) -> bool:
    """Whether a data set gives another photo each time; one that cannot be read is said later."""
    try:
        return _encoded(_item(data, index)[0]) != _encoded(_item(data, index)[0])
    except BadInput:
        return False


def _item(data: Any, index: int) -> tuple[Any, Any]:
    try:
        found = data[index]
        if isinstance(found, Mapping):
            found = [next(found[name] for name in of if name in found) for of in (_PHOTOS, _LABELS)]
        return found[0], found[1]
    except Exception as error:  # noqa: BLE001 - it is the caller's code
        raise BadInput(
            f"item {index} of the data set is no photo with its class: {first_line(error)}"
        ) from None


def _encoded(photo: Any) -> bytes:
    if isinstance(photo, Image.Image):
        content = io.BytesIO()
        eight_bit(photo).convert("RGB").save(content, "PPM")
        return content.getvalue()
    numbers = numbers_of(photo)
    packed = np.asarray(numbers.shape, "<i4").tobytes() + numbers.tobytes()
    return _NUMBERS + b"%d 1\n255\n" % -(-len(packed) // 3) + packed + bytes(-len(packed) % 3)


def numbers_in(image: Image.Image) -> Any:
    """The numbers that `_encoded` made a photo of: C x H x W float32."""
    packed = image.tobytes()
    shape = np.frombuffer(packed[:12], "<i4")
    return np.frombuffer(packed[12 : 12 + 4 * int(shape.prod())], np.float32).reshape(shape)
