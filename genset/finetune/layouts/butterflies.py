"""Leeds Butterfly v1.0: ``images/0010001.png``, whose first three digits are its category.

Source: Wang, Markert and Everingham, "Learning Models for Object Recognition from Natural Language
Descriptions", 2009.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from genset.core.errors import BadInput
from genset.finetune.layouts.listing import Listing, files_in, find_root, size_note

DESCRIBED = (
    "butterflies: Leeds Butterfly v1.0, 832 photos of 10 species: unpack the archive from "
    "http://www.josiahwang.com/dataset/leedsbutterfly/"
)

_NAME = re.compile(r"([0-9]{3})[0-9]{4}\.png")


def read(data: Path) -> Listing:
    """List the photos in ``images/``, with class names from ``descriptions/`` if it is there.

    No split is defined.

    Raises:
        BadInput: there is no such folder, or the categories skip a number.
    """
    root = find_root(data, _fits, "images/ folder with photos named 0010001.png", DESCRIBED)
    categories: dict[str, str] = {}
    excluded: dict[str, str] = {}
    for path in files_in(root / "images"):
        if match := _NAME.fullmatch(path.name):
            categories[f"images/{path.name}"] = match[1]
        else:
            excluded[f"images/{path.name}"] = "its name is not like 0010001.png"
    codes = sorted(set(categories.values()))
    _check_codes(root, codes)
    listing = Listing(
        root=root,
        classes=tuple(_readable(root, code) for code in codes),
        labels={photo: int(code) - 1 for photo, code in categories.items()},
        excluded=excluded,
    )
    return replace(listing, notes=size_note("Leeds Butterfly", listing, 10, 832))


def _fits(folder: Path) -> bool:
    images = folder / "images"
    return images.is_dir() and any(_NAME.fullmatch(path.name) for path in images.iterdir())


def _check_codes(root: Path, codes: Iterable[str]) -> None:
    for expected, code in enumerate(codes, 1):
        if int(code) != expected:
            raise BadInput(
                f"{root / 'images'} skips numbers: no photo is of category {expected:03}, and "
                f"some are of {code}; unpack the whole archive again"
            )


def _readable(root: Path, code: str) -> str:
    """The category's common name: the second line of its description."""
    path = root / "descriptions" / f"{code}.txt"
    if not path.is_file():
        return f"category {code}"
    lines = [line.strip() for line in path.read_text("utf-8", "replace").splitlines()[:2]]
    return next((line for line in reversed(lines) if line), f"category {code}")
