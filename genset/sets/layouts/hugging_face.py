"""A data set of Hugging Face: its folder, as on the hub or as save_to_disk wrote it, or its files.

A column holds the encoded photos, another their labels with the names of a ClassLabel. Where the
columns of an export of genset's own have all right classes, these are the set's truth.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import field

from genset.core.errors import BadInput, MissingExtra, first_line
from genset.core.validation import Record, read_json
from genset.sets.hashes import HashStore
from genset.sets.layouts import arrow, parquet
from genset.sets.layouts.features import Columns, columns_of
from genset.sets.layouts.layout import Classes, exclusions, expanded, set_name
from genset.sets.photos import Part, PhotoSet, ScoredPhoto, Slice, Unreadable, hash_of
from genset.sets.truths.truth import truth_of_export

# Of a list of all classes in ImageNet's order, so many at least have names that say so; the rest
# have names that two classes share ("crane"), or that were changed because of it ("crane2").
_PLAIN = 900


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


_ENDINGS = (".parquet", ".arrow")
_LISTS, _PROPOSERS = ("labels_correct", "labels_unclear"), "label_proposers"
_SPLITS, _STATE = "dataset_dict.json", "state.json"


def takes(named: str, classes: Classes) -> bool:
    """Whether it is such a file, or a folder with such files or with ``data/*.parquet``."""
    path = Path(named)
    if not path.is_dir():
        return named.endswith(_ENDINGS)
    if (path / _SPLITS).is_file() or (path / _STATE).is_file():
        return True
    return any(next(folder.glob("*.parquet"), None) for folder in (path, path / "data"))


def read(named: str, classes: Classes, hashes: Path | None) -> PhotoSet:
    """The photos of all rows, in their order.

    Raises:
        BadInput: there are several splits, or no photos, or no labels that are classes.
        MissingExtra: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtra("reading Parquet", "evaluate")
    root = Path(named)
    files = _files(root) if root.is_dir() else expanded(named)
    store = HashStore(hashes, root)
    rows: list[_Row] = []
    for path in files:
        try:
            rows += _rows(path, root, store, classes)
        except (OSError, ValueError, KeyError) as error:  # pyarrow's are among them
            raise BadInput(f"{path} cannot be read: {first_line(error)}") from None
    store.save()
    counted = [row for row in rows if row.wnid]
    strange = list(dict.fromkeys(row.label for row in rows if not row.wnid and row.label))
    if not counted:
        none = f"is not a class of {classes.taxonomy_name}"
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
    notes = (
        *exclusions(
            strange,
            f"is not a class of {classes.taxonomy_name}",
            f"are not classes of {classes.taxonomy_name}",
            "label",
        ),
        *exclusions(bare, "has no label", "have no label", "row"),
    )
    name = root.resolve().name if root.is_dir() else set_name(named)
    records = {id: row.record for id, row in zip(ids, counted, strict=True)}
    truth = truth_of_export(name, records)
    return PhotoSet(
        name=name,
        root=root,
        content_hash=hash_of(photos),
        photos=photos,
        notes=notes,
        truth=truth,
        custom_taxonomy=classes.custom,
    )


class DataFile(Record, frozen=True, forbid_unknown_fields=False):
    """A file of a saved data set."""

    filename: str


class State(Record, frozen=True, forbid_unknown_fields=False):
    """A state.json: ``{"_data_files": [{"filename": "data-00000-of-00001.arrow"}], ...}``."""

    files: tuple[DataFile, ...] = field(name="_data_files")
    indices: Any = field(name="_indices_data_files", default=None)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row: its photo, and its class or, where it is none of ImageNet's, its label.

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


def _files(folder: Path) -> list[Path]:
    """The files of a folder's only split.

    Raises:
        BadInput: there are several.
    """
    if (folder / _SPLITS).is_file():
        splits = sorted(path.parent.name for path in folder.glob(f"*/{_STATE}"))
        if len(splits) != 1:
            raise BadInput(f"{folder} has the splits {', '.join(splits)}: name one's folder")
        return _files(folder / splits[0])
    if (folder / _STATE).is_file():
        state = read_json(folder / _STATE, State)
        if state.indices:
            raise BadInput(f"{folder} is a selection: save it after flatten_indices()")
        return [folder / Path(file.filename).name for file in state.files]
    found = sorted(folder.glob("*.parquet")) or sorted((folder / "data").glob("*.parquet"))
    splits = sorted({path.name.partition("-")[0].removesuffix(".parquet") for path in found})
    if len(splits) != 1:
        raise BadInput(
            f"{folder} has the splits {', '.join(splits)}: name one's files, as in "
            f"'{found[0].parent}/{splits[0]}*.parquet'"
        )
    return found


