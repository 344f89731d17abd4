"""Which columns of a table are photos and labels, and what the labels' numbers mean.

Hugging Face's library says it in the files' schema; on the hub, a README.md says it too.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput

_PHOTOS = ("image", "img", "jpg", "photo")
_LABELS = ("label", "labels", "wnid", "cls", "class")
_LONGEST = 2**24  # bytes of a README


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that a set is made of.

    Attributes:
        photo, label: their names.
        encoded: the column of the photo's bytes: "image.bytes", or "image" itself.
        named: the column of the photo's file name; "" if there is none.
        names: of the labels' numbers, in order; empty where labels are names themselves.
    """

    photo: str
    label: str
    encoded: str
    named: str
    names: tuple[str, ...]


def columns_of(path: Path, schema: Any, cards: Sequence[Path]) -> Columns:
    """The columns of a table.

    Args:
        path: of the table, for errors.
        schema: its pyarrow.Schema.
        cards: files that may describe it, README.md or dataset_info.json.

    Raises:
        BadInput: there is no column of photos, or of labels, or numbers without names.
    """
    import pyarrow as pa

    features = _of_metadata(schema.metadata or {}) or {}
    for card in () if features else cards:
        features = _of_card(card)
        if features:
            break
    photo = _named(schema.names, features, "Image", _PHOTOS)
    label = _named(schema.names, features, "ClassLabel", _LABELS)
    if not photo or not label:
        raise BadInput(
            f"{path} needs a column of images and one of labels, such as image and label; it has "
            f"{', '.join(schema.names)}"
        )
    names = _names(features.get(label))
    if not names and not _is_text(schema.field(label).type):
        raise BadInput(
            f"{path}: the numbers of {label} have no names: keep it with its ClassLabel's names, "
            "or write the wnids as text"
        )
    kind = schema.field(photo).type
    if pa.types.is_struct(kind):
        fields = {field.name for field in kind}
        if "bytes" in fields:
            path_field = f"{photo}.path" if "path" in fields else ""
            return Columns(photo, label, f"{photo}.bytes", path_field, names)
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return Columns(photo, label, photo, "", names)
    raise BadInput(f"{path}: {photo} is no column of encoded images (bytes and path)")


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner))


def _named(
    columns: Sequence[str], features: Mapping[str, Any], kind: str, usual: Sequence[str]
) -> str:
    """The column of this kind; of several, or without features, the one with a usual name."""
    of_kind = [
        name
        for name in columns
        if isinstance(features.get(name), dict) and features[name].get("_type") == kind
    ]
    if len(of_kind) == 1:
        return of_kind[0]
    return next((name for name in usual if name in (of_kind or columns)), "")


def _names(feature: Any) -> tuple[str, ...]:
    names = feature.get("names") if isinstance(feature, dict) else None
    if isinstance(names, dict):  # of a README: '0': tench
        try:
            names = [names[key] for key in sorted(names, key=int)]
        except (TypeError, ValueError):
            names = None
    return tuple(map(str, names)) if isinstance(names, list) else ()


def _of_metadata(metadata: Mapping[bytes, bytes]) -> Mapping[str, Any]:
    try:
        found = json.loads(metadata[b"huggingface"])["info"]["features"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _of_card(path: Path) -> Mapping[str, Any]:
    """The features that a README.md or a dataset_info.json describes, by their columns."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LONGEST)
        if path.suffix == ".json":
            found = json.loads(text).get("features")
            return found if isinstance(found, dict) else {}
        info = _front_matter(text).get("dataset_info")
        first = info[0] if isinstance(info, list) else info
        listed = first.get("features") if isinstance(first, dict) else None
        return {feature["name"]: _of_yaml(feature.get("dtype")) for feature in listed or ()}
    except (OSError, ValueError, AttributeError, KeyError, TypeError, IndexError, RecursionError):
        return {}


def _of_yaml(dtype: Any) -> dict[str, Any]:
    if dtype == "image":
        return {"_type": "Image"}
    if isinstance(dtype, dict) and isinstance(dtype.get("class_label"), dict):
        return {"_type": "ClassLabel", "names": dtype["class_label"].get("names")}
    return {}


def _front_matter(text: str) -> dict[str, Any]:
    """The YAML between the first two lines of dashes. timm brings PyYAML."""
    if not text.startswith("---") or find_spec("yaml") is None:
        return {}
    import yaml

    try:
        found = yaml.safe_load(text.split("\n---", 1)[0].removeprefix("---"))
    except yaml.YAMLError:
        return {}
    return found if isinstance(found, dict) else {}
