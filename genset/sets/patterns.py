"""Several files under one name: ``shards-{000..010}.tar``, ``data/validation-*.parquet``."""

import re
from itertools import product
from pathlib import Path

from genset.core.errors import BadInput

_MOST = 100_000  # files

_BRACES = re.compile(r"\{([^{}]*)\}")


def is_pattern(named: str) -> bool:
    """Whether a name means several files."""
    return not Path(named).exists() and bool(_BRACES.search(named) or "*" in named)


def expanded(named: str) -> list[Path]:
    """The files, in order: braces as a shell expands them, then stars.

    Raises:
        BadInput: one is not there, or there are too many.
    """
    if not is_pattern(named):
        names = [named]
    else:
        pieces = _BRACES.split(named)  # text, what is in braces, text, ...
        choices = [_choices(piece) if n % 2 else [piece] for n, piece in enumerate(pieces)]
        count = 1
        for choice in choices:
            count *= len(choice)
        if count > _MOST:
            raise BadInput(f"{named} means {count:,} files, more than {_MOST:,}")
        names = ["".join(parts) for parts in product(*choices)]
    found: list[Path] = []
    for name in names:
        path = Path(name)
        matches = sorted(path.parent.glob(path.name)) if "*" in path.name else [path]
        if not matches or not all(match.is_file() for match in matches):
            raise BadInput(f"there is no file {name}")
        found += matches
    return found


def set_name(named: str) -> str:
    """What a set is called that lies in these files: what their names have in common."""
    stem = Path(named).name
    stem = stem[: stem.rfind(".")] if "." in stem else stem
    return _BRACES.sub("", stem).replace("*", "").strip("-_. ") or Path(named).resolve().parent.name


def _choices(inside: str) -> list[str]:
    span = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", inside)
    if span is None:
        return inside.split(",")
    first, last = int(span[1]), int(span[2])
    if abs(last - first) >= _MOST:
        raise BadInput(f"{{{inside}}} means more than {_MOST:,} files")
    padded = span[1].startswith("0") or span[2].startswith("0")
    width = max(len(span[1]), len(span[2])) if padded else 0
    step = 1 if last >= first else -1
    return [f"{number:0{width}}" for number in range(first, last + step, step)]
