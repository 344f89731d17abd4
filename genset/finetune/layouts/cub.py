"""Birds-200: CUB-200-2011 in its official layout, with its official split.

``images.txt`` numbers the photos, ``classes.txt`` the classes, ``image_class_labels.txt`` gives
each photo's class and ``train_test_split.txt`` its part (1 is training). Source: Wah et al., "The
Caltech-UCSD Birds-200-2011 Dataset", 2011.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from genset.core.errors import BadInput
from genset.finetune.layouts.listing import Listing, find_root, named, size_note

DESCRIBED = (
    "birds-200: CUB-200-2011, 11,788 photos of 200 species of birds: unpack CUB_200_2011.tgz from "
    "https://data.caltech.edu/records/65de6-vp158"
)

_PATHS, _CLASSES = "images.txt", "classes.txt"
_LABELS, _SPLIT = "image_class_labels.txt", "train_test_split.txt"


def read(data: Path) -> Listing:
    """List the photos, classes and parts of the four lists.

    Raises:
        BadInput: a list is missing or contradicts another, or a listed photo does not exist.
    """
    root = find_root(data, _fits, "CUB_200_2011 folder (images/ and images.txt)", DESCRIBED)
    paths, classes = _table(root / _PATHS), _table(root / _CLASSES)
    labels, split = _numbers(root / _LABELS, paths), _numbers(root / _SPLIT, paths)
    _check_classes(root / _CLASSES, classes)
    _check_values(root / _LABELS, labels, classes, f"there is no such class in {_CLASSES}")
    _check_values(root / _SPLIT, split, (0, 1), "1 is training and 0 is test")
    ids = _ids(root, paths)
    listing = Listing(
        root=root,
        classes=tuple(_readable(classes[number]) for number in sorted(classes)),
        labels={ids[number]: label - 1 for number, label in labels.items()},
        split="official",
        parts={ids[number]: "train" if part else "test" for number, part in split.items()},
    )
    return replace(listing, notes=size_note("CUB-200-2011", listing, 200, 11_788))


def _fits(folder: Path) -> bool:
    lists = (_PATHS, _LABELS, _SPLIT)
    return (folder / "images").is_dir() and any((folder / name).is_file() for name in lists)


def _table(path: Path) -> dict[int, str]:
    """Read a list, whose lines are a number, a space and a value."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        raise BadInput(f"{path} is not there: unpack all of CUB_200_2011.tgz") from None
    except ValueError:
        raise BadInput(f"{path} is not text: unpack CUB_200_2011.tgz again") from None
    table: dict[int, str] = {}
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        number, _, rest = line.strip().partition(" ")
        if not _is_number(number) or not rest:
            raise BadInput(f"{path}, line {place}: not a number, a space and a word: {line[:60]!r}")
        if int(number) in table:
            raise BadInput(f"{path}, line {place}: {number} is there twice; delete one line")
        table[int(number)] = rest.strip()
    return table


def _numbers(path: Path, photos: Mapping[int, str]) -> dict[int, int]:
    """Read a list that has a number for each photo of ``images.txt``."""
    table = _table(path)
    if missing := [number for number in photos if number not in table]:
        photo = photos[missing[0]]
        raise BadInput(f"{path} has no line for photo {missing[0]} ({photo}){_more(len(missing))}")
    if strange := [number for number in table if number not in photos]:
        raise BadInput(
            f"{path} has photo {strange[0]}, which {_PATHS} does not have{_more(len(strange))}"
        )
    if wrong := [number for number, value in table.items() if not _is_number(value)]:
        raise BadInput(f"{path}, photo {wrong[0]}: {table[wrong[0]]!r} is not a number")
    return {number: int(value) for number, value in table.items()}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _more(count: int) -> str:
    return f", and so for {count - 1:,} more" if count > 1 else ""


def _check_classes(path: Path, classes: Mapping[int, str]) -> None:
    for expected, number in enumerate(sorted(classes), 1):
        if number != expected:
            raise BadInput(
                f"{path} skips numbers: {expected} is not there, and {number} is; "
                f"number its classes from 1 to {len(classes)}, in {_LABELS} too"
            )


def _check_values(
    path: Path, values: Mapping[int, int], known: Mapping[int, str] | tuple[int, ...], hint: str
) -> None:
    for number, value in values.items():
        if value not in known:
            raise BadInput(f"{path}, photo {number}: {value} is wrong: {hint}")


def _ids(root: Path, paths: Mapping[int, str]) -> dict[int, str]:
    """The photos' paths in the root. Checks that each exists, and is listed once."""
    first: dict[str, int] = {}
    for number, text in paths.items():
        path = PurePosixPath(text)
        if path.is_absolute() or ".." in path.parts:
            raise BadInput(f"{root / _PATHS}, photo {number}: {text} leads out of images/")
        other = first.setdefault(f"images/{path}", number)
        if other != number:
            raise BadInput(f"{root / _PATHS}: {text} is there twice, as {other} and {number}")
    if missing := [photo for photo in first if not (root / photo).is_file()]:
        photos = "photo that it names is" if len(missing) == 1 else "photos that it names are"
        raise BadInput(
            f"{root / _PATHS}: {len(missing):,} {photos} not there ({named(missing)}): "
            "unpack all of CUB_200_2011.tgz"
        )
    return {number: photo for photo, number in first.items()}


def _readable(name: str) -> str:
    """``001.Black_footed_Albatross`` without the number and the underscores."""
    number, dot, rest = name.partition(".")
    return (rest if dot and rest and number.isdigit() else name).replace("_", " ")
