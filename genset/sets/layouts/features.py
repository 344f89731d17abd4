"""Which columns of a table are photos and labels, and what the labels' numbers mean.

Hugging Face's library says it in the files' schema; on the hub, a README.md says it too.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from msgspec import field

from genset.core.errors import BadInput
from genset.core.validation import Record, check_parts

T = TypeVar("T")

_PHOTOS = ("image", "img", "jpg", "photo")
_LABELS = ("label", "labels", "wnid", "cls", "class")
_LONGEST = 2**24  # bytes of a README


Names = tuple[str, ...] | dict[str, str]


class _Shown(Record, frozen=True, forbid_unknown_fields=False):
    """An object of a schema or a README; keys that it does not name are passed over."""


class Feature(_Shown, frozen=True):
    """A column of a schema: ``{"_type": "ClassLabel", "names": ["tench", ...]}``."""

    kind: str = field(name="_type", default="")
    names: Names = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the numbers from 0 on; in a README by number: ``'0': tench``."""
        if isinstance(self.names, tuple):
            return self.names
        if not all(re.fullmatch("[0-9]{1,9}", number) for number in self.names):
            return ()
        return tuple(self.names[number] for number in sorted(self.names, key=int))


class Info(_Shown, frozen=True):
    """A dataset_info.json, or what a schema has as ``info``: columns by their names."""

    features: dict[str, Any]


class Schema(_Shown, frozen=True):
    """What a Parquet or Arrow file keeps as ``huggingface``."""

    info: Info


class CardLabel(_Shown, frozen=True):
    """The names of a label's numbers in a README."""

    names: Names = ()


class CardType(_Shown, frozen=True):
    """The type of a column of labels in a README."""

    class_label: CardLabel


class CardColumn(_Shown, frozen=True):
    """A column in a README: ``{name: image, dtype: image}``."""

    name: str
    dtype: str | CardType


class CardInfo(_Shown, frozen=True):
    """The columns that a README describes."""

    features: tuple[CardColumn, ...]


class Card(_Shown, frozen=True):
    """The YAML of a README; of several configurations, the first counts."""

    dataset_info: CardInfo | tuple[CardInfo, ...]


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

    features = _of_metadata(schema.metadata or {})
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
    names = features[label].labels if label in features else ()
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
    columns: Sequence[str], features: Mapping[str, Feature], kind: str, usual: Sequence[str]
) -> str:
    """The column of this kind; of several, or without features, the one with a usual name."""
    of_kind = [name for name in columns if name in features and features[name].kind == kind]
    if len(of_kind) == 1:
        return of_kind[0]
    return next((name for name in usual if name in (of_kind or columns)), "")


def _of_metadata(metadata: Mapping[bytes, bytes]) -> dict[str, Feature]:
    found = _read(_parsed(metadata.get(b"huggingface", b"")), Schema)
    return _features(found.info) if found else {}


def _of_card(path: Path) -> dict[str, Feature]:
    """The features that a README.md or a dataset_info.json describes, by their columns."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_LONGEST)
    except (OSError, ValueError):
        return {}
    if path.suffix == ".json":
        info = _read(_parsed(text), Info)
        return _features(info) if info else {}
    card = _read(_front_matter(text), Card)
    if card is None:
        return {}
    infos = card.dataset_info if isinstance(card.dataset_info, tuple) else (card.dataset_info,)
    return {column.name: _of_yaml(column.dtype) for info in infos[:1] for column in info.features}


def _parsed(text: str | bytes) -> Any:
    """What a JSON text says; None for what is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read(document: Any, kind: type[T]) -> T | None:
    """What a document says of this type; None where it says something else."""
    try:
        return check_parts(document, kind, "features")
    except BadInput:
        return None


def _features(info: Info) -> dict[str, Feature]:
    """The columns; those of other forms (lists, sequences) are of no kind that is looked for."""
    found = {name: _read(value, Feature) for name, value in info.features.items()}
    return {name: feature for name, feature in found.items() if feature}


def _of_yaml(dtype: str | CardType) -> Feature:
    if isinstance(dtype, CardType):
        return Feature(kind="ClassLabel", names=dtype.class_label.names)
    return Feature(kind="Image" if dtype == "image" else "")


def _front_matter(text: str) -> Any:
    """The YAML between the first two lines of dashes. timm brings PyYAML."""
    if not text.startswith("---") or find_spec("yaml") is None:
        return None
    import yaml

    try:
        return yaml.safe_load(text.split("\n---", 1)[0].removeprefix("---"))
    except yaml.YAMLError:
        return None
