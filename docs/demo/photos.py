"""Lay the photos that scikit-image and scikit-learn ship out as the demo's records name them."""

import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

FOLDERS = {"skimage": "data", "sklearn": "datasets/images"}


def main(records: Path, folder: Path) -> None:
    """Copy each record's photo to `folder`/`file`."""
    places = [Path(find_spec(package).origin).parent / FOLDERS[package] for package in FOLDERS]
    for line in records.read_text("utf-8").splitlines():
        file = Path(json.loads(line)["file"])
        source = next(place / file.name for place in places if (place / file.name).is_file())
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
