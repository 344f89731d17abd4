"""Lists of classes, as people and other programs write them, told apart by what is in them."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from genset.classes.classes import is_wnid
from genset.core.errors import BadInput
from genset.core.files import decoded
from genset.core.safe import clean
from genset.core.validation import LARGEST, load_toml, parse_json

# The columns of tables, and the keys of JSON, that say something of a class; the first that says
# anything counts.
_COLUMNS = {
    "id": ("id", "wnid", "class_id"),
    "name": (
        *("preferred_common_name", "common_name", "vernacularname"),
        *("name", "class", "class_name", "label", "value", "title"),
    ),
    "words": ("words", "synonyms", "aliases", "lemmas", "keywords", "queries"),
    "definition": ("definition", "description", "gloss", "hint"),
    "taxon": ("taxon", "scientific_name", "scientificname", "species"),
    "synset": ("synset",),
    "output": ("image_dir_name",),
}
_KNOWN = {column for columns in _COLUMNS.values() for column in columns}

# What only lists of organisms have, whose `name` is scientific, and `class` a rank: iNaturalist's.
_OF_TAXA = {"rank", "kingdom", "iconic_taxon_id", "iconic_taxon_name"}

# Where documents have their classes: COCO's, iNaturalist's, YOLO's, Hugging Face's, torchvision's.
_HOLDERS = ("categories", "results", "classes", "names", "id2label", "class_to_idx", "labels")


@dataclass(frozen=True, slots=True)
class Row:
    """What a list says of a class; what is empty, it does not say.

    Attributes:
        name: what people call it.
        id: its id, or the name of its folder.
        words: what to search for, where that is not the name.
        definition, taxon, synset: as of a class.
        output: what its folder, or a model, calls it, where that is not the id.
    """

    name: str
    id: str = ""
    words: tuple[str, ...] = ()
    definition: str = ""
    taxon: str = ""
    synset: str = ""
    output: str = ""


def read_list(path: Path) -> list[Row]:
    """The classes of a file: a list, a table, JSON, or Label Studio's labeling configuration.

    Raises:
        BadInput: it cannot be read, is none of these, or names no class.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise BadInput(f"{path} is larger than {LARGEST:,} bytes: it is no list of classes")
        text = decoded(path.read_bytes())
    except (OSError, UnicodeDecodeError, BadInput) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{path} cannot be read: {why}") from None
    begin = text.lstrip()[:1]
    if begin == "<":
        rows = list(_of_label_studio(text, path))
    elif "classes" in load_toml(text)[0]:
        raise BadInput(f"{path} is a file of classes already: genset init FOLDER --taxonomy {path}")
    elif begin in ("{", "["):
        document = parse_json(text.encode(), Any, str(path))
        if isinstance(document, dict) and isinstance(document.get("label_config"), str):
            rows = list(_of_label_studio(document["label_config"], path))
        else:
            rows = list(_of_json(document, path))
    else:
        rows = list(_of_lines(text, path))
    if not rows:
        raise BadInput(f"{path} names no class")
    # A list of observations has a taxon as often as it was seen.
    return list({(row if row.taxon else at): row for at, row in enumerate(rows)}.values())


def _row(table: Mapping[str, Any], place: str) -> Row:
    """What a row of a table, or an object, says."""
    cells = {_column(str(key)): value for key, value in table.items()}
    is_taxon = not cells.keys().isdisjoint(_OF_TAXA)
    if is_taxon:
        cells.pop("class", None)

    def first(field: str) -> Any:
        return next(filter(None, (cells.get(column) for column in _COLUMNS[field])), "")

    found = {field: clean(str(first(field)), 2000) for field in _COLUMNS if field != "words"}
    words = first("words")
    if isinstance(words, str):
        words = re.split(r"[,;|]", words)
    if is_taxon and not found["taxon"]:
        found["taxon"] = clean(str(cells.get("name") or ""))
    if found["id"].isdigit():  # a place in a list, or a number in somebody's database
        found["id"] = ""
    found["name"] = found["name"] or found["taxon"] or found["id"]
    if not found["name"]:
        raise BadInput(f"{place} names no class: give it a name")
    return Row(words=tuple(filter(None, (clean(str(word)) for word in words))), **found)


def _column(name: str) -> str:
    """A column's name as `_COLUMNS` has it: "Class name" is class_name."""
    return "_".join(name.casefold().split())


def _of_lines(text: str, path: Path) -> Iterator[Row]:
    """A table whose first line names columns, or a class a line."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    head = lines[0] if lines else ""
    delimiter = max(",;\t", key=head.count)
    columns = [_column(cell.strip().strip('"')) for cell in head.split(delimiter)]
    if not _KNOWN.isdisjoint(columns):
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restkey="")
        for cells in reader:
            place = f"{path}, line {reader.line_num}"
            if cells.pop("", None):
                raise BadInput(
                    f"{place}: the row has more cells than the first line names columns (a comma "
                    "in a text needs quotes around it)"
                )
            if any(cells.values()):
                yield _row(cells, place)
        return
    numbered = [re.fullmatch(r"\s*\d+[\s:,.)]+(\S.*)", line) for line in lines]
    for line, number in zip(lines, numbered, strict=True):
        name = " ".join((number[1] if number and all(numbered) else line).split())
        led = re.fullmatch(r"(n\d{8}) (.+)", name)  # as ILSVRC lists its synsets
        yield Row(led[2], led[1]) if led else Row(name)


def _of_json(document: Any, path: Path) -> Iterator[Row]:
    """A list of names or objects, or an object by id, name or place; or what holds one of these."""
    if isinstance(document, dict):
        holders = (document[key] for key in _HOLDERS if isinstance(document.get(key), dict | list))
        document = next(holders, document)
    items: Iterable[tuple[str, Any]]
    if isinstance(document, dict):
        items = document.items()
    else:
        items = ((str(place), item) for place, item in enumerate(document))
    for key, item in items:
        place = f"{path}, entry {clean(key, 40)}"
        listed = item if isinstance(item, list) and all(isinstance(x, str) for x in item) else []
        if isinstance(item, dict):
            yield _row(item if key.isdigit() else {"id": key, **item}, place)
        elif isinstance(item, str) and key.isdigit():
            yield Row(" ".join(item.split()))
        elif listed and is_wnid(listed[0]):  # as Keras lists ImageNet's
            yield Row(listed[0])
        elif isinstance(document, dict) and (isinstance(item, int | str) or listed):
            yield Row(key, words=tuple(listed) or ((item,) if isinstance(item, str) else ()))
        else:
            raise BadInput(f"{place}: a class is a name, or an object with a name")


def _of_label_studio(text: str, path: Path) -> Iterator[Row]:
    """The labels and choices of a labeling configuration."""
    if "<!" in text.replace("<!--", ""):  # it has no use for a DTD, whose entities can be bombs
        raise BadInput(f"{path} has a DTD: a labeling configuration has none")
    try:
        tree = ElementTree.fromstring(text)  # noqa: S314 - without a DTD
    except ElementTree.ParseError as error:
        raise BadInput(f"{path} is no labeling configuration of Label Studio: {error}") from None
    seen = set[str]()
    for element in tree.iter():
        value = " ".join(element.get("value", "").split())
        if element.tag in ("Label", "Choice") and value not in {"", *seen} and value[0] != "$":
            seen.add(value)
            output = element.get("alias", "")
            yield Row(value, definition=clean(element.get("hint", ""), 2000), output=output)
