"""ObjectNet as its archive unpacks: ``images/<class>/*.png`` beside ``mappings/``.

Of its 313 classes 113 are ImageNet's, some of them several of ImageNet's at once: an alarm clock is
an analog clock or a digital clock. These are the set's own classes, and the other photos are left
out. The border of one red pixel, by which each photo can be told, is cropped, as the benchmark
says. Its own rule, that any of the classes may be the first answer, is ``--pool max``.

Source: Barbu et al., "ObjectNet: A large-scale bias-controlled dataset for pushing the limits of
object recognition models", 2019.
"""

import hashlib
import io
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from genset.classes import ImageClass, Taxonomy
from genset.core.errors import BadInput
from genset.sets.formats import BROKEN, is_photo_name
from genset.sets.hashes import HashStore
from genset.sets.layouts.layout import Classes, Row, names_in, photo_set
from genset.sets.photos import PhotoSet

_TO_IMAGENET = "objectnet_to_imagenet_1k.json"


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet | None:
    """The photos of the classes that ImageNet has, in the order of their ids.

    Raises:
        BadInput: its mappings cannot be read.
    """
    path = Path(named)
    root = path.parent if path.name == "images" else path
    if not (root / "mappings" / _TO_IMAGENET).is_file() or classes.custom:
        return None
    taxonomy = _taxonomy(root / "mappings", classes)
    store = HashStore(hashes, root)
    folders = [name for name in names_in(root / "images") if (root / "images" / name).is_dir()]
    rows = [
        Row(f"{folder}/{name}", folder, path, WithoutBorder(), store.read(str(path), _sha256))
        for folder in folders
        if folder in taxonomy
        for name in names_in(root / "images" / folder)
        if is_photo_name(name) and (path := root / "images" / folder / name)
    ]
    notes = classes.strangers([name for name in folders if name not in taxonomy], "folder")
    return photo_set(root.resolve().name, root, rows, Classes(taxonomy), store, notes)


def _taxonomy(mappings: Path, classes: Classes) -> Taxonomy:
    """The classes that ImageNet has, by their folders, with those of ImageNet's that each holds."""
    try:
        labels = json.loads((mappings / "folder_to_objectnet_label.json").read_text("utf-8"))
        names = json.loads((mappings / _TO_IMAGENET).read_text("utf-8"))
        imagenet = {
            folder: tuple(filter(None, map(classes.find, names[label].split("; "))))
            for folder, label in labels.items()
            if label in names
        }
    except (OSError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise BadInput(f"the mappings of ObjectNet in {mappings} cannot be read: {error}") from None
    return Taxonomy(
        [
            ImageClass(index, folder, (labels[folder],), "", (), (), imagenet=wnids)
            for index, (folder, wnids) in enumerate(sorted(imagenet.items()))
        ],
        dict.fromkeys(imagenet, ()),
        "ObjectNet",
    )


@dataclass(frozen=True, slots=True)
class WithoutBorder:
    """All of a photo but the outermost pixels."""

    def read(self, path: Path) -> bytes:
        """The photo, as a PPM.

        Raises:
            OSError: it cannot be read.
        """
        try:
            with Image.open(path) as image:
                inside = image.convert("RGB").crop((1, 1, image.width - 1, image.height - 1))
        except BROKEN as error:
            raise OSError(str(error)) from None
        content = io.BytesIO()
        inside.save(content, "PPM")
        return content.getvalue()


def _sha256(path: str) -> str:
    """Of the photo's bytes without its border; "" where it cannot be read."""
    with suppress(OSError):
        return hashlib.sha256(WithoutBorder().read(Path(path))).hexdigest()
    return ""
