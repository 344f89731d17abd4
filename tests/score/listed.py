"""A list of photos that are not here, and answers to it."""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tests.score.painted import WNIDS


def write_list(path: Path, places: Iterable[int]) -> Path:
    """List a photo of the class at each of these places: photo0.jpg, photo1.jpg, ..."""
    rows = [f"photo{number}.jpg,{WNIDS[place]}" for number, place in enumerate(places)]
    path.write_text("\n".join(["image,wnid", *rows]) + "\n")
    return path


def classes_of(name: str) -> list[int]:
    """The places of the 200 classes of ImageNet-A ("a") or -R ("r"), by timm's own list."""
    timm = find_spec("timm")  # not imported, which takes seconds
    assert timm and timm.origin
    listed = Path(timm.origin).parent / "data" / "_info" / f"imagenet_{name}_synsets.txt"
    return [WNIDS.index(wnid) for wnid in listed.read_text().split()]


def write_npy(path: Path, rows: Sequence[Sequence[int]]) -> str:
    """Save class indices; return the spec."""
    np.save(path, np.array(rows))
    return f"predictions:{path}"
