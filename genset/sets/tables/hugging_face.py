"""A data set of Hugging Face: its folder, as on the hub or as save_to_disk wrote it, or its files.

A column holds the encoded photos, another their labels with the names of a ClassLabel. Where the
columns of an export of genset's own have all right classes, these are the set's truth.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from genset.core.errors import BadInput, MissingExtra, first_line
from genset.sets.kept import KeptHashes
from genset.sets.layout import Classes, left_out
from genset.sets.patterns import expanded, set_name
from genset.sets.photo import Part, PhotoSet, ScoredPhoto, Slice, Unreadable, hash_of
from genset.sets.tables import arrow, parquet
from genset.sets.tables.class_names import wnids_of
from genset.sets.tables.features import Columns, columns_of
from genset.sets.truths.truth import truth_of_export

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
    return any(next(each.glob("*.parquet"), None) for each in (path, path / "data"))


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
    kept = KeptHashes(hashes, root)
    rows: list[_Row] = []
    for path in files:
        try:
            rows += _rows(path, root, kept, classes)
        except (OSError, ValueError, KeyError) as error:  # pyarrow's are among them
            raise BadInput(f"{path} cannot be read: {first_line(error)}") from None
    kept.save()
    counted = [row for row in rows if row.wnid]
    strange = list(dict.fromkeys(row.label for row in rows if not row.wnid and row.label))
    if not counted:
        none = f"is not a class of {classes.whose}"
        what = f"{strange[0]!r} {none}" if strange else "there are no labels"
        by = "wnids, or as ImageNet does (tench, Tinca tinca)"
        raise BadInput(f"{named}: {what}: name labels by {'ids' if classes.own else by}")
    ids = [f"{row.wnid}/{row.name}" for row in counted]
    if not all(row.name for row in counted) or len(set(ids)) < len(ids):
        ids = [f"{row.wnid}/{row.number}" for row in counted]
    photos = tuple(
        ScoredPhoto(each, row.path, row.wnid, row.part, row.sha256)
        for each, row in zip(ids, counted, strict=True)
    )
    bare = [row.number for row in rows if not row.wnid and not row.label]
    notes = (
        *left_out(
            strange,
            f"is not a class of {classes.whose}",
            f"are not classes of {classes.whose}",
            "label",
        ),
        *left_out(bare, "has no label", "have no label", "row"),
    )
    name = root.resolve().name if root.is_dir() else set_name(named)
    records = {each: row.record for each, row in zip(ids, counted, strict=True)}
    truth = truth_of_export(name, records)
    return PhotoSet(
        name=name,
        root=root,
        content_hash=hash_of(photos),
        photos=photos,
        notes=notes,
        truth=truth,
        own_taxonomy=classes.own,
    )


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
        try:
            state = json.loads((folder / _STATE).read_text("utf-8"))
            if state.get("_indices_data_files"):
                raise BadInput(f"{folder} is a selection: save it after flatten_indices()")
            return [folder / Path(each["filename"]).name for each in state["_data_files"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInput(f"{folder / _STATE} cannot be read: {first_line(error)}") from None
    found = sorted(folder.glob("*.parquet")) or sorted((folder / "data").glob("*.parquet"))
    splits = sorted({path.name.partition("-")[0].removesuffix(".parquet") for path in found})
    if len(splits) != 1:
        raise BadInput(
            f"{folder} has the splits {', '.join(splits)}: name one's files, as in "
            f"'{found[0].parent}/{splits[0]}*.parquet'"
        )
    return found


def _rows(path: Path, root: Path, kept: KeptHashes, classes: Classes) -> list[_Row]:
    """The rows of a file."""
    module = arrow if path.suffix == ".arrow" else parquet
    folders = dict.fromkeys((path.parent, path.parent.parent, root))
    cards = [folder / name for folder in folders for name in ("dataset_info.json", "README.md")]
    schema = module.schema_of(path)
    columns = columns_of(path, schema, cards)
    wanted = [columns.label, *filter(None, [columns.named])]
    labels, *named = module.values_of(path, wanted)
    names = named[0] if named else [None] * len(labels)
    parts = _parts(path, columns, kept)
    meaning = _meaning(columns, labels, classes)
    further = [each for each in (*_LISTS, _PROPOSERS) if each in schema.names]
    values = module.values_of(path, further) if _LISTS[0] in further else []
    rows = []
    for number, (label, name, each) in enumerate(zip(labels, names, parts, strict=True)):
        wnid, said = meaning(label)
        base = str(name or "").replace("\\", "/").rpartition("/")[2]
        # Where a row has no bytes, but a path, the photo is a file of its own.
        found = (path, *each) if each[1] or not name else _beside(path, str(name), kept)
        given = {what: column[number] for what, column in zip(further, values, strict=False)}
        record = _record(given, columns.names)
        rows.append(_Row(f"{path.stem}-{number:06}", base, wnid, said, *found, record))
    return rows


def _record(given: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    """What a row says of all right classes: wnids by their places in the label's list of names."""
    found: dict[str, Any] = {}
    for what, value in given.items():
        if what == _PROPOSERS:
            try:
                found[what] = json.loads(value or "{}")
            except (TypeError, ValueError, RecursionError):
                continue
        elif isinstance(value, list):
            found[what] = [
                names[each] if isinstance(each, int) and 0 <= each < len(names) else each
                for each in value
            ]
    return found


def _parts(path: Path, columns: Columns, kept: KeptHashes) -> list[tuple[Part, str]]:
    """Of each row, the part of the file that its photo is, and the photo's hash."""
    missing = Unreadable("the row has no image")
    column = columns.encoded
    if path.suffix == ".arrow":
        spans = kept.read(str(path), lambda _: arrow.spans_of(path, column))
        return [
            (Slice(offset, size) if size else missing, sha256) for offset, size, sha256 in spans
        ]
    hashes = kept.read(str(path), lambda _: parquet.hashes_of(path, column))
    return list(zip(parquet.rows_of(path, column), hashes, strict=True))


def _beside(table: Path, name: str, kept: KeptHashes) -> tuple[Path, Part | None, str]:
    """A photo of which only the path is kept."""
    path = table.parent / name
    try:
        return path, None, kept.sha256(path)
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
