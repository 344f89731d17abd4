"""Lay the photos that three packages ship out as the demo's records name them.

A record's `owner_name` and `license` (Flickr's number) are what the package says of the photo; of
matplotlib's, which says nothing, what is known of it: an official portrait by the US Navy. Ids
that begin with 900 and their dates are made up; the others are the photos' ids on Flickr.
"""

import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

FOLDERS = {
    "matplotlib": ("matplotlib", "mpl-data/sample_data"),
    "scikit-image": ("skimage", "data"),
    "scikit-learn": ("sklearn", "datasets/images"),
}


def main(records: Path, folder: Path) -> None:
    """Copy each record's photo to `folder`/`file`."""
    for line in records.read_text("utf-8").splitlines():
        record = json.loads(line)
        module, place = FOLDERS[record["package"]]
        target = folder / record["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(find_spec(module).origin).parent / place / target.name, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
