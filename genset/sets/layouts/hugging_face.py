"""A data set of Hugging Face: its folder, as on the hub or as save_to_disk wrote it, or its files.

Hugging Face's own library reads the files, the extra ``datasets``: what save_to_disk wrote where it
lies, Parquet once it is unpacked in the library's cache.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput, MissingExtra, first_line
from genset.core.junk import is_junk
from genset.models.huggingface.labels import in_sorted_order
from genset.sets.hashes import HashStore
from genset.sets.layouts.layout import Classes, Row, expanded, photo_set, set_name
from genset.sets.photos import Part, PhotoSet, Unreadable

_PHOTOS, _LABELS = ("image", "img", "jpg", "photo"), ("label", "labels", "wnid", "cls", "class")
_SPLITS, _STATE = "dataset_dict.json", "state.json"


def _is_folder(path: Path) -> bool:
    """Whether it is a folder with such files, or with ``data/*.parquet``."""
    if (path / _SPLITS).is_file() or (path / _STATE).is_file():
        return True
    return any(next(folder.glob("*.parquet"), None) for folder in (path, path / "data"))


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet | None:
    """The photos of all rows, in their order.

    Raises:
        BadInput: there are several splits, or no photos, or no labels that are classes.
        MissingExtra: the library is not installed.
    """
    root = Path(named)
    if not (_is_folder(root) if root.is_dir() else named.endswith((".parquet", ".arrow"))):
        return None
    store = HashStore(hashes, root)
    files = _only_split(root) if root.is_dir() else expanded(named)
    rows = [row for path in files for row in rows_of(path, root, store, classes)]
    name = root.resolve().name if root.is_dir() else set_name(named)
    return photo_set(name, root, rows, classes, store, by_class=True)


def wnids_in_order(names: Sequence[str], classes: Classes) -> Sequence[str]:
    """The wnids of names that stand in ImageNet's order; other names as they are.

    Of a list of all classes places say what names leave open ("crane" is two).
    """
    if classes.custom is not None or len(names) != len(classes.taxonomy):
        return names
    found = in_sorted_order(names)
    return [cls.wnid for cls in classes.taxonomy] if found or classes.named else names


def splits_of(folder: Path) -> dict[str, list[Path]]:
    """The files of a folder's splits, by the splits' names, which may be "" of a single one.

    Raises:
        BadInput: they are those of several data sets, or of a selection of rows.
    """
    if (folder / _SPLITS).is_file():
        saved = sorted(path.parent for path in folder.glob(f"*/{_STATE}"))
        return {split.name: files for split in saved for files in splits_of(split).values()}
    if (folder / _STATE).is_file():
        if any(folder.glob("indices*.arrow")):
            raise BadInput(f"{folder} is a selection: save it after flatten_indices()")
        return {"": sorted(folder.glob("data*.arrow"))}
    found: list[Path] = []
    for pattern in ("*.parquet", "data/*.parquet", "*/*.parquet"):
        found = found or sorted(p for p in folder.glob(pattern) if not is_junk(p.name))
    splits: dict[str, list[Path]] = {}
    for path in found:
        word = path.name.partition("-")[0].removesuffix(".parquet")
        is_number = word.isdigit()  # train/0000.parquet, as the hub converts data sets
        splits.setdefault(path.parent.name if is_number else word, []).append(path)
        if path.parents[is_number] != found[0].parents[is_number]:
            raise BadInput(f"{folder} holds several data sets: name one's folder, {path.parent}")
    return splits


def _only_split(folder: Path) -> list[Path]:
    """The files of a folder's only split.

    Raises:
        BadInput: there are several.
    """
    splits = splits_of(folder)
    first = next((name for name in ("validation", "val", "test") if name in splits), "")
    split, files = (first, splits[first]) if first else next(iter(splits.items()), ("", [folder]))
    if len(splits) == 1:
        return files
    one = f"'{files[0].parent}/{split}*.parquet'"
    if files[0].suffix != ".parquet":
        one = str(files[0].parent)
    names = ", ".join(splits)
    raise BadInput(
        f"{folder} has the splits {names}: name the one to score, as in genset evaluate {one}"
    )


def rows_of(path: Path, root: Path, store: HashStore, classes: Classes) -> list[Row]:
    """The rows of a file of the data set in `root`.

    Raises:
        BadInput: it cannot be read, or has no photos or no labels.
        MissingExtra: the library is not installed.
    """
    if find_spec("datasets") is None:
        raise MissingExtra("reading Hugging Face's data sets", "datasets")
    try:
        import datasets

        table = _table(path)
        features = dict(table.features)  # of a schema that does not say it, by the README
        for folder in dict.fromkeys((path.parent, path.parent.parent, root)):
            if (folder / "README.md").is_file():
                for info in datasets.info.DatasetInfosDict.from_directory(str(folder)).values():
                    features |= info.features or {}
                break
        photo, label, names = _columns(path, features)
        hashed = store.read(str(path), lambda _: _hashed(table, photo))
        names = wnids_in_order(names, classes)
        return _rows(path, table, label, names, hashed, RowPart(0, photo))
    except BadInput:
        raise
    except Exception as error:  # noqa: BLE001 - the library raises what it likes
        raise BadInput(f"{path} cannot be read: {first_line(error)}") from None


