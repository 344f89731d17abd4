"""Lay the photos that three packages ship out as the demo's records name them.

The first folder has them by the demo's own classes. The second has those that show a class of
ImageNet, each in a folder named by its wnid, as `genset evaluate` takes any set.

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


def main(records: Path, own: Path, imagenet: Path) -> None:
    """Copy each record's photo to `own`/`file`, and to `imagenet`/WNID where it has that class."""
    for line in records.read_text("utf-8").splitlines():
        record = json.loads(line)
        module, place = FOLDERS[record["package"]]
        file = Path(record["file"])
        photo = Path(find_spec(module).origin).parent / place / file.name
        targets = [own / file]
        if record["imagenet"]:
            targets.append(imagenet / record["imagenet"] / file.name)
        for target in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(photo, target)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