def _rows(path: Path, root: Path, store: HashStore, classes: Classes) -> list[_Row]:
    """The rows of a file."""
    module = arrow if path.suffix == ".arrow" else parquet
    folders = dict.fromkeys((path.parent, path.parent.parent, root))
    cards = [folder / name for folder in folders for name in ("dataset_info.json", "README.md")]
    schema = module.schema_of(path)
    columns = columns_of(path, schema, cards)
    needed = [columns.label, *filter(None, [columns.named])]
    labels, *named = module.values_of(path, needed)
    names = named[0] if named else [None] * len(labels)
    parts = _parts(path, columns, store)
    meaning = _meaning(columns, labels, classes)
    further = [part for part in (*_LISTS, _PROPOSERS) if part in schema.names]
    values = module.values_of(path, further) if _LISTS[0] in further else []
    rows = []
    for number, (label, name, part) in enumerate(zip(labels, names, parts, strict=True)):
        wnid, word = meaning(label)
        base = str(name or "").replace("\\", "/").rpartition("/")[2]
        # Where a row has no bytes, but a path, the photo is a file of its own.
        found = (path, *part) if part[1] or not name else _separate_file(path, str(name), store)
        row = {what: column[number] for what, column in zip(further, values, strict=False)}
        record = _record(row, columns.names)
        rows.append(_Row(f"{path.stem}-{number:06}", base, wnid, word, *found, record))
    return rows


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


def _parts(path: Path, columns: Columns, store: HashStore) -> list[tuple[Part, str]]:
    """Of each row, the part of the file that its photo is, and the photo's hash."""
    missing = Unreadable("the row has no image")
    column = columns.encoded
    if path.suffix == ".arrow":
        spans = store.read(str(path), lambda _: arrow.spans_of(path, column))
        return [
            (Slice(offset, size) if size else missing, sha256) for offset, size, sha256 in spans
        ]
    hashes = store.read(str(path), lambda _: parquet.hashes_of(path, column))
    return list(zip(parquet.rows_of(path, column), hashes, strict=True))


def _separate_file(table: Path, name: str, store: HashStore) -> tuple[Path, Part | None, str]:
    """A photo of which only the path is kept."""
    path = table.parent / name
    try:
        return path, None, store.sha256(path)
    except OSError:
        return path, None, ""


def _meaning(
    columns: Columns, labels: Sequence[Any], classes: Classes
) -> Callable[[Any], tuple[str, str]]:
    """What gives the class of a label, "" for none, and the label's name."""
    names = columns.names or tuple(sorted({str(label) for label in labels if label is not None}))
    wnids = dict(zip(names, wnids_of(names, classes), strict=True))
    return partial(_class_of, columns.names, wnids)


def _class_of(names: Sequence[str], wnids: dict[str, str | None], label: Any) -> tuple[str, str]:
    if label is None or (isinstance(label, int) and label < 0):  # -1: a test set's
        return "", ""
    if isinstance(label, int):
        if label >= len(names):
            raise ValueError(f"the label {label} has no name")
        label = names[label]
    return wnids.get(label) or "", str(label)
