"""A data set of Hugging Face: its folder, as on the hub or as save_to_disk wrote it, or its files.

Hugging Face's own library reads the files, the extra ``datasets``: what save_to_disk wrote where it
lies, Parquet once it is unpacked in the library's cache. Where the columns of an export of genset's
own have all right classes, these are the set's truth.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput, MissingExtra, first_line
from genset.core.junk import is_junk
from genset.sets.hashes import HashStore
from genset.sets.layouts.layout import Classes, exclusions, expanded, is_number, set_name
from genset.sets.photos import Part, PhotoSet, ScoredPhoto, Unreadable, hash_of
from genset.sets.truths.truth import truth_of_export

# Of a list of all classes in ImageNet's order, so many at least have names that say so; the rest
# have names that two classes share ("crane"), or that were changed because of it ("crane2").
_PLAIN = 900

_PHOTOS, _LABELS = ("image", "img", "jpg", "photo"), ("label", "labels", "wnid", "cls", "class")
_LISTS, _PROPOSERS = ("labels_correct", "labels_unclear"), "label_proposers"
_SPLITS, _STATE = "dataset_dict.json", "state.json"


def takes(named: str, classes: Classes) -> bool:
    """Whether it is such a file, or a folder with such files or with ``data/*.parquet``."""
    path = Path(named)
    if not path.is_dir():
        return named.endswith((".parquet", ".arrow"))
    if (path / _SPLITS).is_file() or (path / _STATE).is_file():
        return True
    return any(next(folder.glob("*.parquet"), None) for folder in (path, path / "data"))


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos of all rows, in their order.

    Raises:
        BadInput: there are several splits, or no photos, or no labels that are classes.
        MissingExtra: the library is not installed.
    """
    root = Path(named)
    store = HashStore(hashes, root)
    files = _only_split(root) if root.is_dir() else expanded(named)
    rows = [row for path in files for row in rows_of(path, root, store, classes)]
    store.save()
    counted = [row for row in rows if row.wnid]
    strange = list(dict.fromkeys(row.label for row in rows if not row.wnid and row.label))
    none = f"is not a class of {classes.taxonomy_name}"
    if not counted:
        what = f"{strange[0]!r} {none}" if strange else "there are no labels"
        by = "wnids, or as ImageNet does (tench, Tinca tinca)"
        raise BadInput(f"{named}: {what}: name labels by {'ids' if classes.custom else by}")
    ids = [f"{row.wnid}/{row.name}" for row in counted]
    if not all(row.name for row in counted) or len(set(ids)) < len(ids):
        ids = [f"{row.wnid}/{row.number}" for row in counted]
    photos = tuple(
        ScoredPhoto(id, row.path, row.wnid, row.part, row.sha256)
        for id, row in zip(ids, counted, strict=True)
    )
    bare = [row.number for row in rows if not row.wnid and not row.label]
    several = none.replace("is not a class", "are not classes")
    name = root.resolve().name if root.is_dir() else set_name(named)
    return PhotoSet(
        name=name,
        root=root,
        content_hash=hash_of(photos),
        photos=photos,
        notes=(
            *exclusions(strange, none, several, "label"),
            *exclusions(bare, "has no label", "have no label", "row"),
        ),
        truth=truth_of_export(name, dict(zip(ids, (row.record for row in counted), strict=True))),
        custom_taxonomy=classes.custom,
    )


def wnids_of(names: Sequence[str], classes: Classes) -> list[str | None]:
    """The class of each label, None where its name is no class's.

    A name is a wnid, or all of the class's words as ImageNet lists them: "tench, Tinca tinca". One
    word alone is not guessed at, since many mean several things. Where 1,000 names stand in
    ImageNet's order, their places say what the names leave open. A class of another taxonomy is
    called as its folder would be.

    Args:
        names: of the labels, in the order of their numbers.
        classes: which words are classes.
    """
    taxonomy = classes.taxonomy
    if classes.custom is not None:
        return [classes.of_folder(name) for name in names]
    long_names = {cls.wnid: _plain(", ".join(cls.lemmas)) for cls in taxonomy}
    shared = Counter(long_names.values())
    by_name = {name: wnid for wnid, name in long_names.items() if shared[name] == 1}
    found = [name if name in classes else by_name.get(_plain(name)) for name in names]
    if len(names) == len(taxonomy):
        in_order = [cls.wnid for cls in taxonomy]
        right = [wnid == expected for wnid, expected in zip(found, in_order, strict=True) if wnid]
        if all(right) and len(right) >= _PLAIN:
            return list(in_order)
    return list(found)


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())


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
    split, files = next(iter(splits.items()), ("", [folder]))
    if len(splits) == 1:
        return files
    of_one = f"files, as in '{files[0].parent}/{split}*.parquet'"
    one = of_one if files[0].suffix == ".parquet" else "folder"
    raise BadInput(f"{folder} has the splits {', '.join(splits)}: name one's {one}")


def rows_of(path: Path, root: Path, store: HashStore, classes: Classes) -> "list[TableRow]":
    """The rows of a file of the data set in `root`.

    Raises:
        BadInput: it cannot be read, or has no photos or no labels.
        MissingExtra: the library is not installed.
    """
    if find_spec("datasets") is None:
        raise MissingExtra("reading Hugging Face's data sets", "datasets")
    try:
        return _rows(path, root, store, classes)
    except BadInput:
        raise
    except Exception as error:  # noqa: BLE001 - the library raises what it likes
        raise BadInput(f"{path} cannot be read: {first_line(error)}") from None


# One file's rows


@dataclass(frozen=True, slots=True)
class RowPart:
    """A photo in a table: its row, and the column of its bytes."""

    number: int
    column: str

    def read(self, path: Path) -> bytes:
        """The photo's bytes.

        Raises:
            OSError: they cannot be read.
        """
        content, _ = _photo(_table(path), self.number, self.column)
        if content is None:
            raise OSError("the row has no bytes")
        return content


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: its photo, its class if it is one of ImageNet's, and its label.

    Attributes:
        number: its file and row, which no other has.
        name: of the photo's file, "" if that is not kept.
        wnid: its class; "" if it is none.
        label: the label's name.
        path, part, sha256: as of a `ScoredPhoto`.
        record: what it says of all right classes, if anything.
    """

    number: str
    name: str
    wnid: str
    label: str
    path: Path
    part: Part | None
    sha256: str
    record: Mapping[str, Any]


def _rows(path: Path, root: Path, store: HashStore, classes: Classes) -> list[TableRow]:
    table = _table(path)
    photo, label, names = _columns(path, root, table)
    labels = [_word(value, names) for value in table[label]]
    if names or not all(is_number(word) for word in labels if word):
        known = names or sorted({word for word in labels if word})
        meant = dict(zip(known, wnids_of(known, classes), strict=True))
        wnids = [meant.get(word) or "" for word in labels]
    else:
        by_row = {f"row {number}": word for number, word in enumerate(labels) if word}
        numbered = classes.of_labels(by_row, str(path))
        wnids = [numbered.get(f"row {number}", "") for number in range(len(labels))]
    photos = store.read(str(path), lambda _: _hashed(table, photo))
    records = table.select_columns(
        [name for name in (*_LISTS, _PROPOSERS) if name in table.features]
    )
    rows = []
    for number, (word, wnid, (name, sha256)) in enumerate(zip(labels, wnids, photos, strict=True)):
        place: tuple[Path, Part | None, str] = path, RowPart(number, photo), sha256
        if not sha256 and name:  # a row without bytes, but with a path: a file of its own
            place = _separate_file(path.parent / name, store)
        elif not sha256:
            place = path, Unreadable("the row has no image"), ""
        base = name.replace("\\", "/").rpartition("/")[2]
        record = _record(records[number], names) if records.features else {}
        rows.append(TableRow(f"{path.stem}-{number:06}", base, wnid, word, *place, record))
    return rows


def _table(path: Path) -> Any:
    """The rows of a file, as the library reads them."""
    status = path.stat()
    return _opened(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _opened(path: Path, mtime: int, size: int) -> Any:
    import datasets

    if path.suffix == ".arrow":
        return _undecoded(datasets.Dataset.from_file(str(path)))
    return _undecoded(datasets.Dataset.from_parquet(str(path)))


def _undecoded(table: Any) -> Any:
    import datasets

    for name, feature in table.features.items():
        if isinstance(feature, datasets.Image):
            table = table.cast_column(name, datasets.Image(decode=False))
    return table


def _columns(path: Path, root: Path, table: Any) -> tuple[str, str, Sequence[str]]:
    """The columns of photos and of labels, and the names of the labels' numbers.

    Raises:
        BadInput: one is missing.
    """
    import datasets

    features = dict(table.features)
    for folder in dict.fromkeys((path.parent, path.parent.parent, root)):
        if (folder / "README.md").is_file():  # for a table of which the schema does not say it
            for info in datasets.info.DatasetInfosDict.from_directory(str(folder)).values():
                features |= info.features or {}
            break
    photo = _column(features, datasets.Image, _PHOTOS)
    label = _column(features, datasets.ClassLabel, _LABELS)
    if not photo or not label:
        raise BadInput(
            f"{path} needs a column of images and one of labels, such as image and label; it has "
            f"{', '.join(table.column_names)}"
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


def _record(row: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    """What a row says of all right classes: wnids by their places in the label's list of names."""
    found: dict[str, Any] = {}
    for what, value in row.items():
        if what == _PROPOSERS:
            try:
                found[what] = json.loads(value or "{}")
            except (TypeError, ValueError, RecursionError):
                continue
        elif isinstance(value, list):
            found[what] = [
                names[label] if isinstance(label, int) and 0 <= label < len(names) else label
                for label in value
            ]
    return found


def _separate_file(path: Path, store: HashStore) -> tuple[Path, Part | None, str]:
    """A photo of which only the path is kept."""
    try:
        return path, None, store.sha256(path)
    except OSError:
        return path, None, ""