def rows_in_memory(data: Any, classes: Classes, by_number: Sequence[str] = ()) -> list[Row]:
    """The rows of a data set of the library's; numbers without names have those of `by_number`.

    Raises:
        BadInput: it has no photos or no labels.
    """
    path, table = Path(type(data).__name__), _undecoded(data.with_format(None))
    photo, label, names = _columns(path, table.features)
    names = wnids_in_order(names or by_number, classes)
    return _rows(path, table, label, names, _hashed(table, photo), RowPart(0, photo, table))


# One file's rows


@dataclass(frozen=True, slots=True)
class RowPart:
    """A photo in a table: its row, and the column of its bytes; the table, where it has no file."""

    number: int
    column: str
    table: Any = None

    def read(self, path: Path) -> bytes:
        """The photo's bytes.

        Raises:
            OSError: they cannot be read.
        """
        table = _table(path) if self.table is None else self.table
        content, _ = _photo(table, self.number, self.column)
        if content is None:
            raise OSError("the row has no bytes")
        return content


def _rows(
    path: Path,
    table: Any,
    label: str,
    names: Sequence[str],
    hashed: Sequence[tuple[str, str]],
    first: RowPart,
) -> list[Row]:
    labels = [_word(value, names) for value in table[label]]
    rows = []
    for number, (word, (name, sha256)) in enumerate(zip(labels, hashed, strict=True)):
        at: tuple[Path, Part | None] = path, replace(first, number=number)
        if not sha256:  # a row without bytes, but with a path: a file of its own
            at = (path.parent / name, None) if name else (path, Unreadable("the row has no image"))
        base = name.replace("\\", "/").rpartition("/")[2]
        rows.append(Row(base, word, *at, sha256, f"{path.stem}-{number:06}"))
    return rows


def _table(path: Path) -> Any:
    """The rows of a file, as the library reads them."""
    status = path.stat()
    return _opened(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _opened(path: Path, mtime: int, size: int) -> Any:
    import datasets

    shown = not datasets.utils.are_progress_bars_disabled()
    datasets.disable_progress_bars()  # genset has its own
    try:
        if path.suffix == ".arrow":
            return _undecoded(datasets.Dataset.from_file(str(path)))
        return _undecoded(datasets.Dataset.from_parquet(str(path)))
    finally:
        if shown:
            datasets.enable_progress_bars()


def _undecoded(table: Any) -> Any:
    import datasets

    for name, feature in table.features.items():
        if isinstance(feature, datasets.Image):
            table = table.cast_column(name, datasets.Image(decode=False))
    return table


def _columns(path: Path, features: Mapping[str, Any]) -> tuple[str, str, Sequence[str]]:
    """The columns of photos and of labels, and the names of the labels' numbers.

    Raises:
        BadInput: one is missing.
    """
    import datasets

    photo = _column(features, datasets.Image, _PHOTOS)
    label = _column(features, datasets.ClassLabel, _LABELS)
    if not photo or not label:
        raise BadInput(
            f"{path} needs a column of images and one of labels, such as image and label; it has "
            f"{', '.join(features)}"
        )
    named = features[label]
    return photo, label, named.names if isinstance(named, datasets.ClassLabel) else ()


def _column(features: Mapping[str, Any], kind: type, usual: Sequence[str]) -> str:
    """The column of this kind; of several, or of none, the one with a usual name."""
    of_kind = [name for name, feature in features.items() if isinstance(feature, kind)]
    if len(of_kind) == 1:
        return of_kind[0]
    return next((name for name in usual if name in (of_kind or features)), "")


def _word(label: Any, names: Sequence[str]) -> str:
    """A label's name, or its number where numbers have no names; "" for none."""
    if label is None or (isinstance(label, int) and label < 0):  # -1: a test set's
        return ""
    return names[label] if names and isinstance(label, int) else str(label)


def _photo(table: Any, number: int, column: str) -> tuple[bytes | None, str]:
    """A row's photo: its bytes, None where there are none, and the name of its file."""
    value = table[number][column]
    if isinstance(value, Mapping):
        return value.get("bytes"), str(value.get("path") or "")
    return value, ""


def _hashed(table: Any, column: str) -> list[tuple[str, str]]:
    """Each row's file name and its photo's sha256, "" for a row without bytes."""
    found = (_photo(table, number, column) for number in range(len(table)))
    return [
        (name, hashlib.sha256(content).hexdigest() if content else "") for content, name in found
    ]
